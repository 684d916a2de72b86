"""One statement about a table, or many tables: what was claimed, what is true, what is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from spinney.judge import edge_strengths
from spinney.tables import read_table

__all__ = ["Asked", "Row", "Section", "held", "mean"]


@dataclass(frozen=True)
class Asked:
    """How a section is measured: seed, most tables of a row, and rows to leave out."""

    seed: int
    most: int
    only: str = ""

    def wants(self, name: str) -> bool:
        """Whether a row is measured."""
        return self.only in name

    def generators(self, tables: int) -> Iterator[np.random.Generator]:
        """Yield a generator for each table of a row."""
        for k in range(min(tables, self.most)):
            yield np.random.default_rng([self.seed, k])


@dataclass(frozen=True)
class Row:
    """A statement.

    Attributes
    ----------
    name : str
        Of what.
    claimed : str
        What the package said or promised when the row was made.
    true : str
        What is true, or must hold.
    value, error : float
        What is measured, and its standard error.
    tables : int
        Tables it was measured on.
    """

    name: str
    claimed: str
    true: str
    value: float
    error: float = 0.0
    tables: int = 1


Section = Callable[[Asked], Iterator[Row]]


def mean(name: str, claimed: str, true: str, values: Sequence[float]) -> Row:
    """Make a row of the mean of several values."""
    found = np.asarray(values, dtype=float)
    error = float(found.std() / max(len(found), 1) ** 0.5)
    return Row(name, claimed, true, float(found.mean()), error, len(found))


def held(
    frame: pd.DataFrame, edges: Sequence[tuple[str, str]], units: str | None = None
) -> pd.DataFrame:
    """Give the edges of a table whose graph is known, with strengths, signs and intervals."""
    own = None if units is None else frame.pop(units).to_numpy()
    table = read_table(frame, unit=own)
    joined = np.zeros((len(table.names),) * 2, dtype=bool)
    for u, v in edges:
        i, j = table.names.index(u), table.names.index(v)
        joined[i, j] = joined[j, i] = True
    found, names = edge_strengths(table, joined), np.array(table.names)
    ends = names[np.argwhere(np.triu(joined, 1))]
    columns = {
        "strength": found.values,
        "low": found.intervals[:, 0],
        "high": found.intervals[:, 1],
    }
    return pd.DataFrame(
        columns | {"sign": found.signs}, pd.MultiIndex.from_arrays(ends.T, names=["u", "v"])
    )
