"""From cells of text to columns of numbers, truth values and text.

People write numbers with decimal dots or commas, with marks between thousands, and with percent
signs. Most columns tell it themselves: ``1,5`` has a decimal comma, ``1,234,567`` has none. A
column in which every comma has three digits behind it may be read either way; then the other
columns decide, then what separates the cells, and what was assumed is said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.text import listed, quoted
from spinney.tables.columns import EXACT
from spinney.tables.readers.sources import columns_text

SIGN = r"[+\-\u2212]?"
THOUSANDS = {"": "", ",": ",", ".": r"\.", " ": "[ \u00a0\u2009\u202f]", "'": "['\u2019]"}
"""Marks between thousands, as expressions."""
MARKS = {",": "commas", ".": "dots", " ": "blanks", "'": "apostrophes"}
ERRORS = frozenset(
    ("#N/A", "#NA", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!")
)
"""What spreadsheets write where a formula failed."""
GAPS = {
    *("", "NA", "N/A", "n/a", "na", "N.A.", "n.a.", "<NA>", "NaN", "nan", "NAN", "-nan"),
    *("NULL", "null", "?", "."),
}
"""Cells that stand for a missing value. "None" is not among them: it may be a category."""
GAPS_AMONG_NUMBERS = {
    *("-", "--", "---", "–", "—", "*", "None", "none", "missing"),
    *("n.d.", "N.D.", "nd", "ND", "n.m.", "k.A.", "k. A."),
}
"""Cells that stand for a missing value where all others are numbers."""
TRUTHS = {"TRUE": True, "True": True, "true": True, "FALSE": False, "False": False, "false": False}

Cells = Any  # a column: a sequence of text, a series of text with NaN for gaps, or a Survey


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
        point, grouped = re.escape(self.decimal), ""
        if self.thousands:
            # A group never starts with 0: "0,125" is not a thousand.
            grouped = rf"[1-9]\d{{0,2}}(?:{THOUSANDS[self.thousands]}\d{{3}})+(?:{point}\d*)?|"
        bare = rf"(?:\d+(?:{point}\d*)?|{point}\d+)(?:[eE]{SIGN}\d+)?"
        return re.compile(rf"{SIGN}(?:{grouped}{bare}|(?i:inf(?:inity)?))", re.ASCII)

    def reads(self, cell: str) -> bool:
        """Whether a cell is a number in this convention."""
        return self.pattern.fullmatch(cell) is not None

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
    *(PLAIN, DECIMAL_COMMA, COMMA_THOUSANDS, DOT_THOUSANDS),
    *(Convention(decimal, thousands) for thousands in " '" for decimal in ".,"),
)
"""All that are known; of those that read a column alike the first is taken."""
AS_THOUSANDS = {PLAIN: DOT_THOUSANDS, DECIMAL_COMMA: COMMA_THOUSANDS}
"""How a column is read if its mark is not decimal, but stands between thousands."""
ANY = re.compile("|".join(known.pattern.pattern for known in CONVENTIONS), re.ASCII)
"""What one of them reads: most text is told from numbers by this alone."""


@dataclass
class Survey:
    """What stands in a column, before it is known how its numbers are written.

    Attributes
    ----------
    column : Series or array
        Its cells as text without blanks around them, or its values if pandas or a spreadsheet has
        read them (`is_read`): then `counts` has one cell at most, with the decimal mark.
    counts : Counter
        How often each word comes; gaps aside.
    convention : Convention or None
        The first that reads as many cells as any; None if it is not a column of numbers.
    is_read : bool
        Whether `column` holds values.
    percent : bool
        Whether all numbers end in a percent sign.
    gap_words : tuple of str
        Words that stand for a gap only because all other cells are numbers.
    error : str
        The first error of a spreadsheet, which counts as missing.
    reason : str
        What decided how numbers are written, if the column itself does not.
    """

    column: Any
    counts: Counter[str] = field(default_factory=Counter)
    convention: Convention | None = None
    is_read: bool = False
    percent: bool = False
    gap_words: tuple[str, ...] = ()
    error: str = ""
    reason: str = ""

    def numbers(self) -> dict[str, str]:
        """Return the cells that are numbers in the convention, and how Python writes each."""
        read = self.convention
        if read is None:
            return {}
        bare = {cell: _bare(cell) if self.percent else cell for cell in self.counts}
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
    bare = _bare(cell.strip())
    convention = next((known for known in CONVENTIONS if known.reads(bare)), None)
    return None if convention is None else float(convention.plain(bare))


def _bare(cell: str) -> str:
    return cell.removesuffix("%").rstrip()


def is_numeral(cell: str) -> bool:
    """Whether a cell is a number in any convention, perhaps with a percent sign."""
    return numeral(cell) is not None


def read_columns(
    names: Sequence[str],
    columns: Sequence[Cells],
    *,
    separator: str = ",",
    decimal: str = "auto",
) -> tuple[list[Any], tuple[str, ...]]:
    """Read columns of text, each in the convention that its own cells and the others suggest.

    Parameters
    ----------
    names : sequence of str
        Names of the columns, for notices.
    columns : sequence of sequences of str, or of Survey
        The cells, or what pandas has made of them.
    separator : str
        What separates the cells of a line; where nothing else helps, it separates decimal commas
        from marks between thousands.
    decimal : {"auto", ".", ","}
        The decimal mark of columns that could be read with either.

    Returns
    -------
    columns : list
        As pandas takes them. A column of numbers and text has both.
    decisions : tuple of str
        What was decided.

    Examples
    --------
    >>> columns, said = read_columns(["a"], [["1,5", "NA", "0,25"]])
    >>> list(columns[0])
    [1.5, nan, 0.25]
    >>> said[0]
    "decimal commas in column 'a' ('1,5' read as 1.5)"
    """
    surveys = [column if isinstance(column, Survey) else _survey(column) for column in columns]
    _choose_conventions(surveys, separator, decimal)
    groups: dict[tuple[str, str], tuple[str, list[str]]] = {}
    for name, survey in zip(names, surveys, strict=True):
        for what, example, why in _notes(survey):
            groups.setdefault((what, why), (example, []))[1].append(name)
    said = (
        f"{what} in {columns_text(members)}{example}{why}"
        for (what, why), (example, members) in groups.items()
    )
    return [_convert(survey) for survey in surveys], tuple(said)


def usual_convention(cells: Iterable[str]) -> Convention:
    """Return the convention of most numbers, with a decimal dot or a decimal comma.

    Examples
    --------
    >>> usual_convention(["1,5", "2", "word, and more"]).decimal
    ','
    """
    marked = [cell.strip() for cell in cells if "," in cell or "." in cell]
    commas = sum(map(DECIMAL_COMMA.reads, marked))
    return DECIMAL_COMMA if commas > sum(map(PLAIN.reads, marked)) else PLAIN


def needs_text(head: Sequence[str], usual: Convention) -> bool:
    """Whether pandas may misread a column with these first cells in the usual convention.

    Its mark may stand between thousands, or its whole numbers are too long for floats.
    """
    marked = _marked(head, usual)
    thousands = marked and all(_may_be_thousands(cell, AS_THOUSANDS[usual]) for cell in marked)
    # Floats tell whole numbers of up to 15 digits apart.
    return bool(thousands) or any(len(cell) > 15 and cell.strip().isdigit() for cell in head)


def as_parsed(column: pd.Series[Any], head: Sequence[str], usual: Convention) -> Cells:
    """Take a column that pandas has read; `head` and `usual` as in :func:`needs_text`."""
    if pd.api.types.infer_dtype(column, skipna=True) == "boolean":
        return Survey(column.astype("boolean" if column.hasnans else "bool"), is_read=True)
    if column.dtype.kind not in "iuf":
        return column
    values, marked = column.to_numpy(), _marked(head, usual)[:1]
    if marked:
        return Survey(values, Counter(marked), usual, is_read=True)
    return Survey(as_whole(values) if values.dtype.kind == "f" else values, is_read=True)


def as_whole(values: NDArray[np.float64]) -> NDArray[Any]:
    """Return floats as whole numbers if they are all."""
    whole = (values == np.rint(values)).all() and np.abs(values).max(initial=0.0) < EXACT
    return values.astype(np.int64) if whole else values


def _marked(head: Sequence[str], usual: Convention) -> list[str]:
    return [cell.strip() for cell in head if usual.decimal in cell and not is_gap(cell)][:20]


def _survey(cells: Any) -> Survey:
    text = pd.Series(np.asarray(cells, dtype=object))
    column = text.map(str.strip, na_action="ignore").astype(object)
    survey = Survey(column, Counter(map(str, column.dropna())))
    counts = survey.counts
    survey.error = next((word for word in counts if word in ERRORS), "")
    for word in list(filter(is_gap, counts)):
        del counts[word]
    if not all(word in TRUTHS for word in counts):
        _find_numbers(survey)
    return survey


def _find_numbers(survey: Survey) -> None:
    """Find the convention that reads most cells, if these are enough."""
    counts = survey.counts
    ends = [c.endswith("%") for c in counts if c[-1] in "0123456789.,%"]
    percent = any(ends) and all(ends)
    bare = {cell: _bare(cell) if percent else cell for cell in counts}
    bare = {cell: text for cell, text in bare.items() if ANY.fullmatch(text)}
    total = counts.total() - sum(counts[word] for word in GAPS_AMONG_NUMBERS)
    best, most = PLAIN, 0
    for convention in CONVENTIONS:
        count = sum(counts[cell] for cell, text in bare.items() if convention.reads(text))
        best, most = (convention, count) if count > most else (best, most)
        if most == total:
            break  # the others can read no more
    if most == total > 0:
        survey.gap_words = tuple(word for word in counts if word in GAPS_AMONG_NUMBERS)
        for word in survey.gap_words:
            del counts[word]
    if most and 2 * most >= counts.total():  # else numbers are strays among text
        survey.convention, survey.percent = best, percent


def _choose_conventions(surveys: Sequence[Survey], separator: str, decimal: str) -> None:
    """Choose the convention of every column of numbers; clear columns decide unclear ones."""
    unclear: list[tuple[Survey, Convention]] = []
    marks: set[str] = set()
    for survey in surveys:
        own, cells = survey.convention, list(map(_bare, survey.numbers()))
        if own is None or not any(own.decimal in cell for cell in cells):
            continue
        other = None if survey.is_read else AS_THOUSANDS.get(own)
        if other is not None and all(_may_be_thousands(cell, other) for cell in cells):
            unclear.append((survey, own))
        else:
            marks.add(own.decimal)
    for survey, own in unclear:
        if decimal != "auto":
            mark = decimal
        elif len(marks) == 1:
            (mark,) = marks
            if (mark, own) != (".", PLAIN):
                survey.reason = f", as other columns have decimal {MARKS[mark]}"
        else:
            mark = "," if separator == ";" and own == DECIMAL_COMMA else "."
            other_mark = "," if mark == "." else "."
            survey.reason = f', which is a guess (otherwise: decimal="{other_mark}")'
        survey.convention = own if mark == own.decimal else AS_THOUSANDS[own]


def _may_be_thousands(cell: str, convention: Convention) -> bool:
    """Whether a number may be one of `convention`, which has marks between thousands.

    Four digits without a mark rule that out.
    """
    return convention.reads(cell) and not re.match(r"\D?\d{4,}", cell)


def _notes(survey: Survey) -> Iterator[tuple[str, str, str]]:
    """Yield what was decided of a column, with an example and a reason."""
    if survey.error:
        yield "spreadsheet errors", f" (such as {survey.error})", " taken as missing"
    if survey.gap_words:
        words = listed([quoted(word) for word in survey.gap_words], most=4)
        yield words, "", " taken as missing, as all else are numbers"
    convention, read = survey.convention, survey.numbers()
    if convention is None:
        return
    # The cell that shows most of what was decided.
    example = max(read, key=lambda cell: len(set(cell) & set(",.'’ %")))
    marks = ["decimal commas"] if convention.decimal == "," and "," in example else []
    if convention.thousands:
        marks.append(f"thousands marked by {MARKS[convention.thousands]}")
    marks += ["percent signs"] if survey.percent else []
    if marks or survey.reason:
        what = listed(marks) if marks else "decimal dots"
        yield what, f" ({quoted(example)} read as {read[example]})", survey.reason


def _convert(survey: Survey) -> Any:
    if survey.is_read:
        return survey.column
    counts = survey.counts
    if all(word in TRUTHS for word in counts):
        found = survey.column.map(TRUTHS)
        truths = "boolean" if found.hasnans else "bool"
        return found.astype(truths if counts else float)
    plain = survey.numbers()
    whole = len(plain) == len(counts) and all(s.lstrip("+-").isdigit() for s in plain.values())
    numbers = {word: int(text) if whole else float(text) for word, text in plain.items()}
    read = {word: numbers.get(word, word) for word in counts}
    found = survey.column.map(pd.Series(read, dtype=object))
    if len(plain) < len(counts):
        return found.astype(object)
    largest = max(map(abs, numbers.values()))
    # Long whole numbers are others as floats.
    if not whole or largest >= 2**63 or (found.hasnans and largest < EXACT):
        return found.astype(float)
    return found.astype("Int64" if found.hasnans else "int64")
