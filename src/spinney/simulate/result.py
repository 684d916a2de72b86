"""What a simulator returns: the table and the truth behind it, with other margins if wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from spinney._core.components import component_labels
from spinney.exceptions import InputError
from spinney.pairs.copulas.base import Copula
from spinney.simulate._streams import stream
from spinney.tables import CONTINUOUS, NOMINAL, Kind

__all__ = ["MARGINS", "Simulated"]

Floats = NDArray[np.float64]
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
        Inverse covariance of Gaussian data (of the table before any change of its margins).
    correlation : array of shape (d, d) or None
        Correlation of the t vectors behind t-copula cliques.
    copulas : dict or None
        Pair copula of every edge (u, v), u < v, of a copula forest; the first argument is u.
    margins : tuple of str
        Kind of each column's margin, from :data:`MARGINS`. It means nothing for columns with
        levels.
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
    adjacency: NDArray[np.bool_]
    name: str
    parameters: dict[str, Any]
    seed: int
    precision: Floats | None = None
    correlation: Floats | None = None
    copulas: Mapping[Edge, Copula] | None = None
    margins: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    pair_tables: Mapping[Edge, Floats] | None = None
    units: NDArray[np.int64] | None = None

    def __post_init__(self) -> None:
        d = self.X.shape[1]
        if not self.margins:
            object.__setattr__(self, "margins", ("normal",) * d)
        if not self.kinds:
            object.__setattr__(self, "kinds", (CONTINUOUS,) * d)

    @cached_property
    def labels(self) -> NDArray[np.int64]:
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
        columns = zip(self.X.T, self.kinds, strict=True)
        return pd.DataFrame({f"x{k}": _column(x, kind) for k, (x, kind) in enumerate(columns)})

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

    def with_margins(self, kinds: str | Sequence[str]) -> Simulated:
        """Give standard normal columns other margins, keeping the order of their values.

        The copula, hence the graph, stays the same (ties apart).

        Parameters
        ----------
        kinds : str or sequence of str
            A kind of :data:`MARGINS` for all columns, or one for each; ``"mixed"`` draws one for
            each column from the table's own seed.

        Examples
        --------
        >>> from spinney.simulate import independent
        >>> bool((independent(50, 3, random_state=0).with_margins("skewed").X > 0).all())
        True
        """
        if set(self.kinds) != {CONTINUOUS}:
            raise InputError("Some columns have levels, whose margins cannot be changed.")
        if set(self.margins) != {"normal"}:
            raise InputError("The margins have been changed already. Start from the table before.")
        d = self.X.shape[1]
        if kinds == "mixed":
            names, rng = list(MARGINS), stream(self.seed, "margins")
            kinds = [names[int(rng.integers(len(names)))] for _ in range(d)]
        chosen = (kinds,) * d if isinstance(kinds, str) else tuple(kinds)
        if len(chosen) != d:
            raise InputError(f"There are {len(chosen)} kinds of margins for {d} columns.")
        for kind in chosen:
            if kind not in MARGINS:
                raise InputError(
                    f"There is no margin {kind!r}. Choose from mixed, {', '.join(MARGINS)}."
                )
        columns = [MARGINS[kind](column) for kind, column in zip(chosen, self.X.T, strict=True)]
        return replace(self, X=np.column_stack(columns), margins=chosen)


def _column(x: Floats, kind: Kind) -> pd.Series:
    """Give a column the type that shows its kind."""
    if kind == CONTINUOUS:
        return pd.Series(x)
    missing = np.isnan(x)
    codes = np.where(missing, -1, x).astype(np.int64)
    if kind == NOMINAL:
        letters = [_letters(code) for code in range(int(codes.max()) + 1)]
        return pd.Series(pd.Categorical.from_codes(codes, pd.Index(letters)))
    if missing.any():
        return pd.Series(pd.arrays.IntegerArray(codes, missing))
    return pd.Series(codes)


def _letters(code: int) -> str:
    """Name a level by letters: a, b and so on to z, then ba, bb and so on."""
    rest, last = divmod(code, 26)
    return (_letters(rest) if rest else "") + chr(ord("a") + last)


def _heavy_tailed(x: Floats) -> Floats:
    """Return Student's t quantile with 2 degrees of freedom; it has no variance."""
    # (2p - 1) / sqrt(2p(1 - p)) from the smaller tail: near 1 the complement has the digits.
    p = special.ndtr(-np.abs(x))
    return np.sign(x) * (1 - 2 * p) / np.sqrt(2 * p * (1 - p))


MARGINS: dict[str, Callable[[Floats], Floats]] = {
    "normal": lambda x: x.copy(),
    "uniform": lambda x: np.asarray(special.ndtr(x), dtype=float),
    "skewed": np.exp,
    "heavy-tailed": _heavy_tailed,
    "ties": lambda x: np.round(2 * x) / 2,
}
"""Monotone maps of a standard normal variable, by the name of the margin that they give:
standard normal; uniform; log-normal (skewness 6.2); Student's t with 2 degrees of freedom;
normal rounded to halves (about ten values)."""
