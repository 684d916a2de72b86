"""Mosaics: two columns with levels, as a square divided by shares and coloured by residuals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from spinney.exceptions import InputError
from spinney.graph.plots.labels import LINE, axis_length, label_levels, settle
from spinney.graph.plots.style import FALLING, INK, LINES, name_axes, new_axes, text_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Mosaic", "mosaic_table", "plot_mosaic"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

GAP = 0.012
"""Space between two columns of the mosaic, as a share of its width."""
BOUNDS = (-4.0, -2.0, 2.0, 4.0)
"""Residuals at which colours change: under independence about 5 % of cells at most lie beyond the
inner two, and 0.01 % beyond the outer."""
CLASSES = (
    (FALLING, "white", "below −4"),
    ("#F5C09B", INK, "−4 to −2"),
    ("#EFEFEF", INK, "−2 to 2"),
    ("#A9D1EA", INK, "2 to 4"),
    (LINES, "white", "above 4"),
)
"""Colour of a cell, of its text, and label in the legend, by residual."""


@dataclass(frozen=True, eq=False)
class Mosaic:
    r"""The numbers behind a mosaic.

    Attributes
    ----------
    counts : int array of shape (k, l)
        Rows of each combination of levels: x down, y across.
    expected : array of shape (k, l)
        Counts expected under independence, :math:`e_{ij} = n_{i\cdot} n_{\cdot j} / n`.
    residuals : array of shape (k, l)
        Pearson's residuals :math:`(n_{ij} - e_{ij}) / \sqrt{e_{ij}}`; zero where both
        counts are zero.
    n_missing : int
        Rows left out because a value is missing.
    """

    counts: Ints
    expected: Floats
    residuals: Floats
    n_missing: int

    @property
    def widths(self) -> Floats:
        """Share of each level of x."""
        return np.asarray(self.counts.sum(axis=1) / max(self.counts.sum(), 1))

    @property
    def heights(self) -> Floats:
        """Shares of the levels of y, given each level of x; zero for levels without rows."""
        return np.asarray(self.counts / np.maximum(self.counts.sum(axis=1, keepdims=True), 1))

    @property
    def cramers_v(self) -> float:
        r"""Cramér's :math:`V = \sqrt{\chi^2 / (n \min(k - 1, l - 1))}`: 0 independent, 1 bound.

        Over levels that occur.
        """
        used = self.counts[self.counts.any(axis=1)][:, self.counts.any(axis=0)]
        if min(used.shape) < 2:
            return 0.0
        return float(scipy.stats.contingency.association(used, method="cramer"))


def mosaic_table(x: ArrayLike, y: ArrayLike, k: int, m: int) -> Mosaic:
    """Count the rows of each combination of levels, and compare with independence.

    Parameters
    ----------
    x, y : arrays of shape (n,)
        Positions among the levels, from 0; NaN or negative where a value is missing.
    k, m : int
        Numbers of levels.

    References
    ----------
    .. [1] M. Friendly (1994). Mosaic displays for multi-way contingency tables. Journal of the
       American Statistical Association 89, 190-200.

    Examples
    --------
    >>> mosaic_table([0, 0, 1, 1], [0, 0, 1, np.nan], 2, 2).counts
    array([[2, 0],
           [0, 1]])
    """
    first, second = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if first.shape != second.shape or first.ndim != 1:
        raise InputError(f"x and y must be as long as each other, not {len(first)}, {len(second)}.")
    there = (first >= 0) & (second >= 0)  # NaN is neither
    codes_x, codes_y = first[there].astype(np.int64), second[there].astype(np.int64)
    for name, codes, size in (("x", codes_x, k), ("y", codes_y, m)):
        if codes.max(initial=-1) >= size:
            raise InputError(f"{name} has level {codes.max()}, but names for {size} levels.")
    counts = np.bincount(codes_x * m + codes_y, minlength=k * m).reshape(k, m)
    means = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(counts.sum(), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        residuals = (counts - means) / np.sqrt(means)
    residuals = np.where((means == 0) & (counts == 0), 0.0, residuals)
    return Mosaic(counts, means, residuals, int(len(there) - there.sum()))


def plot_mosaic(
    x: ArrayLike,
    y: ArrayLike,
    *,
    levels_x: Sequence[object],
    levels_y: Sequence[object],
    ax: Axes | None = None,
    names: tuple[str, str] = ("", ""),
    legend: bool = True,
) -> Axes:
    """Draw two columns with levels as a mosaic.

    Every level of x is a column of cells as wide as its share of rows; every cell is as high as the
    share of its level of y within it. Under independence all columns are divided alike.
    Cells are blue where there are more rows than expected under independence, and orange where
    there are fewer, by Pearson's residual: beyond ±2 is unusual, beyond ±4 hardly chance. A cell
    without rows is a line.

    Parameters
    ----------
    x, y : arrays of shape (n,)
        Positions among the levels, from 0; NaN or negative where a value is missing. Such rows are
        left out.
    levels_x, levels_y : list
        The levels, in order. Levels of x without rows are not drawn.
    ax : matplotlib axes, optional
        Where; by default on new axes.
    names : (str, str)
        Names of the two columns.
    legend : bool
        Whether to say what the colours mean.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> ax = plot_mosaic(
    ...     [0, 0, 1, 1],
    ...     [0, 1, 1, 1],
    ...     levels_x=["f", "m"],
    ...     levels_y=["no", "yes"],
    ...     ax=Figure().subplots(),
    ... )
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['no', 'yes']
    """
    from matplotlib.patches import Patch

    table = mosaic_table(x, y, len(levels_x), len(levels_y))
    ax = new_axes((5.2, 4.2)) if ax is None else ax
    ax.set(xlim=(0.0, 1.0), ylim=(0.0, 1.0))
    ax.spines[:].set_visible(False)
    shown = np.flatnonzero(table.counts.any(axis=1)).tolist()
    free = 1.0 - GAP * (len(shown) - 1)
    widths = table.widths[shown] * free
    left = np.concatenate([[0.0], np.cumsum(widths + GAP)])[:-1]
    name_axes(ax, names)
    if legend:
        swatches = [Patch(facecolor=colour, label=words) for colour, _, words in CLASSES[::-1]]
        made = ax.legend(
            handles=swatches,
            title="residual\nagainst\nindependence",
            loc="upper left",
            bbox_to_anchor=(1.01, 1.0),
            fontsize=7.5,
            title_fontsize=7.5,
            labelcolor=INK,
            frameon=False,
            borderaxespad=0.0,
            handlelength=1.1,
            handleheight=1.1,
            alignment="left",
        )
        made.get_title().set_color(INK)
    names_x = [str(levels_x[k]) for k in shown]
    used = np.flatnonzero(table.counts.any(axis=0)).tolist()
    names_y = [str(levels_y[j]) for j in used]
    # Names of y are beside the cells of the first column.
    heights = table.heights[shown[:1]].sum(axis=0)
    centres = np.cumsum(heights) - heights / 2
    for last in (False, True):  # twice, so that the layout makes room for them
        label_levels(ax, "y", centres[used], names_y, movable=True, leaders=last)
        label_levels(ax, "x", left + widths / 2, names_x, movable=True, leaders=last)
        if not last:
            settle(ax)
    points = axis_length(ax, "x"), axis_length(ax, "y")
    for k, start, width in zip(shown, left, widths, strict=True):
        top = np.cumsum(table.heights[k])
        for j, (height, end) in enumerate(zip(table.heights[k], top, strict=True)):
            box = (start, end - height, width, height)
            _draw_cell(ax, box, table.counts[k, j], table.residuals[k, j], points)
    return ax


def _draw_cell(
    ax: Axes,
    box: tuple[float, float, float, float],
    count: int,
    residual: float,
    points: tuple[float, float],
) -> None:
    """Draw a cell, with its count and share if they fit."""
    from matplotlib.patches import Rectangle

    colour, ink, _ = CLASSES[int(np.searchsorted(BOUNDS, residual))]
    left, low, width, height = box
    wide, high = width * points[0], height * points[1]
    look: dict[str, Any] = {"facecolor": colour, "edgecolor": "white", "linewidth": 0.8}
    if not count:  # an empty cell is a line
        edge = colour if abs(residual) > BOUNDS[-2] else "#BBBBBB"
        look |= {"edgecolor": edge, "linewidth": 1.6, "clip_on": False, "zorder": 3}
    elif min(wide, high) < 2.0:
        look |= {"edgecolor": colour, "linewidth": 0.5}  # a white edge would cover it
    ax.add_patch(Rectangle((left, low), width, height, **look))
    for text in (f"{count:,}\n{100 * height:.0f} %", f"{count:,}") if count else ():
        lines = 1 + text.count("\n")
        if text_width(text, 7.5) + 4.0 <= wide and lines * LINE + 1.0 <= high:
            at = left + width / 2, low + height / 2
            ax.text(*at, text, ha="center", va="center", fontsize=7.5, color=ink, linespacing=1.1)
            break
