"""Expert Bayesian networks: the file, the parts, the truth, and rows that are drawn.

The file is that of the environment variable ``SPINNEY_EXPERT_NETWORKS``, or
``build/expert-networks.jsonl.xz``; it does not come with the package. It holds one JSON object a
line: ``net``, and ``nodes`` with ``name``, ``levels``, ``parents`` and ``prob``, in which the
node's own level runs fastest, then the parents in their order. Networks of one study share a stem
(``covid1``, ``covid2``), and studies are dealt out by it.

Other modules of this benchmark need :class:`Network`, :func:`find_file`, :func:`read_networks` and
:func:`part_of` only.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import os
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["Network", "find_file", "part_of", "read_networks"]

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

SALT = 202
"""That of training: with another one, networks to report on would be trained on."""
LEAST_EFFECT = 1e-5
"""Probabilities that differ by less are equal: they are rounded to six digits."""


@dataclass(frozen=True, eq=False)
class Network:
    """A discrete Bayesian network.

    Attributes
    ----------
    name : str
        Of the network; digits at the end count the networks of one study.
    columns : tuple of str
        Names of the nodes.
    parents : tuple of tuple of int
        Places of the parents of each node.
    tables : tuple of arrays
        Probabilities of each node: the first axis is its own level, the others are its parents'.
    """

    name: str
    columns: tuple[str, ...]
    parents: tuple[tuple[int, ...], ...]
    tables: tuple[Floats, ...]

    @classmethod
    def of(cls, record: dict[str, Any]) -> Network:
        """Make a network of a line of the file."""
        nodes = record["nodes"]
        places = {node["name"]: k for k, node in enumerate(nodes)}
        parents = tuple(tuple(places[name] for name in node["parents"]) for node in nodes)
        sizes = [len(node["levels"]) for node in nodes]
        tables = []
        for k, node in enumerate(nodes):
            shape = (sizes[k], *(sizes[p] for p in parents[k]))
            table = np.array(node["prob"], dtype=float).reshape(shape, order="F")
            tables.append(table / table.sum(axis=0))
        return cls(record["net"], tuple(places), parents, tuple(tables))

    @property
    def n_columns(self) -> int:
        """Number of nodes."""
        return len(self.columns)

    def moral_graph(self) -> Bools:
        """Give the true edges: parents on which a table depends, and two such of one child."""
        found = np.zeros((self.n_columns, self.n_columns), dtype=bool)
        for child, (parents, table) in enumerate(zip(self.parents, self.tables, strict=True)):
            acting = [
                parent
                for axis, parent in enumerate(parents, start=1)
                if np.ptp(table, axis=axis).max() > LEAST_EFFECT
            ]
            for u, v in combinations([child, *acting], 2):
                found[u, v] = found[v, u] = True
        return found

    def draw(self, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        """Draw rows; a value is the place of its level."""
        values = np.full((n, self.n_columns), -1, dtype=np.int64)
        waiting = list(range(self.n_columns))
        while waiting:
            ready = [k for k in waiting if not set(self.parents[k]) & set(waiting)]
            if not ready:
                raise ValueError(f"Network {self.name} has a cycle.")
            for k in ready:
                given = tuple(values[:, p] for p in self.parents[k])
                shares = self.tables[k][(slice(None), *given)] if given else self.tables[k][:, None]
                limits = np.cumsum(shares, axis=0)
                below = rng.random(n) >= limits[:-1]
                values[:, k] = below.sum(axis=0)
            waiting = [k for k in waiting if k not in ready]
        return values

    def sample(self, n: int, seed: int) -> tuple[pd.DataFrame, Bools]:
        """Draw a table of text and its true edges, without the columns that are constant.

        A constant column holds its value fixed, so the true graph of the others is the part of the
        moral graph that is left.
        """
        place = int.from_bytes(hashlib.sha256(self.name.encode()).digest()[:8], "big")
        values = self.draw(n, np.random.default_rng([seed, place, n]))
        varies = np.flatnonzero(np.ptp(values, axis=0) > 0)
        # Levels' own names may look like numbers, or like missing values.
        frame = pd.DataFrame({f"x{k}": [f"level{x}" for x in values[:, k]] for k in varies})
        return frame, self.moral_graph()[np.ix_(varies, varies)]


def find_file() -> Path | None:
    """Find the file of networks; None if there is none."""
    given = os.environ.get("SPINNEY_EXPERT_NETWORKS")
    usual = Path(__file__).parents[2] / "build" / "expert-networks.jsonl.xz"
    path = Path(given) if given else usual
    return path if path.is_file() else None


def read_networks(path: Path, part: str) -> list[Network]:
    """Read the networks of a part."""
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    return [Network.of(record) for record in records if part_of(record["net"]) == part]


def part_of(name: str) -> str:
    """Tell which part a network belongs to, by the stem of its name.

    Examples
    --------
    >>> part_of("asia"), part_of("curacao2"), part_of("disputed3"), part_of("titanic")
    ('report', 'report', 'tune', 'train')
    """
    stem = name.rstrip("0123456789")
    digest = hashlib.sha256(f"{SALT}:{stem}".encode()).digest()
    place = int.from_bytes(digest[:8], "big") % 100
    return "report" if place < 20 else "tune" if place < 30 else "train"
