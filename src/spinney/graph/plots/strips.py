"""Strips: a continuous column by the levels of another, point by point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney.exceptions import InputError
from spinney.graph.plots.labels import label_levels, settle
from spinney.graph.plots.style import DATA, INK, LINES, name_axes, new_axes, quiet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["axis_scale", "jitter", "plot_strip"]

Floats = NDArray[np.float64]

HALF_WIDTH = 0.38
"""Largest distance of a point from the middle of its level; levels are 1 apart."""
FEWEST_IN_BOX = 5
"""Fewest rows for quartiles."""
SKEWED = 8.0
"""Ratio of tails at which the scale is no longer linear."""


def jitter(values: ArrayLike, seed: int = 0) -> Floats:
    """Return sideways shifts that keep points of a level apart: wide where they are dense.

    Shifts are uniform within the outline of a smoothed histogram, at most `HALF_WIDTH`, and
    reproducible.

    Parameters
    ----------
    values : array of shape (n,)
        Values of one level, finite.
    seed : int
        Seed.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> shifts = jitter(np.linspace(0, 1, 100))
    >>> bool((np.abs(shifts) <= HALF_WIDTH).all()), bool((shifts == jitter(range(100))).all())
    (True, True)
    """
    values = np.asarray(values, dtype=float)
    rng = np.random.default_rng(seed)
    drawn = rng.uniform(-1.0, 1.0, size=len(values))
    if len(values) < 2 or np.ptp(values) == 0:
        return drawn * HALF_WIDTH / 2
    bins = int(np.clip(np.sqrt(len(values)), 5, 60))
    counts, edges = np.histogram(values, bins)
    smooth = np.convolve(np.pad(counts, 2, mode="edge"), [0.1, 0.2, 0.4, 0.2, 0.1], mode="valid")
    outline = np.interp(values, (edges[1:] + edges[:-1]) / 2, smooth / smooth.max())
    # Few points need less room than many.
    crowd = np.clip(len(values) / 40, 0.35, 1.0)
    return drawn * HALF_WIDTH * crowd * np.maximum(outline, 0.06)


def axis_scale(values: ArrayLike) -> str:
    """Choose the scale of an axis: linear unless the values are skewed.

    ``"log"`` for positive values whose upper tail reaches much farther than their lower one,
    ``"asinh"`` for others with a tail much longer than the interquartile range.

    Examples
    --------
    >>> axis_scale(np.arange(100)), axis_scale(np.exp(np.arange(100) / 10))
    ('linear', 'log')
    """
    values = np.asarray(values, dtype=float)
    if len(values) < FEWEST_IN_BOX:
        return "linear"
    low, lower, middle, upper, high = np.quantile(values, [0.0, 0.25, 0.5, 0.75, 1.0])
    if low > 0 and high - middle > SKEWED * (middle - low) and high > 20 * middle:
        return "log"
    reach = max(high - middle, middle - low)
    return "asinh" if reach > 5 * SKEWED * (upper - lower) > 0 else "linear"


def plot_strip(
    levels: ArrayLike,
    values: ArrayLike,
    *,
    level_names: Sequence[object],
    ax: Axes | None = None,
    names: tuple[str, str] = ("", ""),
    horizontal: bool = False,
    fitted: ArrayLike | None = None,
) -> Axes:
    r"""Draw a continuous column by the levels of another: points, quartiles and medians.

    Skewed values are drawn on a logarithmic or asinh scale; see :func:`axis_scale`.

    Parameters
    ----------
    levels : array of shape (n,)
        Positions among the levels, from 0; NaN or negative where a value is missing.
    values : array of shape (n,)
        The continuous column; NaN where a value is missing. Rows with a gap are left out.
    level_names : list
        The levels, in order.
    ax : matplotlib axes, optional
        Where; by default on new axes.
    names : (str, str)
        Names of the column with levels and of the continuous one.
    horizontal : bool
        Whether values run from left to right, and levels upwards.
    fitted : array of shape (k, 3), optional
        Quartiles of the values for each level under a fitted model, NaN where it has none; drawn
        beside those of the data, in blue.

    Returns
    -------
    matplotlib axes

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> axes = Figure().subplots()
    >>> ax = plot_strip([0, 1, 0], [0.5, 2.0, 1.0], level_names=["f", "m"], ax=axes)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['f\nn = 2', 'm\nn = 1']
    """
    from matplotlib.patches import Rectangle

    codes, numbers = np.asarray(levels, dtype=float), np.asarray(values, dtype=float)
    if codes.shape != numbers.shape or codes.ndim != 1:
        raise InputError(
            f"levels and values must be as long as each other, not {len(codes)}, {len(numbers)}."
        )
    there = (codes >= 0) & np.isfinite(numbers)
    codes, numbers = codes[there].astype(np.int64), numbers[there]
    if codes.max(initial=-1) >= len(level_names):
        raise InputError(f"There is level {codes.max()}, but names for {len(level_names)} levels.")
    ax = new_axes((min(1.2 + 0.75 * max(len(level_names), 4), 8.0), 4.2)) if ax is None else ax
    scale = axis_scale(numbers)

    def turned(place: Any, value: Any) -> tuple[Any, Any]:
        return (value, place) if horizontal else (place, value)

    reach = HALF_WIDTH - 0.06
    for k in range(len(level_names)):
        own = numbers[codes == k]
        many = len(own) > 2000
        ax.scatter(
            *turned(k + jitter(np.log(own) if scale == "log" else own, k), own),
            s=3.5 if many else 7.0,
            c=DATA,
            alpha=float(np.clip(250 / max(len(own), 1), 0.06, 0.55)),
            linewidths=0,
            rasterized=many,
            zorder=1,
        )
        if len(own) >= FEWEST_IN_BOX:
            low, middle, high = np.quantile(own, [0.25, 0.5, 0.75])
            corner, extent = turned(k - reach, low), turned(2 * reach, high - low)
            look: dict[str, Any] = {"facecolor": "none", "edgecolor": INK, "linewidth": 0.7}
            ax.add_patch(Rectangle(corner, *extent, **look, zorder=3))
            across = ax.vlines if horizontal else ax.hlines
            across(middle, k - reach, k + reach, color=INK, linewidth=1.8, zorder=3)
    for k, quartiles in enumerate([] if fitted is None else np.asarray(fitted, dtype=float)):
        if np.isfinite(quartiles).all():  # an interval beside the box, with a point at the median
            side = np.full(2, k + HALF_WIDTH + 0.03)
            line, point = turned(side, quartiles[[0, -1]]), turned(side[:1], quartiles[[1]])
            ax.plot(*line, color=LINES, linewidth=2.4, solid_capstyle="butt", zorder=4)
            ax.plot(*point, "o", color=LINES, markersize=4.5, markeredgecolor="white", zorder=5)
    _set_scale(ax, scale, numbers, horizontal)
    shown = names[1] if scale == "linear" else f"{names[1]} ({scale} scale)"
    name_axes(ax, turned(names[0], shown))
    quiet(ax)
    (ax.set_ylim if horizontal else ax.set_xlim)(-0.5, len(level_names) - 0.5)
    counts = np.bincount(codes, minlength=len(level_names))
    notes = [f"n = {count:,}" for count in counts]
    labels = [str(name) for name in level_names]
    for last in (False, True):  # twice, so that the layout makes room for them
        label_levels(ax, "y" if horizontal else "x", np.arange(len(labels)), labels, notes=notes)
        if not last:
            settle(ax)
    return ax


def _set_scale(ax: Axes, scale: str, numbers: Floats, horizontal: bool) -> None:
    """Set the scale of the axis of values; asinh is linear within about the quartiles."""
    set_scale, set_ticks = (
        (ax.set_xscale, ax.set_xticks) if horizontal else (ax.set_yscale, ax.set_yticks)
    )
    if scale != "asinh" or not len(numbers):
        set_scale(scale)
        return
    width = float(np.subtract(*np.quantile(numbers, [0.75, 0.25]))) or 1.0
    set_scale(scale, linear_width=width)
    # Zero and powers of ten: matplotlib's own ticks crowd where the scale is linear.
    low, high = float(numbers.min()), float(numbers.max())
    powers = 10.0 ** np.arange(np.floor(np.log10(width)), np.log10(max(-low, high)) + 1e-9)
    ticks = [tick for tick in [*-powers[::-1], 0.0, *powers] if tick == 0 or low <= tick <= high]
    set_ticks(ticks, [f"{tick:,.10g}" for tick in ticks])
    ax.minorticks_off()
