"""Opening any file that holds a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.choices import check_choice
from spinney._core.text import listed, quoted
from spinney.exceptions import InputError
from spinney.tables.columns import as_values, without_values
from spinney.tables.readers.sources import (
    READ_IN_PLACE,
    Options,
    Reading,
    Source,
    check_cells,
    columns_text,
    open_source,
    zip_names,
)
from spinney.tables.readers.stats import find

if TYPE_CHECKING:
    from spinney.tables.readers.parquet import ParquetColumns


@dataclass(frozen=True)
class Format:
    """A format.

    Attributes
    ----------
    name : str
        What it is called.
    module : str
        The module that reads it, imported when a file of this format is opened.
    recognises : callable
        Whether bytes are of this format.
    options : frozenset of str
        The options that mean something for it.
    """

    name: str
    module: str
    recognises: Callable[[Source], bool]
    options: frozenset[str] = frozenset()

    def read(self, source: Source, options: Options) -> Reading:
        """Read a table from bytes; options that would be silently ignored are refused."""
        for option in fields(options):
            given = getattr(options, option.name) != option.default
            if given and option.name not in self.options:
                raise InputError(
                    f"{source.label} holds {self.name}, which does not use {option.name}=. "
                    "Leave it out."
                )
        module = import_module(f"spinney.tables.readers.{self.module}")
        found: Reading = module.read(source, options)
        return found


def _is_workbook(source: Source) -> bool:
    old = source.data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    return old or "xl/workbook.xml" in zip_names(source.data)


FORMATS: tuple[Format, ...] = (
    Format("an Excel table", "excel", _is_workbook, frozenset({"header", "sheet", "decimal"})),
    Format("a Parquet table", "parquet", lambda source: source.data.startswith(READ_IN_PLACE)),
    Format("an AnnData table", "h5ad", lambda source: source.data.startswith(b"\x89HDF\r\n\x1a\n")),
    Format("a table of R", "stats", lambda s: find(s)[0] == "R", frozenset({"sheet"})),
    Format("a table of SPSS, Stata or SAS", "stats", lambda s: any(find(s)), frozenset({"labels"})),
    Format("text", "text", lambda source: True, frozenset({"header", "decimal"})),
)
"""All formats; the first that recognises a file reads it. Any file may be text: it comes last.

A new format is one file with a function ``read`` in it, and an entry here.
"""


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table in an opened file, and all decisions made in reading it.

    Its columns lie in memory, or are read from the file one at a time if the table is long.

    Attributes
    ----------
    names : tuple of str
        Its columns.
    n_rows : int
        Its rows.
    columns : DataFrame or ParquetColumns
        The columns in memory, with the names of the rows as the index, or where to find them.
    decisions : tuple of str
        What was decided, a line each.
    name : str
        The path as it was given, or "standard input".
    format : str
        "csv" (commas or semicolons), "tsv" (tabs), "text" (bars or blanks), "excel", "parquet",
        "h5ad", "spss", "stata", "sas", "r".
    lines : array of shape (n,) or None
        The line of each row in an editor, or its row in a spreadsheet.
    checksum : str
        SHA-256 of the bytes as they were given, in hexadecimal.
    n_bytes : int
        How many these are.
    row_names : str or None
        What the column is called that names the rows, if it has a name.
    extra : DataFrame or None
        Columns that belong to the rows but not to the table: those of ``obs`` in AnnData files.
    """

    names: tuple[str, ...]
    n_rows: int
    columns: pd.DataFrame | ParquetColumns = field(repr=False)
    decisions: tuple[str, ...]
    name: str
    format: str
    lines: NDArray[np.int64] | None
    checksum: str
    n_bytes: int
    row_names: str | None = None
    extra: pd.DataFrame | None = None

    def __len__(self) -> int:
        return self.n_rows

    @property
    def is_long(self) -> bool:
        """Whether the table stays in its file, and is read a column at a time."""
        return not isinstance(self.columns, pd.DataFrame)

    @property
    def frame(self) -> pd.DataFrame:
        """The table as a data frame; a long one is read for it."""
        if not isinstance(self.columns, pd.DataFrame):
            return self.take()
        names = list(self.names)
        return self.columns if names == list(self.columns) else self.columns[names]

    @property
    def aside(self) -> tuple[str, ...]:
        """Columns of the file that are not in the table: the names of the rows, and `extra`."""
        extra = [] if self.extra is None else map(str, self.extra.columns)
        names = dict.fromkeys([self.row_names, *extra])
        return tuple(name for name in names if name and name not in self.names)

    def column(self, name: str) -> pd.Series[Any]:
        """Read all rows of one column, which may be one of those aside."""
        if not isinstance(self.columns, pd.DataFrame):
            return self.columns(name)
        for frame in (self.columns, self.extra):
            if frame is not None and name in frame:
                return frame[name]
        return pd.Series(self.columns.index, index=self.columns.index, name=name)

    def select(self, names: Sequence[str]) -> TableFile:
        """Return the table with some of its columns, or those aside, in their order."""
        columns = self.columns
        if isinstance(columns, pd.DataFrame):
            new = [self.column(name).rename(name) for name in names if name not in columns]
            columns = pd.concat([columns, *new], axis=1) if new else columns
        return replace(self, names=tuple(names), columns=columns)

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
        check_cells(len(kept), len(chosen), Source(self.name))
        columns: Mapping[str, Any] = {
            name: self.column(name).array if rows is None else self.column(name).array.take(kept)
            for name in chosen
        }
        return pd.DataFrame(columns, index=pd.Index(kept), copy=False)


