"""Text for people: names on one line without control characters, counts, lists, probabilities.

Printed text, pages and errors all use these functions.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence


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
    return flat if longest is None else shorten_end(flat, longest)


def shorten_end(text: str, longest: int) -> str:
    """Cut off the end of a text that is too long.

    Examples
    --------
    >>> shorten_end("abcdef", 6), shorten_end("abcdef", 4)
    ('abcdef', 'abc…')
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def shorten_middle(text: str, longest: int) -> str:
    """Cut out the middle of a text that is too long: names of one kind often differ at their end.

    Examples
    --------
    >>> shorten_middle("expression of a gene, day 7", 16)
    'expressi…, day 7'
    """
    if len(text) <= longest:
        return text
    end = (longest - 1) // 2
    start = longest - 1 - end
    return f"{text[:start].rstrip()}…{text[len(text) - end :].lstrip()}"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Count things.

    Examples
    --------
    >>> counted(1, "edge"), counted(1200, "edge"), counted(0, "category", "categories")
    ('1 edge', '1,200 edges', '0 categories')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def listed(items: Sequence[str], most: int = 8) -> str:
    """Join words by commas, with an "and" before the last; those beyond `most` are counted.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b", "c"]), listed(list("abcdef"), most=2)
    ('a', 'a, b and c', 'a, b and 4 more')
    """
    if len(items) > most + 1:  # "and 1 more" is no shorter than the one that it hides
        items = [*items[:most], f"{len(items) - most:,} more"]
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"


def probability_text(value: float, digits: int = 3, *, in_words: bool = False) -> str:
    """Write a probability so that neither end is rounded to certainty.

    Parameters
    ----------
    value : float
        The probability; exactly 0 and 1 are certain, and written so.
    digits : int
        Digits after the point.
    in_words : bool
        Whether it stands in a sentence, which is read aloud.

    Examples
    --------
    >>> [probability_text(p) for p in (0.99961, 0.5, 0.0001, 1.0, float("nan"))]
    ['>0.999', '0.500', '<0.001', '1', 'unknown']
    >>> probability_text(0.999, digits=2), probability_text(0.99961, in_words=True)
    ('>0.99', 'above 0.999')
    """
    if value != value:
        return "unknown"
    if value in (0.0, 1.0):
        return f"{value:.0f}"
    unit = 10.0**-digits
    above, below = ("above ", "below ") if in_words else (">", "<")
    if value >= 1.0 - 0.5 * unit:
        return f"{above}{1.0 - unit:.{digits}f}"
    return f"{below}{unit:.{digits}f}" if value < 0.5 * unit else f"{value:.{digits}f}"


def signed(value: float, unknown: str = "unknown") -> str:
    """Write a number between -1 and 1 with its sign, a true minus; `unknown` if it is NaN.

    Examples
    --------
    >>> signed(0.5), signed(-0.25), signed(float("nan"))
    ('+0.50', '−0.25', 'unknown')
    """
    return unknown if value != value else f"{value:+.2f}".replace("-", "−")


def about(expected: float) -> str:
    """Say an expected number, as the slider of the page does.

    Examples
    --------
    >>> [about(x) for x in (0.0, 0.04, 0.4, 3.21, 1217.4)]
    ['hardly any', 'hardly any', 'about 0.4', 'about 3.2', 'about 1,217']
    """
    if expected < 0.05:
        return "hardly any"
    return f"about {expected:.1f}" if expected < 9.95 else f"about {expected:,.0f}"


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


def shortened(text: str, most: int = 40) -> str:
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
    words = [f"{first} to {last}" if first < last else str(first) for first, last in runs]
    return listed(words, most=4)


def _is_seen(letter: str) -> bool:
    """Say whether a letter stands for itself: no control, half of a pair, turn of direction."""
    code = ord(letter)
    turns = 0x202A <= code <= 0x202E or 0x2066 <= code <= 0x2069
    none = 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE  # what Unicode calls no character
    return not none and unicodedata.category(letter) not in ("Cc", "Cs") and not turns
