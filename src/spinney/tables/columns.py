"""Raw columns of arrays, data frames and files, with values of any type.

Rows are counted from 0, as numpy and pandas (with a fresh index) count them.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Integral, Number
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.arrays import Bools, Floats
from spinney.exceptions import InputError, InputTypeError, NotPlainError
from spinney.tables.ranges import order_of_ranges
from spinney.tables.table import look_up, show
from spinney.tables.table_file import TableFile

Objects = NDArray[np.object_]
Content = Literal["numbers", "truths", "labels", "dates"]

_TIME = r"([T ]\d\d:\d\d(:\d\d(\.\d+)?)?\s?(Z|[+-]\d\d:?\d\d)?)?"
ISO_DATE = re.compile(rf"\s*(\d{{4}}-\d\d-\d\d{_TIME}|\d\d:\d\d(:\d\d(\.\d+)?)?)\s*")
"""Text that is a date, a time of day, or both, and whose order is that of its letters."""
OTHER_DATE = re.compile(rf"\s*(\d\d?([./-])\d\d?\2\d{{4}}|\d{{4}}/\d\d?/\d\d?){_TIME}\s*")
"""Text that is a date in another common form, such as 31.12.2024 or 12/31/2024."""
WHOLE = re.compile(r"\s*[+-]?\d+\s*")
EXACT = 2.0**53
"""Whole numbers beyond which floats cannot tell all apart."""
OTHER_ORDERS = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d")
ROW: Callable[[int], str] = "row {}".format
"""How a message names a row of a table that is not from a file with lines."""
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
        Numbers unchanged, others as positions among `levels`; NaN where a value is missing.
    levels : tuple
        The values that are there, each once, as plain Python values and sorted (categories in
        their own order); empty for numbers.
    ordered : bool
        Whether the order of the levels means something.
    whole : bool
        Whether numbers are of a type that holds whole numbers only.
    stray : str or None
        The first text among numbers.
    n_stray : int
        Cells of text in a column of numbers, which are so few that they are taken as missing.
    infinite : int
        How many numbers are infinite; they are taken as missing.
    """

    name: str
    content: Content
    values: Floats
    levels: tuple[Any, ...] = ()
    ordered: bool = False
    whole: bool = False
    stray: str | None = None
    n_stray: int = 0
    infinite: int = 0

    @cached_property
    def present(self) -> Floats:
        """The values that are present."""
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
        numbers = bool(self.levels) and all(isinstance(level, int | float) for level in self.levels)
        return self.content == "numbers" or numbers

    def in_order(self, order: Sequence[int]) -> RawColumn:
        """Return the column with its levels in another order, which means something."""
        values = look_up(np.argsort(order), self.values)
        levels = tuple(self.levels[k] for k in order)
        return replace(self, content="labels", values=values, levels=levels, ordered=True)


def open_frame(
    X: Any, *, min_rows: int = 1, min_columns: int = 1
) -> tuple[pd.DataFrame, Callable[[int], str]]:
    """Open a table, whatever holds it, without reading its values.

    Returns
    -------
    frame : DataFrame
        The table.
    place : callable
        Names a row for a message: by its line, if the table is from a file that has lines.

    Raises
    ------
    InputError
        If it has no rows and columns, too few of them, or two columns of one name.

    Examples
    --------
    >>> frame, place = open_frame([[1, None], [2, "b"]])
    >>> list(frame), place(0)
    (['x0', 'x1'], 'row 0')
    """
    frame = frame_of(X)
    check_size(frame.shape, min_rows, min_columns)
    return frame, X.place if isinstance(X, TableFile) else ROW


def frame_of(X: Any) -> pd.DataFrame:
    """Return any table in memory as a data frame; columns without names are called x0, x1, ….

    Raises
    ------
    InputError
        If it has no rows and columns, or two columns of one name.
    """
    frame = as_frame(X)
    if frame is None:
        array = _as_array(X)
        return pd.DataFrame(array, columns=default_names(array.shape[1]), copy=False)
    names = [str(name) for name in frame.columns]
    if len(set(names)) < len(names):
        name, count = Counter(names).most_common(1)[0]
        raise InputError(
            f"The column name '{name}' occurs {count} times. Give each column a name of its own."
        )
    return frame if names == list(frame.columns) else frame.set_axis(names, axis=1)


