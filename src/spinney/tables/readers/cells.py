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
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.text import listed, quoted
from spinney.exceptions import InputError
from spinney.tables.readers.formats import columns_text

SIGN = r"[+\-\u2212]?"
EXPONENT = r"(?:[eE][+\-\u2212]?\d+)?"
INFINITY = re.compile(rf"{SIGN}inf(?:inity)?", re.IGNORECASE)
THOUSANDS = {"": "", ",": ",", ".": r"\.", " ": "[ \u00a0\u2009\u202f]", "'": "['\u2019]"}
"""Marks between thousands, as expressions."""
MARKS = {
    mark: f"thousands marked by {name}"
    for mark, name in ((",", "commas"), (".", "dots"), (" ", "blanks"), ("'", "apostrophes"))
}
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
FIRST = "+-\u2212.,iI"
"""What a number may start with, other than a digit."""
EXACT = 2.0**53
"""Whole numbers beyond which floats cannot tell all apart."""
MIXED = 0.5
"""Share of numbers from which text in a column is a stray among numbers."""

Array = Any  # what pandas takes for a column
Cells = Any  # a column: a sequence of text, a series of text with NaN for gaps, or Parsed


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


class Parsed(NamedTuple):
    """A column of numbers or truth values that pandas has read.

    Attributes
    ----------
    values : array
        The values.
    decimal : {"", ".", ","}
        The decimal mark in its cells, if there is one.
    example : str
        A cell with the mark.
    """

    values: Array
    decimal: str = ""
    example: str = ""


@dataclass
class Survey:
    """What stands in a column, before it is known how its numbers are written.

    Attributes
    ----------
    content : {"numbers", "truths", "text"}
        Numbers, truth values, or text.
    counts : Counter
        How often each cell comes, without blanks around it; gaps aside.
    words : list of str
        The same cells as they are spelled, gaps empty.
    codes : array of int
        Which of the words each row has; -1 for a gap.
    letters : set of str
        All characters.
    fits : tuple of Convention
        All conventions that read as many cells as any.
    percent : bool
        Whether all numbers end in a percent sign.
    gap_words : tuple of str
        Words that stand for a gap only because all other cells are numbers.
    error : str
        The first error of a spreadsheet, which is a gap.
    values : array or None
        What pandas has read.
    convention, reason : Convention, str
        How numbers are written, and what decided it if the column itself does not.
    """

    content: Literal["numbers", "truths", "text"]
    counts: Counter[str]
    words: list[str]
    codes: NDArray[np.intp]
    letters: set[str]
    fits: tuple[Convention, ...] = (PLAIN,)
    percent: bool = False
    gap_words: tuple[str, ...] = ()
    error: str = ""
    values: Array = None
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
    if cell.isascii() and "_" not in cell:
        try:
            value = float(cell)  # as most are written
        except ValueError:
            pass
        else:
            return None if value != value else value
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
    columns: Sequence[Cells],
    *,
    separator: str = ",",
    decimal: str = "auto",
    typed: bool = False,
) -> tuple[list[Array], tuple[str, ...]]:
    """Read columns of text, each in the convention that its own cells and the others suggest.

    Parameters
    ----------
    names : sequence of str
        Names of the columns, for notices.
    columns : sequence of sequences of str, or of Parsed
        The cells, or what pandas has made of them.
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
    decisions : tuple of str
        What was decided.

    Examples
    --------
    >>> columns, said = read_columns(["a"], [["1,5", "NA", "0,25"]])
    >>> columns[0]
    array([1.5 ,  nan, 0.25])
    >>> said[0]
    "decimal commas in column 'a' ('1,5' read as 1.5)"
    """
    said: list[str] = []
    surveys = [_survey(cells, decimal) for cells in columns]
    if decimal != "auto" and not typed:  # what a program knows for numbers has its own mark
        _check_decimal(names, surveys, decimal)
    broken = [name for name, survey in zip(names, surveys, strict=True) if survey.error]
    if broken:
        first = next(survey.error for survey in surveys if survey.error)
        said.append(f"spreadsheet errors (such as {first}) in {columns_text(broken)} are gaps")
    _choose_conventions(surveys, separator=separator, typed=typed)
    said += _describe(names, surveys)
    gap_words: dict[tuple[str, ...], list[str]] = {}
    for name, survey in zip(names, surveys, strict=True):
        if survey.gap_words:
            gap_words.setdefault(survey.gap_words, []).append(name)
    for words, where in gap_words.items():
        are = "is a gap" if len(words) == 1 else "are gaps"
        shown = listed([quoted(word) for word in words], most=4)
        said.append(f"{shown} among numbers in {columns_text(where)} {are}")
    return [_convert(survey) for survey in surveys], tuple(said)


