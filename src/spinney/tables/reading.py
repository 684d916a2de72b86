"""From any source of a table to a :class:`~spinney.tables.Table`, and new rows afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from spinney._core.arrays import Floats
from spinney._core.choices import check_choice
from spinney._core.text import listed
from spinney.exceptions import InputError, NotPlainError
from spinney.notices import Notice, warn
from spinney.tables.columns import (
    ROW,
    RawColumn,
    as_frame,
    as_values,
    check_size,
    days_of,
    default_names,
    frame_of,
    is_anndata,
    numbers_of,
    open_frame,
    read_raw,
    without_values,
)
from spinney.tables.drawing import Drawn
from spinney.tables.kinds import give_kinds
from spinney.tables.table import (
    CONTINUOUS,
    EMPTY,
    Column,
    Table,
    decode,
    left_out_words,
    look_up,
    part_of,
    show,
)
from spinney.tables.table_file import TableFile

Missing = Literal["pairwise", "drop", "error"]
Kinds = Mapping[Any, Any]
Labels = Literal["no", "yes", "both"]

MIN_ROWS = 4
"""Fewest rows to learn from: with fewer, ranks cannot distinguish dependence from chance."""
KEEP_OR_DROP = (
    'Use missing="pairwise" to learn each pair from the rows that have both values, '
    'missing="drop", or fill them before fitting.'
)
"""What to do about gaps that are refused."""


def read_table(
    X: Any,
    kind: Kinds | None = None,
    missing: str = "pairwise",
    min_rows: int = MIN_ROWS,
    min_columns: int = 2,
    *,
    keep: NDArray[np.intp] | None = None,
    drawn: Drawn | None = None,
    unit: NDArray[np.int64] | None = None,
) -> Table:
    """Read a table of columns of any kind, with missing values.

    The rule for kinds is that of :mod:`spinney.tables.kinds`. Columns that nothing can be learned
    from (constants, dates, identifiers, too many categories) are left out and named in
    ``left_out``.

    Parameters
    ----------
    X : data frame (pandas, polars), array, list of rows, path of a file, TableFile or Table
        The table. One that has been read before is trusted: only `missing` and `keep` are applied
        to it.
    kind : mapping, optional
        Kinds of columns, by name or position, where the rule is wrong: "continuous", "ordinal",
        "binary", "nominal"; or a list of levels in their order, which makes a column ordinal.
    missing : {"pairwise", "drop", "error"}
        Whether missing values are kept, rows with any are dropped, or they raise an error.
    min_rows, min_columns : int
        Fewest rows and columns that will do.
    keep : int array, optional
        Rows that are kept, rising. What the columns are is decided, and checked, on all rows.
    drawn : Drawn, optional
        How the kept rows were drawn.
    unit : int array of shape (n,), optional
        The unit that each row belongs to; see :func:`split_units`.

    Raises
    ------
    InputError
        If the table is not two-dimensional or too small, also after columns are left out and rows
        dropped; has a column name twice, complex numbers, or things that are neither numbers, text
        nor dates; if `kind` is impossible, or values are missing under ``missing="error"``.

    Warns
    -----
    DataWarning
        Of infinite numbers, which are taken as missing.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame(
    ...     {"x": [3.1, 1.2, None, 7.4, 0.2], "sex": list("fmmff"), "day": ["2020-01-01"] * 5}
    ... )
    >>> table = read_table(frame)
    >>> table.columns
    (Column(name='x', kind='continuous', levels=()),
     Column(name='sex', kind='binary', levels=('f', 'm')))
    >>> table.left_out
    (LeftOut(name='day', code='constant', reason='is constant'),)
    >>> read_table(frame, missing="drop").values.shape
    (4, 2)
    """
    check_choice(missing, ("pairwise", "drop", "error"), "option for missing values")
    rows = keep
    if isinstance(X, Table):
        check_size(X.values.shape, min_rows, min_columns)
        if missing == "error":
            for name, values in zip(X.names, X.values.T, strict=True):
                _refuse_gaps(values, name, KEEP_OR_DROP)
        table = X
    else:
        X = open_given(X) if isinstance(X, str | Path) else X
        table = _read(X, kind, missing, (min_rows, min_columns), keep)
        if keep is not None:  # it has these rows alone
            rows = np.arange(len(keep))
            unit = None if unit is None else unit[keep]
    if unit is not None:
        table = replace(table, units=unit)
    if rows is not None:
        table = part_of(table, rows, "in the rows that were drawn", drawn)
    if missing == "drop" and table.has_gaps:
        table = _of_complete_rows(table, min_rows)
    if len(table.columns) < min_columns:
        reasons, advice = left_out_words(table.left_out)
        d = len(table.columns)
        raise InputError(
            f"{d} of {d + len(table.left_out)} column(s) can be learned from, but at least "
            f"{min_columns} are needed to form a pair: {reasons}.{advice or ' Add columns.'}"
        )
    return table


def _read(
    X: Any,
    kinds: Kinds | None,
    missing: str,
    least: tuple[int, int],
    keep: NDArray[np.intp] | None,
) -> Table:
    frame, place = open_frame(X, min_rows=least[0], min_columns=least[1])
    infinite: dict[str, str] = {}
    strays: dict[str, str] = {}

    def read(name: str) -> RawColumn:
        raw = read_raw(frame[name], name, finite=missing == "error", place=place)
        if raw.infinite:
            infinite[raw.name] = f"{raw.infinite} in '{raw.name}'"
        if raw.n_stray:
            share = f"{raw.n_stray} of {len(raw.values):,}"
            strays[raw.name] = f"{share} in '{raw.name}' ('{raw.stray}')"
        if missing == "error":
            _refuse_gaps(raw.values, raw.name, KEEP_OR_DROP, place)
        return raw

    n = len(frame) if keep is None else len(keep)
    table = give_kinds(tuple(frame.columns), n, map(read, frame.columns), kinds, keep)
    ticks = {c.name: f"'{c.name}'" for c in table.columns if c.levels[:1] == (EMPTY,)}
    for code, text, columns in (
        ("infinite-as-gaps", "Infinite numbers are taken as missing values:", infinite),
        ("text-as-gaps", "Cells of text among numbers are taken as missing values:", strays),
        ("tick-boxes", "One value or nothing is read as yes or no in", ticks),
    ):
        kept = [name for name in table.names if name in columns]
        if kept:
            text = f"{text} {listed([columns[name] for name in kept], most=20)}."
            warn(Notice(code, text, columns=tuple(kept)), 5)
    return table


def open_given(
    X: Any,
    na: Any = (),
    kind: Kinds | None = None,
    labels: Labels = "no",
    layer: str | None = None,
) -> Any:
    """Open what is given in place of a table: a path, or a table with codes for missing values.

    Parameters
    ----------
    X : as in :func:`read_table`
        The table. A file is read as the command line reads it.
    na : value or list of values
        What means a missing value besides empty cells, None and NaN.
    kind : mapping, optional
        As in :func:`read_table`. It may name row names of a file, which are then a column.
    labels : {"no", "yes", "both"}
        As in :func:`spinney.tables.readers.open_table`, for files.
    layer : str, optional
        The layer of an AnnData object that is the table, in place of ``X``.

    Examples
    --------
    >>> open_given([[1.0, -99.0], [2.0, 3.0]], na=-99)
        x0   x1
    0  1.0  NaN
    1  2.0  3.0
    """
    if layer is not None and not is_anndata(X):
        raise InputError("layer= goes with an AnnData object. Leave it out.")
    if labels != "no" and not isinstance(X, str | Path):
        raise InputError("labels= goes with the path of a file. Leave it out.")
    if is_anndata(X):
        from spinney.tables.readers.opening import open_anndata

        return open_anndata(X, layer, na)
    if isinstance(X, str | Path):
        from spinney.tables.readers import open_table

        file = open_table(X, na=na, labels=labels)
        asked = [name for name in kind or () if name in file.aside]
        return file.select([*file.names, *asked])
    values = as_values(na)
    if not values:
        return X
    if isinstance(X, Table | TableFile):
        raise InputError("na goes with a data frame, an array or a path. Give it to open_table.")
    return without_values(frame_of(X), values)[0]


def check_table(
    X: Any,
    *,
    min_rows: int = MIN_ROWS,
    min_columns: int = 1,
    allow_constant: bool = False,
    keep: NDArray[np.intp] | None = None,
) -> Table:
    """Read a table of finite numbers, all of them continuous, or raise an error with the reason.

    Parameters
    ----------
    X : as in :func:`read_table`
        The table.
    min_rows, min_columns : int
        Fewest rows and columns that will do.
    allow_constant : bool
        Whether a column may hold one value throughout; it has no ranks.
    keep : int array, optional
        Rows that are kept, rising. All rows are checked.

    Raises
    ------
    InputError
        If it is not two-dimensional, too small, or has a column that repeats another's
        name, holds text, has missing or infinite values, or is constant.

    Examples
    --------
    >>> check_table([[1, 2], [3, 4], [5, 7], [0, 1]]).names
    ('x0', 'x1')
    """
    X = decode(X) if isinstance(X, Table) else X
    frame, place = open_frame(X, min_rows=min_rows, min_columns=min_columns)
    names = tuple(frame.columns)
    values = frame.to_numpy() if (frame.dtypes == np.float64).all() else None
    # At once, where it can be: column by column takes longer than ranks do.
    if values is None or not np.isfinite(values).all():
        columns = [numbers_of(read_raw(frame[name], name, place=place)) for name in names]
        for name, column in zip(names, columns, strict=True):
            _refuse_gaps(column, name, "Drop those rows or fill them before fitting.", place)
        values = np.column_stack(columns)
    if keep is not None:
        values = values[keep]
    if not allow_constant:
        constant = np.flatnonzero((values == values[0]).all(axis=0))
        if constant.size:
            raise InputError(
                f"Column '{names[constant[0]]}' is constant over {len(values)} rows, so it has no "
                "ranks. Drop it."
            )
    return Table.plain(np.array(values, order="C"), names)


def check_unit_table(U: Any, *, min_rows: int = MIN_ROWS, fitting: bool = True) -> Table:
    """Read pseudo-observations: a table of at least two columns strictly inside (0, 1).

    Parameters
    ----------
    U : data frame or array-like of shape (n, d)
        The table.
    min_rows : int
        Fewest rows allowed.
    fitting : bool
        Whether something is to be learned from it, so that constant columns raise an error.

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


