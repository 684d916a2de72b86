"""What a simulator returns: the table and the truth behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.components import component_labels
from spinney.pairs.copulas.base import Copula
from spinney.tables import CONTINUOUS, NOMINAL, Column, Kind, Table, decode

Edge = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Simulated:
    """A simulated table with its truth.

    Attributes
    ----------
    X : array of shape (n, d)
        The table: values of continuous columns, codes 0, 1, … of levels, NaN where a value is
        missing. :attr:`table` is the same as a data frame that says which columns are which.
    adjacency : boolean array of shape (d, d)
        The true graph.
    labels : int array of shape (d,)
        Connected component of each node, numbered in the order of their first nodes.
    name : str
        The simulator.
    parameters : dict
        Its arguments, other than the seed.
    seed : int
        What `random_state` was; together with `name` and `parameters` it gives the table again.
    precision : array of shape (d, d) or None
        Inverse covariance of Gaussian data (of the table before columns were cut into levels).
    correlation : array of shape (d, d) or None
        Correlation of the t vectors behind t-copula cliques.
    copulas : dict or None
        Pair copula of every edge (u, v), u < v, of a copula forest; the first argument is u.
    kinds : tuple of str
        Kind of each column: ``"continuous"``, ``"ordinal"``, ``"binary"`` or ``"nominal"``.
    pair_tables : dict or None
        Probabilities of the levels of both ends of every edge (u, v), u < v, of a forest of
        discrete columns; u goes down the rows. They are what the table was drawn from, and exact.
    units : int array of shape (n,) or None
        What each row belongs to, where rows of one unit depend on each other and this is known.

    Examples
    --------
    >>> from spinney.simulate import gaussian_mrf
    >>> gaussian_mrf(100, 25, degree=2, components=2, random_state=1)
    <Simulated gaussian_mrf: 100 rows, 25 nodes, 25 edges, 2 components, seed 1>
    """

    X: Floats
    adjacency: Bools
    name: str
    parameters: dict[str, Any]
    seed: int
    precision: Floats | None = None
    correlation: Floats | None = None
    copulas: Mapping[Edge, Copula] | None = None
    kinds: tuple[Kind, ...] = ()
    pair_tables: Mapping[Edge, Floats] | None = None
    units: Ints | None = None

    def __post_init__(self) -> None:
        if not self.kinds:
            object.__setattr__(self, "kinds", (CONTINUOUS,) * self.X.shape[1])

    @cached_property
    def labels(self) -> Ints:
        """Connected component of each node, numbered in the order of their first nodes."""
        return component_labels(self.adjacency)

    @property
    def n_components(self) -> int:
        """Number of connected components of the truth."""
        return int(self.labels.max()) + 1

    @property
    def n_edges(self) -> int:
        """Number of true edges."""
        return int(self.adjacency.sum()) // 2

    @property
    def table(self) -> pd.DataFrame:
        """The table as a data frame: columns x0, x1, … with types that show their kinds.

        Continuous columns are floats with NaN for missing values; nominal ones are unordered
        categories a, b, …; ordinal and binary ones are whole numbers, ``Int64`` where values are
        missing.

        Examples
        --------
        >>> from spinney.simulate import potts_forest
        >>> potts_forest(3, 2, random_state=1).table
          x0 x1
        0  ...
        """
        columns = []
        for k, (x, kind) in enumerate(zip(self.X.T, self.kinds, strict=True)):
            codes = range(0 if kind == CONTINUOUS else int(np.nanmax(x, initial=-1)) + 1)
            levels = map(_letters, codes) if kind == NOMINAL else codes
            columns.append(Column(f"x{k}", kind, tuple(levels)))
        return decode(Table(self.X, tuple(columns)))

    @property
    def graph(self) -> Any:
        """The truth as a networkx graph on the nodes 0 … d-1."""
        return nx.from_numpy_array(self.adjacency.astype(int))

    def __repr__(self) -> str:
        n, d = self.X.shape
        return (
            f"<Simulated {self.name}: {n} rows, {d} nodes, {self.n_edges} edges, "
            f"{self.n_components} components, seed {self.seed}>"
        )


def _letters(code: int) -> str:
    """Name a level by letters: a, b and so on to z, then ba, bb and so on."""
    rest, last = divmod(code, 26)
    return (_letters(rest) if rest else "") + chr(ord("a") + last)
