"""From cells of text to columns of numbers, truth values and text.

People write numbers with decimal dots or commas, with marks between thousands, and with percent
signs. Most columns tell it themselves: ``1,5`` has a decimal comma, ``1,234,567`` has none. A
column in which every comma has three digits behind it may be read either way; then the other
columns decide, then what separates the cells, and what was assumed is said.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney.exceptions import InputError
from spinney.notices import Notice
from spinney.tables.readers.formats import note

__all__ = ["CONVENTIONS", "GAPS", "Convention", "is_gap", "is_numeral", "read_columns"]

SIGN = r"[+\-\u2212]?"
EXPONENT = r"(?:[eE][+\-\u2212]?\d+)?"
INFINITY = re.compile(rf"{SIGN}inf(?:inity)?", re.IGNORECASE)
THOUSANDS = {"": "", ",": ",", ".": r"\.", " ": "[ \u00a0\u2009\u202f]", "'": "['\u2019]"}
"""Marks between thousands, as expressions."""
FOUR_DIGITS = re.compile(r"\D?\d{4,}.*", re.DOTALL)
"""A number of four digits without a mark, as nobody writes it who marks thousands."""
ERRORS = frozenset(
    ("#N/A", "#NA", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!")
)
"""What spreadsheets write where a formula failed."""
GAPS = frozenset(
    (
        *("", "NA", "N/A", "n/a", "na", "N.A.", "n.a.", "<NA>", "NaN", "nan", "NAN", "-nan"),
        *("NULL", "null", "?", "."),
    )
)
"""Cells that stand for a missing value. "None" is not among them: it may be a category."""
GAPS_AMONG_NUMBERS = frozenset(
    (
        *("-", "--", "---", "–", "—", "*", "None", "none", "missing"),
        *("n.d.", "N.D.", "nd", "ND", "n.m.", "k.A.", "k. A."),
    )
)
"""Cells that stand for a missing value where all others are numbers."""
TRUTHS = {"TRUE": True, "True": True, "true": True, "FALSE": False, "False": False, "false": False}
PLAIN_LETTERS = frozenset("0123456789+-.eE")
"""With these letters Python reads numbers as everybody does."""
EXACT = 2.0**53
"""Whole numbers beyond which floats cannot tell all apart."""
MIXED = 0.5
"""Share of numbers from which text in a column is a stray among numbers."""

Array = Any  # what pandas takes for a column


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


PLAIN = Convention(".")
DECIMAL_COMMA = Convention(",")
COMMA_THOUSANDS = Convention(".", ",")
DOT_THOUSANDS = Convention(",", ".")
CONVENTIONS = (
    PLAIN,
    DECIMAL_COMMA,
    COMMA_THOUSANDS,
    DOT_THOUSANDS,
    Convention(".", " "),
    Convention(",", " "),
    Convention(".", "'"),
    Convention(",", "'"),
)
"""All that are known; of those that read a column alike the first is taken."""


class Chosen(NamedTuple):
    """A column's convention, an example, and why it was chosen if the column does not tell."""

    convention: Convention
    percent: bool = False
    example: str = ""
    value: str = ""
    reason: str = ""

    @property
    def marks(self) -> tuple[str, ...]:
        """What is unusual about it: "decimal", the mark between thousands, "%"."""
        decimal = self.convention.decimal == "," and "," in self.example
        marks = ("decimal" * decimal, self.convention.thousands, "%" * self.percent)
        return tuple(filter(None, marks))


