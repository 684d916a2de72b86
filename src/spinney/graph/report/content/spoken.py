"""Numbers as people say them."""

from __future__ import annotations

import re

from spinney._core import text as _text

__all__ = ["about", "per_cent", "signed", "true_minus"]

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
    return true_minus(_text.signed(value, "unknown"))


def true_minus(text: str) -> str:
    """Put a true minus before negative numbers, as a page has it; hyphens stay.

    Examples
    --------
    >>> true_minus("EF-λ: a tau of -0.5")
    'EF-λ: a tau of −0.5'
    """
    return re.sub(r"(?<![\w.])-(?=\d)", "−", text)
