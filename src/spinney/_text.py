"""Names of columns where they are shown: in one line, and nothing in them steers anything."""

from __future__ import annotations

import unicodedata

__all__ = ["plain_line"]


def plain_line(text: object, longest: int | None = None) -> str:
    r"""Write a text in one line, without what cannot be seen or turns directions around.

    Parameters
    ----------
    text : object
        A name; anything else as Python writes it.
    longest : int, optional
        Letters beyond which its end is cut off.

    Examples
    --------
    >>> plain_line("two\n lines\x00 and \u202ea half"), plain_line("abcdef", 4)
    ('two lines and a half', 'abc…')
    """
    flat = " ".join("".join(filter(_is_seen, " ".join(str(text).split()))).split())
    if longest is None or len(flat) <= longest:
        return flat
    return flat[: longest - 1] + "…"


def _is_seen(letter: str) -> bool:
    """Say whether a letter stands for itself: no control, half of a pair, or turn of direction."""
    turns = "\u202a" <= letter <= "\u202e" or "\u2066" <= letter <= "\u2069"
    return unicodedata.category(letter) not in ("Cc", "Cs") and not turns
