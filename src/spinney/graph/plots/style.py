"""The style of all plots: colours, lines and text."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, Literal
from unicodedata import east_asian_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours that colour-blind readers can distinguish (Okabe and Ito 2008; purple: Tol 2021). The
# report's page uses the first two as well, adjusted where text needs contrast.
LINES = "#0072B2"
FALLING = "#D55E00"
PURPLE = "#AA4499"
# Greys, from dark to light.
INK = "#222222"
DATA = "#7A7A7A"
FRAME = "#8A8A8A"
BOTH = "#8C8C8C"
AXIS = "#AAAAAA"
PALE = "#D5D5D5"

SMALL = 8.0
"""Usual font size, in points."""


def new_axes(figsize: tuple[float, float] = (4.2, 4.2)) -> Axes:
    """Make new axes; `figsize` is in inches."""
    import matplotlib.pyplot as plt  # here, because it selects a backend

    _, axes = plt.subplots(figsize=figsize, layout="constrained")
    return axes


def new_page(
    figsize: tuple[float, float], dpi: float, layout: Literal["constrained"] | None = "constrained"
) -> Figure:
    """Make a figure that can be saved, independent of pyplot; `figsize` is in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=figsize, layout=layout, dpi=dpi)
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Figure, place: Any, kind: str, transparent: bool = False) -> None:
    """Write a figure to a path or a file, reproducible to the byte; text in an SVG stays text."""
    import matplotlib as mpl

    look: Any = {"svg.fonttype": "none", "svg.hashsalt": "spinney"}
    about: Any = {"Date": None} if kind == "svg" else {"Software": None}
    with mpl.rc_context(look), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        figure.savefig(place, format=kind, metadata=about, transparent=transparent)


def figure_bytes(figure: Figure, kind: str, transparent: bool = False) -> bytes:
    """Return what :func:`save_figure` would write."""
    drawn = BytesIO()
    save_figure(figure, drawn, kind, transparent)
    return drawn.getvalue()


def write_title(ax: Axes, title: str | None, size: float) -> None:
    """Set a title, if given, as plain text in fonts that have its letters."""
    if title is not None:
        fonts = font_families(title)
        ax.set_title(title, fontsize=size, fontfamily=fonts, color=INK, parse_math=False)


def name_axes(ax: Axes, names: Sequence[str]) -> None:
    """Write the names of both axes, as plain text."""
    ax.set_xlabel(names[0], fontsize=9, color=INK, parse_math=False)
    ax.set_ylabel(names[1], fontsize=9, color=INK, parse_math=False)


def quiet(axes: Axes) -> None:
    """Remove frame lines that carry no information."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color(AXIS)
    axes.tick_params(color=AXIS, labelcolor=INK, labelsize=8, length=3)


NARROW, WIDE = frozenset("fijlrtI.,:;'|!()[]/ -"), frozenset("mwMW@%")


def text_width(text: str, size: float = SMALL) -> float:
    """Estimate the width of a line of text in points, without a font: rather too wide.

    Examples
    --------
    >>> text_width("ab", 8.0) < text_width("abc", 8.0) < text_width("ab漢", 8.0)
    True
    """
    widths = (
        0.4 if c in NARROW else 1.0 if c in WIDE or east_asian_width(c) in "WF" else 0.65
        for c in text
    )
    return size * sum(widths)


WIDE_FONTS = (
    *("Noto Sans CJK JP", "Noto Sans CJK SC", "Source Han Sans", "WenQuanYi Micro Hei"),
    *("PingFang SC", "Hiragino Sans", "Apple SD Gothic Neo", "Arial Unicode MS", "Apple Symbols"),
    *("Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "Segoe UI", "Segoe UI Emoji"),
    *("Noto Sans", "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Emoji"),
)
"""Fonts with letters that the default lacks, tried in turn if installed."""


def font_families(text: str) -> list[str]:
    """List the fonts for a text: the default, and others for letters that it lacks.

    Examples
    --------
    >>> font_families("plain letters")
    ['sans-serif']
    """
    import matplotlib as mpl

    usual = list(mpl.rcParams["font.family"])
    return usual if text.isascii() else [*usual, *_installed()]


@cache
def _installed() -> tuple[str, ...]:
    from matplotlib.font_manager import fontManager

    there = {font.name for font in fontManager.ttflist}
    return tuple(name for name in WIDE_FONTS if name in there)
