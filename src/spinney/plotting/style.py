"""The look of all plots: one place for colours and lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DATA", "FALLING", "INK", "LINES", "new_axes", "quiet"]

# Colours that stay apart for colour-blind readers (Okabe and Ito 2008).
LINES = "#0072B2"
FALLING = "#D55E00"
DATA = "#7A7A7A"
INK = "#222222"


def new_axes(figsize: tuple[float, float] = (4.2, 4.2)) -> Axes:
    """Make axes of their own, for a caller who gave none; `figsize` is in inches."""
    import matplotlib.pyplot as plt  # here: it picks a screen, which only this needs

    _, axes = plt.subplots(figsize=figsize, layout="constrained")
    return axes


def quiet(axes: Axes) -> None:
    """Take away what does not carry information."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#AAAAAA")
    axes.tick_params(color="#AAAAAA", labelcolor=INK, labelsize=8, length=3)
