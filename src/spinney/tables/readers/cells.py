"""From cells of text to columns of numbers, truth values and text.

People write numbers with decimal dots or commas, with marks between thousands, and with percent
signs. Most columns tell it themselves: ``1,5`` has a decimal comma, ``1,234,567`` has none. A
column in which every comma has three digits behind it may be read either way; then the other
columns decide, then what separates the cells, and what was assumed is said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.text import listed, quoted
from spinney.exceptions import InputError
from spinney.tables.readers.sources import columns_text

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
LIKE_A_NUMBER = re.compile(
    rf"{SIGN}(?:[\d.,'\u2019 \u00a0\u2009\u202f]*[\d.,]{EXPONENT}|inf(?:inity)?)\s*%?",
    re.IGNORECASE,
)
"""What any convention may read: most text is told from numbers by this alone."""
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
            # A group never starts with 0: "0,125" is not a thousand.
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
    decimal, example : str
        The decimal mark in its cells, and a cell with it; empty if there is none.
    """

    values: Array
    decimal: str = ""
    example: str = ""


@dataclass
class _Survey:
    """What stands in a column of text, before it is known how its numbers are written.

    Attributes
    ----------
    words : list of str
        Its cells without blanks around them, each once; gaps are empty.
    codes : int array
        Which of the words each row has; -1 for a gap.
    counts : Counter
        How often each word comes; gaps aside.
    fits : list of Convention
        All conventions that read as many cells as any; none if it is not a column of numbers.
    percent : bool
        Whether all numbers end in a percent sign.
    gap_words : tuple of str
        Words that stand for a gap only because all other cells are numbers.
    error : str
        The first error of a spreadsheet, which counts as missing.
    convention, reason : Convention, str
        How numbers are written, and what decided it if the column itself does not.
    """

    words: list[str]
    codes: NDArray[np.intp]
    counts: Counter[str]
    fits: list[Convention] = field(default_factory=list)
    percent: bool = False
    gap_words: tuple[str, ...] = ()
    error: str = ""
    convention: Convention = PLAIN
    reason: str = ""

    def bare(self, cell: str) -> str:
        """Return a cell without its percent sign."""
        return cell.removesuffix("%").rstrip() if self.percent else cell

    def numbers(self) -> dict[str, str]:
        """Return the cells that are numbers, and how Python writes each."""
        bare = {cell: self.bare(cell) for cell in self.counts}
        read = self.convention
        return {cell: read.plain(text) for cell, text in bare.items() if read.reads(text)}


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
    bare = cell.strip()
    if LIKE_A_NUMBER.fullmatch(bare) is None:
        return None
    bare = bare.removesuffix("%").rstrip()
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
    surveys = [c if isinstance(c, Parsed) else _survey(c, decimal) for c in columns]
    text = {
        name: survey
        for name, survey in zip(names, surveys, strict=True)
        if isinstance(survey, _Survey)
    }
    if decimal != "auto":
        _check_decimal(text, decimal)
    said: list[str] = []
    broken = [name for name, survey in text.items() if survey.error]
    if broken:
        where = f"(such as {text[broken[0]].error}) in {columns_text(broken)}"
        said.append(f"spreadsheet errors {where} count as missing")
    sure = {survey.decimal for survey in surveys if isinstance(survey, Parsed)} - {""}
    _choose_conventions(text.values(), sure, separator)
    said += _describe(names, surveys)
    gap_words: dict[tuple[str, ...], list[str]] = {}
    for name, survey in text.items():
        if survey.gap_words:
            gap_words.setdefault(survey.gap_words, []).append(name)
    for words, where_gaps in gap_words.items():
        are = "counts as missing" if len(words) == 1 else "count as missing"
        shown = listed([quoted(word) for word in words], most=4)
        said.append(f"{shown} among numbers in {columns_text(where_gaps)} {are}")
    found = [s.values if isinstance(s, Parsed) else _convert(s) for s in surveys]
    return found, tuple(said)


def usual_mark(cells: Iterable[str]) -> str:
    """Return the decimal mark that most numbers have.

    Examples
    --------
    >>> usual_mark(["1,5", "2", "word, and more"])
    ','
    """
    marked = [cell.strip() for cell in cells if "," in cell or "." in cell]
    commas = sum(map(DECIMAL_COMMA.reads, marked))
    return "," if commas > sum(map(PLAIN.reads, marked)) else "."


