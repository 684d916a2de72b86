"""Parquet files, by pyarrow: as a whole, or a column at a time.

A column of a million numbers takes 4 or 8 MB, a table of forty such columns 320 MB as floats, and
several times that on its way through a data frame. So a long table stays in its file, and one
column of it is in memory at a time.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from spinney._core.text import quoted
from spinney.exceptions import InputError
from spinney.tables.columns import without_values
from spinney.tables.readers.formats import (
    Options,
    Reading,
    Source,
    check_cells,
    library,
    reading,
)
from spinney.tables.readers.grid import with_row_names
from spinney.tables.readers.header import clean_names, find_row_names

KIND = "a Parquet file"


def read(source: Source, options: Options) -> Reading:
    """Read all of a Parquet file."""
    parquet = _library("pyarrow.parquet")
    with reading(source, KIND):
        file = parquet.ParquetFile(source.path or BytesIO(source.data))
        size = file.metadata.num_rows, file.metadata.num_columns
        check_cells(*size, source)
        for field in file.schema_arrow:
            _check_type(field, source)
        table = file.read()
        table.validate(full=True)  # text that is no text would be found too late
        frame = _to_pandas(table)
    if 0 in frame.shape:
        raise InputError(f"{source.label} is empty. A table has columns and rows.")
    return Reading(*_named(frame), "parquet")


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
        """Read all rows of one column.

        Numbers stay in the type of the file, so that 32 bits take half the memory of 64. Of text
        each word is held once.
        """
        source = _source_of(self.path)
        parquet = _library("pyarrow.parquet")
        with reading(source, KIND):
            with parquet.ParquetFile(self.path) as file:
                _check_type(file.schema_arrow.field(self.fields[name]), source)
                table = file.read(columns=[self.fields[name]], use_threads=False)
            values = _to_series(table.column(0))
        if self.na:
            values = without_values(values.to_frame(name), self.na)[0][name]
        return values.rename(name)


def scan(
    path: Path, na: Sequence[Any] = ()
) -> tuple[ParquetColumns, tuple[str, ...], int, str | None, tuple[str, ...]]:
    """Open a file without reading it: columns, their names, rows, row names, and decisions."""
    source = _source_of(path)
    parquet = _library("pyarrow.parquet")
    with reading(source, KIND), parquet.ParquetFile(path) as file:
        n, schema = file.metadata.num_rows, file.schema_arrow
    if not n or not len(schema.names):
        raise InputError(f"{source.label} is empty. A table has columns and rows.")
    if len(set(schema.names)) < len(schema.names):
        twice = next(name for name in schema.names if schema.names.count(name) > 1)
        raise InputError(
            f"{source.label} has two columns called '{twice}'. Give each a name of its own."
        )
    aside = _index_fields(schema)
    given = [name for name in schema.names if name not in aside]
    names, said = clean_names(_plain_names(schema, given))
    fields = dict(zip(names, given, strict=True))
    columns = ParquetColumns(path, fields, na)
    if aside:
        levels = [name for name in aside if not name.startswith("__index_level_")]
        said.append(_index_text(levels))
        # A name shared with a column belongs to the column.
        single = levels[0] if len(levels) == len(aside) == 1 and levels[0] not in fields else None
        if single is not None:
            fields[single] = single
        return columns, tuple(names), n, single, tuple(said)
    role = find_row_names(columns(names[0]), given[0])
    if role is None:
        return columns, tuple(names), n, None, tuple(said)
    return columns, tuple(names[1:]), n, names[0], (*said, role)


def count_rows(path: Path) -> int:
    """Count the rows of a Parquet file by its footer."""
    parquet = _library("pyarrow.parquet")
    with reading(_source_of(path), KIND), parquet.ParquetFile(path) as file:
        return int(file.metadata.num_rows)


def _library(name: str) -> Any:
    return library(name, ".parquet", "parquet")


def _source_of(path: Path) -> Source:
    return Source(str(path), b"", b"")


def _check_type(field: Any, source: Source) -> None:
    """Refuse a column of nested or binary values."""
    types = _library("pyarrow").types
    kind = field.type.value_type if types.is_dictionary(field.type) else field.type
    binary = (types.is_binary, types.is_large_binary, types.is_fixed_size_binary)
    if types.is_nested(kind) or any(test(kind) for test in binary):
        what = "lists, records or maps" if types.is_nested(kind) else "bytes"
        raise InputError(
            f"Column {quoted(field.name)} of {source.label} holds {what} ({kind}). Write it as "
            "columns of numbers or text, or leave it out of the file."
        )


def _to_pandas(table: Any) -> pd.DataFrame:
    """Turn a table into a data frame, with the index that pandas has noted in it."""
    pa = _library("pyarrow")
    for k, field in enumerate(table.schema):
        if pa.types.is_decimal(field.type):
            table = table.set_column(k, field.name, table.column(k).cast(pa.float64()))
    # Arrow frees each column once pandas has it.
    frame: pd.DataFrame = table.to_pandas(split_blocks=True, self_destruct=True)
    return frame


def _to_series(column: Any) -> pd.Series[Any]:
    """Turn a column of Arrow into one of pandas, text as words that are held once each."""
    pa = _library("pyarrow")
    kind = column.type
    if pa.types.is_decimal(kind):
        column = column.cast(pa.float64())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        coded = column.dictionary_encode().unify_dictionaries()
        chunks = [
            chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in coded.chunks
        ]
        words = coded.chunk(0).dictionary.to_pylist() if coded.num_chunks else []
        table = np.array([*words, None], dtype=object)  # the last stands for a gap
        codes = np.concatenate(chunks) if chunks else np.empty(0, dtype=np.int64)
        return pd.Series(table[codes], dtype=object)
    if pa.types.is_dictionary(kind):
        column = column.unify_dictionaries()
    found: pd.Series[Any] = column.to_pandas()
    return found


def _index_text(levels: Sequence[str]) -> str:
    which = f" ({', '.join(map(quoted, levels))})" if levels else ""
    return f"the index of the table{which} taken for row names"


def _index_fields(schema: Any) -> list[str]:
    """Name the columns that pandas has noted as its index."""
    try:
        index = json.loads(schema.metadata[b"pandas"])["index_columns"]
    except (ValueError, KeyError, TypeError):
        return []
    return [name for name in index if isinstance(name, str) and name in schema.names]


def _plain_names(schema: Any, given: Sequence[str]) -> list[str]:
    """Name columns as pandas would, those of several levels in one line."""
    frame = schema.empty_table().to_pandas()
    return _flat_names(frame) if frame.shape[1] == len(given) else list(given)


def _flat_names(frame: pd.DataFrame) -> list[str]:
    if isinstance(frame.columns, pd.MultiIndex):
        return [" ".join(str(part) for part in name if str(part)) for name in frame.columns]
    return [str(name) for name in frame.columns]


def _named(frame: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Give names to columns and rows, and say which."""
    given = _flat_names(frame)
    names, said = clean_names(given)
    frame = frame.set_axis(names, axis=1)
    if isinstance(frame.index, pd.RangeIndex):
        frame, role = with_row_names(frame, given[0])
        return frame, (*said, *role)
    levels = [str(name) for name in frame.index.names if name is not None]
    return frame, (*said, _index_text(levels))