@dataclass
class Survey:
    """What stands in a column, before it is known how its numbers are written.

    Attributes
    ----------
    cells : list of str
        Without blanks around them; gaps are empty.
    content : {"plain", "numbers", "truths", "text"}
        Numbers that Python reads, other numbers, truth values, or text.
    letters : set of str
        All characters.
    counts : Counter
        How often each cell comes, gaps aside; empty for plain numbers.
    fits : tuple of Convention
        All conventions that read as many cells as any.
    percent : bool
        Whether all numbers end in a percent sign.
    gap_words : tuple of str
        Words that stand for a gap only because all other cells are numbers.
    error : str
        The first error of a spreadsheet, which is a gap.
    floats : array or None
        Plain numbers, once they are read.
    """

    cells: list[str]
    content: Literal["plain", "numbers", "truths", "text"]
    letters: set[str]
    counts: Counter[str]
    fits: tuple[Convention, ...] = ()
    percent: bool = False
    gap_words: tuple[str, ...] = ()
    error: str = ""
    floats: NDArray[np.float64] | None = None

    def bare(self, cell: str) -> str:
        """Return a cell without its percent sign."""
        return cell.removesuffix("%").rstrip() if self.percent else cell


def is_gap(cell: str) -> bool:
    """Whether a cell stands for a missing value.

    Examples
    --------
    >>> is_gap(" NA "), is_gap("none")
    (True, False)
    """
    bare = cell.strip()
    return bare in GAPS or bare in ERRORS


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


def read_columns(
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    *,
    separator: str = ",",
    decimal: str = "auto",
    typed: bool = False,
) -> tuple[list[Array], tuple[Notice, ...]]:
    """Read columns of text, each in the convention that its own cells and the others speak for.

    Parameters
    ----------
    names : sequence of str
        Names of the columns, for what is said.
    columns : sequence of sequences of str
        The cells.
    separator : str
        What separates the cells of a line; where nothing else helps, it tells decimal commas
        from marks between thousands.
    decimal : {"auto", ".", ","}
        The decimal mark, if it is known.
    typed : bool
        Whether numbers come from a program that knows them for numbers, so that dots in them are
        decimal for certain.

    Returns
    -------
    columns : list
        As pandas takes them. A column of numbers and text has both.
    notices : tuple of Notice
        What was decided.

    Examples
    --------
    >>> columns, said = read_columns(["a"], [["1,5", "NA", "0,25"]])
    >>> columns[0]
    array([1.5 ,  nan, 0.25])
    >>> str(said[0])
    "decimal commas in column 'a' ('1,5' read as 1.5)"
    """
    said: list[Notice] = []
    surveys = [_survey(cells, decimal) for cells in columns]
    if decimal != "auto" and not typed:  # what a program knows for numbers has its own mark
        _check_decimal(names, surveys, decimal)
    broken = [name for name, survey in zip(names, surveys, strict=True) if survey.error]
    if broken:
        first = next(survey.error for survey in surveys if survey.error)
        said.append(note("read-sheet-errors", *broken, first=first))
    chosen = _choose_conventions(surveys, separator=separator, typed=typed)
    said += _describe(names, chosen)
    gap_words: dict[tuple[str, ...], list[str]] = {}
    arrays = []
    for name, survey, choice in zip(names, surveys, chosen, strict=True):
        arrays.append(_convert(survey, choice))
        if survey.gap_words:
            gap_words.setdefault(survey.gap_words, []).append(name)
    said += [note("read-gap-words", *where, words=words) for words, where in gap_words.items()]
    return arrays, tuple(said)


def _check_decimal(names: Sequence[str], surveys: Sequence[Survey], decimal: str) -> None:
    """Refuse a decimal mark by which a column of numbers would be one of text."""
    for name, survey in zip(names, surveys, strict=True):
        if survey.content != "text" or not survey.counts:
            continue
        other = _survey(survey.cells, "auto")
        if other.content in ("plain", "numbers"):
            cell = next(iter(survey.counts))
            raise InputError(Notice.of("file-decimal", name, cell=cell, decimal=decimal))


