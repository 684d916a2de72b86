"""Opening any file that holds a table."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from spinney._core.choices import check_choice
from spinney._core.text import listed, quoted
from spinney.exceptions import InputError
from spinney.tables.columns import as_values, without_values
from spinney.tables.readers import excel, frames, text
from spinney.tables.readers.sources import Options, Source, columns_text, open_source
from spinney.tables.table_file import TableFile


class Format(NamedTuple):
    """A format.

    Attributes
    ----------
    name : str
        What it is called.
    start : bytes
        What its bytes start with, as a regular expression.
    read : callable
        What reads it.
    options : tuple of str
        The options that mean something for it.
    """

    name: str
    start: bytes
    read: Callable[[Source, Options], TableFile]
    options: tuple[str, ...] = ()


def _stats(program: str, form: str, start: bytes) -> Format:
    read = partial(frames.read_stats, program, form)
    return Format(f"a table of {program}", start, read, ("labels",))


WORKBOOK = rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1|PK\x03\x04(?s:.*)xl/workbook\.xml"
R = rb"(?:RD[XA][23]\n)?[XAB]\n\x00\x00\x00|RD[XA][23]\n"
FORMATS: tuple[Format, ...] = (
    Format("an Excel table", WORKBOOK, excel.read, ("header", "sheet", "decimal")),
    Format("a Parquet table", b"PAR1", frames.read_parquet),
    Format("an AnnData table", rb"\x89HDF\r\n\x1a\n", frames.read_anndata),
    Format("a table of R", R, frames.read_r, ("sheet",)),
    _stats("SPSS", "sav", rb"\$FL[23]"),
    _stats("Stata", "dta", rb"<stata_dta>|[\x66-\x73][\x01\x02]\x01\x00"),
    _stats("SAS", "sas7bdat", rb"\x00{12}\xc2\xea\x81\x60\xb3\x14\x11\xcf"),
    _stats("SAS", "xport", rb"HEADER RECORD\*{7}LIB"),
    Format("text", b"", text.read, ("header", "decimal")),
)
"""All formats; the first that recognises a file reads it. Any file may be text: it comes last.

A new format is a function that reads it, and an entry here.
"""


def open_table(
    path: str | Path,
    *,
    header: Literal["auto", "yes", "no"] = "auto",
    sheet: str | int | None = None,
    decimal: Literal["auto", ".", ","] = "auto",
    na: Any = (),
    labels: Literal["no", "yes", "both"] = "no",
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
        The decimal mark of columns that could be read with either, such as ``1.500``; by default
        the other columns decide.
    na : value or list of values
        What means a missing value besides empty cells, NA and the like: ``[-99, "unknown"]``.
    labels : {"no", "yes", "both"}
        How the labels that SPSS, Stata and SAS give to variables become names of columns: not at
        all, in place of the names, or behind them (``q1: How often?``).

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
    chosen = next(known for known in FORMATS if re.match(known.start, source.data))
    options = Options(header, sheet, decimal, labels)
    for option in fields(options):
        given = getattr(options, option.name) != option.default
        if given and option.name not in chosen.options:
            raise InputError(
                f"{source.label} holds {chosen.name}, which does not use {option.name}=. Leave it "
                "out."
            )
    return _named(chosen.read(source, options), source, na)


def open_anndata(adata: Any, layer: str | None = None, na: Any = ()) -> TableFile:
    """Take the matrix of an AnnData object, or one of its layers, as the table.

    The columns of ``obs`` are kept beside it, for groups and units.
    """
    return _named(frames.take_anndata(adata, layer), Source("AnnData"), as_values(na))


def _named(file: TableFile, source: Source, na: Sequence[Any]) -> TableFile:
    """Take missing values out of a table, and note where it comes from."""
    frame, said = file.frame, [*source.decisions, *file.decisions]
    if na:
        frame, counts, where = without_values(frame, na)
        told = [
            f"{quoted(value)} {'once' if n == 1 else f'{n:,} times' if n else '(not in the table)'}"
            for value, n in counts.items()
        ]
        columns = f", in {columns_text(where)}" if where else ""
        said.append(f"taken as missing: {listed(told, most=4)}{columns}")
    checksum = hashlib.sha256(source.raw).hexdigest()
    file = replace(file, name=source.name, checksum=checksum, n_bytes=len(source.raw))
    return replace(file, frame=frame, decisions=tuple(said))
