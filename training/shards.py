"""Shards: the evidence and the truth of some hundred tables in one file, and their folder.

A folder of tables holds ``tables.json`` (:class:`Plan`: which seeds of which source) and one file
per shard, ``shard-000000.npz``, …, plain arrays without pickle. Shard k holds the seeds
``start + size * k, …, start + size * (k + 1) - 1``, so what a shard holds depends on nothing else.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.files import whole_file
from spinney._core.pairs import n_pairs
from spinney.exceptions import InputError

__all__ = ["Plan", "Shard", "TableRecord"]

FORMAT = "spinney training tables, version 1"
PLAN = "tables.json"
UNKNOWN = 255
"""Stands for the truth of a pair of which nobody knows whether it is an edge."""
LABELS = ("graph", "density", "spoils")
"""What is known of how a table was drawn; `spoils` may be several, the others are one each."""
Folders = str | Path | Sequence[str | Path] | None
_PER_TABLE = ("d", "n", "seed", "groups", *LABELS)


@dataclass(frozen=True)
class TableRecord:
    """Evidence and truth of one table, with what is known of how it was drawn.

    Parameters
    ----------
    evidence : float array of shape (n_pairs, n_channels)
    truth : array of shape (n_pairs,)
        Which pairs are edges: 1, or 0, or :data:`UNKNOWN`.
    n, seed : int
        Rows, and what the table was drawn from.
    groups, spoils : tuple of str
        Groups that it belongs to, and what was done to its values.
    graph, density : str
        Kind of graph, and how values were drawn.
    """

    evidence: NDArray[np.float32]
    truth: NDArray[np.uint8]
    n: int
    seed: int
    groups: tuple[str, ...] = ()
    graph: str = ""
    density: str = ""
    spoils: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plan:
    """Which tables a folder holds, or will hold once all are made.

    Parameters
    ----------
    source : str
        ``"world"``, or the name of a kind of truth.
    start, stop : int
        Range of seeds, as in `range`.
    size : int
        Seeds per shard.
    without : tuple of str
        Groups of tables that the world leaves out.

    Examples
    --------
    >>> plan = Plan("world", 10_000_000, 10_000_300)
    >>> plan.n_shards, plan.seeds(2)
    (3, range(10000256, 10000300))
    """

    source: str
    start: int
    stop: int
    size: int = 128
    without: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.stop or self.size < 1:
            raise InputError(
                f"The seeds {self.start}:{self.stop} in shards of {self.size} hold no table."
            )

    @property
    def n_shards(self) -> int:
        """How many shards there are when all are made; the last may be smaller."""
        return -(-(self.stop - self.start) // self.size)

    def seeds(self, k: int) -> range:
        """List the seeds of shard `k`."""
        first = self.start + k * self.size
        return range(first, min(first + self.size, self.stop))

    def save(self, folder: Path) -> None:
        """Write the plan; tables that are there already must be the same, but may be fewer."""
        if (folder / PLAN).exists():
            before = Plan.load(folder)
            unlike = [
                field.name
                for field in fields(Plan)
                if field.name != "stop" and getattr(before, field.name) != getattr(self, field.name)
            ]
            if unlike:
                name = unlike[0]
                raise InputError(
                    f"{folder} holds other tables ({name}: {getattr(before, name)} there, "
                    f"{getattr(self, name)} here). Choose another folder."
                )
            if before.stop % self.size != before.start % self.size and before.stop < self.stop:
                # The last shard was cut short by the old end.
                shard_path(folder, before.n_shards - 1).unlink(missing_ok=True)
        with whole_file(folder / PLAN) as path:
            path.write_text(json.dumps({"format": FORMAT, **asdict(self)}, indent=1) + "\n")

    @classmethod
    def load(cls, folder: Path) -> Plan:
        """Read the plan of a folder of tables."""
        try:
            found = json.loads((folder / PLAN).read_text())
        except FileNotFoundError:
            raise InputError(
                f"{folder} has no {PLAN}. Make tables first: python -m training tables --out …"
            ) from None
        if found.pop("format", None) != FORMAT:
            raise InputError(f"{folder / PLAN} is not of the format '{FORMAT}'. Make it again.")
        return cls(**{**found, "without": tuple(found["without"])})


@dataclass(frozen=True, eq=False)
class Shard:
    """Tables one after the other: pairs are concatenated, `d` tells where a table ends.

    Attributes
    ----------
    evidence : float16 array of shape (pairs of all tables, n_channels)
    truth : uint8 array of shape (pairs of all tables,)
        1 for an edge, 0 for none, :data:`UNKNOWN`.
    d, n, seed : int arrays of shape (n_tables,)
        Columns, rows, and seed of each table.
    groups, spoils : int arrays of shape (n_tables,)
        Bit masks: bit i stands for ``names["groups"][i]`` and ``names["spoils"][i]``.
    graph, density : int arrays of shape (n_tables,)
        Positions in ``names["graph"]`` and ``names["density"]``.
    names : dict
        Names of the channels and of all labels.
    failed : list of (seed, error)
        Tables that could not be drawn or measured.
    """

    evidence: NDArray[np.float16]
    truth: NDArray[np.uint8]
    d: NDArray[np.int64]
    n: NDArray[np.int64]
    seed: NDArray[np.int64]
    groups: NDArray[np.int64]
    graph: NDArray[np.int64]
    density: NDArray[np.int64]
    spoils: NDArray[np.int64]
    names: dict[str, list[str]]
    failed: list[tuple[int, str]]

    @classmethod
    def of(
        cls,
        records: Sequence[TableRecord],
        channels: Sequence[str],
        failed: Sequence[tuple[int, str]] = (),
    ) -> Shard:
        """Put tables one after the other."""
        names = {"channels": list(channels)} | {
            "groups": sorted({name for record in records for name in record.groups}),
            "spoils": sorted({name for record in records for name in record.spoils}),
            "graph": sorted({record.graph for record in records}),
            "density": sorted({record.density for record in records}),
        }

        def numbers(values: Sequence[int]) -> NDArray[np.int64]:
            return np.array(values, dtype=np.int64)

        def mask(label: str) -> NDArray[np.int64]:
            place = {name: 1 << i for i, name in enumerate(names[label])}
            return numbers([sum(place[name] for name in set(getattr(r, label))) for r in records])

        def position(label: str) -> NDArray[np.int64]:
            return numbers([names[label].index(getattr(record, label)) for record in records])

        empty = np.empty((0, len(channels)), dtype=np.float16)
        return cls(
            evidence=np.concatenate([empty, *(to_half(r.evidence, r.seed) for r in records)]),
            truth=np.concatenate([np.empty(0, np.uint8), *(r.truth for r in records)]).astype(
                np.uint8
            ),
            d=numbers([(1 + round((1 + 8 * len(r.truth)) ** 0.5)) // 2 for r in records]),
            n=numbers([record.n for record in records]),
            seed=numbers([record.seed for record in records]),
            groups=mask("groups"),
            graph=position("graph"),
            density=position("density"),
            spoils=mask("spoils"),
            names=names,
            failed=list(failed),
        )

    def __len__(self) -> int:
        return len(self.d)

    @property
    def pairs(self) -> NDArray[np.int64]:
        """Number of pairs of each table."""
        return self.d * (self.d - 1) // 2

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where the pairs of each table begin, and at last where they end."""
        return np.concatenate([[0], np.cumsum(self.pairs)])

    def labels(self, i: int) -> dict[str, Any]:
        """Tell how table `i` was drawn, in words."""

        def names_of(label: str) -> tuple[str, ...]:
            bits = int(getattr(self, label)[i])
            return tuple(name for k, name in enumerate(self.names[label]) if bits >> k & 1)

        return {
            **{label: names_of(label) for label in ("groups", "spoils")},
            **{label: self.names[label][getattr(self, label)[i]] for label in ("graph", "density")},
        }

    def record(self, i: int) -> TableRecord:
        """Give table `i` by itself."""
        first, last = self.offsets[i : i + 2]
        return TableRecord(
            evidence=self.evidence[first:last].astype(np.float32),
            truth=self.truth[first:last],
            n=int(self.n[i]),
            seed=int(self.seed[i]),
            **self.labels(i),
        )

    def save(self, path: Path) -> None:
        """Write all or nothing."""
        header = {"format": FORMAT, "names": self.names, "failed": self.failed}
        arrays = {name: getattr(self, name) for name in ("evidence", "truth", *_PER_TABLE)}
        with whole_file(path) as temporary:
            np.savez(temporary, header=np.array(json.dumps(header)), **arrays)

    @classmethod
    def load(cls, path: Path) -> Shard:
        """Read a shard and check that its parts fit together."""
        with np.load(path, allow_pickle=False) as found:
            header = json.loads(str(found["header"]))
            if header["format"] != FORMAT:
                raise InputError(f"{path} is not of the format '{FORMAT}'. Make it again.")
            arrays = {name: found[name] for name in ("evidence", "truth", *_PER_TABLE)}
        failed = [(int(seed), str(error)) for seed, error in header["failed"]]
        shard = cls(**arrays, names=header["names"], failed=failed)
        if not len(shard.evidence) == len(shard.truth) == shard.offsets[-1]:
            raise InputError(f"{path} does not hold the pairs that its tables have. Make it again.")
        return shard


