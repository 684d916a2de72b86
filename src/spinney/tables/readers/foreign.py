"""Files that hold no table, or none that can be read here: each is called by what it is."""

from __future__ import annotations

from spinney.exceptions import InputError
from spinney.tables.readers.formats import Source
from spinney.tables.readers.sources import zip_names

__all__ = ["refuse_foreign"]

SAVE = "Save the table as CSV in UTF-8."
NAME = "Name the file with the table."
SIGNS: tuple[tuple[tuple[bytes, ...], int, str, str], ...] = (
    ((b"\x89PNG\r\n\x1a\n",), 0, "a picture (PNG)", NAME),
    ((b"\xff\xd8\xff",), 0, "a picture (JPEG)", NAME),
    ((b"GIF8",), 0, "a picture (GIF)", NAME),
    ((b"II*\0", b"MM\0*"), 0, "a picture (TIFF)", NAME),
    (
        (b"%PDF-",),
        0,
        "a PDF document",
        "Take the table from where it was made, and save it as CSV.",
    ),
    (
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",),
        0,
        "a file of an old Excel (.xls), or an Excel file with a password",
        "Open it in Excel or LibreOffice, and save it as .xlsx without a password, or as CSV.",
    ),
    (
        (b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n"),
        0,
        "R data (.RData)",
        "In R, write the table with write.csv.",
    ),
    ((b"X\n\0\0\0",), 0, "R data (.rds)", "In R, write the table with write.csv."),
    (
        (b"\x93NUMPY",),
        0,
        "an array of NumPy (.npy)",
        "Write it with numpy.savetxt.",
    ),
    (
        (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"),
        0,
        "a pickle of Python",
        f"These can run any program, so none is read. {SAVE}",
    ),
    ((b"MATLAB 5.0 MAT",), 0, "a file of MATLAB (.mat)", "Write the table with writetable."),
    ((b"SQLite format 3\0",), 0, "a database (SQLite)", "Export the table as CSV."),
    ((b"$FL2", b"$FL3"), 0, "a file of SPSS (.sav)", "Export the table as CSV."),
    ((b"<stata_dta>",), 0, "a file of Stata (.dta)", "Export the table as CSV."),
    ((b"ARROW1\0\0", b"FEA1"), 0, "an Arrow file (Feather)", "Write the table as Parquet or CSV."),
    ((b"7z\xbc\xaf'\x1c",), 0, "an archive (7z)", "Unpack it first."),
    ((b"Rar!\x1a\x07",), 0, "an archive (RAR)", "Unpack it first."),
    ((b"ustar",), 257, "an archive (tar)", "Unpack it first."),
    ((b"{\\rtf",), 0, "a text document (RTF)", SAVE),
)
"""Bytes of which one stands there, where, what the file is, and what to do."""
PAGES = (b"<!doctype html", b"<html", b"<?xml", b"<table")
DOCUMENTS = (
    ("xl/workbook.bin", "a binary Excel file (.xlsb)", "Save it as .xlsx or CSV."),
    ("word/document.xml", "a Word document", "Copy the table into a spreadsheet, save it as CSV."),
    ("ppt/presentation.xml", "a presentation", NAME),
    ("content.xml", "an OpenDocument file (.ods)", "Save it as .xlsx or CSV."),
)


def refuse_foreign(source: Source) -> None:
    r"""Say what a file is that holds no table.

    Raises
    ------
    InputError
        If it is such a file.

    Examples
    --------
    >>> refuse_foreign(Source("plot.png", b"", b"\x89PNG\r\n\x1a\n"))
    Traceback (most recent call last):
    spinney.exceptions.InputError: 'plot.png' is a picture (PNG). Name the file with the table.
    """
    data = source.data
    for signs, place, what, advice in SIGNS:
        if data.startswith(signs, place):
            raise InputError(f"{source.label} is {what}. {advice}")
    if data.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        _refuse_document(source)
    start = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(PAGES):
        raise InputError(
            f"{source.label} is a web page or XML, whatever its name. Open it in a spreadsheet, "
            "and save it as .xlsx or CSV."
        )
    if start.startswith((b"{", b"[")) and data[-200:].rstrip().endswith((b"}", b"]")):
        raise InputError(f"{source.label} is JSON. {SAVE}")


def _refuse_document(source: Source) -> None:
    names = zip_names(source.data) or ()
    for name, what, advice in DOCUMENTS:
        if name in names:
            raise InputError(f"{source.label} is {what}. {advice}")
    if names and all(name.endswith(".npy") for name in names):
        raise InputError(f"{source.label} is an archive of NumPy (.npz). {SAVE}")
