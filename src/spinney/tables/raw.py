"""One column as it comes: numbers, truth values, labels or dates, whatever type they were in."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.validation import check_infinite, check_integers_fit, read_number
from spinney.exceptions import InputError

__all__ = ["RawColumn", "read_raw", "show"]

Floats = NDArray[np.float64]
Objects = NDArray[np.object_]

_TIME = r"([T ]\d\d:\d\d(:\d\d(\.\d+)?)?\s?(Z|[+-]\d\d:?\d\d)?)?"
ISO_DATE = re.compile(rf"\s*(\d{{4}}-\d\d-\d\d{_TIME}|\d\d:\d\d(:\d\d(\.\d+)?)?)\s*")
"""Text that is a date, a time of day, or both, and whose order is that of its letters."""
OTHER_DATE = re.compile(rf"\s*(\d\d?([./-])\d\d?\2\d{{4}}|\d{{4}}/\d\d?/\d\d?){_TIME}\s*")
"""Text that is a date as many write it, such as 31.12.2024 or 12/31/2024."""
DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64, pd.Period)


@dataclass(frozen=True, eq=False)
class RawColumn:
    """What a column holds, before anything is decided about its kind.

    Attributes
    ----------
    name : str
        Its name.
    content : {"numbers", "truths", "labels", "dates"}
        What its values are.
    values : array of shape (n,)
        Numbers as they are, others as positions among `levels`; NaN where a value is missing.
    levels : tuple
        The values that are there, each once, as plain Python values and sorted (categories in
        their own order); empty for numbers.
    ordered : bool
        Whether the order of the levels means something.
    whole : bool
        Whether numbers are of a type that holds whole numbers only.
    stray : str or None
        The first text among numbers.
    """

    name: str
    content: Literal["numbers", "truths", "labels", "dates"]
    values: Floats
    levels: tuple[Any, ...] = ()
    ordered: bool = False
    whole: bool = False
    stray: str | None = None

    @cached_property
    def present(self) -> Floats:
        """The values that are there."""
        there = ~np.isnan(self.values)
        return self.values if there.all() else self.values[there]

    def with_levels(self) -> RawColumn:
        """Return the column with numbers replaced by positions among the sorted numbers."""
        if self.content != "numbers":
            return self
        distinct = np.unique(self.present)
        codes = np.where(np.isnan(self.values), np.nan, np.searchsorted(distinct, self.values))
        levels = tuple(int(value) if self.whole else float(value) for value in distinct)
        return RawColumn(self.name, "labels", codes, levels, ordered=True, whole=self.whole)

    @property
    def is_numeric(self) -> bool:
        """Whether its values are numbers, if only as categories or truth values."""
        if self.content == "numbers":
            return True
        return bool(self.levels) and all(isinstance(level, int | float) for level in self.levels)

    def as_numbers(self) -> Floats:
        """Return the values as floats."""
        if self.content == "numbers":
            return self.values
        lookup = np.array([*self.levels, np.nan], dtype=float)
        return lookup[np.where(np.isnan(self.values), -1, self.values).astype(int)]


def read_raw(column: pd.Series[Any], name: str) -> RawColumn:
    """Read a column of any type; None, NaN, NA, NaT, blank text and the text "nan" are missing.

    Raises
    ------
    InputError
        If it holds complex or infinite numbers, whole numbers that floats cannot tell apart, or
        things that are neither numbers, text nor dates.

    Examples
    --------
    >>> read_raw(pd.Series(["b", None, "a"]), "x").levels
    ('a', 'b')
    >>> read_raw(pd.Series(["1.5", None, "2"]), "x").values
    array([1.5, nan, 2. ])
    """
    raw = _read(column, name)
    if raw.content == "numbers":
        check_infinite(raw.values, name)
    return raw


def _read(column: pd.Series[Any], name: str) -> RawColumn:
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _categories(column, name)
    if pd.api.types.is_bool_dtype(dtype):
        return _truths(column, name)
    if pd.api.types.is_numeric_dtype(dtype):
        if pd.api.types.is_complex_dtype(dtype):
            raise InputError(f"Complex data not supported: column '{name}' must be real.")
        return _numbers(column, name)
    values, missing = np.asarray(column.astype(object)), np.asarray(column.isna(), dtype=bool)
    if dtype.kind in "mM" or isinstance(dtype, pd.PeriodDtype):
        return _labels(name, "dates", values, missing)
    if pd.api.types.infer_dtype(values, skipna=True) != "string":
        return _objects(values, missing, name)
    # Text repeats: each word is read once.
    codes, words = pd.factorize(values)
    raw = _objects(np.asarray(words, dtype=object), np.zeros(len(words), dtype=bool), name)
    return replace(raw, values=np.append(raw.values, np.nan)[codes])


def show(value: Any) -> str:
    """Return a level as people write it: whole numbers without decimals.

    Examples
    --------
    >>> show(2.0), show(0.5), show("a"), show(True)
    ('2', '0.5', 'a', 'True')
    """
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _plain(value: Any) -> Any:
    """Turn a label into a bool, int, float or str, which model files can hold."""
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(value)
    return str(value)


def _numbers(column: pd.Series[Any], name: str) -> RawColumn:
    with np.errstate(over="ignore"):  # long doubles; the infinity is reported
        floats = column.to_numpy(dtype=float, na_value=np.nan)
    whole = pd.api.types.is_integer_dtype(column.dtype)
    if whole:
        check_integers_fit(column, floats, name)
    return RawColumn(name, "numbers", floats, whole=whole)


def _truths(column: pd.Series[Any], name: str) -> RawColumn:
    floats = column.to_numpy(dtype=float, na_value=np.nan)
    levels = tuple(level for level in (False, True) if (floats == level).any())
    codes = np.where(np.isnan(floats), np.nan, floats * (len(levels) == 2))
    return RawColumn(name, "truths", codes, levels, ordered=True, whole=True)


def _categories(column: pd.Series[Any], name: str) -> RawColumn:
    values = column.cat.remove_unused_categories()
    codes = np.asarray(values.cat.codes, dtype=float)
    codes[codes < 0] = np.nan
    levels = tuple(_plain(level) for level in values.cat.categories)
    dates = values.cat.categories.dtype.kind in "mM"
    ordered = bool(values.cat.ordered)
    return RawColumn(name, "dates" if dates else "labels", codes, levels, ordered=ordered)


def _labels(
    name: str, content: Literal["labels", "dates"], values: Objects, missing: NDArray[np.bool_]
) -> RawColumn:
    codes, distinct = pd.factorize(values[~missing], sort=True)
    positions = np.full(len(values), np.nan)
    positions[~missing] = codes
    levels = tuple(_plain(level) for level in distinct)
    return RawColumn(name, content, positions, levels, ordered=content == "dates")


def _objects(values: Objects, missing: NDArray[np.bool_], name: str) -> RawColumn:
    """Read a column of Python objects by what they are."""
    text = np.array([isinstance(value, str) for value in values], dtype=bool)
    blank = [is_text and _is_blank(value) for value, is_text in zip(values, text, strict=True)]
    missing = missing | np.array(blank, dtype=bool)
    text &= ~missing
    present = values[~missing]
    if present.size and all(isinstance(value, bool | np.bool_) for value in present):
        truths = values == True  # noqa: E712  (element by element)
        return _truths(pd.Series(pd.arrays.BooleanArray(truths.astype(bool), missing)), name)
    if present.size and all(isinstance(value, DATES) for value in present):
        return _labels(name, "dates", values, missing)
    if present.size and all(isinstance(value, pd.Interval) for value in present):
        return _labels(name, "labels", values, missing)
    floats = np.full(len(values), np.nan)
    others = np.flatnonzero(~text & ~missing)
    floats[others] = [read_number(values[row], name) for row in others]
    whole = all(isinstance(values[row], Integral) for row in others)
    if text.any():
        parsed = pd.to_numeric(pd.Series(values[text], dtype=object), errors="coerce")
        if parsed.isna().any():
            return _text(values, floats, text, missing, name)
        if pd.api.types.is_integer_dtype(parsed.dtype):
            check_integers_fit(parsed, parsed.to_numpy(dtype=float), name)
        else:
            whole = False
        floats[text] = [_nearest(*both) for both in zip(values[text], parsed, strict=True)]
    return RawColumn(name, "numbers", floats, whole=whole and bool(present.size))


def _nearest(text: str, parsed: float) -> float:
    """Read a number as Python does; pandas before 3 may be off by its last bit."""
    try:
        return float(text)
    except ValueError:  # a form that only pandas knows
        return float(parsed)


def _is_blank(text: str) -> bool:
    """Tell text that stands for nothing; numpy writes "nan" where it turns NaN into text."""
    return not text.strip() or text == "nan"


def _text(
    values: Objects,
    floats: Floats,
    text: NDArray[np.bool_],
    missing: NDArray[np.bool_],
    name: str,
) -> RawColumn:
    """Read text, perhaps with numbers and truth values between, which become text too."""
    plain = np.array([show(_plain(value)) for value in values], dtype=object)
    raw = _labels(name, "labels", plain, missing)
    for form, ordered in ((ISO_DATE, True), (OTHER_DATE, False)):
        if all(form.fullmatch(level) for level in raw.levels):
            return RawColumn(name, "dates", raw.values, raw.levels, ordered=ordered)
    floats[text] = pd.to_numeric(pd.Series(plain[text], dtype=object), errors="coerce")
    strange = np.isnan(floats) & ~missing
    # Text among numbers is worth a word; numbers among text are just labels.
    mostly_numbers = 2 * strange.sum() <= np.sum(~missing)
    stray = str(values[np.argmax(strange)]) if mostly_numbers else None
    return RawColumn(name, "labels", raw.values, raw.levels, stray=stray)
