"""The cells of a regular table of text, by pandas: what it does not read as numbers stays text."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from io import BytesIO
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney.tables.readers.cells import (
    COMMA_THOUSANDS,
    DECIMAL_COMMA,
    DOT_THOUSANDS,
    EXACT,
    GAPS,
    PLAIN,
    Cells,
    Parsed,
    may_be_thousands,
)

LOOKED_AT = 50
"""Rows in which the decimal mark is looked for."""
# Before 3.1 numbers may be off by their last bit without it; from then on it is deprecated.
OLD = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
PRECISION: dict[str, Any] = {"float_precision": "round_trip"} if OLD else {}


class IrregularError(Exception):
    """A table that pandas would not read as it is meant."""


class Body(NamedTuple):
    """Where the rows of a table stand.

    Attributes
    ----------
    data : bytes
        A text in UTF-8.
    start, n_above : int
        Where the first row begins, and how many lines are above it.
    path : str or None
        A file that holds the same bytes: from 3.1 on pandas reads those in parallel.
    """

    data: bytes
    start: int = 0
    n_above: int = 0
    path: str | None = None


def parse(
    body: Body, separator: str, decimal: str, head: Sequence[Sequence[str]]
) -> tuple[list[Cells], int]:
    r"""Read the rows of a table.

    Whether all rows have as many cells is checked only in part: pandas completes short rows.

    Parameters
    ----------
    body : Body
        The rows.
    separator : str
        What separates cells.
    decimal : {"auto", ".", ","}
        The decimal mark, if it is known.
    head : sequence of sequences of str
        The cells of the first rows.

    Returns
    -------
    columns : list of Parsed or Series
        As :func:`spinney.tables.readers.cells.read_columns` takes them.
    n : int
        The number of rows.

    Raises
    ------
    IrregularError
        If a row is longer than the first, or there may be a note below the table.

    Examples
    --------
    >>> columns, n = parse(Body(b"1,a\n2,b\n"), ",", "auto", [["1", "a"], ["2", "b"]])
    >>> columns[0].values, columns[1].tolist(), n
    (array([1, 2]), ['a', 'b'], 2)
    """
    mark = _decimal_mark(head) if decimal == "auto" else decimal
    read = partial(_read_csv, body, separator, mark)
    frame = read()
    if frame.shape[1] != len(head[0]) or frame.iloc[-1].notna().sum() < 2:
        raise IrregularError
    columns: dict[Any, Cells | None] = {}
    for k, (name, column) in enumerate(frame.items()):
        columns[name] = _column(column, _with_mark(head, k, mark), mark)
    doubtful = [k for k in frame if columns[k] is None]
    if doubtful:
        columns |= dict(read(usecols=doubtful, dtype=str).items())
    return [columns[k] for k in frame], len(frame)


def _read_csv(body: Body, separator: str, decimal: str, **options: Any) -> pd.DataFrame:
    stream = BytesIO(body.data)
    stream.seek(body.start)
    try:
        with warnings.catch_warnings():
            # Types are found piece by piece; a column of several is read again as text.
            warnings.simplefilter("ignore", pd.errors.DtypeWarning)
            return pd.read_csv(
                body.path or stream,
                skiprows=body.n_above if body.path else 0,
                compression=None,
                sep=r"\s+" if separator == " " else separator,
                decimal=decimal,
                header=None,
                skipinitialspace=True,
                na_values=list(GAPS),
                keep_default_na=False,
                engine="c",
                **PRECISION,
                **options,
            )
    except (ValueError, OverflowError, OSError) as error:
        raise IrregularError from error


def _decimal_mark(head: Sequence[Sequence[str]]) -> str:
    """Return the mark that most numbers of the first rows have."""
    cells = [cell.strip() for row in head[:LOOKED_AT] for cell in row if "," in cell]
    commas = sum(map(DECIMAL_COMMA.reads, cells))
    if not commas:
        return "."
    dots = (cell.strip() for row in head[:LOOKED_AT] for cell in row if "." in cell)
    return "," if commas > sum(map(PLAIN.reads, dots)) else "."


def _with_mark(head: Sequence[Sequence[str]], k: int, mark: str) -> Iterator[str]:
    cells = (row[k].strip() for row in head if mark in row[k])
    return (cell for cell in cells if cell not in GAPS)


def _column(column: pd.Series[Any], written: Iterator[str], mark: str) -> Cells | None:
    """Return a column as it was read; None if its numbers may have been meant otherwise.

    `written` are cells with the decimal mark, as many as were looked at.
    """
    values = column.to_numpy()
    if values.dtype == np.float64:
        return _numbers(values, written, mark)
    if values.dtype in (np.int64, np.bool_):
        return Parsed(values)
    content = pd.api.types.infer_dtype(column, skipna=True)
    if content == "boolean":  # with gaps
        return Parsed(column.astype("boolean").array)
    return column if content == "string" else None  # long whole numbers, or of several types


def _numbers(values: NDArray[np.float64], written: Iterator[str], mark: str) -> Parsed | None:
    first = next(written, "")
    thousands = DOT_THOUSANDS if mark == "." else COMMA_THOUSANDS
    if first and not all(may_be_thousands(cell, thousands) for cell in chain([first], written)):
        return Parsed(values, mark, first)
    size = np.abs(values[np.isfinite(values)])
    if first:
        return Parsed(values, mark, first) if (size >= 1000).any() else None
    # Whole numbers and gaps, as far as was looked; floats hold those of up to 15 digits.
    whole = bool((size == np.rint(size)).all()) and size.max(initial=0.0) < EXACT
    return Parsed(values) if whole else None
