"""How people write numbers: decimal dots and commas, marks between thousands, percent."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property

__all__ = ["CONVENTIONS", "PLAIN", "Convention", "as_number", "is_numeral"]

SIGN = r"[+\-\u2212]?"
EXPONENT = r"(?:[eE][+\-\u2212]?\d+)?"
INFINITY = re.compile(rf"{SIGN}inf(?:inity)?", re.IGNORECASE)
THOUSANDS = {
    "": "",
    ",": ",",
    ".": r"\.",
    " ": "[ \u00a0\u2009\u202f]",
    "'": "['\u2019]",
}
MEANINGS = {",": "comma", ".": "dot", " ": "blank", "'": "apostrophe"}
"""Marks between thousands, as expressions and in words."""


@dataclass(frozen=True)
class Convention:
    """A way of writing numbers.

    Attributes
    ----------
    decimal : {".", ","}
        What stands before the decimals.
    thousands : {"", ",", ".", " ", "'"}
        What may stand between groups of three digits.

    Examples
    --------
    >>> Convention(",", ".").read("-1.234,5")
    -1234.5
    >>> Convention(".").read("1,5") is None
    True
    """

    decimal: str
    thousands: str = ""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What a number looks like, sign included."""
        point = re.escape(self.decimal)
        grouped = ""
        if self.thousands:
            # A group never starts with 0: "0,125" is no thousand.
            grouped = rf"[1-9]\d{{0,2}}(?:{THOUSANDS[self.thousands]}\d{{3}})+(?:{point}\d*)?|"
        return re.compile(
            rf"{SIGN}(?:{grouped}\d+(?:{point}\d*)?{EXPONENT}|{point}\d+{EXPONENT})", re.ASCII
        )

    def reads(self, cell: str) -> bool:
        """Whether a cell is a number in this convention."""
        return self.pattern.fullmatch(cell) is not None or INFINITY.fullmatch(cell) is not None

    def read(self, cell: str) -> float | int | None:
        """Return the number; None if it is none."""
        return as_number(self.plain(cell)) if self.reads(cell) else None

    def plain(self, cell: str) -> str:
        """Return a number of this convention as Python writes it."""
        if self.thousands:
            cell = re.sub(THOUSANDS[self.thousands], "", cell)
        return cell.replace(self.decimal, ".").replace("\u2212", "-")

    @property
    def mark(self) -> str:
        """The mark between thousands in words."""
        return MEANINGS[self.thousands]


PLAIN = Convention(".")
CONVENTIONS = (
    PLAIN,
    Convention(","),
    Convention(".", ","),
    Convention(",", "."),
    Convention(".", " "),
    Convention(",", " "),
    Convention(".", "'"),
    Convention(",", "'"),
)
"""All that are known; of those that read a column alike the first is taken."""


def as_number(plain: str) -> float | int:
    """Return a number that is written as Python does: whole if it has neither dot nor exponent.

    Examples
    --------
    >>> as_number("12"), as_number("1.50"), as_number("-inf")
    (12, 1.5, -inf)
    """
    value = float(plain)
    # Very long whole numbers are infinite as floats, and Python refuses to read them.
    if math.isfinite(value) and plain.lstrip("+-").isdigit():
        return int(plain)
    return value


def is_numeral(cell: str) -> bool:
    """Whether a cell is a number in any convention, perhaps with a percent sign.

    Examples
    --------
    >>> [is_numeral(cell) for cell in ("1990", "1.234,5", "12 %", "<0.1", "1e5")]
    [True, True, True, False, True]
    """
    bare = cell.strip()
    if bare.endswith("%"):
        bare = bare[:-1].rstrip()
    if not bare or not (bare[0] in "+-\u2212.," or bare[0].isdigit() or bare[0] in "iI"):
        return False
    return any(convention.reads(bare) for convention in CONVENTIONS)