def _choose_conventions(
    surveys: Sequence[Survey], *, separator: str, typed: bool
) -> list[Chosen | None]:
    """Choose the convention of every column of numbers; None for others."""
    commas, dots = set(), set()  # columns that are not clear by themselves
    found: dict[int, Convention] = {}
    for k, survey in enumerate(surveys):
        if survey.content == "plain":
            found[k] = PLAIN
            if "." in survey.letters and not typed and _maybe_thousands(survey, DOT_THOUSANDS):
                dots.add(k)
        elif survey.content == "numbers":
            found[k] = survey.fits[0]
            both = DECIMAL_COMMA in survey.fits and COMMA_THOUSANDS in survey.fits
            if both and PLAIN not in survey.fits and _maybe_thousands(survey, COMMA_THOUSANDS):
                commas.add(k)
            plain = PLAIN in survey.fits and "." in survey.letters and not typed
            if plain and _maybe_thousands(survey, DOT_THOUSANDS):
                dots.add(k)
    clear = {k: c.decimal for k, c in found.items() if k not in commas | dots}
    sure = {decimal for k, decimal in clear.items() if decimal in surveys[k].letters}
    reasons = {}
    for k in commas:
        found[k], reasons[k] = _settle_comma(sure, separator)
    for k in dots:
        found[k], reasons[k] = _settle_dot(sure)
    return [
        _chosen(survey, found[k], reasons.get(k, "")) if k in found else None
        for k, survey in enumerate(surveys)
    ]


def _describe(names: Sequence[str], chosen: Sequence[Chosen | None]) -> list[Notice]:
    """Say in what conventions numbers were read, where it is not the plain one."""
    groups: dict[tuple[Any, ...], list[tuple[str, Chosen]]] = {}
    for name, choice in zip(names, chosen, strict=True):
        if choice is not None and (choice.marks or choice.reason):
            groups.setdefault((choice.marks, choice.reason), []).append((name, choice))
    said = []
    for (marks, reason), members in groups.items():
        first = members[0][1]
        facts = {"marks": marks, "reason": reason, "example": first.example, "value": first.value}
        said.append(note("read-numbers", *(name for name, _ in members), **facts))
    return said


def _maybe_thousands(survey: Survey, convention: Convention) -> bool:
    """Whether every number may have `convention`, and none has four digits without a mark."""
    cells = survey.counts or survey.cells
    bare = (survey.bare(cell) for cell in cells if cell)
    if survey.content == "numbers":
        bare = (cell for cell in bare if survey.fits[0].reads(cell))
    return all(convention.reads(cell) and not FOUR_DIGITS.fullmatch(cell) for cell in bare)


def _settle_comma(sure: set[str], separator: str) -> tuple[Convention, str]:
    if sure == {","}:
        return DECIMAL_COMMA, "like-others"
    if sure == {"."}:
        return COMMA_THOUSANDS, "others-dots"
    if separator == ";":
        return DECIMAL_COMMA, "semicolons"
    return COMMA_THOUSANDS, "unsure-comma"


def _settle_dot(sure: set[str]) -> tuple[Convention, str]:
    if sure == {","}:
        return DOT_THOUSANDS, "others-commas"
    return PLAIN, "" if sure else "unsure-dot"


def _chosen(survey: Survey, convention: Convention, reason: str) -> Chosen:
    if convention == PLAIN and not survey.percent and not reason:
        return Chosen(PLAIN)
    cells = [cell for cell in (survey.counts or survey.cells) if cell]
    readable = [cell for cell in cells if convention.reads(survey.bare(cell))]
    # The cell that shows most of what was decided.
    example = max(readable, key=lambda cell: len(set(cell) & set(",.'’ %")))
    plain = convention.plain(survey.bare(example))
    return Chosen(convention, survey.percent, example, plain, reason)


