"""Checks at the door: a table is read once, and what is wrong with it is said by column and row.

Rows are counted from 0 in messages, as numpy and pandas (with a fresh index) count them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import validate_data

from spinney._core.storable import storable
from spinney.exceptions import InputError, InputTypeError

__all__ = [
    "MIN_ROWS",
    "Table",
    "as_frame",
    "check_infinite",
    "check_inside_unit",
    "check_integers_fit",
    "check_size",
    "check_table",
    "check_unit_table",
    "column_position",
    "default_names",
    "missing_values",
    "open_table",
    "read_features",
    "read_number",
]

MIN_ROWS = 4
"""Fewest rows from which anything is learned: below it ranks cannot tell dependence from chance."""


@storable("Table")
@dataclass(frozen=True)
class PlainTable:
    """A checked table of numbers.

    Attributes
    ----------
    values : array of shape (n, d)
        The numbers, as float64 in C order.
    names : tuple of str
        Column names; ``x0, x1, …`` when the input had none.
    """

    values: NDArray[np.float64]
    names: tuple[str, ...]


def check_table(
    X: Any,
    *,
    min_rows: int = MIN_ROWS,
    min_columns: int = 1,
    allow_constant: bool = False,
) -> PlainTable:
    """Read a table of finite numbers, or say what stands in the way.

    Parameters
    ----------
    X : data frame or array-like of shape (n, d)
        The table.
    min_rows, min_columns : int
        Fewest rows and columns that will do.
    allow_constant : bool
        Whether a column may hold one value only.

    Raises
    ------
    InputError
        If the table is not two-dimensional, too small, or has a column that repeats another's
        name, holds text, has missing or infinite values, or is constant.

    Examples
    --------
    >>> check_table([[1, 2], [3, 4], [5, 7], [0, 1]]).names
    ('x0', 'x1')
    """
    names, cells = open_table(X, min_rows=min_rows, min_columns=min_columns)
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "bf":
        with np.errstate(over="ignore"):  # long doubles; the infinity is reported below
            values = cells.astype(float)
    elif isinstance(cells, pd.DataFrame) and (cells.dtypes == np.float64).all():
        values = cells.to_numpy()  # the same at once: column by column takes longer than ranks do
    else:
        frame = pd.DataFrame(cells)
        columns = [_read_column(frame.iloc[:, k], name) for k, name in enumerate(names)]
        values = np.column_stack(columns)
    _check_finite(values, names)
    if not allow_constant:
        _check_varies(values, names)
    return PlainTable(np.ascontiguousarray(values), names)


def open_table(
    X: Any, *, min_rows: int, min_columns: int
) -> tuple[tuple[str, ...], pd.DataFrame | NDArray[Any]]:
    """Return the names of a table's columns, and its cells as a frame or an array, still unread.

    Raises
    ------
    InputError
        If it has no rows and columns, too few of them, or two columns of one name.

    Examples
    --------
    >>> names, cells = open_table([[1, None], [2, "b"]], min_rows=1, min_columns=1)
    >>> names, cells.dtype
    (('x0', 'x1'), dtype('O'))
    """
    if sparse.issparse(X):
        raise InputTypeError(
            "The table is a sparse matrix, but ranks need every entry. Use X.toarray()."
        )
    frame = as_frame(X)
    if frame is not None:
        check_size(frame.shape, min_rows, min_columns)
        return _unique_names(frame.columns), frame
    array = _as_array(X)
    _check_dimensions(array, X)
    check_size(array.shape, min_rows, min_columns)
    return default_names(array.shape[1]), array


def default_names(n_columns: int) -> tuple[str, ...]:
    """Name the columns of a table that has no names.

    Examples
    --------
    >>> default_names(2)
    ('x0', 'x1')
    """
    return tuple(f"x{k}" for k in range(n_columns))


def check_unit_table(U: Any, *, min_rows: int = MIN_ROWS, fitting: bool = True) -> PlainTable:
    """Read pseudo-observations: a table of at least two columns strictly inside (0, 1).

    Parameters
    ----------
    U : data frame or array-like of shape (n, d)
        The table.
    min_rows : int
        Fewest rows that will do.
    fitting : bool
        Whether something is to be learned from it, so that constant columns are no use.

    Examples
    --------
    >>> check_unit_table([[0.2, 1.0]], min_rows=1, fitting=False)
    Traceback (most recent call last):
        ...
    spinney.exceptions.InputError: U must lie strictly between 0 and 1; column 'x1' reaches 1.0 at
    row 0. Use pseudo_observations(X) first.
    """
    table = check_table(U, min_rows=min_rows, min_columns=2, allow_constant=not fitting)
    check_inside_unit(table)
    return table


def check_inside_unit(table: PlainTable) -> None:
    """Refuse a table with an entry that is not strictly inside (0, 1)."""
    outside = (table.values <= 0.0) | (table.values >= 1.0)
    if outside.any():
        column, row = np.argwhere(outside.T)[0]
        raise InputError(
            f"U must lie strictly between 0 and 1; column '{table.names[column]}' reaches "
            f"{table.values[row, column]:.6} at row {row}. Use pseudo_observations(X) first."
        )


def read_features(estimator: Any, X: Any, table: PlainTable, *, reset: bool) -> None:
    """Keep (``reset=True``) or compare the columns that `estimator` was fitted on.

    Sets ``n_features_in_`` and, for data frames, ``feature_names_in_``, as scikit-learn does.
    """
    # A polars frame is handed on as it is: scikit-learn reads its names too.
    shaped = X if isinstance(X, pd.DataFrame) or _has_named_columns(X) else table.values
    validate_data(estimator, shaped, reset=reset, skip_check_array=True)


def column_position(column: Any, names: Sequence[str], what: str) -> int:
    """Find a column that is given by name or position; `what` is the parameter it stands in.

    Examples
    --------
    >>> column_position("b", ("a", "b"), "required"), column_position(0, ("a", "b"), "required")
    (1, 0)
    """
    whole = isinstance(column, int | np.integer) and not isinstance(column, bool)
    if whole and 0 <= column < len(names):
        return int(column)
    if column in names:
        return names.index(column)
    raise InputError(f"{what} names a column {column!r} that the table does not have.")


def _has_named_columns(X: Any) -> bool:
    """Tell frames of other libraries (polars and its kind) by what they offer."""
    names = getattr(X, "columns", None)
    return (
        not isinstance(X, pd.DataFrame)
        and isinstance(names, list)
        and all(isinstance(name, str) for name in names)
        and hasattr(X, "__getitem__")
    )


def as_frame(X: Any) -> pd.DataFrame | None:
    """Return a table that has names as a pandas frame, and None for all others."""
    if isinstance(X, pd.DataFrame):
        return X
    if isinstance(X, pd.Series):
        return X.to_frame()
    if _has_named_columns(X):
        return pd.DataFrame({name: _foreign_column(X[name]) for name in X.columns})
    return None


def _foreign_column(column: Any) -> Any:
    """Return a column of another library; an enumeration (polars) is a scale with an order."""
    categories = getattr(getattr(column, "dtype", None), "categories", None)
    values = np.asarray(column)
    if categories is None or "Enum" not in str(column.dtype):
        return values
    return pd.Categorical(values, categories=list(categories), ordered=True)


def _as_array(X: Any) -> NDArray[Any]:
    if isinstance(X, np.ma.MaskedArray):
        # Masked entries are missing, not what happens to lie beneath the mask.
        if X.dtype.kind in "OU":
            words = np.array(X.data, dtype=object)
            words[np.ma.getmaskarray(X)] = None
            return words
        return np.ma.filled(X.astype(float), np.nan)
    try:
        array = np.asarray(X)
    except ValueError as error:  # numpy's word for ragged lists
        raise InputError(f"The rows of the table differ in length ({error}).") from error
    if array.dtype.kind == "U" and not isinstance(X, np.ndarray):
        array = np.array(X, dtype=object)  # numpy made text of all numbers, and "nan" of NaN
    if array.dtype.kind == "c":
        raise InputError("Complex data not supported: the table must hold real numbers.")
    return array


def _check_dimensions(array: NDArray[Any], X: Any) -> None:
    if array.ndim == 2:
        return
    if array.ndim == 0 or array.dtype.names or (array.size and isinstance(array.flat[0], dict)):
        raise InputError(
            f"A table has rows and columns, but the input is a {type(X).__name__} without them. "
            "Pass a data frame, such as pandas.DataFrame(X), or an array of shape (n, d)."
        )
    raise InputError(
        f"A table has rows and columns, but the input has {array.ndim} dimension(s). "
        "Reshape your data: X.reshape(-1, 1) makes one column of a plain list."
    )


def check_size(shape: tuple[int, ...], min_rows: int, min_columns: int) -> None:
    """Refuse a table with too few rows or columns."""
    n, d = shape
    if d < min_columns:
        # The wording in brackets is the one that scikit-learn's own checks look for.
        raise InputError(
            f"The table has too few columns: 0 feature(s) (shape={shape}) while a minimum of "
            f"{min_columns} is required."
            if d == 0
            else f"The table has {d} column(s), but at least {min_columns} are needed to form a "
            "pair. Add the columns that it may depend on."
        )
    if n < min_rows:
        raise InputError(
            f"The table has too few rows (n_samples = {n}); at least {min_rows} are needed. "
            "Collect more rows."
        )


def _unique_names(columns: pd.Index[Any]) -> tuple[str, ...]:
    names = tuple(str(name) for name in columns)
    name, count = Counter(names).most_common(1)[0]
    if count > 1:
        raise InputError(
            f"Column name '{name}' stands {count} times. Give each column a name of its own."
        )
    return names


def _read_column(column: pd.Series[Any], name: str) -> NDArray[np.float64]:
    """Turn one column into floats; text that is not a number is refused, not guessed at."""
    dtype = column.dtype
    if pd.api.types.is_numeric_dtype(dtype) or pd.api.types.is_bool_dtype(dtype):
        if pd.api.types.is_complex_dtype(dtype):
            raise InputError(f"Complex data not supported: column '{name}' must be real.")
        floats = column.to_numpy(dtype=float, na_value=np.nan)
        if pd.api.types.is_integer_dtype(dtype):
            check_integers_fit(column, floats, name)
        return floats
    if pd.api.types.is_datetime64_any_dtype(dtype) or pd.api.types.is_timedelta64_dtype(dtype):
        raise InputTypeError(
            f"Column '{name}' holds dates or times. Turn them into numbers or leave it out."
        )
    return np.array([read_number(value, name) for value in column], dtype=float)


def check_integers_fit(column: pd.Series[Any], floats: NDArray[np.float64], name: str) -> None:
    """Refuse long integers, such as identifiers, that would become equal as floats."""
    large = bool((np.abs(floats[np.isfinite(floats)]) > 2.0**53).any())
    if large and column.nunique() != len(np.unique(floats[np.isfinite(floats)])):
        raise InputError(
            f"Column '{name}' holds whole numbers beyond 2^53 that cannot be told apart as "
            "floating-point numbers. Subtract a common offset, or leave it out if it is a label."
        )


def read_number(value: Any, name: str) -> float:
    """Turn one value of a column into a float; NaN if it is missing."""
    if isinstance(value, str):
        raise InputError(
            f"Column '{name}' holds text (first: '{value}'). Encode it as numbers or leave it out."
        )
    if value is None or value is pd.NA or value is pd.NaT:
        return float("nan")
    if isinstance(value, complex | np.complexfloating):
        raise InputError(f"Complex data not supported: column '{name}' must be real.")
    if isinstance(value, Number | np.number | np.bool_):
        try:
            return float(value)  # type: ignore[arg-type]  # Number has no __float__ in typeshed
        except OverflowError as error:
            raise InputError(
                f"Column '{name}' holds a whole number of {len(str(value))} digits, too large for "
                "a floating-point number. Take its logarithm or leave it out."
            ) from error
    raise InputTypeError(
        f"Column '{name}' holds a {type(value).__name__}, but each argument must be a string-free "
        "number. Leave the column out."
    )


def _check_finite(values: NDArray[np.float64], names: Sequence[str]) -> None:
    finite = np.isfinite(values)
    if finite.all():
        return
    column = int(np.flatnonzero(~finite.all(axis=0))[0])
    if np.isnan(values[:, column]).any():
        raise InputError(
            missing_values(values[:, column], names[column])
            + " Drop those rows or fill them before fitting."
        )
    check_infinite(values[:, column], names[column])


def missing_values(values: NDArray[np.float64], name: str) -> str:
    """Say how many values a column lacks, and where the first is."""
    missing = np.flatnonzero(np.isnan(values))
    return (
        f"Column '{name}' has {missing.size} missing value(s) (NaN) of {len(values)} "
        f"(first: row {missing[0]})."
    )


def check_infinite(values: NDArray[np.float64], name: str) -> None:
    """Refuse a column with infinite values."""
    infinite = np.flatnonzero(np.isinf(values))
    if infinite.size:
        raise InputError(
            f"Column '{name}' has {infinite.size} infinite value(s) (inf) of {len(values)} "
            f"(first: row {infinite[0]}). Replace them by finite numbers or drop those rows."
        )


def _check_varies(values: NDArray[np.float64], names: Sequence[str]) -> None:
    constant = np.flatnonzero((values == values[0]).all(axis=0))
    if constant.size:
        raise InputError(
            f"Column '{names[constant[0]]}' is constant over {len(values)} rows, so it has no "
            "ranks. Drop it."
        )
