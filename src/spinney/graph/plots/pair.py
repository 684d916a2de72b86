"""Pictures of two columns of a fitted model, by their kinds."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray
from scipy import special

from spinney._core.arrays import average_ranks
from spinney._core.choices import column_position
from spinney._core.graph import shown_potentials
from spinney._core.pairs import n_pairs, pair_index
from spinney._core.text import shorten_middle
from spinney.exceptions import InputError
from spinney.graph.edge_copulas import edge_copulas
from spinney.graph.plots.contours import describe, frame_scores, plot_contours
from spinney.graph.plots.style import DATA, FALLING, INK, LINES, SMALL, name_axes, new_axes, quiet
from spinney.pairs.copulas import FAMILIES
from spinney.pairs.copulas.base import Copula
from spinney.tables import CONTINUOUS, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["copula_of", "count_levels", "level_quantiles", "normal_scores", "plot_pair"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Node = int | str
QUARTILES = (0.25, 0.5, 0.75)
FEWEST_FOR_QUARTILES = 5
LONGEST = 18
"""Longest name of a level."""
MOST_LYING = 60
"""Letters beyond which names of levels below an axis are tilted."""
LEAST_NAMED = 0.03
"""Least share of a side of a mosaic for a level to be named."""
BOUNDS = (-4.0, -2.0, 2.0, 4.0)
"""Residuals at which colours change: under independence about 5 % of cells at most lie beyond the
inner two, and 0.01 % beyond the outer."""
COLOURS = {
    "below −4": FALLING,
    "−4 to −2": "#F5C09B",
    "−2 to 2": "#EFEFEF",
    "2 to 4": "#A9D1EA",
    "above 4": LINES,
}
"""Colour of a cell by its residual."""


def plot_pair(model: Any, u: Node, v: Node, ax: Axes | None = None) -> Axes:
    """Draw two columns of a fitted model, and the fit.

    Two continuous columns: normal scores of the data, and contours of the fitted copula. A column
    with levels and a continuous one: a strip of points per level, with quartiles of the data
    (black) and of what was fitted (blue). Two columns with levels: a mosaic, whose cells are blue
    where there are more rows than expected under independence, and orange where there are fewer,
    by Pearson's residual. The title says what was fitted (or, with a nominal column, how strongly
    the two depend: Cramér's V, or the share of the ranks' variance that lies between levels, η²),
    and how many rows were left out because of gaps.

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
    ax = new_axes() if ax is None else ax
    across = first.kind == CONTINUOUS  # values along the horizontal axis
    if across and second.kind == CONTINUOUS:
        _draw_scores(ax, normal_scores(x), normal_scores(y), copula)
    elif not across and second.kind != CONTINUOUS:
        _draw_mosaic(ax, x, y, first.levels, second.levels)
    else:
        levels, codes, values = (second, y, x) if across else (first, x, y)
        turned = transposed(copula) if across and copula is not None else copula
        fitted = _fitted_quartiles(turned, codes, values, len(levels.levels))
        lines += [] if fitted is None else ["blue: fitted quartiles"]
        _draw_strips(ax, codes.astype(np.int64), values, levels.levels, fitted, across)
    name_axes(ax, names)
    if len(x) < len(table):
        lines.append(f"{len(table) - len(x):,} of {len(table):,} rows left out (missing values)")
    ax.set_title("\n".join(fill(line, 60) for line in lines if line), fontsize=9, color=INK)
    return ax


def _draw_scores(ax: Axes, x: Floats, y: Floats, copula: Copula | None) -> None:
    """Draw normal scores of two columns, and the contours of their copula."""
    # Many points are drawn fainter, to show where they are dense.
    opacity = float(np.clip(300 / max(len(x), 1), 0.08, 0.6))
    ax.scatter(x, y, s=6, c=DATA, alpha=opacity, linewidths=0, rasterized=len(x) > 5000)
    if copula is None:
        frame_scores(ax)
    else:
        plot_contours(copula, ax)


def _draw_strips(
    ax: Axes,
    codes: Ints,
    values: Floats,
    levels: Sequence[object],
    fitted: Floats | None,
    horizontal: bool,
) -> None:
    """Draw a continuous column by the levels of another: points, and quartiles."""
    places = np.arange(len(levels))
    beside = codes + np.random.default_rng(0).uniform(-0.28, 0.28, size=len(codes))
    opacity = float(np.clip(400 / max(len(codes), 1), 0.06, 0.55))
    at = (values, beside) if horizontal else (beside, values)
    ax.scatter(*at, s=6, c=DATA, alpha=opacity, linewidths=0, rasterized=len(codes) > 5000)
    found = np.full((len(levels), 3), np.nan)
    for k in places:
        if (codes == k).sum() >= FEWEST_FOR_QUARTILES:
            found[k] = np.quantile(values[codes == k], QUARTILES)
    for shift, quartiles, colour in ((0.34, found, INK), (0.42, fitted, LINES)):
        if quartiles is not None:
            low, middle, high = quartiles.T
            reach = np.array([middle - low, high - middle])
            look: dict[str, Any] = {"fmt": "o", "color": colour, "elinewidth": 2.2, "markersize": 5}
            if horizontal:
                ax.errorbar(middle, places + shift, xerr=reach, **look)
            else:
                ax.errorbar(places + shift, middle, yerr=reach, **look)
    quiet(ax)
    counts = np.bincount(codes, minlength=len(levels)).tolist()
    _name_levels(ax, "y" if horizontal else "x", places, levels, counts)