def _check_decimal(names: Sequence[str], surveys: Sequence[Survey], decimal: str) -> None:
    """Refuse a decimal mark by which a column of numbers would be one of text."""
    for name, survey in zip(names, surveys, strict=True):
        if survey.content != "text" or not survey.counts:
            continue
        other = _survey(list(survey.counts.elements()), "auto")
        if other.content == "numbers":
            marks = "decimal commas" if decimal == "," else "decimal dots"
            cell = quoted(next(iter(survey.counts)))
            raise InputError(
                f"Column {quoted(name)} holds {cell}, which is no number with {marks}. Leave "
                "decimal= out: it is found column by column."
            )


def _choose_conventions(surveys: Sequence[Survey], *, separator: str, typed: bool) -> None:
    """Choose the convention of every column of numbers; clear columns decide unclear ones."""
    unclear: list[Survey] = []
    sure: set[str] = set()
    for survey in surveys:
        if survey.content != "numbers":
            continue
        fits = survey.fits
        survey.convention = fits[0]
        if survey.values is not None:
            either = False
        elif PLAIN in fits:
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


def _describe(names: Sequence[str], surveys: Sequence[Survey]) -> list[str]:
    """Say how numbers were read where they are not written as Python does."""
    groups: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for name, survey in zip(names, surveys, strict=True):
        convention, reason = survey.convention, survey.reason
        if convention == PLAIN and not survey.percent and not reason:
            continue
        readable = (cell for cell in survey.counts if convention.reads(survey.bare(cell)))
        # The cell that shows most of what was decided.
        example = max(readable, key=lambda cell: len(set(cell) & set(",.'’ %")))
        marks = ["decimal commas"] if convention.decimal == "," and "," in example else []
        marks += [MARKS[convention.thousands]] if convention.thousands else []
        marks += ["percent signs"] if survey.percent else []
        if marks or reason:
            shown = listed(marks) if marks else "decimal dots"
            read = f"({quoted(example)} read as {convention.plain(survey.bare(example))})"
            groups.setdefault((shown, reason), (read, []))[1].append(name)
    return [
        f"{shown} in {columns_text(members)} {read}{reason}"
        for (shown, reason), (read, members) in groups.items()
    ]


def _maybe_thousands(survey: Survey, convention: Convention) -> bool:
    """Whether every number may have `convention`, and none has four digits without a mark."""
    bare = map(survey.bare, survey.counts)
    numbers = (cell for cell in bare if survey.fits[0].reads(cell))
    return all(may_be_thousands(cell, convention) for cell in numbers)


def may_be_thousands(cell: str, convention: Convention) -> bool:
    """Whether a number may be one of `convention`, which has marks between thousands.

    Examples
    --------
    >>> [may_be_thousands(cell, Convention(",", ".")) for cell in ("1.234", "1.5", "1234")]
    [True, False, False]
    """
    return convention.reads(cell) and not FOUR_DIGITS.fullmatch(cell)


def _settle_comma(sure: set[str], separator: str) -> tuple[Convention, str]:
    if sure == {","}:
        return DECIMAL_COMMA, ", as in other columns"
    if sure == {"."}:
        return COMMA_THOUSANDS, ", as other columns have decimal dots"
    if separator == ";":
        return DECIMAL_COMMA, ', as semicolons separate the columns (otherwise: decimal=".")'
    unsure = ', though nothing tells them from decimal commas (otherwise: decimal=",")'
    return COMMA_THOUSANDS, unsure


def _settle_dot(sure: set[str], separator: str) -> tuple[Convention, str]:
    if sure == {","}:
        return DOT_THOUSANDS, ", as other columns have decimal commas"
    unsure = ', though nothing tells them from marks of thousands (otherwise: decimal=",")'
    return PLAIN, "" if sure else unsure