def list_folders(folders: Folders) -> list[Path]:
    """List one or several folders, or none."""
    if folders is None:
        return []
    return [Path(folders)] if isinstance(folders, str | Path) else [Path(one) for one in folders]


def shard_path(folder: Path, k: int) -> Path:
    """Name the file of shard `k`.

    Examples
    --------
    >>> shard_path(Path("tables"), 7).name
    'shard-000007.npz'
    """
    return folder / f"shard-{k:06d}.npz"


def to_half(evidence: NDArray[np.float32], seed: int) -> NDArray[np.float16]:
    """Store evidence in half precision, which its magnitudes (below some 15) allow."""
    with np.errstate(over="ignore", invalid="ignore"):
        half = evidence.astype(np.float16)
    if not np.isfinite(half).all():
        raise InputError(f"The evidence of the table of seed {seed} is not finite.")
    return half


def table_truth(
    adjacency: NDArray[np.bool_], known: NDArray[np.bool_] | None = None
) -> NDArray[np.uint8]:
    """Read the true edges as pairs; pairs that are not `known` are :data:`UNKNOWN`.

    Examples
    --------
    >>> table_truth(np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=bool))
    array([1, 0, 0], dtype=uint8)
    """
    first, second = np.triu_indices(len(adjacency), 1)
    truth = np.asarray(adjacency)[first, second].astype(np.uint8)
    assert len(truth) == n_pairs(len(adjacency))
    if known is not None:
        truth[~np.asarray(known)[first, second]] = UNKNOWN
    return truth
