"""Numbers as people say them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["about", "counted", "listed", "per_cent", "signed"]

WORDS = ("none", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def about(expected: float) -> str:
    """Say an expected number.

    Examples
    --------
    >>> [about(x) for x in (0.0, 0.03, 0.4, 0.98, 3.2, 17.4)]
    ['fewer than 0.1', 'fewer than 0.1', 'about 0.4', 'about one', 'about three', 'about 17']
    """
    if expected < 0.1:
        return "fewer than 0.1"
    if expected < 0.75:
        return f"about {expected:.1f}"
    whole = max(round(expected), 1)
    return f"about {WORDS[whole] if whole < len(WORDS) else f'{whole:,}'}"


def counted(number: int, noun: str) -> str:
    """Count things.

    Examples
    --------
    >>> counted(1, "edge"), counted(1200, "edge")
    ('1 edge', '1,200 edges')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def listed(items: Sequence[str], most: int = 8) -> str:
    """List things with "and" before the last; count those beyond `most`.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"]), listed(["a", "b", "c", "d"], most=2)
    ('a', 'a, b and c', 'a, b and 2 more')
    """
    if len(items) > most + 1:
        items = [*items[:most], f"{len(items) - most:,} more"]
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def per_cent(share: float) -> str:
    """Say a share, so that neither end is rounded to nothing or all.

    Examples
    --------
    >>> per_cent(0.254), per_cent(0.0004), per_cent(0.9999), per_cent(0.034)
    ('25 %', 'less than 0.1 %', 'more than 99.9 %', '3.4 %')
    """
    if 0.0 < share < 0.001:
        return "less than 0.1 %"
    if 0.999 < share < 1.0:
        return "more than 99.9 %"
    near = min(share, 1.0 - share) < 0.1 and 0.0 < share < 1.0
    return f"{100 * share:.{1 if near else 0}f} %"


def signed(value: float) -> str:
    """Write a number between -1 and 1 with its sign, with a true minus.

    Examples
    --------
    >>> signed(0.8), signed(-0.12), signed(float("nan"))
    ('+0.80', '−0.12', 'unknown')
    """
    return "unknown" if np.isnan(value) else f"{value:+.2f}".replace("-", "−")