def _survey(column: Sequence[str], decimal: str) -> Survey:
    cells = [cell.strip() for cell in column]
    letters = set("".join(cells))
    error = next((cell for cell in cells if cell in ERRORS), "") if "#" in letters else ""
    if not letters <= PLAIN_LETTERS or "." in cells:
        cells = ["" if cell in GAPS or cell in ERRORS else cell for cell in cells]
        letters = set("".join(cells))
    if not letters:
        return Survey(cells, "text", letters, Counter(), error=error)
    floats = _floats(cells) if decimal != "," and letters <= PLAIN_LETTERS else None
    if floats is not None:
        return Survey(cells, "plain", letters, Counter(), error=error, floats=floats)
    counts = Counter(cells)
    del counts[""]
    if all(cell in TRUTHS for cell in counts):
        return Survey(cells, "truths", letters, counts, error=error)
    percent = "%" in letters and all(c.endswith("%") for c in counts if c[-1] in "0123456789.,%")
    survey = Survey(cells, "numbers", letters, counts, percent=percent, error=error)
    possible = [c for c in CONVENTIONS if decimal in ("auto", c.decimal)]
    reads = dict.fromkeys(possible, 0)
    for cell, count in counts.items():
        if cell[0].isdigit() or cell[0] in "+-\u2212.,iI":
            for convention in possible:
                reads[convention] += count * convention.reads(survey.bare(cell))
    most = max(reads.values())
    survey.fits = tuple(c for c in possible if reads[c] == most)
    others = [cell for cell in counts if not survey.fits[0].reads(survey.bare(cell))]
    if most and others and all(cell in GAPS_AMONG_NUMBERS for cell in others):
        survey.gap_words = tuple(others)
        survey.cells = ["" if cell in GAPS_AMONG_NUMBERS else cell for cell in cells]
        for cell in others:
            del counts[cell]
    if not most or most < MIXED * sum(counts.values()):
        survey.content, survey.percent = "text", False
    return survey


def _floats(cells: list[str]) -> NDArray[np.float64] | None:
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return None


def _convert(survey: Survey, chosen: Chosen | None) -> Array:
    if survey.content == "truths":
        truths = [TRUTHS.get(cell, pd.NA) for cell in survey.cells]
        gaps = any(cell == "" for cell in survey.cells)
        return pd.array(truths, dtype="boolean") if gaps else np.array(truths, dtype=bool)
    if survey.content == "text":
        if not survey.counts:
            return np.full(len(survey.cells), np.nan)
        return _objects([cell or np.nan for cell in survey.cells])
    convention = PLAIN if chosen is None else chosen.convention
    if survey.content == "plain" and convention == PLAIN:
        whole = not survey.letters & set(".eE")
        return _numbers(survey.cells, survey.floats, whole=whole)
    plain: dict[str, str] = {"": ""}
    strays = False
    for cell in survey.counts or dict.fromkeys(survey.cells):
        bare = survey.bare(cell)
        if cell and convention.reads(bare):
            plain[cell] = convention.plain(bare)
        strays |= bool(cell) and cell not in plain
    if strays:
        return _objects(
            [
                cell if cell not in plain else float(plain[cell]) if cell else np.nan
                for cell in survey.cells
            ]
        )
    whole = all(isinstance(as_number(cell), int) for cell in plain.values() if cell)
    return _numbers([plain[cell] for cell in survey.cells], None, whole=whole)


def _numbers(cells: list[str], floats: NDArray[np.float64] | None, *, whole: bool) -> Array:
    if floats is None:
        floats = np.array([float(cell) if cell else np.nan for cell in cells])
    if not whole:
        return floats
    gaps = np.isnan(floats)
    if gaps.all():
        return floats
    size = np.abs(floats[~gaps]).max()
    if size >= 2.0**63 or (gaps.any() and size < EXACT):
        return floats
    if gaps.any():  # as floats, long identifiers would silently become others
        return pd.array([int(cell) if cell else pd.NA for cell in cells], dtype="Int64")
    return np.array([int(cell) for cell in cells], dtype=np.int64)


def _objects(cells: list[Any]) -> pd.Series[Any]:
    return pd.Series(cells, dtype=object)  # as a plain array, pandas would look at it again