def as_frame(X: Any) -> pd.DataFrame | None:
    """Return a table with column names as a pandas frame; None for other tables."""
    if isinstance(X, TableFile):
        return X.frame
    if isinstance(X, pd.DataFrame):
        return X
    if isinstance(X, pd.Series):
        return X.to_frame()
    if hasattr(X, "column_names") and hasattr(X, "to_pandas"):  # pyarrow
        return X.to_pandas()
    if hasattr(X, "collect_schema") and hasattr(X, "collect"):  # a lazy frame of polars
        X = X.collect()
    names: Any = getattr(X, "columns", None)  # polars and similar libraries, by duck typing
    named = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if not named or not hasattr(X, "__getitem__"):
        return None
    return pd.DataFrame({name: _column_of_other_library(X[name]) for name in names})


def is_anndata(X: Any) -> bool:
    """Whether X is an AnnData object, or looks like one."""
    return all(hasattr(X, part) for part in ("X", "obs", "var", "layers", "obs_names"))


def _column_of_other_library(column: Any) -> Any:
    """Return the values of a column; a polars enumeration becomes an ordered scale."""
    categories = getattr(getattr(column, "dtype", None), "categories", None)
    values = np.asarray(column)
    if categories is None or "Enum" not in str(column.dtype):
        return values
    return pd.Categorical(values, categories=list(categories), ordered=True)


def _as_array(X: Any) -> NDArray[Any]:
    if type(X).__module__.startswith("scipy.sparse"):
        raise InputTypeError(
            "The table is a sparse matrix, but ranks need every entry. Use X.toarray()."
        )
    if isinstance(X, np.ma.MaskedArray) and X.ndim == 2:
        # Masked entries are missing, whatever lies beneath the mask.
        return pd.DataFrame(X).to_numpy()
    try:
        array = np.asarray(X)
    except ValueError as error:  # numpy's error for ragged lists
        raise InputError(f"The rows of the table differ in length ({error}).") from error
    if array.dtype.kind == "U" and not isinstance(X, np.ndarray):
        array = np.array(X, dtype=object)  # numpy made text of numbers, and "nan" of NaN
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported: the table must hold real numbers.")
    if array.ndim == 0 and hasattr(X, "X"):
        name = type(X).__name__
        raise InputError(f"A {name} is not a table, but holds one: pass its attribute .X.")
    if array.ndim != 2:
        raise InputError(
            f"A table has rows and columns, but the input is a {type(X).__name__} of {array.ndim} "
            "dimension(s). Reshape your data: X.reshape(-1, 1) makes one column of an array, "
            "pandas.DataFrame(X) a table of a dict."
        )
    if array.dtype.kind != "f":
        return array
    with np.errstate(over="ignore"):  # long doubles; the infinity is reported
        return array.astype(float, copy=False)


def default_names(n_columns: int) -> tuple[str, ...]:
    """Name the columns of a table that has no names.

    Examples
    --------
    >>> default_names(2)
    ('x0', 'x1')
    """
    return tuple(f"x{k}" for k in range(n_columns))


def check_size(shape: tuple[int, ...], min_rows: int, min_columns: int) -> None:
    """Refuse a table with too few rows or columns."""
    n, d = shape
    if d == 0 and min_columns > 0:  # in the words that scikit-learn's own checks look for
        raise InputError(
            f"The table has too few columns: 0 feature(s) (shape={shape}) while a minimum of "
            f"{min_columns} is required."
        )
    if d < min_columns:
        raise InputError(
            f"The table has {d} column(s), but at least {min_columns} are needed to form a pair. "
            "Add the columns that it may depend on."
        )
    if n < min_rows:
        raise InputError(
            f"The table has too few rows (n_samples = {n}); at least {min_rows} are needed. "
            "Collect more rows."
        )