def as_parsed(column: pd.Series[Any], head: Iterable[str], mark: str) -> Cells | None:
    """Take a column that pandas has read; None if its numbers may have been meant otherwise.

    `head` are its first cells as they are written, `mark` is the decimal mark that pandas knew.
    """
    values = column.to_numpy()
    if values.dtype in (np.int64, np.bool_):
        return Parsed(values)
    if values.dtype != np.float64:
        content = pd.api.types.infer_dtype(column, skipna=True)
        if content == "boolean":  # with gaps
            return Parsed(column.astype("boolean").array)
        return column if content == "string" else None  # long whole numbers, or of several types
    written = [cell.strip() for cell in head if mark in cell and not is_gap(cell)]
    thousands = DOT_THOUSANDS if mark == "." else COMMA_THOUSANDS
    size = np.abs(values[np.isfinite(values)])
    if not written:  # whole numbers and gaps, as far as was looked; floats hold up to 15 digits
        whole = bool((size == np.rint(size)).all()) and size.max(initial=0.0) < EXACT
        return Parsed(values) if whole else None
    sure = not all(_may_be_thousands(cell, thousands) for cell in written)
    return Parsed(values, mark, written[0]) if sure or (size >= 1000).any() else None


def _survey(column: Cells, decimal: str) -> _Survey:
    # Text repeats: each word is looked at once.
    cells = column if isinstance(column, pd.Series) else np.array(column, dtype=object)
    codes, found = pd.factorize(cells)
    words = [word.strip() for word in np.asarray(found, dtype=object).tolist()]
    error = next((word for word in words if word in ERRORS), "")
    words = ["" if is_gap(word) else word for word in words]
    counts: Counter[str] = Counter()
    for word, count in zip(words, np.bincount(codes[codes >= 0]).tolist(), strict=True):
        counts[word] += count
    del counts[""]
    survey = _Survey(words, codes, counts, error=error)
    if not all(cell in TRUTHS for cell in counts):
        _find_numbers(survey, decimal)
    return survey


def _find_numbers(survey: _Survey, decimal: str) -> None:
    """Find the conventions that read most cells, if these are enough."""
    counts = survey.counts
    ends = [c.endswith("%") for c in counts if c[-1] in "0123456789.,%"]
    survey.percent = any(ends) and all(ends)
    bare = {c: survey.bare(c) for c in counts if LIKE_A_NUMBER.fullmatch(c)}
    total = counts.total() - sum(counts[word] for word in GAPS_AMONG_NUMBERS)
    reads: dict[Convention, int] = {}
    for convention in CONVENTIONS:
        if decimal in ("auto", convention.decimal):
            reads[convention] = sum(counts[c] for c, b in bare.items() if convention.reads(b))
            if convention == PLAIN and reads[PLAIN] == total:
                break  # the others can read no more, and it comes first
    most = max(reads.values())
    fits = [convention for convention in reads if reads[convention] == most]
    if most == total > 0:
        survey.gap_words = tuple(word for word in counts if word in GAPS_AMONG_NUMBERS)
        survey.words = ["" if word in GAPS_AMONG_NUMBERS else word for word in survey.words]
        for word in survey.gap_words:
            del counts[word]
    if most and most >= MIXED * counts.total():
        survey.fits, survey.convention = fits, fits[0]
    else:
        survey.percent = False


def _check_decimal(text: dict[str, _Survey], decimal: str) -> None:
    """Refuse a decimal mark by which a column of numbers would be one of text."""
    for name, survey in text.items():
        if survey.fits or not survey.counts:
            continue
        if _survey(list(survey.counts.elements()), "auto").fits:
            marks = "decimal commas" if decimal == "," else "decimal dots"
            cell = quoted(next(iter(survey.counts)))
            raise InputError(
                f"Column {quoted(name)} holds {cell}, which is not a number with {marks}. Leave "
                "decimal= out: it is found column by column."
            )