def _survey(column: Cells, decimal: str) -> Survey:
    if isinstance(column, Parsed):
        return _survey_of_parsed(column)
    # Text repeats: each word is looked at once.
    series = isinstance(column, pd.Series)
    codes, found = pd.factorize(column if series else np.array(column, dtype=object))
    words = [word.strip() for word in np.asarray(found, dtype=object).tolist()]
    error = next((word for word in words if word in ERRORS), "")
    words = ["" if word in GAPS or word in ERRORS else word for word in words]
    counts: Counter[str] = Counter()
    for word, count in zip(words, np.bincount(codes[codes >= 0]).tolist(), strict=True):
        counts[word] = counts.get(word, 0) + count
    del counts[""]
    survey = Survey("text", counts, words, codes, set("".join(counts)), error=error)
    if counts and all(cell in TRUTHS for cell in counts):
        survey.content = "truths"
    elif counts:
        _find_numbers(survey, decimal)
    return survey


def _survey_of_parsed(column: Parsed) -> Survey:
    truths = pd.api.types.is_bool_dtype(column.values.dtype)
    counts = Counter([column.example] if column.example else [])
    fits = (DECIMAL_COMMA if column.decimal == "," else PLAIN,)
    empty = np.empty(0, dtype=np.intp)
    content: Literal["numbers", "truths"] = "truths" if truths else "numbers"
    return Survey(content, counts, [], empty, set(column.decimal), fits, values=column.values)


def _find_numbers(survey: Survey, decimal: str) -> None:
    """Find the conventions that read most cells, and whether these are enough."""
    counts = survey.counts
    ends = (c.endswith("%") for c in counts if c[-1] in "0123456789.,%")
    survey.percent = "%" in survey.letters and all(ends)
    bare = {c: survey.bare(c) for c in counts if c[0].isdigit() or c[0] in FIRST}
    reads: dict[Convention, int] = {}
    total = counts.total() - sum(counts[word] for word in GAPS_AMONG_NUMBERS)
    for convention in CONVENTIONS:
        if decimal in ("auto", convention.decimal):
            reads[convention] = sum(counts[c] for c, b in bare.items() if convention.reads(b))
            if convention == PLAIN and reads[PLAIN] == total:
                break  # the others can read no more, and it comes first
    most = max(reads.values())
    if not most:
        survey.percent = False
        return
    survey.fits = tuple(c for c in reads if reads[c] == most)
    others = [cell for cell in counts if not survey.fits[0].reads(survey.bare(cell))]
    if others and all(cell in GAPS_AMONG_NUMBERS for cell in others):
        survey.gap_words = tuple(others)
        survey.words = ["" if word in GAPS_AMONG_NUMBERS else word for word in survey.words]
        for cell in others:
            del counts[cell]
    if most >= MIXED * counts.total():
        survey.content = "numbers"
    else:
        survey.percent = False


def _convert(survey: Survey) -> Array:
    if survey.values is not None:
        return survey.values
    words, codes = [*survey.words, ""], survey.codes  # the last stands for a gap, whose code is -1
    if survey.content == "truths":
        truths = _spread([TRUTHS.get(word, pd.NA) for word in words], codes)
        return truths.astype("boolean" if truths.hasnans else bool)
    if not survey.counts:
        return np.full(len(codes), np.nan)
    if survey.content == "text":
        return _spread([word or np.nan for word in words], codes)
    convention = survey.convention
    plain = {
        cell: convention.plain(survey.bare(cell))
        for cell in survey.counts
        if convention.reads(survey.bare(cell))
    }
    numbers = {"": np.nan, **{cell: float(text) for cell, text in plain.items()}}
    if len(plain) < len(survey.counts):
        return _spread([numbers.get(word, word) for word in words], codes)
    floats = np.array([numbers[word] for word in words])[codes]
    gaps = np.isnan(floats)
    size = np.abs(floats[~gaps]).max(initial=0.0)
    whole = all(text.lstrip("+-").isdigit() for text in plain.values())
    if not whole or size >= 2.0**63 or (gaps.any() and size < EXACT):
        return floats
    if gaps.any():  # as floats, long identifiers would silently become others
        known = [int(plain[word]) if word else pd.NA for word in words]
        return pd.array(known, dtype="Int64")[codes]
    return np.array([int(plain[word]) if word else 0 for word in words], dtype=np.int64)[codes]


def _spread(values: list[Any], codes: NDArray[np.intp]) -> pd.Series[Any]:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return pd.Series(found[codes], dtype=object)  # as an array, pandas would look at it again
