"""Parquet files, by pandas and pyarrow: as a whole, or a column at a time.

A column of a million numbers takes 4 or 8 MB, a table of forty such columns 320 MB as floats, and
several times that on its way through a data frame. So a long table stays in its file, and one
column of it is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import pandas as pd

from spinney._core.text import quoted
from spinney.exceptions import InputError
from spinney.tables.columns import without_values
from spinney.tables.readers.grid import with_row_names
from spinney.tables.readers.header import clean_names, find_row_names
from spinney.tables.readers.sources import (
    Options,
    Reading,
    Source,
    check_cells,
    check_not_empty,
    library,
    reading,
)


def read(source: Source, options: Options) -> Reading:
    """Read all of a Parquet file."""
    with _opened(source) as file:
        check_cells(file.metadata.num_rows, file.metadata.num_columns, source)
        table = file.read()
        table.validate(full=True)  # text that is no text would be found too late
        frame = table.to_pandas()
    return Reading(*name_frame(frame, source), "parquet")


class ParquetColumns:
    """The columns of a Parquet file, each read when it is asked for.

    Parameters
    ----------
    path : Path
        The file.
    fields : dict
        By name, what a column is called in the file.
    na : sequence
        Values that mean missing.
    """

    def __init__(self, path: Path, fields: dict[str, str], na: Sequence[Any] = ()) -> None:
        self.path, self.fields, self.na = path, fields, na

    def __call__(self, name: str) -> pd.Series[Any]:
        """Read all rows of one column; numbers keep the type of the file."""
        with _opened(Source(str(self.path), path=self.path)) as file:
            table = file.read(columns=[self.fields[name]], use_threads=False)
            table.validate(full=True)
            values: pd.Series[Any] = table.column(0).to_pandas()
        if self.na:
            values = without_values(values.to_frame(name), self.na)[0][name]
        return values.rename(name)


def count_rows(source: Source) -> int:
    """Count the rows of a Parquet file by its footer."""
    with _opened(source) as file:
        return int(file.metadata.num_rows)


def scan(
    source: Source, na: Sequence[Any] = ()
) -> tuple[ParquetColumns, tuple[str, ...], str | None, tuple[str, ...]]:
    """Open a file without reading it: columns, their names, row names, and decisions."""
    with _opened(source) as file:
        n, schema = file.metadata.num_rows, file.schema_arrow
        empty = schema.empty_table().to_pandas()
    given = [str(name) for name in empty.columns]
    check_not_empty((n, len(given)), source)
    if len(set(given)) < len(given):
        twice = next(name for name in given if given.count(name) > 1)
        raise InputError(
            f"{source.label} has two columns called '{twice}'. Give each a name of its own."
        )
    names, said = clean_names(given)
    fields = dict(zip(names, given, strict=True))
    columns = ParquetColumns(Path(source.name), fields, na)
    if isinstance(empty.index, pd.RangeIndex):
        role = find_row_names(columns(names[0]), given[0])
        if role is None:
            return columns, tuple(names), None, tuple(said)
        return columns, tuple(names[1:]), names[0], (*said, role)
    # A name shared with a column belongs to the column.
    index = None if empty.index.name in fields else empty.index.name
    if index is not None:
        fields[index] = index
    return columns, tuple(names), index, (*said, _index_text(empty.index))


def name_frame(frame: pd.DataFrame, source: Source) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Give names to the columns and rows of a data frame from a file, and say which."""
    check_not_empty(frame.shape, source)
    given = [str(name) for name in frame.columns]
    names, said = clean_names(given)
    frame = frame.set_axis(names, axis=1)
    if isinstance(frame.index, pd.RangeIndex):
        frame, role = with_row_names(frame, given[0])
        return frame, (*said, *role)
    return frame, (*said, _index_text(frame.index))


@contextmanager
def _opened(source: Source) -> Iterator[Any]:
    parquet = library("pyarrow.parquet", ".parquet", "parquet")
    with (
        reading(source, "a Parquet file"),
        parquet.ParquetFile(source.path or BytesIO(source.data)) as file,
    ):
        yield file


def _index_text(index: pd.Index[Any]) -> str:
    levels = ", ".join(quoted(str(name)) for name in index.names if name is not None)
    which = f" ({levels})" if levels else ""
    return f"the index of the table{which} taken for row names"
