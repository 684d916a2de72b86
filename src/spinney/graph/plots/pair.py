"""Pictures of two columns, by their kinds: points, boxes, or a mosaic; densities of copulas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from spinney._core.choices import column_position
from spinney._core.text import shorten_middle
from spinney.exceptions import InputError
from spinney.graph.columns import normal_scores
from spinney.graph.plots.style import DATA, FALLING, INK, LINES, SMALL, name_axes, new_axes, quiet
from spinney.tables import CONTINUOUS, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from spinney.pairs.copulas import Copula

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
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


def plot_pair(found: Any, u: str | int, v: str | int, ax: Axes | None = None) -> Axes:
    """Draw two columns of a learned graph or of a fitted estimator.

    Two continuous columns: their normal scores as points. A column with levels and a continuous
    one: a box per level, the levels along the horizontal axis. Two columns with levels: a mosaic,
    whose cells are blue where there are more rows than expected under independence, and orange
    where there are fewer, by Pearson's residual. Rows with a missing value are left out.

    Parameters
    ----------
    found : LearnedGraph or estimator
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
        If the estimator does not keep its table, or has no such column.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from spinney import learn
    >>> from spinney.simulate import copula_forest
    >>> found = learn(copula_forest(100, 3, random_state=0).X)
    >>> plot_pair(found, 0, 2, Figure().subplots()).get_ylabel()
    'x2'
    """
    table = getattr(found, "table_", getattr(found, "table", None))
    if not isinstance(table, Table):
        kind = type(found).__name__
        raise InputError(f"The {kind} does not keep its table. Fit an estimator that does.")
    i, j = (column_position(each, table.names, "plot_pair") for each in (u, v))
    if i == j:
        raise InputError(f"A pair needs two columns, but {table.names[i]!r} was named twice.")
    if table.columns[i].kind == CONTINUOUS and table.columns[j].kind != CONTINUOUS:
        i, j = j, i  # levels are along the horizontal axis
    x, y = table.values[table.present[:, [i, j]].all(axis=1)][:, [i, j]].T
    ax = new_axes() if ax is None else ax
    first, second = table.columns[i], table.columns[j]
    if second.kind != CONTINUOUS:
        _draw_mosaic(ax, x, y, first.levels, second.levels)
    elif first.kind == CONTINUOUS:
        faint = float(np.clip(300 / max(len(x), 1), 0.08, 0.6))  # dense places are darker
        ax.scatter(normal_scores(x), normal_scores(y), s=6, c=DATA, alpha=faint, linewidths=0)
        quiet(ax)
    else:
        look: Any = {"color": INK}
        groups = [y[x == k] for k in range(len(first.levels))]
        ax.boxplot(groups, positions=range(len(groups)), widths=0.5, sym=".", medianprops=look)
        quiet(ax)
        _name_levels(ax, "x", range(len(groups)), first.levels)
    name_axes(ax, (first.name, second.name))
    if len(x) < len(table):
        told = f"{len(table) - len(x):,} of {len(table):,} rows left out (missing values)"
        ax.set_title(told, fontsize=9, color=INK)
    return ax


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
    widths, heights = totals / max(totals.sum(), 1), counts / np.maximum(totals, 1)[:, None]
    left, below = np.cumsum(widths) - widths, np.cumsum(heights, axis=1) - heights
    for j in range(len(levels_y)):
        look: Any = {"align": "edge", "edgecolor": "white", "color": colours[:, j]}
        bars = ax.bar(left, heights[:, j], widths, below[:, j], **look)
        large = heights[:, j] * np.sqrt(widths) > 0.04
        shown = [f"{n:,}" if fits else "" for n, fits in zip(counts[:, j], large, strict=True)]
        texts = ax.bar_label(bars, shown, label_type="center", fontsize=7.5)
        for text, residual in zip(texts, residuals[:, j], strict=True):
            text.set_color("white" if abs(residual) > BOUNDS[-1] else INK)
    ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))
    ax.spines[:].set_visible(False)
    side = heights[np.argmax(totals > 0)]  # the column beside which the names stand
    for axis, shares, levels in (("x", widths, levels_x), ("y", side, levels_y)):
        named = np.flatnonzero(shares > LEAST_NAMED)
        middles = (np.cumsum(shares) - shares / 2)[named]
        _name_levels(ax, axis, middles, [levels[k] for k in named.tolist()])
    handles = [Patch(color=colour, label=words) for words, colour in reversed(COLOURS.items())]
    look = {"fontsize": 7.5, "title_fontsize": 7.5, "frameon": False}
    ax.legend(
        handles=handles, title="residual", loc="upper left", bbox_to_anchor=(1.0, 1.0), **look
    )


def _name_levels(ax: Axes, axis: str, places: Any, levels: Sequence[object]) -> None:
    """Write the names of levels along an axis, tilted where they need the room."""
    names = [shorten_middle(str(level), LONGEST) for level in levels]
    ticks = ax.xaxis if axis == "x" else ax.yaxis
    ticks.set_ticks(places, names)
    ax.tick_params(axis, length=0, labelsize=SMALL)  # type: ignore[arg-type]  # "x" or "y"
    for label in ticks.get_ticklabels():
        label.set(parse_math=False, color=INK)
        if axis == "x" and sum(map(len, names)) > MOST_LYING:
            label.set(rotation=45.0, ha="right", rotation_mode="anchor")


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


MASSES = (0.98, 0.9, 0.7, 0.5, 0.3, 0.1)
"""Share of the probability inside each contour."""
REACH = 3.2
"""Range of the picture in normal scores: all but 3 in 2000 values of each variable."""


class DensityGrid(NamedTuple):
    """The numbers behind a contour plot.

    Attributes
    ----------
    z : array of shape (m,)
        Normal scores, of both axes.
    density : array of shape (m, m)
        Joint density; rows belong to the second variable, as in matplotlib.
    levels : array
        Densities of the contours, ascending; each encloses one of `masses`.
    masses : tuple of float
        Probability inside each contour, descending.
    """

    z: NDArray[np.float64]
    density: NDArray[np.float64]
    levels: NDArray[np.float64]
    masses: tuple[float, ...]


def density_grid(copula: Copula, m: int = 201, reach: float = REACH) -> DensityGrid:
    r"""Joint density with standard normal margins, :math:`c(\Phi(x), \Phi(y))\varphi(x)\varphi(y)`.

    Contours enclose the smallest regions that hold given shares of the probability, so that
    pictures of different copulas can be compared. The grid has `m` points each way, from -`reach`
    to `reach`.

    Examples
    --------
    >>> from spinney.pairs.copulas import Independence
    >>> grid = density_grid(Independence())
    >>> round(float(grid.levels[grid.masses.index(0.5)]), 3)  # half of the peak, 1 / (4 pi)
    0.08
    """
    z = np.linspace(-reach, reach, m)
    u, normal = special.ndtr(z), np.exp(-0.5 * z**2) / np.sqrt(2 * np.pi)
    density = copula.pdf(u[None, :], u[:, None]) * normal[None, :] * normal[:, None]
    falling = np.sort(density, axis=None)[::-1]
    inside = np.cumsum(falling) * (z[1] - z[0]) ** 2
    positions = np.minimum(np.searchsorted(inside, MASSES), falling.size - 1)
    return DensityGrid(z, density, falling[positions], MASSES)
