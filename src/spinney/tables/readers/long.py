"""Long tables in Parquet files: read a column at a time, and of that only the rows that are wanted.

A column of a million numbers takes 4 or 8 MB, a table of forty such columns 320 MB as floats, and
several times that on its way through a data frame. So of a :class:`LongTable` one column is in
memory at a time: :func:`spinney.tables.read_table` settles on all its rows what it is, and keeps
those that were drawn.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney.exceptions import InputError
from spinney.tables.readers.formats import Source, check_cells, library
from spinney.tables.readers.header import clean_names
from spinney.tables.readers.roles import find_row_names
from spinney.tables.readers.wording import cause, quoted

__all__ = ["LongTable", "check_type", "count_rows", "reading_parquet", "scan_parquet"]

SUFFIX, EXTRA = ".parquet", "parquet"


@dataclass(frozen=True, eq=False)
class LongTable:
    """A table in a Parquet file that is not in memory; see :func:`scan_parquet`.

    Attributes
    ----------
    path : Path
        The file.
    names : tuple of str
        Its columns, those that name the rows apart.
    n_rows : int
        Its rows.
    row_names : str or None
        The column that names the rows, as it is called.
    decisions : tuple of str
        What was decided, a line each.
    """

    path: Path
    names: tuple[str, ...]
    n_rows: int
    row_names: str | None
    decisions: tuple[str, ...]
    _fields: dict[str, str]  # by name, what the column is called in the file

    def __len__(self) -> int:
        return self.n_rows

    def column(self, name: str) -> pd.Series[Any]:
        """Read all rows of one column.

        Numbers stay in the type of the file, so that 32 bits take half the memory of 64. Of text
        each word is held once.

        Raises
        ------
        InputError
            If the file is damaged there, or its cells are no single values.
        """
        source = _source_of(self.path)
        parquet = library("pyarrow.parquet", SUFFIX, EXTRA)
        with reading_parquet(source):
            with parquet.ParquetFile(self.path) as file:
                check_type(file.schema_arrow.field(self._fields[name]), source)
                table = file.read(columns=[self._fields[name]], use_threads=False)
            values = _to_series(table.column(0))
        return values.rename(name)

    def select(self, names: Sequence[str]) -> LongTable:
        """Return the table with some of its columns, in their order."""
        return replace(self, names=tuple(names))

    def take(
        self, rows: NDArray[np.intp] | None = None, names: Sequence[str] | None = None
    ) -> pd.DataFrame:
        """Read some rows, by default all, of some columns into a data frame.

        Parameters
        ----------
        rows : int array, optional
            Which; they are the index of the frame.
        names : sequence of str, optional
            Columns; by default all.
        """
        chosen = self.names if names is None else tuple(names)
        kept = np.arange(self.n_rows) if rows is None else np.asarray(rows)
        advice = "Take fewer rows or columns of it."
        check_cells(len(kept), len(chosen), _source_of(self.path), advice)
        columns = {}
        for name in chosen:
            whole = self.column(name)
            columns[name] = whole.array if rows is None else whole.array.take(kept)
        return pd.DataFrame(columns, index=pd.Index(kept), copy=False)

    def header(self) -> pd.DataFrame:
        """Return the table without its rows: the columns, and what the index is called."""
        index = pd.Index([], name=self.row_names, dtype=object)
        return pd.DataFrame({name: [] for name in self.names}, index=index)


def scan_parquet(path: str | Path) -> LongTable:
    """Open a table in a Parquet file without reading it into memory.

    Columns and row names are settled as by :func:`spinney.tables.readers.open_table`.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    LongTable
        For :func:`spinney.learn`, which then reads one column at a time.

    Raises
    ------
    InputError
        If the file cannot be read, holds no rows, or has two columns of one name.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "cells.parquet"
    >>> cells = {"cell": ["c1", "c2", "c3"], "CD4": [1.5, 2.5, 0.5], "CD8": [0.5, 1.0, 2.0]}
    >>> pd.DataFrame(cells).to_parquet(path)
    >>> table = scan_parquet(path)
    >>> table.names, table.n_rows, table.row_names
    (('CD4', 'CD8'), 3, 'cell')
    >>> table.take(np.array([0, 2]), ["CD8"])
       CD8
    0  0.5
    2  2.0
    """
    path = Path(path)
    source = _source_of(path)
    parquet = library("pyarrow.parquet", SUFFIX, EXTRA)
    with reading_parquet(source), parquet.ParquetFile(path) as file:
        n, schema = file.metadata.num_rows, file.schema_arrow
    if not n or not len(schema.names):
        raise InputError(f"{source.label} is empty. A table has columns and rows.")
    if len(set(schema.names)) < len(schema.names):
        twice = next(name for name in schema.names if schema.names.count(name) > 1)
        raise InputError(
            f"{source.label} has two columns called {quoted(twice)}. Give each a name of its own."
        )
    aside = _index_fields(schema)
    given = [name for name in schema.names if name not in aside]
    names, said = clean_names(_plain_names(schema, given))
    fields = dict(zip(names, given, strict=True))
    whole = LongTable(path, tuple(names), n, None, tuple(said), fields)
    if aside:
        levels = [name for name in aside if not name.startswith("__index_level_")]
        which = f" ({', '.join(map(quoted, levels))})" if levels else ""
        told = (*said, f"the index of the table{which} taken for row names")
        # A name that a column has, too, is that of the column.
        single = levels[0] if len(levels) == len(aside) == 1 and levels[0] not in fields else None
        known = fields if single is None else {**fields, single: single}
        return replace(whole, row_names=single, decisions=told, _fields=known)
    taken, sentence = find_row_names(whole.column(names[0]), given[0])
    if not taken or sentence is None:
        return whole
    return replace(
        whole,
        names=tuple(names[1:]),
        row_names=names[0],
        decisions=(*said, sentence),
    )


def count_rows(path: Path) -> int:
    """Count the rows of a Parquet file, which its last bytes tell."""
    parquet = library("pyarrow.parquet", SUFFIX, EXTRA)
    with reading_parquet(_source_of(path)), parquet.ParquetFile(path) as file:
        return int(file.metadata.num_rows)


@contextmanager
def reading_parquet(source: Source) -> Iterator[None]:
    """Say what is wrong with a file, whatever the library says."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"There is no file {source.label}. Check the path.") from None
    except MemoryError:
        raise InputError(f"{source.label} does not fit into memory. Write a smaller one.") from None
    except Exception as error:  # what a damaged file raises depends on where it is damaged
        raise InputError(
            f"{source.label} cannot be read as a Parquet file ({cause(error)}). Write it anew."
        ) from error


