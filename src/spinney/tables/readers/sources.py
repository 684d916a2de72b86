"""The bytes of a file, and its text: unpacked and decoded by what they are, not by suffix."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import re
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from spinney._core.text import listed, quoted
from spinney.exceptions import InputError
from spinney.tables.readers.formats import Source, library, reading

STANDARD_INPUT = "standard input"
MOST_UNPACKED = 2**31
"""Bytes that a packed file may unpack to; tiny files that unpack to more are traps."""
PACKERS = {
    "gzip": (b"\x1f\x8b",),
    # What follows the level is the start of a block, or the end of an empty file.
    "bzip2": tuple(
        b"BZh%d" % level + block for level in range(1, 10) for block in (b"1AY&SY", b"\x17rE8P\x90")
    ),
    "xz": (b"\xfd7zXZ\x00",),
    "zstd": (b"\x28\xb5\x2f\xfd",),
}
READ_IN_PLACE = b"PAR1"
"""First bytes of files that are read where they lie, column by column: Parquet."""
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
SAVE = "Save the table as CSV in UTF-8."
ARCHIVE = "an archive. Unpack it first."
ARRAYS = "an array of NumPy (.npy or .npz). Write it with numpy.savetxt."
DOCUMENT = "a document. Copy the table into a spreadsheet, save it as CSV."
PAGE = "a web page or XML. Open it in a spreadsheet, and save it as .xlsx or CSV."
OLD_EXCEL = (
    "a file of an old Excel (.xls), or an Excel file with a password. Open it in Excel or "
    "LibreOffice, and save it as .xlsx without a password, or as CSV."
)
OTHER_FILES: dict[tuple[bytes, ...], str] = {
    (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*"): (
        "a picture. Name the file with the table."
    ),
    (b"%PDF-",): "a PDF document. Take the table from where it was made, and save it as CSV.",
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",): OLD_EXCEL,
    (b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n", b"X\n\0\0\0"): (
        "R data (.RData or .rds). In R, write the table with write.csv."
    ),
    (b"\x93NUMPY",): ARRAYS,
    (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"): (
        f"a pickle of Python. These can run any program, so none is read. {SAVE}"
    ),
    (b"MATLAB 5.0 MAT", b"$FL2", b"$FL3", b"<stata_dta>", b"SQLite format 3\0"): (
        "a file of MATLAB, SPSS, Stata or SQLite. Export the table as CSV."
    ),
    (b"ARROW1\0\0", b"FEA1"): "an Arrow file (Feather). Write the table as Parquet or CSV.",
    (b"7z\xbc\xaf'\x1c", b"Rar!\x1a\x07"): ARCHIVE,
}
"""Files without a readable table: their first bytes, what they are, and what to do."""
TAR = b"ustar"
"""Bytes of a tar archive, which stand at place 257."""
DOCUMENTS = {
    "xl/workbook.bin": "a binary Excel file (.xlsb). Save it as .xlsx or CSV.",
    "word/document.xml": DOCUMENT,
    "ppt/presentation.xml": DOCUMENT,
    "content.xml": "an OpenDocument file (.ods). Save it as .xlsx or CSV.",
}
PAGES = (b"<!doctype html", b"<html", b"<?xml", b"<table")
MARKS = (
    (codecs.BOM_UTF8, "utf-8", "UTF-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
"""Bytes that a file may start with, the codec, and its name."""
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
"""Bytes that text hardly ever holds."""


def open_source(path: str | Path) -> Source:
    """Read all bytes of a file, or of standard input if `path` is "-", and unpack them.

    Packed files (gzip, bzip2, xz, zstd, and zip with one file in it) are recognised by their
    first bytes. Of files that are read in place (Parquet), only the first bytes are in the result.

    Raises
    ------
    InputError
        If there is no such file, it is a folder, may not be read, is damaged, unpacks to far
        too many bytes, or is known to hold no table.
    """
    if str(path) == "-":
        name, raw = STANDARD_INPUT, _from_standard_input()
    else:
        name, raw = str(path), _from_path(path)
        if raw == READ_IN_PLACE:
            return Source(name, raw, raw, path=Path(path))
    source = Source(name, raw, raw)
    packer = _packer(raw)
    if packer is not None:
        source = _unpack(source, packer)
        if _packer(source.data) is not None:
            raise InputError(f"{source.label} is {ARCHIVE}")
    _refuse_other_files(source)
    return source


def _from_path(path: str | Path) -> bytes:
    source = Source(str(path), b"", b"")
    try:
        with Path(path).open("rb") as file:
            # What comes through a pipe cannot be read twice, and is taken as a whole.
            in_place = file.peek(4)[:4] == READ_IN_PLACE and Path(path).is_file()
            return READ_IN_PLACE if in_place else file.read()
    except FileNotFoundError:
        raise InputError(f"There is no file {source.label}. Check the path.") from None
    except IsADirectoryError:
        raise InputError(f"{source.label} is a folder. Name a file in it.") from None
    except PermissionError:
        raise InputError(f"{source.label} may not be read. Check its permissions.") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise InputError(f"{source.label} cannot be read ({error}). Check the path.") from error


def _from_standard_input() -> bytes:
    stream = getattr(sys.stdin, "buffer", None)
    try:
        return bytes(stream.read()) if stream is not None else b""
    except (OSError, ValueError) as error:
        raise InputError(f"Standard input cannot be read ({error}). Name a file.") from error


def _packer(data: bytes) -> str | None:
    for packer, starts in PACKERS.items():
        if data.startswith(starts):
            return packer
    if not data.startswith(ZIP):
        return None
    # Spreadsheets and NumPy's archives are zip files too, and no packed tables.
    names = zip_names(data) or ()
    document = "[Content_Types].xml" in names or "mimetype" in names
    return None if document or _is_numpy(names) else "zip"


def _is_numpy(names: tuple[str, ...]) -> bool:
    return bool(names) and all(name.endswith(".npy") for name in names)


def zip_names(data: bytes) -> tuple[str, ...] | None:
    """Return the names of the files in a zip archive; None if it is damaged."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return tuple(archive.namelist())
    except Exception:  # what a damaged archive raises depends on where it is damaged
        return None


