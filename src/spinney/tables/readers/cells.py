"""From cells of text to columns of numbers, truth values and text.

People write numbers with decimal dots or commas, with marks between thousands, and with percent
signs. Most columns tell it themselves: ``1,5`` has a decimal comma, ``1,234,567`` has none. A
column in which every comma has three digits behind it may be read either way; then the other
columns decide, then what separates the cells, and what was assumed is said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney.exceptions import InputError
from spinney.notices import Notice
from spinney.tables.readers.formats import note

__all__ = ["CONVENTIONS", "GAPS", "Convention", "is_gap", "is_numeral", "numeral", "read_columns"]

SIGN = r"[+\-\u2212]?"
EXPONENT = r"(?:[eE][+\-\u2212]?\d+)?"
INFINITY = re.compile(rf"{SIGN}inf(?:inity)?", re.IGNORECASE)
THOUSANDS = {"": "", ",": ",", ".": r"\.", " ": "[ \u00a0\u2009\u202f]", "'": "['\u2019]"}
"""Marks between thousands, as expressions."""
FOUR_DIGITS = re.compile(r"\D?\d{4,}.*", re.DOTALL)
"""A number of four digits without a mark, which rules out marks between thousands."""
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
FIRST = "+-\u2212.,iI"
"""What a number may start with, other than a digit."""
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
    >>> Convention(",", ".").plain("-1.234,5")
    '-1234.5'
    >>> Convention(".").reads("1,5")
    False
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
    convention, reason : Convention, str
        How numbers are written, and what decided it if the column itself does not.
    """

    cells: list[str]
    content: Literal["plain", "numbers", "truths", "text"]
    letters: set[str]
    counts: Counter[str]
    fits: tuple[Convention, ...] = (PLAIN,)
    percent: bool = False
    gap_words: tuple[str, ...] = ()
    error: str = ""
    floats: NDArray[np.float64] | None = None
    convention: Convention = PLAIN
    reason: str = ""

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


def numeral(cell: str) -> float | None:
    """Read a number in the first convention that fits, perhaps with a percent sign; else None.

    Examples
    --------
    >>> [numeral(cell) for cell in ("1990", "1.234,5", "12 %", "<0.1", "1e5")]
    [1990.0, 1234.5, 12.0, None, 100000.0]
    """
    bare = cell.strip().removesuffix("%").rstrip()
    if not bare or not (bare[0].isdigit() or bare[0] in FIRST):
        return None
    convention = next((known for known in CONVENTIONS if known.reads(bare)), None)
    return None if convention is None else float(convention.plain(bare))


def is_numeral(cell: str) -> bool:
    """Whether a cell is a number in any convention, perhaps with a percent sign."""
    return numeral(cell) is not None