def count_levels(x: ArrayLike, y: ArrayLike, k: int, m: int) -> tuple[Ints, Floats]:
    """Count the rows of each combination of levels, and those expected under independence.

    Parameters
    ----------
    x, y : arrays of shape (n,)
        Positions among the levels, from 0.
    k, m : int
        Numbers of levels.

    Returns
    -------
    counts, expected : arrays of shape (k, m)

    Examples
    --------
    >>> count_levels([0, 0, 1], [0, 0, 1], 2, 2)[0]
    array([[2, 0],
           [0, 1]])
    """
    cells = np.asarray(x, dtype=np.int64) * m + np.asarray(y, dtype=np.int64)
    counts = np.bincount(cells, minlength=k * m).reshape(k, m)
    return counts, np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(counts.sum(), 1)


def _draw_mosaic(
    ax: Axes, x: Floats, y: Floats, levels_x: Sequence[object], levels_y: Sequence[object]
) -> None:
    """Draw two columns with levels as a square divided by shares [1]_.

    References
    ----------
    .. [1] M. Friendly (1994). Mosaic displays for multi-way contingency tables. Journal of the
       American Statistical Association 89, 190-200.
    """
    from matplotlib.patches import Patch

    counts, expected = count_levels(x, y, len(levels_x), len(levels_y))
    residuals = (counts - expected) / np.sqrt(np.maximum(expected, 1e-9))
    colours = np.array(list(COLOURS.values()))[np.searchsorted(BOUNDS, residuals)]
    totals = counts.sum(axis=1)
    widths = totals / max(totals.sum(), 1)
    left = np.cumsum(widths) - widths
    heights = counts / np.maximum(totals, 1)[:, None]
    below = np.cumsum(heights, axis=1) - heights
    for j in range(len(levels_y)):
        look: dict[str, Any] = {"align": "edge", "edgecolor": "white", "color": colours[:, j]}
        bars = ax.bar(left, heights[:, j], widths, below[:, j], **look)
        large = heights[:, j] * np.sqrt(widths) > 0.04
        shown = [f"{n:,}" if fits else "" for n, fits in zip(counts[:, j], large, strict=True)]
        texts = ax.bar_label(bars, shown, label_type="center", fontsize=7.5)
        for text, residual in zip(texts, residuals[:, j], strict=True):
            text.set_color("white" if abs(residual) > BOUNDS[-1] else INK)
    ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))
    ax.spines[:].set_visible(False)
    wide = np.flatnonzero(widths > LEAST_NAMED)
    _name_levels(ax, "x", (left + widths / 2)[wide], [levels_x[k] for k in wide.tolist()])
    first = heights[np.argmax(totals > 0)]  # the column beside which the names stand
    high = np.flatnonzero(first > LEAST_NAMED)
    _name_levels(
        ax, "y", (np.cumsum(first) - first / 2)[high], [levels_y[k] for k in high.tolist()]
    )
    ax.legend(
        handles=[Patch(color=colour, label=words) for words, colour in reversed(COLOURS.items())],
        title="residual",
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        fontsize=7.5,
        title_fontsize=7.5,
        frameon=False,
    )


def _name_levels(
    ax: Axes, axis: str, places: Any, levels: Sequence[object], counts: Sequence[int] = ()
) -> None:
    """Write the names of levels along an axis, and their rows; tilted where they need the room."""
    names = [shorten_middle(str(level), LONGEST) for level in levels]
    lean = axis == "x" and sum(map(len, names)) > MOST_LYING
    between = "\n" if axis == "x" and not lean else " "
    if counts:
        names = [f"{name}{between}({n:,})" for name, n in zip(names, counts, strict=True)]
    ticks = ax.xaxis if axis == "x" else ax.yaxis
    ticks.set_ticks(places, names)
    ax.tick_params(axis, length=0, labelsize=SMALL)  # type: ignore[arg-type]  # "x" or "y"
    for label in ticks.get_ticklabels():
        label.set(parse_math=False, color=INK)
        if lean:
            label.set(rotation=45.0, ha="right", rotation_mode="anchor")


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


def _position(table: Table, node: Node) -> int:
    """Find a column by name or position."""
    left_out = {column.name: column.reason for column in table.left_out}
    if node in left_out:
        raise InputError(f"Column {node!r} was left out of the table: it {left_out[str(node)]}.")
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
        counts, _ = count_levels(x, y, len(first.levels), len(second.levels))
        used = counts[counts.any(axis=1)][:, counts.any(axis=0)]
        known = min(used.shape) > 1
        V = scipy.stats.contingency.association(used, method="cramer") if known else 0.0
        return f"Cramér's V = {V:.2f}"
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