def read_raw(
    column: pd.Series[Any], name: str, *, finite: bool = True, place: Callable[[int], str] = ROW
) -> RawColumn:
    """Read a column of any type; None, NaN, NA, NaT, blank text and the text "nan" are missing.

    So are infinite numbers, unless `finite` refuses them.

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
    infinite = np.flatnonzero(np.isinf(raw.values))
    if not infinite.size:
        return raw
    if not finite:
        values = np.where(np.isinf(raw.values), np.nan, raw.values)
        return replace(raw, values=values, infinite=infinite.size)
    raise NotPlainError(
        f"Column '{raw.name}' has {infinite.size} infinite value(s) (inf) of {len(raw.values)} "
        f"(first: {place(int(infinite[0]))}). Replace them by finite numbers or drop those rows."
    )


def _read(column: pd.Series[Any], name: str) -> RawColumn:
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _categories(column, name)
    if dtype.kind == "c":
        raise InputError(f"Complex data not supported: column '{name}' must be real.")
    if pd.api.types.is_numeric_dtype(dtype):
        with np.errstate(over="ignore"):  # long doubles; the infinity is reported
            floats = column.to_numpy(dtype=float, na_value=np.nan)
        if pd.api.types.is_bool_dtype(dtype):
            return _truths(floats, name)
        whole = pd.api.types.is_integer_dtype(dtype)
        if whole:
            _check_integers_fit(column, floats, name)
        return RawColumn(name, "numbers", floats, whole=whole)
    objects = np.asarray(column.astype(object))
    try:
        codes, words = pd.factorize(objects)  # each value is looked at once
    except TypeError:  # lists, arrays and the like cannot be compared, and are refused
        codes, words = np.arange(len(objects)), objects[pd.notna(column)]
    raw = _read_words(words, np.bincount(codes[codes >= 0], minlength=len(words)), name)
    return replace(raw, values=np.append(raw.values, np.nan)[codes])


def without_values(
    frame: pd.DataFrame, na: Sequence[Any]
) -> tuple[pd.DataFrame, dict[str, int], list[str]]:
    """Take values that mean missing out of a table; numbers may be given as text, or be text.

    ``"a=9"`` means 9 in column a only, if there is such a column.

    Returns
    -------
    frame, counts, columns
        What is left, how often each value was there, and where.

    Examples
    --------
    >>> table = pd.DataFrame({"a": [3, -99, 5], "b": ["u", "?", "-99"], "c": [1, 2, 3]})
    >>> frame, counts, columns = without_values(table, [-99, "?"])
    >>> frame
         a    b  c
    0  3.0    u  1
    1  NaN  NaN  2
    2  5.0  NaN  3
    >>> counts, columns
    ({'-99': 2, '?': 1}, ['a', 'b'])
    """
    known = frame.notna().to_numpy()
    hit, counts = np.zeros(frame.shape, dtype=bool), {}
    for value in na:
        column, _, alone = str(value).rpartition("=")
        here = [str(name) == column for name in frame.columns]
        alone = alone if any(here) else value
        number = pd.to_numeric(alone, errors="coerce")
        forms = [show(alone), *([] if pd.isna(number) else [number])]
        own = frame.isin(forms).to_numpy(dtype=bool, na_value=False) & known
        own &= here if any(here) else True
        counts[show(value)] = int(own.sum())
        hit |= own
    if not hit.any():
        return frame, counts, []
    whole = frame.select_dtypes("integer")
    long = whole.columns[(whole.abs() > EXACT).any()]  # as floats they would become others
    frame = frame.astype(dict.fromkeys(long, "Int64")) if len(long) else frame
    where = [str(frame.columns[k]) for k in np.flatnonzero(hit.any(axis=0)).tolist()]
    return frame.mask(hit), counts, where


def as_values(na: Any) -> list[Any]:
    """List values that mean missing, whether one is given, or several, or none."""
    if na is None:
        return []
    return [na] if isinstance(na, str | Number) else list(na)


def days_of(raw: RawColumn) -> Floats:
    """Return dates as days since 1970, and times of day and durations in days.

    Raises
    ------
    InputError
        If days and months cannot be told apart, or levels are of several forms.

    Examples
    --------
    >>> dates = pd.Series(["01.02.1970", None, "28.02.1970 12:00"])
    >>> days_of(read_raw(dates, "day"))
    array([31. ,  nan, 58.5])
    """
    text = pd.Series([str(level).strip() for level in raw.levels])
    parts = text.str.extract(r"^(\d[\d./-]+)(?:[T ](.*))?$")
    known = [_times(text), _dates(text, "ISO8601")]
    known += [_dates(parts[0], order) + _times(parts[1].fillna("00:00")) for order in OTHER_ORDERS]
    read = [values.dt.total_seconds() / 86400 for values in known if values.notna().all()]
    if len(read) > 1 and not read[0].equals(read[1]):
        raise InputError(
            f"Column '{raw.name}' holds dates in which day and month cannot be told apart (first: "
            f"'{text[0]}'). Write them as 2024-12-31."
        )
    if not read:
        raise dates_refused(raw.name)
    return look_up(read[0], raw.values)


def numbers_of(raw: RawColumn) -> Floats:
    """Return the values of a column as numbers; refuse text and dates."""
    if raw.content == "dates":
        raise dates_refused(raw.name)
    if not raw.is_numeric or raw.n_stray:
        first = raw.stray if raw.stray is not None else raw.levels[int(raw.present[0])]
        raise NotPlainError(
            f"Column '{raw.name}' holds text (first: '{first}'). Encode it as numbers or leave it "
            "out."
        )
    return raw.values if raw.content == "numbers" else look_up(raw.levels, raw.values)


def dates_refused(name: str) -> NotPlainError:
    """Return an error about dates where numbers are needed."""
    return NotPlainError(
        f"Column '{name}' holds dates or times. Turn them into numbers or leave it out."
    )


def _times(text: pd.Series[Any]) -> pd.Series[Any]:
    whole = text.str.replace(r"^(\d\d:\d\d)$", r"\1:00", regex=True)
    return pd.to_timedelta(whole, errors="coerce")


def _dates(text: pd.Series[Any], order: str) -> pd.Series[Any]:
    found = pd.to_datetime(text, format=order, errors="coerce", utc=True)
    # Nanoseconds reach from 1677 to 2262 only.
    return found.dt.as_unit("us") - pd.Timestamp(0, tz="UTC").as_unit("us")


def _plain(value: Any) -> Any:
    """Turn a label into a bool, int, float or str, which model files can hold."""
    value = value.item() if isinstance(value, np.bool_ | np.number) else value
    return value if isinstance(value, bool | int | float) else str(value)


def _truths(floats: Floats, name: str) -> RawColumn:
    levels = tuple(level for level in (False, True) if (floats == level).any())
    codes = np.where(np.isnan(floats), np.nan, floats * (len(levels) == 2))
    return RawColumn(name, "truths", codes, levels, ordered=True, whole=True)


def _categories(column: pd.Series[Any], name: str) -> RawColumn:
    values = column.cat.remove_unused_categories()
    codes = np.where(values.isna(), np.nan, values.cat.codes)
    levels = tuple(map(_plain, values.cat.categories))
    content: Content = "dates" if values.cat.categories.dtype.kind in "mM" else "labels"
    raw = RawColumn(name, content, codes, levels, ordered=bool(values.cat.ordered))
    return raw if raw.ordered else _in_order_of_ranges(raw, raw.present.size)


def _in_order_of_ranges(raw: RawColumn, n: int) -> RawColumn:
    """Put levels that are ranges of numbers in order, if they are few for n values.

    Few are twenty, each there twice on average.
    """
    few = len(raw.levels) <= min(20, n / 2)
    order = order_of_ranges(raw.levels) if few else None
    return raw if order is None else raw.in_order(order)


def _labels(name: str, content: Content, values: Objects, missing: Bools) -> RawColumn:
    codes, distinct = pd.factorize(np.where(missing, np.nan, values), sort=True)
    positions = np.where(missing, np.nan, codes)
    levels = tuple(map(_plain, distinct))
    return RawColumn(name, content, positions, levels, ordered=content == "dates")


def _read_words(words: Objects, counts: NDArray[np.intp], name: str) -> RawColumn:
    """Read the values of a column of Python objects, each of which comes `counts` times."""
    # numpy writes "nan" where it turns NaN into text
    missing = np.array([isinstance(w, str) and w.strip() in ("", "nan") for w in words], dtype=bool)
    present = words[~missing]

    def all_are(*types: Any) -> bool:
        return bool(present.size) and all(isinstance(word, types) for word in present)

    if all_are(bool, np.bool_):
        return _truths(np.where(missing, np.nan, words).astype(float), name)
    if all_are(*DATES):
        return _labels(name, "dates", words, missing)
    if all_are(pd.Interval):
        return _labels(name, "labels", words, missing)
    floats = np.full(len(words), np.nan)
    floats[~missing] = [_number(word, name) for word in present]
    if np.isnan(floats[~missing]).any():
        return _read_text(words, floats, missing, name, counts)
    whole = bool(present.size) and all(
        WHOLE.fullmatch(word) if isinstance(word, str) else isinstance(word, Integral)
        for word in present
    )
    if whole:
        _check_integers_fit(pd.Series([int(word) for word in present], dtype=object), floats, name)
    return RawColumn(name, "numbers", floats, whole=whole)


def _read_text(
    words: Objects, floats: Floats, missing: Bools, name: str, counts: NDArray[np.intp]
) -> RawColumn:
    """Read text; numbers and truth values in it become text too, unless they are nearly all.

    Among many numbers, text in one cell of two hundred is missing values.
    """
    plain = np.array([show(_plain(word)) for word in words], dtype=object)
    raw = _labels(name, "labels", plain, missing)
    for form, ordered in ((ISO_DATE, True), (OTHER_DATE, False)):
        if all(map(form.fullmatch, raw.levels)):
            return replace(raw, content="dates", ordered=ordered)
    strange = np.isnan(floats) & ~missing
    n_stray, n = int(counts[strange].sum()), int(counts[~missing].sum())
    # Text among numbers is worth a notice; numbers among text are just labels.
    stray = str(words[np.argmax(strange)]) if 2 * n_stray <= n else None
    # Few distinct numbers may be labels, and text among them another.
    many = len(np.unique(floats[~np.isnan(floats)])) > 10
    if n_stray <= 0.005 * n and many:
        return RawColumn(name, "numbers", floats, stray=stray, n_stray=n_stray)
    return replace(_in_order_of_ranges(raw, n), stray=stray)


def _check_integers_fit(column: pd.Series[Any], floats: Floats, name: str) -> None:
    """Refuse long integers, such as identifiers, that would become equal as floats."""
    finite = floats[np.isfinite(floats)]
    if (np.abs(finite) > EXACT).any() and column.nunique() != len(np.unique(finite)):
        raise InputError(
            f"Column '{name}' holds whole numbers beyond 2^53 that cannot be told apart as "
            "floating-point numbers. Subtract a common offset, or leave it out if it is a label."
        )


def _number(value: Any, name: str) -> float:
    """Turn a value into a float; NaN if it is text that is no number."""
    real = isinstance(value, Number | np.bool_)
    if isinstance(value, complex | np.complexfloating) or not (real or isinstance(value, str)):
        raise InputTypeError(
            f"Column '{name}' holds a {type(value).__name__}, but each argument must be a "
            "string-free number. Leave the column out."
        )
    try:
        return float("x" if "_" in str(value) else value)
    except ValueError:
        return float("nan")
    except OverflowError:  # a whole number of hundreds of digits, which is reported
        return float("inf")
