"""Evidence of tables, computed once and kept: all judges look at the same numbers."""

from __future__ import annotations

import hashlib
import os
import tempfile
import warnings
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks.learned import tables
from benchmarks.tables.rounds import learned
from reproduce.judging import fingerprint
from spinney._core.files import whole_file
from spinney._core.pairs import to_pairs
from spinney._core.progress import progress_of_run
from spinney.evidence import CHANNELS, N_EVEN, measure
from spinney.evidence.inputs import judge_inputs
from spinney.evidence.summaries import table_summary
from spinney.models import RootedForests, SharedForest
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.pair_fit import PairFit
from spinney.scale.tasks import as_finished

FORESTS = {"rooted-forests": RootedForests, "shared-forest": SharedForest}
"""What is fitted beside the evidence, of whose pairs it is made."""
PROBES = ("connected-50", "mixed-kinds-100")
"""Tables by whose evidence it is known whether what makes evidence has changed."""


@dataclass(frozen=True, eq=False)
class Seen:
    """A table as judges see it.

    Attributes
    ----------
    name, seed : str, int
        Which table.
    n, d : int
        Rows and columns.
    even, odd : float32 arrays of shape (n_pairs, channels)
        The evidence.
    truth : boolean array of shape (n_pairs,)
        Which pairs are edges.
    summary : array
        Where the table lies in the world's cloud.
    forests : dict
        Edges that forest estimators keep, by name, as `truth`.
    """

    name: str
    seed: int
    n: int
    d: int
    even: NDArray[np.float32]
    odd: NDArray[np.float32]
    truth: NDArray[np.bool_]
    summary: NDArray[np.float64]
    forests: dict[str, NDArray[np.bool_]]


def default_cache() -> Path:
    """Return where evidence is kept: ``SPINNEY_CACHE``, or a folder for temporary files."""
    return Path(os.environ.get("SPINNEY_CACHE", Path(tempfile.gettempdir()) / "spinney-evidence"))


def look(
    names: Iterable[str], repetitions: int, folder: Path, workers: int = 1
) -> dict[str, list[Seen]]:
    """Return the evidence of the first repetitions of each named table; what is missing is made.

    Parameters
    ----------
    names : iterable of str
        See :mod:`benchmarks.learned.tables`.
    repetitions : int
        Seeds of each.
    folder : path
        Where evidence is kept. It is made again when what makes it gives other numbers.
    workers : int
        Processes, of one thread each.
    """
    wanted = [(name, seed) for name in names for seed in tables.seeds(name, repetitions)]
    missing = [key for key in wanted if not _path(folder, *key).exists()]
    if missing:
        folder = folder.resolve()
        run = as_finished(_see, missing, n_jobs=workers, label="evidence", prefer="processes")
        with (
            progress_of_run(len(missing), f"evidence of {len(missing)} tables") as advance,
            closing(run),
        ):
            for _, seen in run:
                _store(folder, seen)
                advance(1)
    found: dict[str, list[Seen]] = {}
    for name, seed in wanted:
        found.setdefault(name, []).append(_read(folder, name, seed))
    return found


def see(name: str, seed: int) -> Seen:
    """Draw a table and measure its evidence, as the learner would."""
    data = tables.simulate(name, seed)
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")  # of single columns: the learner's own runs count them
        evidence = measure(tables.as_given(name, data))
        forests = {}
        # Of cells the records of benchmarks.accuracy have them.
        if name in tables.WORLD and name != tables.ANY:
            fit = PairFit(PairCopulas(criterion="aic", random_state=0)).fit(evidence.table)
            forests = {key: learned(one, fit.densities_) for key, one in FORESTS.items()}
    read = judge_inputs(evidence.values)
    return Seen(
        name=name,
        seed=seed,
        n=evidence.n_samples,
        d=evidence.n_nodes,
        even=read[:, :N_EVEN],
        odd=read[:, N_EVEN:],
        truth=to_pairs(data.adjacency).astype(bool),
        summary=np.asarray(table_summary(evidence).values, dtype=float),
        forests=forests,
    )


def _see(key: tuple[str, int]) -> Seen:
    return see(*key)


def _store(folder: Path, seen: Seen) -> None:
    path = _path(folder, seen.name, seen.seed)
    path.parent.mkdir(parents=True, exist_ok=True)
    arrays = {f"forest_{key}": edges for key, edges in seen.forests.items()}
    with whole_file(path) as temporary, temporary.open("wb") as file:
        np.savez(
            file,
            size=np.array([seen.n, seen.d]),
            even=seen.even,
            odd=seen.odd,
            truth=seen.truth,
            summary=seen.summary,
            **arrays,
        )


def _read(folder: Path, name: str, seed: int) -> Seen:
    with np.load(_path(folder, name, seed), allow_pickle=False) as kept:
        n, d = kept["size"].tolist()
        forests = {key: kept[f"forest_{key}"] for key in FORESTS if f"forest_{key}" in kept}
        same = {key: kept[key] for key in ("even", "odd", "truth", "summary")}
    return Seen(name=name, seed=seed, n=n, d=d, forests=forests, **same)


def _path(folder: Path, name: str, seed: int) -> Path:
    start = folder / _mark()
    return (start / _world_mark() if name in tables.WORLD else start) / name / f"{seed}.npz"


@cache
def _mark() -> str:
    """Mark what makes evidence by what it makes of two tables, so that old numbers are not used."""
    digest = hashlib.sha256(" ".join(channel.name for channel in CHANNELS).encode())
    for name in PROBES:
        values = see(name, tables.seeds(name, 1)[0])
        for array in (values.even, values.odd, values.summary):
            digest.update(np.round(array.astype(float), 3).tobytes())
    return digest.hexdigest()[:12]


@cache
def _world_mark() -> str:
    """Mark the world by some tables that it draws."""
    drawn = [fingerprint(tables.simulate(tables.ANY, s)) for s in tables.WORLD_SEEDS[:5]]
    return hashlib.sha256(" ".join(drawn).encode()).hexdigest()[:12]
