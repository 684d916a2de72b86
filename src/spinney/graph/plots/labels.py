"""Names of levels along an axis: shortened, wrapped, and moved apart."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from spinney.graph.plots.style import DATA, INK, SMALL, shorten, text_width, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["axis_length", "label_levels", "settle", "spread"]

Floats = NDArray[np.float64]
Axis = Literal["x", "y"]

LINE = 10.5
"""Height of a line of text, in points."""
BETWEEN = 7.0
"""Space between two names, in points."""
WIDEST = 115.0
"""Longest name in a line of its own, in points."""
LEADER = 9.0
"""Length of the line from a moved name to its level, in points."""
TILT = 45.0
"""Angle of names that do not fit horizontally, in degrees."""


def spread(wanted: ArrayLike, sizes: ArrayLike, low: float, high: float) -> Floats:
    r"""Move intervals as little as possible until none overlap.

    Minimises :math:`\sum_i (p_i - w_i)^2` under :math:`p_{i+1} - p_i \ge (s_i + s_{i+1}) / 2`, by
    isotonic regression after subtracting the lengths of the intervals before each; then all are
    kept between `low` and `high`, if there is room.

    Parameters
    ----------
    wanted : array of shape (k,)
        Desired centres, ascending.
    sizes : array of shape (k,)
        Their lengths.
    low, high : float
        Ends of the space.

    Examples
    --------
    >>> spread([0.0, 1.0, 9.0], [4.0, 4.0, 4.0], -10.0, 20.0)
    array([-1.5,  2.5,  9. ])
    """
    wanted, sizes = np.asarray(wanted, dtype=float), np.asarray(sizes, dtype=float)
    if not wanted.size:
        return wanted
    before = np.concatenate([[0.0], np.cumsum((sizes[1:] + sizes[:-1]) / 2)])
    # Clipping keeps order and distances, and solves the constrained problem.
    fitted = scipy.optimize.isotonic_regression(wanted - before).x
    first, last = low + sizes[0] / 2, high - sizes[-1] / 2 - before[-1]
    if first <= last:
        fitted = np.clip(fitted, first, last)
    return np.asarray(fitted + before, dtype=float)


def settle(ax: Axes) -> None:
    """Let the layout engine, if there is one, size the axes."""
    if ax.figure.get_layout_engine() is not None:
        with warnings.catch_warnings():
            # A figure too small for its labels raises a warning when it is drawn.
            warnings.simplefilter("ignore", UserWarning)
            ax.figure.figure.draw_without_rendering()


def axis_length(ax: Axes, axis: Axis) -> float:
    """Return the current length of an axis in points."""
    box = ax.get_window_extent()
    pixels = box.width if axis == "x" else box.height
    return float(72 * pixels / ax.figure.dpi)


def label_levels(
    ax: Axes,
    axis: Axis,
    centres: ArrayLike,
    names: Sequence[str],
    *,
    notes: Sequence[str] | None = None,
    movable: bool = False,
    leaders: bool = True,
) -> None:
    """Write the names of levels along an axis without overlaps.

    Names are horizontal if they fit, wrapped if necessary, else tilted; if there are still too
    many, some are left out.

    Parameters
    ----------
    ax : matplotlib axes
        With its final limits.
    axis : {"x", "y"}
        Along which axis.
    centres : array of shape (k,)
        Positions of the levels, ascending.
    names : list of str
        Their names.
    notes : list of str, optional
        A short note for each level, after its name.
    movable : bool
        Whether names may move away from their level.
    leaders : bool
        Whether a line then connects the name to the level.
    """
    centres = np.asarray(centres, dtype=float)
    low, high = ax.get_xlim() if axis == "x" else ax.get_ylim()
    length = axis_length(ax, axis)
    unit = length / (high - low)
    at = (centres - low) * unit
    texts = _lying(names, notes, at, length, movable) if axis == "x" else None
    lean = axis == "x" and texts is None
    if texts is not None:
        sizes = np.array([text_width(text) + BETWEEN for text in texts])
    else:
        room = min(WIDEST, 0.55 * axis_length(ax, "y" if axis == "x" else "x"))
        texts, sizes = _stacked(names, notes, at, room, length, lean, movable)
    shown = np.arange(len(names))
    if sizes.sum() > length + LINE:  # as many as fit, evenly spaced
        shown = shown[:: int(np.ceil(sizes.sum() / (length + LINE)))]
    places = at[shown]
    if movable:
        places = spread(places, sizes[shown], -LINE / 2, length + LINE / 2)
    _write(ax, axis, [texts[k] for k in shown], places / unit + low, TILT if lean else 0.0)
    moved = np.abs(places - at[shown]).max(initial=0.0) > 1.5
    ax.tick_params(axis, length=0, pad=LEADER + 1 if moved else 4.0, labelsize=SMALL)
    if moved and leaders:
        _lead(ax, axis, places / unit + low, centres[shown])


def _lying(
    names: Sequence[str], notes: Sequence[str] | None, at: Floats, length: float, movable: bool
) -> list[str] | None:
    """Wrap names into the room of each; None if one is cut or has to move far."""
    width = max(length / max(len(names), 1) - BETWEEN, 30.0)
    made = [wrap(name, width) for name in names]
    if any("…" in text and "…" not in name for text, name in zip(made, names, strict=True)):
        return None
    if notes is not None:
        made = [f"{text}\n{note}" for text, note in zip(made, notes, strict=True)]
    sizes = np.array([text_width(text) + BETWEEN for text in made])
    places = spread(at, sizes, -BETWEEN, length + BETWEEN)
    moved = np.abs(places - at).max(initial=0.0)
    if sizes.sum() > length + BETWEEN or moved > (40.0 if movable else 1.0):
        return None
    return made


def _stacked(
    names: Sequence[str],
    notes: Sequence[str] | None,
    at: Floats,
    room: float,
    length: float,
    lean: bool,
    movable: bool,
) -> tuple[list[str], Floats]:
    """Shorten names for stacked lines, and compute the space along the axis of each."""
    step = LINE / np.sin(np.radians(TILT)) if lean else LINE
    added = [""] * len(names) if notes is None else [f" ({note})" for note in notes]
    whole = all(text_width(name) <= room for name in names)
    for lines in (1,) if whole or lean else (2, 1):
        made = [wrap(name, room, lines) for name in names]
        if len(set(made)) < len(set(names)):  # they became equal
            made = [shorten(name, room, middle=True) for name in names]
        made = [text + note for text, note in zip(made, added, strict=True)]
        sizes = np.array([step * (1 + text.count("\n")) for text in made])
        places = spread(at, sizes, -LINE / 2, length + LINE / 2)
        moved = np.abs(places - at).max(initial=0.0)
        if moved <= (LINE if movable else 1.0):
            break
    return made, sizes


def _write(ax: Axes, axis: Axis, texts: Sequence[str], places: Floats, rotation: float) -> None:
    ticks = ax.xaxis if axis == "x" else ax.yaxis
    ticks.set_ticks(places, texts)
    for label in ticks.get_ticklabels():
        label.set(parse_math=False, color=INK)
        if rotation:
            label.set(rotation=rotation, ha="right", va="top", rotation_mode="anchor")
        elif axis == "x":
            label.set(rotation=0.0, ha="center", va="top")


def _lead(ax: Axes, axis: Axis, places: Floats, centres: Floats) -> None:
    """Draw lines from names to their levels."""
    from matplotlib.patches import ConnectionPatch
    from matplotlib.transforms import ScaledTranslation, blended_transform_factory

    horizontal = axis == "x"
    shift = (0.0, -LEADER / 72) if horizontal else (-LEADER / 72, 0.0)
    outside = ax.transAxes + ScaledTranslation(*shift, ax.figure.dpi_scale_trans)
    for place, centre in zip(places, centres, strict=True):
        if horizontal:
            ends = (place, 0.0), (centre, 0.0)
            start = blended_transform_factory(ax.transData, outside)
            stop = blended_transform_factory(ax.transData, ax.transAxes)
        else:
            ends = (0.0, place), (0.0, centre)
            start = blended_transform_factory(outside, ax.transData)
            stop = blended_transform_factory(ax.transAxes, ax.transData)
        line = ConnectionPatch(*ends, start, stop, color=DATA, linewidth=0.6, clip_on=False)
        line.set_in_layout(False)
        ax.add_artist(line)
