"""Names and numbers as the page shows them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

__all__ = ["number", "sentence", "shorten", "shown", "whole"]

# Control characters have pictures of their own (U+2400 …), so that none hides or breaks anything.
# Space between words stays space: headers of spreadsheets are often wrapped by hand.
_CONTROLS = {code: chr(0x2400 + code) for code in range(32)} | {127: "\u2421"}
_CONTROLS |= dict.fromkeys(range(9, 14), " ") | dict.fromkeys(range(0x80, 0xA0), "\ufffd")
# So are line and paragraph separators. Marks that turn letters around are shown, not obeyed.
_CONTROLS |= dict.fromkeys((0x2028, 0x2029), " ")
_CONTROLS |= dict.fromkeys((*range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\ufffd")
# Half of a pair of surrogates is no character and cannot be written as UTF-8.
_CONTROLS |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")


def shown(text: Any) -> str:
    r"""Text as it may be shown: no control characters, but what they were can be seen.

    Examples
    --------
    >>> shown("body\nweight\x00")
    'body weight␀'
    """
    return str(text).translate(_CONTROLS)


def shorten(text: Any, limit: int = 48) -> str:
    """Long text without its middle: names that differ often do so at their end.

    Examples
    --------
    >>> shorten("expression of a gene with a long name, day 7", 20)
    'expression o…, day 7'
    """
    whole = shown(text)
    if len(whole) <= limit:
        return whole
    tail = limit // 3 + 1
    return f"{whole[: limit - tail - 1]}…{whole[-tail:]}"


def sentence(text: str) -> str:
    """Begin with a capital letter, and leave the rest as it is.

    Examples
    --------
    >>> sentence("probability"), sentence("BB1, turned")
    ('Probability', 'BB1, turned')
    """
    return text[:1].upper() + text[1:]


def number(value: float | None, digits: int = 3) -> str:
    """Show a number with so many digits after the point, or a dash where there is none.

    Examples
    --------
    >>> number(0.98765), number(None), number(-0.5, 2), number(0.99996), number(1e-5)
    ('0.988', '–', '−0.50', '>0.999', '<0.001')
    """
    if value is None:
        return "–"
    if 1 - 0.5 * 10**-digits <= value < 1:  # rounding must not make the unsure certain
        return f">{1 - 10**-digits:.{digits}f}"
    if 0 < value < 0.5 * 10**-digits:
        return f"<{10**-digits:.{digits}f}"
    return f"{value:.{digits}f}".replace("-", "−")


def whole(sentences: Iterable[str]) -> list[str]:
    """Join what announces a sentence with the sentence.

    Examples
    --------
    >>> whole(["Two groups.", "Be careful:", "They are small."])
    ['Two groups.', 'Be careful: They are small.']
    """
    made: list[str] = []
    for text in sentences:
        if made and made[-1].endswith(":"):
            made[-1] += f" {text}"
        else:
            made.append(text)
    return made