def check_inside_unit(table: Table) -> None:
    """Refuse a table with an entry that is not strictly inside (0, 1)."""
    outside = (table.values <= 0.0) | (table.values >= 1.0)
    if outside.any():
        column, row = map(int, np.argwhere(outside.T)[0])
        value = float(table.values[row, column])
        raise InputError(
            f"U must lie strictly between 0 and 1; column '{table.names[column]}' reaches "
            f"{value:.6} at row {row}. Use pseudo_observations(X) first."
        )


def read_rows(X: Any, columns: Sequence[Column], *, names_in: Sequence[str] | None = None) -> Table:
    """Read new rows as a fitted table's columns are read.

    Columns are found by name in data frames, which may have others, and by position
    in arrays. Missing values are kept.

    Parameters
    ----------
    X : as in :func:`read_table`
        One row or more.
    columns : sequence of Column
        The columns of the fitted table.
    names_in : sequence of str, optional
        Names of all columns of the table that was given to the fit, left out or not, as in
        :attr:`Table.names_in`; those of `columns` by default.

    Raises
    ------
    InputError
        If a column is missing, or a value cannot be read or is not a level of its column.

    Examples
    --------
    >>> import pandas as pd
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
    frame, place = open_frame(X)
    found = _find(tuple(frame.columns), columns, names_in, named=as_frame(X) is not None)
    values = [
        _encode(replace(read_raw(frame[name], name, place=place), name=column.name), column)
        for name, column in zip(found, columns, strict=True)
    ]
    return Table(np.column_stack(values), columns, names_in=names_in)


def _refuse_gaps(values: Floats, name: str, advice: str, place: Callable[[int], str] = ROW) -> None:
    missing = np.flatnonzero(np.isnan(values))
    if missing.size:
        raise NotPlainError(
            f"Column '{name}' has {missing.size} missing value(s) (NaN) of {len(values)} (first: "
            f"{place(int(missing[0]))}). {advice}"
        )


def _of_complete_rows(table: Table, min_rows: int) -> Table:
    """Drop rows with gaps, then levels that are gone, and columns of which one value is left."""
    complete = np.flatnonzero(table.present.all(axis=1))
    n = len(complete)
    if n < min_rows:
        gaps = np.isnan(table.values).sum(axis=0)
        emptiest = int(np.argmax(gaps))
        raise InputError(
            f"{n} of {len(table)} row(s) are complete, but at least {min_rows} are needed; column "
            f"'{table.names[emptiest]}' has the most missing values ({gaps[emptiest]}). Leave it "
            'out, or use missing="pairwise".'
        )
    drawn = None if table.drawn is None else replace(table.drawn, n_rows=n)
    return part_of(table, complete, "in the complete rows", drawn)


def _find(
    names: tuple[str, ...], columns: tuple[Column, ...], names_in: tuple[str, ...], *, named: bool
) -> list[str]:
    """Find the columns of a fitted table among those of new rows."""
    there, wanted = set(names), [column.name for column in columns]
    lacking = [name for name in wanted if name not in there]
    if named and not lacking:
        return wanted
    # A model fitted on an array knows no names, and matches columns by position.
    unnamed = names_in == default_names(len(names_in)) and len(lacking) == len(columns)
    if named and not unnamed:
        more = f" (nor {len(lacking) - 1} other(s))" if len(lacking) > 1 else ""
        raise InputError(
            f"The table has no column '{lacking[0]}', which the model was fitted on{more}. Add "
            "it, with missing values if they are not known."
        )
    if len(names) != len(names_in):
        raise InputError(
            f"The table has {len(names)} column(s), but the model was fitted on {len(names_in)}. "
            "Pass rows with the same columns."
        )
    return [names[names_in.index(name)] for name in wanted]


def _encode(raw: RawColumn, column: Column) -> Floats:
    """Return values of a continuous column, or positions among the levels of another."""
    if column.kind == CONTINUOUS:
        if not raw.present.size:
            return raw.values
        return days_of(raw) if raw.content == "dates" else numbers_of(raw)
    raw = raw.with_levels()
    known = {_key(level): code for code, level in enumerate(column.levels)}
    for level in raw.levels:
        if _key(level) not in known:
            shown = show(level) if raw.is_numeric else repr(level)
            levels = ", ".join(show(level) for level in column.levels[:20])
            raise InputError(
                f"Column '{column.name}' holds {shown}, which was not there when the model was "
                f"fitted (known: {levels}{', …' if len(column.levels) > 20 else ''})."
            )
    codes = look_up([known[_key(level)] for level in raw.levels], raw.values)
    return np.nan_to_num(codes) if column.levels[0] == EMPTY else codes


def _key(level: Any) -> str:
    """Return what two values have in common that are the same: 1, 1.0 and "1", or True and 1."""
    return show(float(level)) if isinstance(level, bool | int) else show(level)
