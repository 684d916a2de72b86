"""From cells of text to columns of numbers, truth values and text; each column by itself."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney.exceptions import InputError
from spinney.tables.readers.marks import Chosen, choose_conventions, describe
from spinney.tables.readers.numerals import CONVENTIONS, PLAIN, Convention, as_number
from spinney.tables.readers.wording import listed, quoted

__all__ = ["ERRORS", "GAPS", "is_gap", "read_columns"]

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


def read_columns(
    names: Sequence[str],
    columns: Sequence[Sequence[str]],
    lines: Sequence[int],
    *,
    place: str = "line",
    separator: str = ",",
    decimal: str = "auto",
    typed: bool = False,
) -> tuple[list[Array], tuple[str, ...]]:
    """Read columns of text, each in the convention that its own cells and the others speak for.

    Parameters
    ----------
    names : sequence of str
        Names of the columns, for what is said.
    columns : sequence of sequences of str
        The cells.
    lines : sequence of int
        Where each row stands.
    place : str
        What the lines are called.
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
    decisions : tuple of str
        What was decided, a line each.

    Examples
    --------
    >>> columns, decisions = read_columns(["a"], [["1,5", "NA", "0,25"]], [2, 3, 4])
    >>> columns[0]
    array([1.5 ,  nan, 0.25])
    >>> decisions
    ("decimal commas in column 'a' ('1,5' read as 1.5)",)
    """
    decisions = []
    surveys = [_survey(cells, decimal) for cells in columns]
    if decimal != "auto" and not typed:  # what a program knows for numbers has its own mark
        _check_decimal(names, surveys, decimal)
    broken = [name for name, survey in zip(names, surveys, strict=True) if survey.error]
    if broken:
        first = next(survey.error for survey in surveys if survey.error)
        decisions.append(f"spreadsheet errors (such as {first}) in {_columns(broken)} are gaps")
    chosen = choose_conventions(surveys, separator=separator, typed=typed)
    decisions += describe(names, chosen)
    gap_words: dict[tuple[str, ...], list[str]] = {}
    infinite = []
    arrays = []
    for name, survey, convention in zip(names, surveys, chosen, strict=True):
        array = _convert(survey, convention)
        arrays.append(array)
        if survey.gap_words:
            gap_words.setdefault(survey.gap_words, []).append(name)
        row = _first_infinite(array)
        if row is not None:
            infinite.append(
                f"column {quoted(name)} holds infinite numbers (first: "
                f"{quoted(survey.cells[row])} on {place} {lines[row]})"
            )
    for words, where in gap_words.items():
        decisions.append(
            f"{listed([quoted(word) for word in words])} among numbers in {_columns(where)} "
            f"{'is a gap' if len(words) == 1 else 'are gaps'}"
        )
    more = len(infinite) - 1
    if more > 0:
        infinite[0] += f"; so do{'es' if more == 1 else ''} {more} other column{'s'[: more > 1]}"
    return arrays, (*decisions, *infinite[:1])


def _check_decimal(names: Sequence[str], surveys: Sequence[Survey], decimal: str) -> None:
    """Refuse a decimal mark by which a column of numbers would be one of text."""
    for name, survey in zip(names, surveys, strict=True):
        if survey.content != "text" or not survey.counts:
            continue
        other = _survey(survey.cells, "auto")
        if other.content in ("plain", "numbers"):
            cell = next(iter(survey.counts))
            raise InputError(
                f"Column {quoted(name)} holds {quoted(cell)}, which is no number with "
                f"{'decimal commas' if decimal == ',' else 'decimal dots'}. Leave --decimal out: "
                "it is found column by column."
            )


def _columns(names: Sequence[str]) -> str:
    return f"column{'s' if len(names) > 1 else ''} {listed([quoted(name) for name in names])}"


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


def _first_infinite(array: Array) -> int | None:
    if array.dtype == object:
        rows = [k for k, cell in enumerate(array) if isinstance(cell, float) and np.isinf(cell)]
        return rows[0] if rows else None
    if array.dtype != np.float64 or not np.isinf(array).any():
        return None
    return int(np.argmax(np.isinf(array)))