def read_columns(
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    *,
    separator: str = ",",
    decimal: str = "auto",
    typed: bool = False,
) -> tuple[list[Array], tuple[Notice, ...]]:
    """Read columns of text, each in the convention that its own cells and the others suggest.

    Parameters
    ----------
    names : sequence of str
        Names of the columns, for notices.
    columns : sequence of sequences of str
        The cells.
    separator : str
        What separates the cells of a line; where nothing else helps, it separates decimal commas
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
    _choose_conventions(surveys, separator=separator, typed=typed)
    said += _describe(names, surveys)
    gap_words: dict[tuple[str, ...], list[str]] = {}
    for name, survey in zip(names, surveys, strict=True):
        if survey.gap_words:
            gap_words.setdefault(survey.gap_words, []).append(name)
    said += [note("read-gap-words", *where, words=words) for words, where in gap_words.items()]
    return [_convert(survey) for survey in surveys], tuple(said)


def _check_decimal(names: Sequence[str], surveys: Sequence[Survey], decimal: str) -> None:
    """Refuse a decimal mark by which a column of numbers would be one of text."""
    for name, survey in zip(names, surveys, strict=True):
        if survey.content != "text" or not survey.counts:
            continue
        other = _survey(survey.cells, "auto")
        if other.content in ("plain", "numbers"):
            cell = next(iter(survey.counts))
            raise InputError(Notice.of("file-decimal", name, cell=cell, decimal=decimal))


def _choose_conventions(surveys: Sequence[Survey], *, separator: str, typed: bool) -> None:
    """Choose the convention of every column of numbers; clear columns decide unclear ones."""
    unclear: list[Survey] = []
    sure: set[str] = set()
    for survey in surveys:
        if survey.content not in ("plain", "numbers"):
            continue
        fits = survey.fits
        survey.convention = fits[0]
        if PLAIN in fits:
            either = "." in survey.letters and not typed and _maybe_thousands(survey, DOT_THOUSANDS)
        else:
            either = DECIMAL_COMMA in fits and COMMA_THOUSANDS in fits
            either = either and _maybe_thousands(survey, COMMA_THOUSANDS)
        if either:
            unclear.append(survey)
        elif survey.convention.decimal in survey.letters:
            sure.add(survey.convention.decimal)
    for survey in unclear:
        settle = _settle_dot if PLAIN in survey.fits else _settle_comma
        survey.convention, survey.reason = settle(sure, separator)


def _describe(names: Sequence[str], surveys: Sequence[Survey]) -> list[Notice]:
    """Say how numbers were read where they are not written as Python does."""
    groups: dict[Any, tuple[dict[str, Any], list[str]]] = {}
    for name, survey in zip(names, surveys, strict=True):
        convention, reason = survey.convention, survey.reason
        if convention == PLAIN and not survey.percent and not reason:
            continue
        cells = (cell for cell in survey.counts or survey.cells if cell)
        readable = (cell for cell in cells if convention.reads(survey.bare(cell)))
        # The cell that shows most of what was decided.
        example = max(readable, key=lambda cell: len(set(cell) & set(",.'’ %")))
        decimal = convention.decimal == "," and "," in example
        marks = ("decimal" * decimal, convention.thousands, "%" * survey.percent)
        shown = tuple(filter(None, marks))
        if shown or reason:
            value = convention.plain(survey.bare(example))
            facts = {"marks": shown, "reason": reason, "example": example, "value": value}
            groups.setdefault((shown, reason), (facts, []))[1].append(name)
    return [note("read-numbers", *members, **facts) for facts, members in groups.values()]


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


def _settle_dot(sure: set[str], separator: str) -> tuple[Convention, str]:
    if sure == {","}:
        return DOT_THOUSANDS, "others-commas"
    return PLAIN, "" if sure else "unsure-dot"


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
        if cell[0].isdigit() or cell[0] in FIRST:
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


def _convert(survey: Survey) -> Array:
    if survey.content == "truths":
        truths = [TRUTHS.get(cell, pd.NA) for cell in survey.cells]
        gaps = any(cell == "" for cell in survey.cells)
        return pd.array(truths, dtype="boolean") if gaps else np.array(truths, dtype=bool)
    if survey.content == "text":
        if not survey.counts:
            return np.full(len(survey.cells), np.nan)
        return _objects([cell or np.nan for cell in survey.cells])
    convention = survey.convention
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
    whole = all(cell.lstrip("+-").isdigit() for cell in plain.values() if cell)
    return _numbers([plain[cell] for cell in survey.cells], None, whole=whole)


def _numbers(cells: list[str], floats: NDArray[np.float64] | None, *, whole: bool) -> Array:
    if floats is None:
        floats = np.array([float(cell) if cell else np.nan for cell in cells])
    gaps = np.isnan(floats)
    size = np.abs(floats[~gaps]).max(initial=0.0)
    if not whole or size >= 2.0**63 or (gaps.any() and size < EXACT):
        return floats
    if gaps.any():  # as floats, long identifiers would silently become others
        return pd.array([int(cell) if cell else pd.NA for cell in cells], dtype="Int64")
    return np.array([int(cell) for cell in cells], dtype=np.int64)


def _objects(cells: list[Any]) -> pd.Series[Any]:
    return pd.Series(cells, dtype=object)  # as a plain array, pandas would look at it again
