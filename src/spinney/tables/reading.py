"""From any table to a table of kinds: at the fit, and for new rows afterwards."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NoReturn

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.choices import check_choice
from spinney._core.validation import (
    MIN_ROWS,
    as_frame,
    check_size,
    default_names,
    missing_values,
    open_table,
)
from spinney.exceptions import DataWarning, InputError
from spinney.tables.columns import ColumnSource
from spinney.tables.deciding import give_kinds
from spinney.tables.drawing import Drawn
from spinney.tables.kinds import CONSTANT, EMPTY, WITH_TEXT, WITH_UNITS, set_kind
from spinney.tables.mixed import CONTINUOUS, Column, LeftOut, Table
from spinney.tables.parts import part_of
from spinney.tables.raw import RawColumn, read_raw, show
from spinney.tables.showing import decode

__all__ = ["MISSING", "Missing", "read_mixed", "read_rows", "warn_of_left_out"]

Floats = NDArray[np.float64]
Missing = Literal["pairwise", "drop", "error"]
Kinds = Mapping[Any, Any]

MISSING: tuple[Missing, ...] = ("pairwise", "drop", "error")
"""What may be done about gaps."""
MOST_SHOWN = 20
"""Levels or columns that a message lists."""
AMONG_KEPT = "in the rows that were drawn"
"""Where a column that varies elsewhere has one value only."""


def read_mixed(
    X: Any,
    kinds: Kinds | None = None,
    missing: str = "pairwise",
    min_rows: int = MIN_ROWS,
    min_columns: int = 2,
    *,
    keep: NDArray[np.intp] | None = None,
    drawn: Drawn | None = None,
) -> Table:
    """Read a table of columns of any kind, with gaps.

    The rule for kinds is that of :mod:`spinney.tables.kinds`. Columns that nothing can be learned
    from (constants, dates, identifiers, too many categories) are left out and named in
    ``left_out``; :func:`warn_of_left_out` says so.

    Parameters
    ----------
    X : data frame (pandas, polars), array, masked array, list of rows, ColumnSource or Table
        The table. One that has been read before is trusted: only `missing` and `keep` are applied
        to it. Of a :class:`~spinney.tables.ColumnSource` one column at a time is in memory.
    kinds : mapping, optional
        Kinds of columns, by name or position, for those that know better than the rule:
        "continuous", "ordinal", "binary", "nominal"; or a list of levels in their order, which
        makes a column ordinal.
    missing : {"pairwise", "drop", "error"}
        Whether gaps are kept, rows with gaps are dropped, or gaps are refused.
    min_rows, min_columns : int
        Fewest rows and columns that will do.
    keep : int array, optional
        Rows that are kept, rising. What the columns are is decided, and checked, on all rows.
    drawn : Drawn, optional
        What is said of the rows that are kept.

    Raises
    ------
    InputError
        If the table is not two-dimensional or too small, also after columns are left out and rows
        dropped; has a column name twice, infinite or complex numbers, or things that are neither
        numbers, text nor dates; if `kinds` asks for what cannot be, or gaps are refused.

    Examples
    --------
    >>> frame = pd.DataFrame(
    ...     {"x": [3.1, 1.2, None, 7.4, 0.2], "sex": list("fmmff"), "day": ["2020-01-01"] * 5}
    ... )
    >>> table = read_mixed(frame)
    >>> table.columns
    (Column(name='x', kind='continuous', levels=()),
     Column(name='sex', kind='binary', levels=('f', 'm')))
    >>> table.left_out
    (LeftOut(name='day', reason='is constant'),)
    >>> read_mixed(frame, missing="drop").values.shape
    (4, 2)
    """
    check_choice(missing, MISSING, "way with missing values")
    if isinstance(X, Table):
        check_size(X.values.shape, min_rows, min_columns)
        if missing == "error":
            _refuse_gaps(zip(X.names, X.values.T, strict=True))
        table = X if keep is None else part_of(X, keep, AMONG_KEPT, drawn)
    else:
        names, n, raws = _open_columns(X, min_rows, min_columns)
        if keep is None and not isinstance(X, ColumnSource):
            raws = list(raws)  # what cannot be read is found first
        if missing == "error":
            raws = _without_any_gap(raws)
        table = give_kinds(names, n if keep is None else len(keep), raws, kinds, keep)
        if keep is not None:
            table = part_of(table, np.arange(len(keep)), AMONG_KEPT, drawn)
    if missing == "drop" and table.has_gaps:
        table = _without_gaps(table, min_rows)
    if len(table.columns) < min_columns:
        _refuse_what_remains(table, min_columns)
    return table


def read_rows(X: Any, columns: Sequence[Column], *, names_in: Sequence[str] | None = None) -> Table:
    """Read new rows as a fitted table's columns are read.

    Columns are found by name in data frames, where others may stand beside them, and by position
    in arrays. Gaps are kept.

    Parameters
    ----------
    X : as in :func:`read_mixed`
        One row or more.
    columns : sequence of Column
        The columns of the fitted table.
    names_in : sequence of str, optional
        Names of all columns of the table that was given to the fit, left out or not, as in
        :attr:`Table.names_in`; those of `columns` by default.

    Raises
    ------
    InputError
        If a column lacks, a value cannot be read, or is none of its column's levels.

    Examples
    --------
    >>> colour = Column("colour", "nominal", ("blue", "red", "white"))
    >>> read_rows(pd.DataFrame({"id": [7], "colour": ["red"]}), [colour]).values
    array([[1.]])
    >>> read_rows([["green"]], [colour])
    Traceback (most recent call last):
        ...
    spinney.exceptions.InputError: Column 'colour' holds 'green', which was not there when the model
    was fitted (known: blue, red, white).
    """
    columns = tuple(columns)
    names_in = tuple(names_in) if names_in else tuple(column.name for column in columns)
    if isinstance(X, Table):
        if X.columns == columns:
            return X
        X = decode(X)
    names, cells = open_table(X, min_rows=1, min_columns=1)
    places = _places(names, columns, names_in, named=as_frame(X) is not None)
    frame = pd.DataFrame(cells)
    values = [
        _encode(read_raw(frame.iloc[:, place], column.name), column)
        for place, column in zip(places, columns, strict=True)
    ]
    return Table(np.column_stack(values), columns, names_in=names_in)


def warn_of_left_out(table: Table) -> None:
    """Warn, in one sentence, of the columns that were left out; say nothing if there are none.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_of_left_out(Table(np.zeros((1, 0)), (), (LeftOut("a", "is constant"),)))
    >>> print(caught[0].message)
    1 column is left out: 'a' is constant.
    """
    if not table.left_out:
        return
    count = len(table.left_out)
    warnings.warn(
        f"{count} column{'s are' if count > 1 else ' is'} left out: {_reasons(table)}."
        f"{_advice(table)}",
        DataWarning,
        stacklevel=3,
    )


def _open_columns(
    X: Any, min_rows: int, min_columns: int
) -> tuple[tuple[str, ...], int, Iterable[RawColumn]]:
    """Return names, number of rows, and the columns as they come."""
    if isinstance(X, ColumnSource):
        check_size((X.n_rows, len(X.names)), min_rows, min_columns)
        return X.names, X.n_rows, (read_raw(X.column(name), name) for name in X.names)
    names, cells = open_table(X, min_rows=min_rows, min_columns=min_columns)
    if isinstance(cells, np.ndarray) and cells.dtype.kind == "f":
        with np.errstate(over="ignore"):  # long doubles; the infinity is reported
            cells = cells.astype(float, copy=False)
    frame = pd.DataFrame(cells, copy=False)
    columns = (read_raw(frame.iloc[:, k], name) for k, name in enumerate(names))
    return names, len(frame), columns


def _without_any_gap(raws: Iterable[RawColumn]) -> Iterable[RawColumn]:
    """Refuse the first column with a gap: at once where all are read, else when it comes."""
    if isinstance(raws, list):
        _refuse_gaps((raw.name, raw.values) for raw in raws)
        return raws
    return _refusing_gaps(raws)


def _refusing_gaps(raws: Iterable[RawColumn]) -> Iterator[RawColumn]:
    for raw in raws:
        _refuse_gaps([(raw.name, raw.values)])
        yield raw


def _refuse_gaps(columns: Any) -> None:
    for name, values in columns:
        if np.isnan(values).any():
            raise InputError(
                f'{missing_values(values, name)} Use missing="pairwise" to learn each pair from '
                'the rows that have both values, missing="drop", or fill them before fitting.'
            )


def _without_gaps(table: Table, min_rows: int) -> Table:
    """Drop rows with gaps, then levels that are gone, and columns of which one value is left."""
    whole = table.present.all(axis=1)
    n = int(whole.sum())
    if n < min_rows:
        gaps = np.isnan(table.values).sum(axis=0)
        emptiest = int(np.argmax(gaps))
        raise InputError(
            f"{n} of {len(table)} row(s) have no gaps, but at least {min_rows} are needed; column "
            f"'{table.names[emptiest]}' has most gaps ({gaps[emptiest]}). Leave it out, or use "
            'missing="pairwise".'
        )
    kept, values, constant = [], [], []
    for column, found in zip(table.columns, table.values[whole].T, strict=True):
        used, codes = np.unique(found, return_inverse=True)
        if len(used) == 1:
            constant.append(LeftOut(column.name, "is constant in the rows without gaps"))
        elif column.kind == CONTINUOUS:
            kept.append(column)
            values.append(found)
        else:
            levels = tuple(column.levels[int(code)] for code in used)
            kept.append(replace(column, levels=levels))
            values.append(codes.astype(float))
    return Table(
        np.ascontiguousarray(np.column_stack(values)) if values else np.empty((n, 0)),
        tuple(kept),
        _in_table_order((*table.left_out, *constant), table.names_in),
        table.names_in,
        None if table.drawn is None else replace(table.drawn, n_rows=n),
    )


def _in_table_order(left_out: tuple[LeftOut, ...], names: tuple[str, ...]) -> tuple[LeftOut, ...]:
    places = {name: k for k, name in enumerate(names)}
    return tuple(sorted(left_out, key=lambda column: places.get(column.name, len(places))))


def _advice(table: Table) -> str:
    """Say how columns can be kept, if some can."""
    reasons = [column.reason for column in table.left_out]
    to_mend = [reason for reason in reasons if reason.startswith((WITH_TEXT, WITH_UNITS))]
    advice = ""
    if to_mend:
        advice += " Write numbers alone, and nothing where there is none, to keep such a column."
    if len(to_mend) + reasons.count(EMPTY) + reasons.count(CONSTANT) < len(reasons):
        advice += " To keep a column that has two values or more, give its kind in kinds={...}."
    return advice


def _reasons(table: Table) -> str:
    shown = [f"'{column.name}' {column.reason}" for column in table.left_out[:MOST_SHOWN]]
    more = len(table.left_out) - len(shown)
    return "; ".join([*shown, f"and {more} more"] if more > 0 else shown)


def _refuse_what_remains(table: Table, min_columns: int) -> NoReturn:
    count = len(table.columns)
    raise InputError(
        f"{count} of {count + len(table.left_out)} column(s) can be learned from, but at least "
        f"{min_columns} are needed to form a pair: {_reasons(table)}."
        f"{_advice(table) or ' Add columns.'}"
    )


def _places(
    names: tuple[str, ...], columns: tuple[Column, ...], names_in: tuple[str, ...], *, named: bool
) -> list[int]:
    """Find the columns of a fitted table among those of new rows."""
    place = {name: k for k, name in enumerate(names)}
    lacking = [column.name for column in columns if column.name not in place]
    # A model that was fitted on an array knows no names, and goes by position.
    unnamed = names_in == default_names(len(names_in)) and len(lacking) == len(columns)
    if named and not (unnamed and lacking):
        if lacking:
            raise InputError(
                f"The table has no column '{lacking[0]}', which the model was fitted on"
                + (f" (nor {len(lacking) - 1} other(s))" if len(lacking) > 1 else "")
                + ". Add it, with gaps if its values are not known."
            )
        return [place[column.name] for column in columns]
    if len(names) != len(names_in):
        raise InputError(
            f"The table has {len(names)} column(s), but the model was fitted on {len(names_in)}. "
            "Pass rows with the same columns."
        )
    return [names_in.index(column.name) for column in columns]


def _encode(raw: RawColumn, column: Column) -> Floats:
    """Return values of a continuous column, or positions among the levels of another."""
    if column.kind == CONTINUOUS:
        return set_kind(raw, CONTINUOUS)[0].values if raw.present.size else raw.values
    raw = raw.with_levels()
    known = {_key(level): code for code, level in enumerate(column.levels)}
    codes = np.full(len(raw.values), np.nan)
    for code, level in enumerate(raw.levels):
        if _key(level) not in known:
            shown = [show(level) for level in column.levels[:MOST_SHOWN]]
            more = ", …" if len(column.levels) > MOST_SHOWN else ""
            raise InputError(
                f"Column '{column.name}' holds {show(level) if raw.is_numeric else repr(level)}, "
                "which was not there when the model was fitted "
                f"(known: {', '.join(shown)}{more})."
            )
        codes[raw.values == code] = known[_key(level)]
    return codes


def _key(level: Any) -> str:
    """Return what two values have in common that are the same: 1, 1.0 and "1", or True and 1."""
    return show(float(level)) if isinstance(level, bool | int) else show(level)
