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
PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"%PDF-", b"{\\rtf")
PAGES = (b"<!doctype html", b"<html", b"<?xml", b"<table")
MARKS = (
    ("utf-8", "UTF-8", codecs.BOM_UTF8),
    ("utf-16-le", "UTF-16", codecs.BOM_UTF16_LE),
    ("utf-16-be", "UTF-16", codecs.BOM_UTF16_BE),
)
"""Codecs, their names, and the bytes by which they are known."""
OTHER_SCRIPTS = {
    "cp1251": "Windows-1251 (Cyrillic)",
    "cp1253": "Windows-1253 (Greek)",
    "cp1255": "Windows-1255 (Hebrew)",
    "cp1256": "Windows-1256 (Arabic)",
    "cp932": "Shift-JIS (Japanese)",
    "cp949": "EUC-KR (Korean)",
    "gb18030": "GB 18030 (Chinese)",
    "big5": "Big5 (Chinese)",
}
"""Encodings that are told from Windows-1252."""
FEWEST_LETTERS = 12
"""Bytes beyond ASCII below which a file is in Windows-1252."""
LOOKED_AT = 2**16
"""Bytes by which an encoding is found."""
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
            raise InputError(f"{source.label} is an archive in an archive. Unpack it first.")
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
    # Spreadsheets and other documents are zip files too, and no packed tables.
    document = {"[Content_Types].xml", "mimetype"} & {*zip_names(data)}
    return "zip" if data.startswith(ZIP) and not document else None


def zip_names(data: bytes) -> tuple[str, ...]:
    """Return the names of the files in a zip archive; none if it is damaged, or no zip archive."""
    if not data.startswith(ZIP):
        return ()
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return tuple(archive.namelist())
    except Exception:  # what a damaged archive raises depends on where it is damaged
        return ()


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
    """Refuse a file of text or pictures that holds no table, and say what it is."""
    data = source.data
    start = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if data.startswith(PICTURES):
        raise InputError(
            f"{source.label} is a picture or a document. Name the file with the table."
        )
    if data.startswith(ZIP) and "xl/workbook.xml" not in zip_names(data):
        raise InputError(
            f"{source.label} is a document or an archive. Save the table as .xlsx or CSV."
        )
    if start.startswith(PAGES):
        raise InputError(
            f"{source.label} is a web page or XML. Open it in a spreadsheet, and save it as .xlsx "
            "or CSV."
        )
    if start.startswith((b"{", b"[")) and data[-200:].rstrip().endswith((b"}", b"]")):
        raise InputError(f"{source.label} is JSON. {SAVE}")


def decode(source: Source) -> tuple[str, tuple[str, ...]]:
    r"""Return the text of a file, and what was decided about its encoding.

    A byte order mark is believed. Without one, what is valid UTF-8 is that. Other text is in
    another script if charset-normalizer finds one, else in Windows-1252, of which Latin-1 is a
    part: charset-normalizer confuses the Latin encodings in the few words of a table.

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
    codec, name, at = next(
        (known for known in MARKS if data.startswith(known[2])), ("utf-8", "", b"")
    )
    bare = data[len(at) :]
    try:
        text = bare.decode(codec)
    except UnicodeDecodeError as error:
        if at or b"\0" in data:
            before = bare[: error.start].decode(codec, "replace")
            raise _not_text(source, name or "UTF-8", before) from None
        return _decode_other(source, error.start)
    if "\0" in text:
        raise _not_text(source, name or "UTF-8", text[: text.index("\0")])
    return text, () if codec == "utf-8" else (f"read as {name}",)


def _decode_other(source: Source, first: int) -> tuple[str, tuple[str, ...]]:
    """Decode text that is not UTF-8 from byte `first` on."""
    data = source.data
    codec, name = "cp1252", "Windows-1252 (Latin-1)"
    high = len(data) - len(data.translate(None, bytes(range(128, 256))))
    if high >= FEWEST_LETTERS:
        from charset_normalizer import from_bytes

        start = data[: data.rfind(b"\n", 0, LOOKED_AT) + 1 or LOOKED_AT]
        best = from_bytes(start, cp_isolation=[codec, *OTHER_SCRIPTS]).best()
        if best is not None and best.encoding in OTHER_SCRIPTS:
            codec, name = best.encoding, OTHER_SCRIPTS[best.encoding]
    try:
        # Any byte has a meaning in such encodings, so it takes a second sign.
        text = "" if CONTROL.search(data) else data.decode(codec)
    except UnicodeDecodeError:
        text = ""
    before = data[:first].decode("ascii", "replace")
    if not text:
        raise _not_text(source, "UTF-8", before)
    where = (
        f"first: '{data[first : first + 4].decode(codec, 'ignore')[:1]}' on line {_line(before)}"
    )
    return text, (f"read as {name}, as it is not UTF-8 ({where})",)


def _line(before: str) -> int:
    """Return the number of the line after some text."""
    return len(re.findall(r"\r\n?|\n", before)) + 1


def _not_text(source: Source, name: str, before: str) -> InputError:
    where = f"it is not on line {_line(before)}"
    return InputError(f"{source.label} is not text in {name} ({where}). {SAVE}")