def open_table(
    path: str | Path,
    *,
    header: Literal["auto", "yes", "no"] = "auto",
    sheet: str | int | None = None,
    decimal: Literal["auto", ".", ","] = "auto",
    na: Any = (),
    labels: Literal["no", "yes", "both"] = "no",
    most_rows: int | None = None,
) -> TableFile:
    r"""Open a table in a file, and say what was decided on the way.

    Text with commas, tabs, semicolons, bars or blanks, Excel, Parquet, AnnData, SPSS, Stata, SAS
    and R files are recognised by their content, and so are packed files and encodings. How each
    decision is made is described in ``docs/tables.md``.

    Parameters
    ----------
    path : path
        The file; "-" is standard input.
    header : {"auto", "yes", "no"}
        Whether the first row holds the names of columns; by default it is compared with those
        below it.
    sheet : str or int, optional
        The sheet of an Excel file, by name or counted from 1, or the data frame of an R file; by
        default the first with a table.
    decimal : {"auto", ".", ","}
        The decimal mark of text; by default each column is looked at.
    na : value or list of values
        What means a missing value besides empty cells, NA and the like: ``[-99, "unknown"]``.
    labels : {"no", "yes", "both"}
        How the labels that SPSS, Stata and SAS give to variables become names of columns: not at
        all, in place of the names, or behind them (``q1: How often?``).
    most_rows : int, optional
        A longer table is not read into memory if its format (Parquet) can be read by columns.

    Raises
    ------
    InputError
        If there is no such file, or no table in it; the message says which line.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "table.csv"
    >>> _ = path.write_text("Probe;Raf;Mek\nc1;1,5;2\nc2;0,5;7\nc3;?;3\n")
    >>> table = open_table(path)
    >>> table.frame
           Raf  Mek
    Probe
    c1     1.5    2
    c2     0.5    7
    c3     NaN    3
    >>> for decision in table.decisions:
    ...     print(decision)
    columns are separated by semicolons
    line 1 holds the names of the columns
    column 'Probe' taken for row names
    decimal commas in column 'Raf' ('1,5' read as 1.5)
    """
    check_choice(header, ("auto", "yes", "no"), "choice for header")
    check_choice(decimal, ("auto", ".", ","), "decimal mark")
    check_choice(labels, ("no", "yes", "both"), "choice for labels")
    na = as_values(na)
    source = open_source(path)
    chosen = next(known for known in FORMATS if known.recognises(source))
    if most_rows is not None and source.path is not None:
        from spinney.tables.readers.parquet import count_rows, scan

        n = count_rows(source)
        if n > most_rows:
            columns, names, row_names, said = scan(source, na)
            return TableFile(
                names, n, columns, said, source.name, "parquet", None, *source.digest(), row_names
            )
    return _table(chosen.read(source, Options(header, sheet, decimal, labels)), source, na)


def open_anndata(adata: Any, layer: str | None = None, na: Any = ()) -> TableFile:
    """Take the matrix of an AnnData object, or one of its layers, as the table.

    The columns of ``obs`` are kept beside it, for groups and units.
    """
    from spinney.tables.readers.h5ad import read_object

    return _table(read_object(adata, layer), Source("AnnData"), as_values(na))


def _table(read: Reading, source: Source, na: Sequence[Any]) -> TableFile:
    frame, said = read.frame, (*source.decisions, *read.decisions)
    if na:
        frame, counts, where = without_values(frame, na)
        said = (*said, _missing_text(counts, where))
    names, index = tuple(map(str, frame.columns)), frame.index.name
    row_names = None if index is None else str(index)
    place = (source.name, read.format, read.lines, *source.digest())
    return TableFile(names, len(frame), frame, said, *place, row_names, read.extra)


def _missing_text(counts: Mapping[str, int], where: Sequence[str]) -> str:
    """Say how often the codes for missing values were there."""
    told = [
        f"{quoted(value)} {'once' if n == 1 else f'{n:,} times' if n else '(not in the table)'}"
        for value, n in counts.items()
    ]
    return f"taken as missing: {listed(told, most=4)}{f', in {columns_text(where)}' * bool(where)}"


def scan_parquet(path: str | Path) -> TableFile:
    """Open a table in a Parquet file without reading it into memory.

    Columns and row names are settled as by :func:`open_table`, of which this is the case
    ``most_rows=0``.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    TableFile
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
    return open_table(path, most_rows=-1)