def _unpack(source: Source, packer: str) -> Source:
    with reading(source):
        if packer == "zip":
            data, said = _unzip(source)
        else:
            with _stream(source.data, packer) as stream:
                data = _bounded(stream, source)
            said = f"unpacked with {packer}"
    return Source(source.name, source.raw, data, (*source.decisions, said))


def _stream(data: bytes, packer: str) -> Any:
    openers: dict[str, Any] = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open}
    if packer in openers:
        return openers[packer](BytesIO(data))
    pa = library("pyarrow", ".zst", "parquet")
    return pa.input_stream(pa.py_buffer(data), compression="zstd")


def _bounded(stream: IO[bytes], source: Source) -> bytes:
    data = stream.read(MOST_UNPACKED + 1)
    if len(data) > MOST_UNPACKED:
        raise InputError(
            f"{source.label} has {len(source.raw):,} bytes, but unpacks to more than "
            f"{MOST_UNPACKED:,}. Unpack it first, and choose the columns that are needed."
        )
    return data


def _unzip(source: Source) -> tuple[bytes, str]:
    with zipfile.ZipFile(BytesIO(source.data)) as archive:
        members = [
            member
            for member in archive.infolist()
            # macOS adds its own files.
            if not member.is_dir() and not member.filename.startswith("__MACOSX/")
        ]
        if len(members) != 1:
            names = listed([quoted(member.filename) for member in members], most=4)
            what = f"{len(members)} files ({names})" if members else "no file"
            raise InputError(f"{source.label} holds {what}. Pack one table into it.")
        (member,) = members
        if member.flag_bits & 1:
            raise InputError(f"{source.label} has a password. Unpack it first.")
        with archive.open(member) as stream:
            data = _bounded(stream, source)
            return data, f"unpacked {quoted(member.filename)} from a zip file"


def _refuse_other_files(source: Source) -> None:
    """Refuse a file that holds no table, and say what it is."""
    data = source.data
    what = next((what for signs, what in OTHER_FILES.items() if data.startswith(signs)), "")
    if data.startswith(TAR, 257):
        what = ARCHIVE
    if data.startswith(ZIP):
        names = zip_names(data) or ()
        what = next((what for name, what in DOCUMENTS.items() if name in names), what)
        what = ARRAYS if _is_numpy(names) else what
    start = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(PAGES):
        what = PAGE
    if start.startswith((b"{", b"[")) and data[-200:].rstrip().endswith((b"}", b"]")):
        what = f"JSON. {SAVE}"
    if start.startswith(b"{\\rtf"):
        what = DOCUMENT
    if what:
        raise InputError(f"{source.label} is {what}")


def decode(source: Source) -> tuple[str, tuple[str, ...]]:
    r"""Return the text of a file, and what was decided about its encoding.

    A byte order mark is believed. Without one, what is valid UTF-8 is that; anything else is
    Windows-1252, of which Latin-1 is a part.

    Raises
    ------
    InputError
        If it is no text: the message says on which line.

    Examples
    --------
    >>> text, said = decode(Source("t", b"", "caf\xe9".encode("latin-1")))
    >>> text, said[0]
    ('café', "read as Windows-1252 (Latin-1), as it is not UTF-8 (first: 'é' on line 1)")
    """
    data = source.data
    for mark, codec, name in MARKS:
        if data.startswith(mark):
            text = _decode_marked(source, data[len(mark) :], codec, name)
            return text, () if codec == "utf-8" else (f"read as {name}",)
    nul = data.find(b"\0")
    if nul >= 0:
        raise _not_text(source, nul)
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError as error:
        first = error.start
    control = CONTROL.search(data)
    if control is not None:  # any byte has a meaning in Windows-1252, so it takes a second sign
        raise _not_text(source, min(first, control.start()))
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError as error:
        raise _not_text(source, error.start) from None
    letter = data[first : first + 1].decode("cp1252")
    where = f"first: '{letter}' on line {_line(data[:first])}"
    return text, (f"read as Windows-1252 (Latin-1), as it is not UTF-8 ({where})",)


def _decode_marked(source: Source, data: bytes, codec: str, name: str) -> str:
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        line = _line(data[: error.start].decode(codec, "replace").encode())
        raise InputError(
            f"{source.label} starts as text in {name}, but is damaged on line {line}. {SAVE}"
        ) from None
    place = text.find("\0")
    if place >= 0:
        line = _line(text[:place].encode())
        raise InputError(
            f"{source.label} is not text (first: a NUL character on line {line}). {SAVE}"
        )
    return text


def _line(data: bytes) -> int:
    """Return the number of the line after some bytes."""
    return len(re.findall(rb"\r\n?|\n", data)) + 1


def _not_text(source: Source, position: int) -> InputError:
    line = _line(source.data[:position])
    byte = f"byte 0x{source.data[position]:02x} on line {line}"
    return InputError(f"{source.label} is not text in UTF-8 (first: {byte}). {SAVE}")
