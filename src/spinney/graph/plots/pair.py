"""Pictures of two columns of a fitted model, by their kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from spinney._core.arrays import average_ranks
from spinney._core.choices import column_position
from spinney._core.graph import shown_potentials
from spinney._core.pairs import n_pairs, pair_index
from spinney.exceptions import InputError
from spinney.graph.edge_copulas import edge_copulas
from spinney.graph.plots.contours import describe, plot_scores
from spinney.graph.plots.labels import axis_length, settle
from spinney.graph.plots.mosaic import mosaic_table, plot_mosaic
from spinney.graph.plots.strips import plot_strip
from spinney.graph.plots.style import INK, new_axes, wrap
from spinney.pairs.copulas import FAMILIES
from spinney.pairs.copulas.base import Copula
from spinney.tables import CONTINUOUS, NOMINAL, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["copula_of", "level_quantiles", "normal_scores", "plot_pair"]

Floats = NDArray[np.float64]
Node = int | str
QUARTILES = (0.25, 0.5, 0.75)


def plot_pair(model: Any, u: Node, v: Node, ax: Axes | None = None) -> Axes:
    """Draw two columns of a fitted model, and the fit.

    Two continuous columns: normal scores of the data, and contours of the fitted copula. A column
    with levels and a continuous one: a strip of points per level, with quartiles of the data and
    of what was fitted. Two columns with levels: a mosaic. The title says what was fitted (or, with
    a nominal column, how strongly the two depend: Cramér's V, or the share of the ranks' variance
    that lies between levels, η²), and how many rows were left out because of gaps.

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
    table = getattr(model, "table_", None)
    if not isinstance(table, Table):
        kind = type(model).__name__
        raise InputError(f"The {kind} keeps no table to draw. Fit it to a table first.")
    i, j = _position(table, u), _position(table, v)
    if i == j:
        raise InputError(f"A pair needs two columns, but {table.names[i]!r} was named twice.")
    first, second = table.columns[i], table.columns[j]
    names = first.name, second.name
    x, y = table.values[table.present[:, [i, j]].all(axis=1)][:, [i, j]].T
    copula = _fitted_copula(model, i, j, len(table.columns))
    lines = [_title(model, table, i, j, copula)]
    across = first.kind == CONTINUOUS  # values along the horizontal axis
    if across and second.kind == CONTINUOUS:
        ax = new_axes() if ax is None else ax
        plot_scores(normal_scores(x), normal_scores(y), copula, ax, names=names)
    elif not across and second.kind != CONTINUOUS:
        ax = plot_mosaic(x, y, levels_x=first.levels, levels_y=second.levels, ax=ax, names=names)
    else:
        levels, codes, values = (second, y, x) if across else (first, x, y)
        if levels.kind == NOMINAL:
            fitted = _class_quartiles(model, table, *((j, i) if across else (i, j)))
        else:
            turned = transposed(copula) if across and copula is not None else copula
            fitted = _fitted_quartiles(turned, codes, values, len(levels.levels))
        lines += [] if fitted is None else ["blue: fitted quartiles"]
        ax = plot_strip(
            codes,
            values,
            level_names=levels.levels,
            ax=ax,
            names=names[::-1] if across else names,
            horizontal=across,
            fitted=fitted,
        )
    if len(x) < len(table):
        lines.append(f"{len(table) - len(x):,} of {len(table):,} rows left out (gaps)")
    settle(ax)
    room = max(axis_length(ax, "x"), 100.0)
    said = [wrap(line, room, size=9.0) for line in lines if line]
    ax.set_title("\n".join(said), fontsize=9, color=INK)
    return ax