def check_type(field: Any, source: Source) -> None:
    """Refuse a column whose cells are no single values."""
    pa = library("pyarrow", SUFFIX, EXTRA)
    kind = field.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    what = "lists, records or maps" if pa.types.is_nested(kind) else ""
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        what = "bytes"
    if pa.types.is_fixed_size_binary(kind):
        what = "bytes"
    if what:
        raise InputError(
            f"Column {quoted(field.name)} of {source.label} holds {what} ({kind}). "
            "Write it as columns of numbers or text, or leave it out of the file."
        )


def _source_of(path: Path) -> Source:
    return Source(str(path), b"", b"")


def _to_series(column: Any) -> pd.Series[Any]:
    """Turn a column of Arrow into one of pandas, text as words that are held once each."""
    pa = library("pyarrow", SUFFIX, EXTRA)
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
        return pd.Series(table[codes])
    if pa.types.is_dictionary(kind):
        column = column.unify_dictionaries()
    found: pd.Series[Any] = column.to_pandas()
    return found


def _index_fields(schema: Any) -> list[str]:
    """Name the columns that pandas has noted as its index."""
    told = (schema.metadata or {}).get(b"pandas")
    if told is None:
        return []
    try:
        index = json.loads(told)["index_columns"]
    except (ValueError, KeyError, TypeError):
        return []
    return [name for name in index if isinstance(name, str) and name in schema.names]


def _plain_names(schema: Any, given: Sequence[str]) -> list[str]:
    """Name columns as pandas would, those of several levels in one line."""
    frame = schema.empty_table().to_pandas()
    if isinstance(frame.columns, pd.MultiIndex) and frame.shape[1] == len(given):
        return [" ".join(str(part) for part in name if str(part)) for name in frame.columns]
    return list(given)
