"""Two columns of a fitted model, before they are drawn: their data, their copula, and a title."""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from spinney._core.pairs import n_pairs, pair_index
from spinney.exceptions import InputError
from spinney.graph.plots.contours import describe
from spinney.graph.plots.mosaic import mosaic_table
from spinney.pairs.copulas import FAMILIES
from spinney.pairs.copulas.base import Copula
from spinney.tables import CONTINUOUS, Column, Table

__all__ = [
    "Node",
    "PairData",
    "copula_of",
    "fitted_copula",
    "normal_scores",
    "pair_data",
    "pair_title",
    "position_of",
    "table_of",
    "transposed",
]

Floats = NDArray[np.float64]
Node = int | str


class PairData(NamedTuple):
    """Two columns of a fitted model.

    Attributes
    ----------
    table : Table
        The table that they stand in.
    i, j : int
        Where they stand.
    first, second : Column
        What they are.
    x, y : arrays
        Their values in the rows that have both.
    copula : Copula or None
        What was fitted to them, if it is a copula.
    """

    table: Table
    i: int
    j: int
    first: Column
    second: Column
    x: Floats
    y: Floats
    copula: Copula | None


def pair_data(model: Any, u: Node, v: Node) -> PairData:
    """Find two columns of a fitted model, by name or position."""
    table = table_of(model)
    i, j = position_of(table, u), position_of(table, v)
    if i == j:
        raise InputError(f"A pair needs two columns, but {table.names[i]!r} was named twice.")
    both = np.asarray(table.present[:, [i, j]].all(axis=1))
    first, second = table.columns[i], table.columns[j]
    copula = fitted_copula(model, i, j, len(table.columns))
    return PairData(
        table, i, j, first, second, table.values[both, i], table.values[both, j], copula
    )


def table_of(model: Any) -> Table:
    """Return the table that a model keeps; of older models the numbers that they were fitted on."""
    table = getattr(model, "table_", None)
    if isinstance(table, Table):
        return table
    raise InputError(f"The {type(model).__name__} keeps no table to draw. Fit it to a table first.")


def position_of(table: Table, node: Node) -> int:
    """Find a column by name or position."""
    d = len(table.columns)
    if isinstance(node, Integral) and not isinstance(node, bool):
        if 0 <= node < d:
            return int(node)
        raise InputError(f"There is no column {node}: the table has {d}.")
    if node in table.names:
        return table.names.index(str(node))
    left_out = {column.name: column.reason for column in table.left_out}
    if node in left_out:
        raise InputError(f"Column {node!r} was left out of the table: {left_out[str(node)]}.")
    raise InputError(f"There is no column {node!r} among {', '.join(table.names[:8])} ….")


def fitted_copula(model: Any, i: int, j: int, d: int) -> Copula | None:
    """Build the fitted copula of two columns in that order, if the model has one."""
    listed = getattr(getattr(model, "potentials_", None), "describe", None)
    if listed is None:
        return None
    row = listed(np.array([pair_index(i, j, d)])).iloc[0]
    return copula_of(row, exchanged=i > j)


def copula_of(row: Any, exchanged: bool = False) -> Copula | None:
    """Build a copula from its description; None where a pair has none.

    Parameters
    ----------
    row : mapping
        A row of ``potentials_.describe()``.
    exchanged : bool
        Whether to exchange the two variables.

    Examples
    --------
    >>> copula_of({"family": "clayton", "parameters": (2.0,), "rotation": 90}, exchanged=True)
    Clayton(theta=2.0, rotation=270)
    """
    family = FAMILIES.get(str(row["family"]))
    if family is None:
        return None
    if family.rotations == (0,):
        return family(*row["parameters"])
    made = family(*row["parameters"], rotation=int(row["rotation"]))  # type: ignore[call-arg]
    return transposed(made) if exchanged else made


def transposed(copula: Copula) -> Copula:
    """Exchange the two variables: families are symmetric, but not those that mirror one."""
    turned = {90: 270, 270: 90}.get(copula.rotation)
    if turned is None:
        return copula
    return type(copula)(*copula.parameters, rotation=turned)  # type: ignore[call-arg]


def normal_scores(values: Floats) -> Floats:
    r"""Return normal scores, :math:`\Phi^{-1}(r / (m + 1))` with r the rank among m; NaN stays.

    Examples
    --------
    >>> normal_scores(np.array([5.0, np.nan, 1.0, 3.0])).round(2)
    array([ 0.67,   nan, -0.67,  0.  ])
    """
    known = ~np.isnan(values)
    scores = np.full(len(values), np.nan)
    scores[known] = special.ndtri(stats.rankdata(values[known]) / (known.sum() + 1))
    return scores


def pair_title(model: Any, table: Table, i: int, j: int, copula: Copula | None) -> str:
    """Say what was fitted, or how strongly two columns depend where that is no copula."""
    known = getattr(getattr(model, "potentials_", None), "known_", None)
    pair = pair_index(i, j, len(table.columns))
    if known is not None and len(known) == n_pairs(len(table.columns)) and not known[pair]:
        return "not known: too few rows in common"
    if copula is not None:
        return describe(copula) if copula.family != "independence" else "Independence"
    columns = table.columns[i], table.columns[j]
    rows = table.values[table.present[:, [i, j]].all(axis=1)]
    x, y = rows[:, i], rows[:, j]
    if CONTINUOUS not in (columns[0].kind, columns[1].kind):
        sizes = len(columns[0].levels), len(columns[1].levels)
        return f"Cramér's V = {mosaic_table(x, y, *sizes).cramers_v:.2f}"
    if columns[0].kind != columns[1].kind and len(x) > 1:
        codes, values = (y, x) if columns[0].kind == CONTINUOUS else (x, y)
        return f"η² of ranks = {_explained(codes, values):.2f}"
    return ""


def _explained(codes: Floats, values: Floats) -> float:
    """Share of the variance of ranks that is between levels: Kruskal and Wallis' H / (n - 1)."""
    ranks = stats.rankdata(values)
    total = ranks.var()
    means = [(ranks[codes == k].mean(), (codes == k).mean()) for k in np.unique(codes)]
    between = sum(share * (mean - ranks.mean()) ** 2 for mean, share in means)
    return float(between / total) if total > 0 else 0.0