def level_quantiles(
    copula: Copula, masses: ArrayLike, probabilities: ArrayLike = QUARTILES
) -> Floats:
    r"""Quantiles of V given each level of an ordered column, under the copula of the two.

    Level k corresponds to U between the cumulative masses a and b, and

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
        # Rounding may cause a small decrease where the curve is flat.
        rising = np.maximum.accumulate((below[k + 1] - below[k]) / masses[k])
        found[k] = np.interp(wanted, rising, grid)
    return found


def _fitted_quartiles(
    copula: Copula | None, codes: Floats, values: Floats, k: int
) -> Floats | None:
    """Quartiles of the continuous column in each of `k` ordered levels, in units of the data."""
    if copula is None or not len(codes):
        return None
    masses = np.bincount(codes.astype(np.int64), minlength=k) / len(codes)
    inside = level_quantiles(copula, masses)
    known = np.isfinite(inside)
    inside[known] = np.quantile(values, inside[known])
    return inside


def _class_quartiles(model: Any, table: Table, nominal: int, other: int) -> Floats | None:
    """Fitted quartiles of a continuous column in each class of a nominal one."""
    tables = getattr(shown_potentials(model), "tables_", None)
    if tables is None:
        return None
    pair = pair_index(nominal, other, len(table.columns))
    given = "u" if nominal < other else "v"
    rows = table.values[table.present[:, [nominal, other]].all(axis=1)]
    counts = np.bincount(
        rows[:, nominal].astype(np.int64), minlength=len(table.columns[nominal].levels)
    )
    classes = np.flatnonzero(counts)
    masses = model.marginals_.masses_[other]
    if len(masses):  # many ties: the fit has groups of values
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


def _position(table: Table, node: Node) -> int:
    """Find a column by name or position."""
    left_out = {column.name: column.reason for column in table.left_out}
    if node in left_out:
        raise InputError(f"Column {node!r} was left out of the table: {left_out[str(node)]}.")
    return column_position(node, table.names, "plot_pair")


def _fitted_copula(model: Any, i: int, j: int, d: int) -> Copula | None:
    """Build the copula of two columns in that order, if the model has one or can fit one."""
    evidence = getattr(model, "evidence_", None)
    listed = getattr(shown_potentials(model), "describe", None)
    if evidence is not None:
        return copula_of(edge_copulas(evidence.table, np.array([[i, j]])).iloc[0])
    if listed is None:
        return None
    row = listed(np.array([pair_index(i, j, d)])).iloc[0]
    return copula_of(row, exchanged=i > j)


def copula_of(row: Any, exchanged: bool = False) -> Copula | None:
    """Build a copula from its description; None if the pair has none.

    Parameters
    ----------
    row : mapping
        A row of ``potentials_.describe()`` or of :attr:`spinney.LearnedGraph.copulas`.
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
    """Exchange the two variables: families are symmetric, unless rotated by 90° or 270°."""
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
    scores[known] = special.ndtri(average_ranks(values[known]) / (known.sum() + 1))
    return scores


def _title(model: Any, table: Table, i: int, j: int, copula: Copula | None) -> str:
    """Name the fitted copula, or say how strongly the columns depend if there is none."""
    known = getattr(shown_potentials(model), "known_", None)
    pair = pair_index(i, j, len(table.columns))
    if known is not None and len(known) == n_pairs(len(table.columns)) and not known[pair]:
        return "not known: too few rows in common"
    if copula is not None:
        return describe(copula) if copula.family != "independence" else "Independence"
    first, second = table.columns[i], table.columns[j]
    x, y = table.values[table.present[:, [i, j]].all(axis=1)][:, [i, j]].T
    if CONTINUOUS not in (first.kind, second.kind):
        found = mosaic_table(x, y, len(first.levels), len(second.levels))
        return f"Cramér's V = {found.cramers_v:.2f}"
    if first.kind != second.kind and len(x) > 1:
        codes, values = (y, x) if first.kind == CONTINUOUS else (x, y)
        return f"η² of ranks = {_explained(codes, values):.2f}"
    return ""


def _explained(codes: Floats, values: Floats) -> float:
    """Share of the variance of ranks between levels: Kruskal and Wallis' H / (n - 1)."""
    ranks = average_ranks(values)
    levels, at = np.unique(codes, return_inverse=True)
    means = np.array([ranks[at == k].mean() for k in range(len(levels))])[at]
    return float(means.var() / ranks.var()) if ranks.var() > 0 else 0.0
