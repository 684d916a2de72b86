"""How sentences show names, cells, lists and ranges: on one line, and not too long."""

from __future__ import annotations

from collections.abc import Sequence

from spinney._core import text as _text

__all__ = ["cause", "listed", "quoted", "ranges", "shortened"]

MOST_LISTED = 4
"""Things that a sentence lists."""
MOST_CHARACTERS = 40
"""Characters of a name or a cell that a sentence shows."""


def shortened(text: str, most: int = MOST_CHARACTERS) -> str:
    r"""Return text on one line, cut where it gets long.

    Examples
    --------
    >>> shortened("one\ntwo"), shortened("abcdefgh", most=5)
    ('one two', 'abcd…')
    """
    plain = "".join(c if c.isprintable() else " " for c in text[: 4 * most])
    plain = " ".join(plain.split())
    return plain if len(plain) <= most and len(text) <= 4 * most else plain[: most - 1] + "…"


def cause(error: Exception) -> str:
    r"""Return what an error says, on one line; the name of its kind if it says nothing.

    Examples
    --------
    >>> cause(ValueError("bad\nbyte")), cause(KeyError())
    ('bad byte', 'KeyError')
    """
    return shortened(str(error), most=160) or type(error).__name__


def quoted(text: str) -> str:
    """Return text in quotes, on one line and not too long.

    Examples
    --------
    >>> quoted("Raf")
    "'Raf'"
    """
    return f"'{shortened(text)}'"


def listed(items: Sequence[str], most: int = MOST_LISTED) -> str:
    """Join words as :func:`spinney._core.text.listed` does, but fewer of them.

    Examples
    --------
    >>> listed(list("abcdef"))
    'a, b, c, d and 2 more'
    """
    return _text.listed(items, most)


def ranges(numbers: Sequence[int]) -> str:
    """Return rising whole numbers as people write them.

    Examples
    --------
    >>> ranges([3]), ranges([1, 2, 3, 7])
    ('3', '1 to 3 and 7')
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    words = []
    for first, last in runs:
        words.append(str(first) if first == last else f"{first} to {last}")
    return listed(words)
