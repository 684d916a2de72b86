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

from spinney.exceptions import InputError
from spinney.notices import Notice
from spinney.tables.readers.formats import Source, fault, library, note, reading

__all__ = ["MOST_UNPACKED", "STANDARD_INPUT", "ZIP", "decode", "open_source", "zip_names"]

STANDARD_INPUT = "standard input"
MOST_UNPACKED = 2**31
"""Bytes that a packed file may unpack to; tiny files that unpack to more are traps."""
LARGE = 2**27
MOST_TIMES = 200
"""A file that unpacks to more bytes than these, and to so many times its own size, holds next to
nothing: in memory its table would take more than ten times as much again."""
CHUNK = 2**20
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
OTHER_FILES: tuple[tuple[str, int, tuple[bytes, ...]], ...] = (
    ("picture", 0, (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*")),
    ("pdf", 0, (b"%PDF-",)),
    ("xls", 0, (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",)),
    ("r", 0, (b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n", b"X\n\0\0\0")),
    ("numpy", 0, (b"\x93NUMPY",)),
    ("pickle", 0, (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")),
    ("statistics", 0, (b"MATLAB 5.0 MAT", b"$FL2", b"$FL3", b"<stata_dta>", b"SQLite format 3\0")),
    ("arrow", 0, (b"ARROW1\0\0", b"FEA1")),
    ("archive", 0, (b"7z\xbc\xaf'\x1c", b"Rar!\x1a\x07")),
    ("archive", 257, (b"ustar",)),
)
"""Files without a readable table: what they are, and the bytes found at an offset."""
DOCUMENTS = {
    "xl/workbook.bin": "xlsb",
    "word/document.xml": "document",
    "ppt/presentation.xml": "document",
    "content.xml": "ods",
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
            raise fault(source, "file-other", what="archive")
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
        raise fault(source, "file-none") from None
    except IsADirectoryError:
        raise fault(source, "file-folder") from None
    except PermissionError:
        raise fault(source, "file-permission") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise fault(source, "file-unreadable", cause=str(error)) from error


def _from_standard_input() -> bytes:
    stream = getattr(sys.stdin, "buffer", None)
    try:
        return bytes(stream.read()) if stream is not None else b""
    except (OSError, ValueError) as error:
        raise InputError(Notice.of("input-unreadable", cause=str(error))) from error


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
    with reading(source, ""):
        if packer == "zip":
            data, said = _unzip(source)
        else:
            with _stream(source.data, packer) as stream:
                data = _bounded(stream, source)
            said = note("read-unpacked", packer=packer)
    return Source(source.name, source.raw, data, (*source.notices, said))


def _stream(data: bytes, packer: str) -> Any:
    openers: dict[str, Any] = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open}
    if packer in openers:
        return openers[packer](BytesIO(data))
    pa = library("pyarrow", ".zst", "parquet")
    return pa.input_stream(pa.py_buffer(data), compression="zstd")


def _bounded(stream: IO[bytes], source: Source) -> bytes:
    chunks, size = [], 0
    while chunk := stream.read(CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        most = min(MOST_UNPACKED, max(LARGE, MOST_TIMES * len(source.raw)))
        if size > most:
            raise fault(source, "file-unpacks", bytes=len(source.raw), most=most)
    return b"".join(chunks)


def _unzip(source: Source) -> tuple[bytes, Notice]:
    with zipfile.ZipFile(BytesIO(source.data)) as archive:
        members = [
            member
            for member in archive.infolist()
            # macOS adds its own files.
            if not member.is_dir() and not member.filename.startswith("__MACOSX/")
        ]
        if len(members) != 1:
            raise fault(source, "file-zip", members=[member.filename for member in members])
        (member,) = members
        if member.flag_bits & 1:
            raise fault(source, "file-password")
        with archive.open(member) as stream:
            return _bounded(stream, source), note("read-unzipped", member=member.filename)


def _refuse_other_files(source: Source) -> None:
    """Refuse a file that holds no table, and say what it is."""
    data = source.data
    what = next((what for what, at, signs in OTHER_FILES if data.startswith(signs, at)), "")
    if data.startswith(ZIP):
        names = zip_names(data) or ()
        what = next((what for name, what in DOCUMENTS.items() if name in names), what)
        what = "numpy" if _is_numpy(names) else what
    start = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(PAGES):
        what = "page"
    if start.startswith((b"{", b"[")) and data[-200:].rstrip().endswith((b"}", b"]")):
        what = "json"
    if start.startswith(b"{\\rtf"):
        what = "document"
    if what:
        raise fault(source, "file-other", what=what)


def decode(source: Source) -> tuple[str, tuple[Notice, ...]]:
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
    >>> text, str(said[0])
    ('café', "read as Windows-1252 (Latin-1), as it is not UTF-8 (first: 'é' on line 1)")
    """
    data = source.data
    for mark, codec, name in MARKS:
        if data.startswith(mark):
            text = _decode_marked(source, data[len(mark) :], codec, name)
            return text, () if codec == "utf-8" else (note("read-encoding", encoding=name),)
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
    return text, (note("read-cp1252", letter=letter, line=_line(data[:first])),)


def _decode_marked(source: Source, data: bytes, codec: str, name: str) -> str:
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        line = _line(data[: error.start].decode(codec, "replace").encode())
        raise fault(source, "file-damaged-text", encoding=name, line=line) from None
    place = text.find("\0")
    if place >= 0:
        raise fault(source, "file-nul", line=_line(text[:place].encode()))
    return text


def _line(data: bytes) -> int:
    """Return the number of the line after some bytes."""
    return len(re.findall(rb"\r\n?|\n", data)) + 1


def _not_text(source: Source, position: int) -> InputError:
    line = _line(source.data[:position])
    return fault(source, "file-not-text", byte=source.data[position], line=line)
