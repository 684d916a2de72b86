"""Two columns of a fitted model, drawn as their kinds ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from spinney._core.pairs import pair_index
from spinney.graph.plots.contours import plot_scores
from spinney.graph.plots.labels import axis_length, settle, wrap
from spinney.graph.plots.mosaic import plot_mosaic
from spinney.graph.plots.pair_data import (
    Node,
    normal_scores,
    pair_data,
    pair_title,
    transposed,
)
from spinney.graph.plots.strips import plot_strip
from spinney.graph.plots.style import INK, new_axes
from spinney.pairs.copulas.base import Copula
from spinney.tables import CONTINUOUS, NOMINAL, Column, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["level_quantiles", "plot_pair"]

Floats = NDArray[np.float64]
QUARTILES = (0.25, 0.5, 0.75)


def plot_pair(model: Any, u: Node, v: Node, ax: Axes | None = None) -> Axes:
    """Draw two columns of a fitted model with what it has learned of them.

    Two continuous columns: normal scores of the data, and contours of the fitted copula. A column
    with levels and a continuous one: a strip of points per level, with quartiles of the data and
    of what was fitted. Two columns with levels: a mosaic. The
    title says what was fitted (or, with a nominal column, how strongly the two depend: Cramér's V,
    or the share of the ranks' variance that is between levels, η²), and how many rows were left out
    because they have a gap in one of the two columns.

    Parameters
    ----------
    model : estimator
        Fitted to a table.
    u, v : str or int
        The columns of the horizontal and the vertical axis, by name or position.
    ax : matplotlib axes, optional
        Where; by default on new axes.

    Returns
    -------
    matplotlib axes

    Raises
    ------
    InputError
        If the model keeps no table, or has no such column.

    See Also
    --------
    plot_mosaic, plot_strip, plot_fitted_copula : The parts, for columns without a model.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from spinney import RootedForests
    >>> from spinney.simulate import copula_forest
    >>> model = RootedForests().fit(copula_forest(100, 3, random_state=0).X)
    >>> plot_pair(model, 0, 2, Figure().subplots()).get_ylabel()
    'x2'
    """
    table, i, j, first, second, x, y, copula = pair_data(model, u, v)
    explained = ""
    if first.kind == CONTINUOUS and second.kind == CONTINUOUS:
        ax = new_axes() if ax is None else ax
        plot_scores(normal_scores(x), normal_scores(y), copula, ax, names=(first.name, second.name))
    elif first.kind == CONTINUOUS or second.kind == CONTINUOUS:
        if NOMINAL in (first.kind, second.kind):
            fitted = _class_quartiles(model, table, i, j)
        else:
            fitted = _fitted_quartiles(first, second, x, y, copula)
        explained = "" if fitted is None else "blue: fitted quartiles"
        ax = _strip(first, second, x, y, fitted, ax)
    else:
        ax = plot_mosaic(
            *(x, y),
            levels_x=first.levels,
            levels_y=second.levels,
            ax=ax,
            names=(first.name, second.name),
        )
    _write_title(
        ax,
        pair_title(model, table, i, j, copula),
        explained,
        _gaps(len(table) - len(x), len(table)),
    )
    return ax


def level_quantiles(
    copula: Copula, masses: ArrayLike, probabilities: ArrayLike = QUARTILES
) -> Floats:
    r"""Quantiles of V given each level of an ordered column, under the copula of the two.

    Level k stands for U between the cumulated masses a and b, and

    .. math:: P(V \le v \mid a < U \le b) = \frac{C(b, v) - C(a, v)}{b - a}

    is inverted on a grid of normal scores.

    Parameters
    ----------
    copula : Copula
        Of the column with levels, U, and the continuous one, V.
    masses : array of shape (k,)
        Probability of each level.
    probabilities : array of shape (m,)
        Of the quantiles.

    Returns
    -------
    array of shape (k, m)
        Between 0 and 1; NaN for levels without mass.

    Examples
    --------
    >>> from spinney.pairs.copulas import Independence
    >>> level_quantiles(Independence(), [0.5, 0.5]).round(3)
    array([[0.25, 0.5 , 0.75],
           [0.25, 0.5 , 0.75]])
    """
    masses, wanted = np.asarray(masses, dtype=float), np.asarray(probabilities, dtype=float)
    cuts = np.concatenate([[0.0], np.cumsum(masses)])
    grid = special.ndtr(np.linspace(-5.0, 5.0, 1001))
    below = np.zeros((len(cuts), len(grid)))
    inner = (cuts > 0) & (cuts < 1 - 1e-12)
    below[inner] = copula.cdf(cuts[inner, None], grid[None, :])
    below[cuts >= 1 - 1e-12] = grid
    found = np.full((len(masses), len(wanted)), np.nan)
    for k in np.flatnonzero(masses > 0):
        # Rounding may take a step down where the curve is flat.
        rising = np.maximum.accumulate((below[k + 1] - below[k]) / masses[k])
        found[k] = np.interp(wanted, rising, grid)
    return found


def _fitted_quartiles(
    first: Column, second: Column, x: Floats, y: Floats, copula: Copula | None
) -> Floats | None:
    """Quartiles of the continuous column for each level of the other, whose levels have an order.

    On the scale of the data: quantiles of the rows at hand.
    """
    if copula is None or not len(x):
        return None
    levels, codes, values = first, x, y
    if first.kind == CONTINUOUS:
        levels, codes, values, copula = second, y, x, transposed(copula)
    masses = np.bincount(codes.astype(np.int64), minlength=len(levels.levels)) / len(codes)
    inside = level_quantiles(copula, masses)
    known = np.isfinite(inside)
    inside[known] = np.quantile(values, inside[known])
    return inside


def _class_quartiles(model: Any, table: Table, i: int, j: int) -> Floats | None:
    """Quartiles of a continuous column in each class of a nominal one, as they were fitted."""
    tables = getattr(getattr(model, "potentials_", None), "tables_", None)
    if tables is None:
        return None
    nominal, other = (i, j) if table.columns[i].kind == NOMINAL else (j, i)
    pair, given = pair_index(i, j, len(table.columns)), "u" if nominal < other else "v"
    rows = table.values[table.present[:, [i, j]].all(axis=1)]
    counts = np.bincount(
        rows[:, nominal].astype(np.int64), minlength=len(table.columns[nominal].levels)
    )
    classes = np.flatnonzero(counts)
    masses = model.marginals_.masses_[other]
    if len(masses):  # many ties: the fit knows groups of values
        steps = np.cumsum(tables.conditional(pair, given, classes), axis=1)
        below = np.concatenate([[0.0], np.cumsum(masses)])
        inside = np.array([np.interp(QUARTILES, [0.0, *row], below) for row in steps])
    else:
        codes, wanted = np.repeat(classes, len(QUARTILES)), np.tile(QUARTILES, len(classes))
        inside = tables.quantile(pair, given, codes, wanted)
    found = np.full((len(counts), len(QUARTILES)), np.nan)
    if len(rows):
        found[classes] = np.quantile(rows[:, other], inside).reshape(-1, len(QUARTILES))
    return found


def _strip(
    first: Column, second: Column, x: Floats, y: Floats, fitted: Floats | None, ax: Axes | None
) -> Axes:
    """Draw the strips of a pair of which one column is continuous."""
    horizontal = first.kind == CONTINUOUS
    levels, other = (second, first) if horizontal else (first, second)
    return plot_strip(
        *((y, x) if horizontal else (x, y)),
        level_names=levels.levels,
        ax=ax,
        names=(levels.name, other.name),
        horizontal=horizontal,
        fitted=fitted,
        legend=False,  # said in the title
    )


def _gaps(missing: int, n: int) -> str:
    if not missing:
        return ""
    return f"{missing:,} of {n:,} rows left out (gaps)"


def _write_title(ax: Axes, *lines: str) -> None:
    """Put lines above the axes, broken where they are too long for it."""
    settle(ax)
    room = max(axis_length(ax, "x"), 100.0)
    said = [wrap(line, room, size=9.0) for line in lines if line]
    ax.set_title("\n".join(said), fontsize=9, color=INK)