def _choose_conventions(surveys: Iterable[_Survey], sure: set[str], separator: str) -> None:
    """Choose the convention of every column of numbers; clear columns decide unclear ones."""
    unclear: list[_Survey] = []
    for survey in surveys:
        if not survey.fits:
            continue
        either = DOT_THOUSANDS if PLAIN in survey.fits else COMMA_THOUSANDS
        cells = [survey.bare(cell) for cell in survey.numbers()]
        marked = any(survey.convention.decimal in cell for cell in cells)
        known = PLAIN not in survey.fits and not {either, DECIMAL_COMMA} <= {*survey.fits}
        if marked and not known and all(_may_be_thousands(cell, either) for cell in cells):
            unclear.append(survey)
        elif marked:
            sure.add(survey.convention.decimal)
    for survey in unclear:
        settle = _settle_dot if PLAIN in survey.fits else _settle_comma
        survey.convention, survey.reason = settle(sure, separator)


def _may_be_thousands(cell: str, convention: Convention) -> bool:
    """Whether a number may be one of `convention`, which has marks between thousands."""
    return convention.reads(cell) and not FOUR_DIGITS.fullmatch(cell)


def _settle_comma(sure: set[str], separator: str) -> tuple[Convention, str]:
    if sure == {","}:
        return DECIMAL_COMMA, ", as in other columns"
    if sure == {"."}:
        return COMMA_THOUSANDS, ", as other columns have decimal dots"
    if separator == ";":
        return DECIMAL_COMMA, ', as semicolons separate the columns (otherwise: decimal=".")'
    unsure = ', though they may be decimal commas (otherwise: decimal=",")'
    return COMMA_THOUSANDS, unsure


def _settle_dot(sure: set[str], separator: str) -> tuple[Convention, str]:
    if sure == {","}:
        return DOT_THOUSANDS, ", as other columns have decimal commas"
    unsure = ', though they may be marks of thousands (otherwise: decimal=",")'
    return PLAIN, "" if sure else unsure


def _describe(names: Sequence[str], surveys: Sequence[Parsed | _Survey]) -> list[str]:
    """Say how numbers were read where they are not written as Python does."""
    groups: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for name, survey in zip(names, surveys, strict=True):
        if isinstance(survey, Parsed):
            convention = DECIMAL_COMMA if survey.decimal == "," else PLAIN
            example, percent, reason = survey.example, False, ""
            plain = convention.plain(example)
        else:
            convention, percent, reason = survey.convention, survey.percent, survey.reason
            if convention == PLAIN and not percent and not reason:
                continue
            # The cell that shows most of what was decided.
            read = survey.numbers()
            example = max(read, key=lambda cell: len(set(cell) & set(",.'’ %")))
            plain = read[example]
        marks = ["decimal commas"] if convention.decimal == "," and "," in example else []
        marks += [MARKS[convention.thousands]] if convention.thousands else []
        marks += ["percent signs"] if percent else []
        if marks or reason:
            shown = listed(marks) if marks else "decimal dots"
            how = f"({quoted(example)} read as {plain})"
            groups.setdefault((shown, reason), (how, []))[1].append(name)
    return [
        f"{shown} in {columns_text(members)} {how}{reason}"
        for (shown, reason), (how, members) in groups.items()
    ]


def _convert(survey: _Survey) -> Array:
    words, codes = [*survey.words, ""], survey.codes  # the last stands for a gap, whose code is -1
    if not survey.counts:
        return np.full(len(codes), np.nan)
    if all(cell in TRUTHS for cell in survey.counts):
        truths = _spread([TRUTHS.get(word, pd.NA) for word in words], codes)
        return truths.astype("boolean" if truths.hasnans else bool)
    plain = survey.numbers() if survey.fits else {}
    if len(plain) < len(survey.counts):
        mixed = {cell: float(text) for cell, text in plain.items()}
        return _spread([mixed.get(word, word) if word else np.nan for word in words], codes)
    floats = np.array([float(plain[word]) if word else np.nan for word in words])[codes]
    gaps = np.isnan(floats)
    size = np.abs(floats[~gaps]).max(initial=0.0)
    whole = all(text.lstrip("+-").isdigit() for text in plain.values())
    if not whole or size >= 2.0**63 or (gaps.any() and size < EXACT):
        return floats
    # As floats, long identifiers would silently become others.
    known = pd.array([int(plain[word]) if word else pd.NA for word in words], dtype="Int64")[codes]
    return known if gaps.any() else known.to_numpy(dtype=np.int64)


def _spread(values: list[Any], codes: NDArray[np.intp]) -> pd.Series[Any]:
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return pd.Series(found[codes], dtype=object)  # as an array, pandas would look at it again
