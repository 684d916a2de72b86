"""The style of all plots: colours, lines and text."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours that colour-blind readers can distinguish (Okabe and Ito 2008; purple: Tol 2021). The
# report's page uses the first two as well, adjusted where text needs contrast.
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

SMALL = 8.0
"""Usual font size, in points."""
MOST_LINES = 3


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


LETTERS = (
    "=DIkYvf9CCMk=@=>YYYYYYYYYY>>kkkPz^^_eYTfd;;[RncgVg_"
    "YWb^y^W^C>CkMMWYQYW@YY99T9xYWYYEOCYUjUUOY>Yk"
)
"""How wide each ASCII letter of matplotlib's own font is, from the space on, in 1/90 of its size:
as many as its character here is beyond a space."""


def text_width(text: str, size: float = SMALL) -> float:
    r"""Width of the longest line of a text, in points.

    Examples
    --------
    >>> text_width("ab", 8.0) < text_width("abc", 8.0) == text_width("ab\nabc", 8.0)
    True
    """
    lines = text.split("\n")
    if text.isascii() and "".join(lines).isprintable() and _is_usual_font():
        return size / 90 * max(sum(ord(LETTERS[ord(c) - 32]) - 32 for c in x) for x in lines)
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, family=font_families(text))
    with unknown_letters_allowed():
        return max(
            float(text_to_path.get_text_width_height_descent(line, font, False)[0])
            for line in lines
        )


def _is_usual_font() -> bool:
    loaded = sys.modules.get("matplotlib")
    chosen = loaded and (loaded.rcParams["font.family"], loaded.rcParams["font.sans-serif"][0])
    return chosen in (None, (["sans-serif"], "DejaVu Sans"))


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


@contextmanager
def unknown_letters_allowed() -> Iterator[None]:
    """Silence warnings about letters that no installed font has."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        yield


def shorten(text: str, width: float, size: float = SMALL, *, middle: bool = False) -> str:
    """Shorten a text, with an ellipsis, to at most `width` points.

    Cuts the end, or the `middle`.

    Examples
    --------
    >>> shorten("Torgersen", 100.0), shorten("Torgersen", 30.0)
    ('Torgersen', 'Torge…')
    >>> shorten("Torgersen", 30.0, middle=True)
    'Tor…en'
    """
    if text_width(text, size) <= width:
        return text
    kept = len(text) - 1
    while kept > 2 and text_width(_cut(text, kept, middle), size) > width:
        kept -= 1
    return _cut(text, kept, middle)


def _cut(text: str, kept: int, middle: bool) -> str:
    if not middle:
        return text[:kept].rstrip() + "…"
    tail = kept // 2
    return text[: kept - tail].rstrip() + "…" + text[len(text) - tail :].lstrip()


def wrap(text: str, width: float, most: int = MOST_LINES, size: float = SMALL) -> str:
    r"""Wrap a text into at most `most` lines of `width` points; longer lines are cut.

    Examples
    --------
    >>> wrap("high school graduate", 60.0).split("\n")
    ['high school', 'graduate']
    """
    lines = [""]
    for piece in re.findall(r"[^\s_/-]*[_/-]|[^\s_/-]+\s*|\s+", text):
        if lines[-1] and text_width((lines[-1] + piece).rstrip(), size) > width:
            lines.append("")
        lines[-1] += piece
    if len(lines) > most:
        lines[most - 1 :] = ["".join(lines[most - 1 :])]
    return "\n".join(shorten(line.strip(), width, size) for line in lines)
