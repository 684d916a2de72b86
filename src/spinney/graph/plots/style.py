"""The look of all plots: one place for colours and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "AXIS",
    "BOTH",
    "DATA",
    "FALLING",
    "FRAME",
    "INK",
    "LIGHT",
    "LINES",
    "PALE",
    "PURPLE",
    "UNKNOWN",
    "new_axes",
    "quiet",
]

# Colours that stay apart for colour-blind readers (Okabe and Ito 2008; purple: Tol 2021). The
# report's page has the first two as well, a little darker or lighter where text needs contrast:
# see theme.css.j2.
LINES = "#0072B2"
FALLING = "#D55E00"
LIGHT = "#56A0C8"
PURPLE = "#AA4499"
# Greys, from dark to light.
INK = "#222222"
DATA = "#7A7A7A"
FRAME = "#8A8A8A"
BOTH = "#8C8C8C"
AXIS = "#AAAAAA"
PALE = "#D5D5D5"
UNKNOWN = "#E8E8E8"


def new_axes(figsize: tuple[float, float] = (4.2, 4.2)) -> Axes:
    """Make axes of their own, for a caller who gave none; `figsize` is in inches."""
    import matplotlib.pyplot as plt  # here: it picks a screen, which only this needs

    _, axes = plt.subplots(figsize=figsize, layout="constrained")
    return axes


def quiet(axes: Axes) -> None:
    """Take away what does not carry information."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(AXIS)
    axes.tick_params(color=AXIS, labelcolor=INK, labelsize=8, length=3)
