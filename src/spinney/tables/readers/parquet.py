"""Parquet files, by pandas and pyarrow."""

from __future__ import annotations

from io import BytesIO

import pandas as pd

from spinney._core.text import quoted
from spinney.tables.readers.grid import with_row_names
from spinney.tables.readers.header import clean_names
from spinney.tables.readers.sources import (
    Options,
    Reading,
    Source,
    check_not_empty,
    library,
    reading,
)


def read(source: Source, options: Options) -> Reading:
    """Read a Parquet file."""
    parquet = library("pyarrow.parquet", ".parquet", "parquet")
    with reading(source, "a Parquet file"), parquet.ParquetFile(BytesIO(source.data)) as file:
        table = file.read()
        table.validate(full=True)  # text that is no text would be found too late
        frame = table.to_pandas(split_blocks=True)  # without a copy of the numbers
    return Reading(*name_frame(frame, source), "parquet")


def name_frame(frame: pd.DataFrame, source: Source) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Give names to the columns and rows of a data frame from a file, and say which."""
    check_not_empty(frame.shape, source)
    given = [str(name) for name in frame.columns]
    names, said = clean_names(given)
    frame = frame.set_axis(names, axis=1)
    if isinstance(frame.index, pd.RangeIndex):
        frame, role = with_row_names(frame, given[0])
        return frame, (*said, *role)
    levels = ", ".join(quoted(str(name)) for name in frame.index.names if name is not None)
    which = f" ({levels})" if levels else ""
    return frame, (*said, f"the index of the table{which} taken for row names")
