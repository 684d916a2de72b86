"""The way in: any file that holds a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.choices import check_choice
from spinney.tables.readers.excel import EXCEL
from spinney.tables.readers.foreign import refuse_foreign
from spinney.tables.readers.formats import Format, Options
from spinney.tables.readers.h5ad import H5AD
from spinney.tables.readers.long import LongTable, count_rows, scan_parquet
from spinney.tables.readers.parquet import PARQUET
from spinney.tables.readers.sources import open_source
from spinney.tables.readers.text import TEXT

__all__ = ["FORMATS", "TableFile", "open_table"]

FORMATS: tuple[Format, ...] = (
    EXCEL,
    PARQUET,
    H5AD,
    TEXT,  # recognises anything, so it comes last
)
"""All formats; the first that recognises a file reads it."""


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table from a file, and all that was decided in reading it.

    Attributes
    ----------
    frame : DataFrame
        The table; the names of its rows are the index.
    decisions : tuple of str
        What was decided, a line each in plain words.
    name : str
        The path as it was given, or "standard input".
    format : str
        "csv" (commas or semicolons), "tsv" (tabs), "text" (bars or blanks), "excel", "parquet",
        "h5ad".
    lines : array of shape (n,) or None
        The line of each row in an editor, or its row in a spreadsheet.
    checksum : str
        SHA-256 of the bytes as they were given, in hexadecimal.
    n_bytes : int
        How many these are.
    extra : DataFrame or None
        Columns that belong to the rows but not to the table: those of ``obs`` in AnnData files.
    long : LongTable or None
        The table, if it has more rows than were to be read; then `frame` has columns only.
    """

    frame: pd.DataFrame
    decisions: tuple[str, ...]
    name: str
    format: str
    lines: NDArray[np.int64] | None
    checksum: str
    n_bytes: int
    extra: pd.DataFrame | None = None
    long: LongTable | None = None


def open_table(
    path: str | Path,
    *,
    header: Literal["auto", "yes", "no"] = "auto",
    sheet: str | int | None = None,
    decimal: Literal["auto", ".", ","] = "auto",
    most_rows: int | None = None,
) -> TableFile:
    r"""Read a table from a file, and say what was decided on the way.

    Text with commas, tabs, semicolons, bars or blanks, Excel, Parquet and AnnData files are told
    apart by their content, and so are packed files and encodings. How each decision is made is
    told in ``docs/files.md``.

    Parameters
    ----------
    path : path
        The file; "-" is standard input.
    header : {"auto", "yes", "no"}
        Whether the first row holds the names of columns; by default it is compared with those
        below it.
    sheet : str or int, optional
        The sheet of an Excel file, by name or counted from 1; by default the first with a table.
    decimal : {"auto", ".", ","}
        The decimal mark of text; by default each column is looked at.

        Decisions name the options of the command line that change them: ``--header`` and
        ``--decimal`` are these parameters.
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
    source = open_source(path)
    refuse_foreign(source)
    chosen = next(known for known in FORMATS if known.recognises(source))
    options = Options(header, sheet, decimal)
    chosen.check(source, options)
    digest = source.digest()
    place = source.path if chosen is PARQUET else None
    if most_rows is not None and place is not None and count_rows(place) > most_rows:
        long = scan_parquet(place)
        told = (long.header(), long.decisions, source.name, "parquet")
        return TableFile(*told, None, *digest, long=long)
    reading = chosen.read(source, options)
    return TableFile(
        reading.frame,
        (*source.decisions, *reading.decisions),
        source.name,
        reading.format,
        reading.lines,
        *digest,
        reading.extra,
    )
