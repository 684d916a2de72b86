"""Parquet files, by pyarrow."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pandas as pd

from spinney.exceptions import InputError
from spinney.tables.readers.formats import Format, Options, Reading, Source, check_cells, library
from spinney.tables.readers.frames import with_row_names
from spinney.tables.readers.header import clean_names
from spinney.tables.readers.long import check_type, reading_parquet
from spinney.tables.readers.wording import quoted

__all__ = ["PARQUET"]

SIGN = b"PAR1"


def _recognises(source: Source) -> bool:
    return source.data.startswith(SIGN)


def _read(source: Source, options: Options) -> Reading:
    parquet = library("pyarrow.parquet", ".parquet", "parquet")
    with reading_parquet(source):
        file = parquet.ParquetFile(source.path or BytesIO(source.data))
        check_cells(
            file.metadata.num_rows,
            file.metadata.num_columns,
            source,
            "Write the columns that are needed into a file of their own.",
        )
        for field in file.schema_arrow:
            check_type(field, source)
        frame = _to_pandas(file.read())
    if frame.shape[1] == 0 or len(frame) == 0:
        raise InputError(f"{source.label} is empty. A table has columns and rows.")
    return Reading(*_named(frame), "parquet")


def _to_pandas(table: Any) -> pd.DataFrame:
    """Turn a table into a data frame, with the index that pandas has noted in it."""
    pa = library("pyarrow", ".parquet", "parquet")
    exact = [pa.types.is_decimal(field.type) for field in table.schema]
    for k, field in enumerate(table.schema):
        if exact[k]:
            table = table.set_column(k, field.name, table.column(k).cast(pa.float64()))
    # What has been turned into a column of pandas is given back at once.
    frame: pd.DataFrame = table.to_pandas(split_blocks=True, self_destruct=True)
    return frame


def _named(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Give names to columns and rows, and say which."""
    if isinstance(frame.columns, pd.MultiIndex):
        given = [" ".join(str(part) for part in name if str(part)) for name in frame.columns]
    else:
        given = [str(name) for name in frame.columns]
    names, said = clean_names(given)
    frame = frame.set_axis(names, axis=1)
    if isinstance(frame.index, pd.RangeIndex):
        frame, role = with_row_names(frame, given[0])
        return frame, (*said, *role)
    levels = [quoted(str(name)) for name in frame.index.names if name is not None]
    which = f" ({', '.join(levels)})" if levels else ""
    return frame, (*said, f"the index of the table{which} taken for row names")


PARQUET = Format("a Parquet table", _recognises, _read)
