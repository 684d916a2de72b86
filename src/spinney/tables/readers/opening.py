"""Opening any file that holds a table."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, NamedTuple

from spinney._core.choices import check_choice
from spinney._core.text import listed, quoted
from spinney.exceptions import InputError
from spinney.tables.columns import as_values, without_values
from spinney.tables.readers.sources import (
    ZIP,
    Options,
    Reading,
    Source,
    columns_text,
    open_source,
)
from spinney.tables.readers.stats import find
from spinney.tables.table_file import TableFile


class Format(NamedTuple):
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


def _is_workbook(source: Source) -> bool:
    old = source.data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
    return old or (source.data.startswith(ZIP) and b"xl/workbook.xml" in source.data)


FORMATS: tuple[Format, ...] = (
    Format("an Excel table", "excel", _is_workbook, frozenset({"header", "sheet", "decimal"})),
    Format("a Parquet table", "parquet", lambda source: source.data.startswith(b"PAR1")),
    Format("an AnnData table", "h5ad", lambda source: source.data.startswith(b"\x89HDF\r\n\x1a\n")),
    Format("a table of R", "stats", lambda s: find(s)[0] == "R", frozenset({"sheet"})),
    Format("a table of SPSS, Stata or SAS", "stats", lambda s: any(find(s)), frozenset({"labels"})),
    Format("text", "text", lambda source: True, frozenset({"header", "decimal"})),
)
"""All formats; the first that recognises a file reads it. Any file may be text: it comes last.

A new format is one file with a function ``read`` in it, and an entry here.
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
    chosen = next(known for known in FORMATS if known.recognises(source))
    options = Options(header, sheet, decimal, labels)
    for option in fields(options):
        given = getattr(options, option.name) != option.default
        if given and option.name not in chosen.options:
            raise InputError(
                f"{source.label} holds {chosen.name}, which does not use {option.name}=. Leave it "
                "out."
            )
    module = import_module(f"spinney.tables.readers.{chosen.module}")
    return _table(module.read(source, options), source, na)


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
    checksum = hashlib.sha256(source.raw).hexdigest()
    place = (source.name, read.format, read.lines, checksum, len(source.raw))
    return TableFile(frame, said, *place, read.extra)


def _missing_text(counts: Mapping[str, int], where: Sequence[str]) -> str:
    """Say how often the codes for missing values were there."""
    told = [
        f"{quoted(value)} {'once' if n == 1 else f'{n:,} times' if n else '(not in the table)'}"
        for value, n in counts.items()
    ]
    return f"taken as missing: {listed(told, most=4)}{f', in {columns_text(where)}' * bool(where)}"
