"""The bytes of a file, and its text: unpacked and decoded by what they are, not by suffix."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import re
import sys
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Literal

import pandas as pd
from numpy.typing import NDArray

from spinney._core.text import cause, listed, quoted
from spinney.exceptions import InputError

STANDARD_INPUT = "standard input"
MOST_CELLS = 200_000_000
"""Cells of the largest table that is read: as numbers they take 1.6 GB."""
MOST_UNPACKED = 2**31
"""Bytes that a packed file may unpack to; tiny files that unpack to more are traps."""
ZIP = (b"PK\x03\x04", b"PK\x05\x06")
SAVE = "Save the table as CSV in UTF-8."
PICTURES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"%PDF-", b"{\\rtf")
PAGES = (b"<!doctype html", b"<html", b"<?xml", b"<table")
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


@dataclass(frozen=True)
class Source:
    """The bytes of a file.

    Attributes
    ----------
    name : str
        As people call it: the path, or "standard input".
    raw : bytes
        As they were given.
    data : bytes
        Unpacked.
    decisions : tuple of str
        What was decided on the way.
    """

    name: str
    raw: bytes = b""
    data: bytes = b""
    decisions: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The name as sentences show it."""
        return "'" + "".join(c if c.isprintable() else " " for c in self.name) + "'"


@dataclass(frozen=True)
class Options:
    """Options of a reader."""

    header: Literal["auto", "yes", "no"] = "auto"
    sheet: str | int | None = None
    decimal: Literal["auto", ".", ","] = "auto"
    labels: Literal["no", "yes", "both"] = "no"


@dataclass(frozen=True)
class Reading:
    """A table as a format gives it.

    Attributes
    ----------
    frame : DataFrame
        Named columns, row names as the index.
    decisions : tuple of str
        What was decided on the way.
    format : str
        "csv", "excel", …
    lines : array of int or None
        Where each row stands, as an editor or a spreadsheet counts.
    extra : DataFrame or None
        Columns that belong to the rows but not to the table.
    """

    frame: pd.DataFrame
    decisions: tuple[str, ...]
    format: str
    lines: NDArray[Any] | None = None
    extra: pd.DataFrame | None = None


def open_source(path: str | Path) -> Source:
    """Read all bytes of a file, or of standard input if `path` is "-", and unpack them.

    Packed files (gzip, bzip2, xz, zstd, and zip with one file in it) are recognised by their
    first bytes.

    Raises
    ------
    InputError
        If there is no such file, it is a folder, may not be read, is damaged, unpacks to far
        too many bytes, or is known to hold no table.
    """
    source = Source(STANDARD_INPUT if str(path) == "-" else str(path))
    raw = _read_bytes(source)
    source = _unpack(Source(source.name, raw, raw))
    _refuse_other_files(source)
    return source


def _read_bytes(source: Source) -> bytes:
    try:
        if source.name == STANDARD_INPUT:
            stream = getattr(sys.stdin, "buffer", None)
            return bytes(stream.read()) if stream is not None else b""
        return Path(source.name).read_bytes()
    except FileNotFoundError:
        raise no_file(source) from None
    except IsADirectoryError:
        raise InputError(f"{source.label} is a folder. Name a file in it.") from None
    except PermissionError:
        raise InputError(f"{source.label} may not be read. Check its permissions.") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise InputError(f"{source.label} cannot be read ({error}). Check the path.") from error


def no_file(source: Source) -> InputError:
    """Return the error about a file that does not exist."""
    return InputError(f"There is no file {source.label}. Check the path.")


def zip_names(data: bytes) -> tuple[str, ...]:
    """Return the names of the files in a zip archive; none if it is damaged, or no zip archive."""
    if not data.startswith(ZIP):
        return ()
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return tuple(archive.namelist())
    except Exception:  # what a damaged archive raises depends on where it is damaged
        return ()


def _unpack(source: Source) -> Source:
    data = source.data
    with reading(source):
        for start, packer, unpacked in PACKERS:
            if re.match(start, data):
                with unpacked(BytesIO(data)) as stream:
                    return _unpacked(source, stream, f"unpacked with {packer}")
        # Spreadsheets and other documents are zip files too, and no packed tables.
        if not data.startswith(ZIP) or {"[Content_Types].xml", "mimetype"} & {*zip_names(data)}:
            return source
        with zipfile.ZipFile(BytesIO(data)) as archive:
            # macOS adds files of its own.
            members = [
                member
                for member in archive.infolist()
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
                said = f"unpacked {quoted(member.filename)} from a zip file"
                return _unpacked(source, stream, said)


def _unpacked(source: Source, stream: IO[bytes], said: str) -> Source:
    data = stream.read(MOST_UNPACKED + 1)
    if len(data) > MOST_UNPACKED:
        raise InputError(
            f"{source.label} has {len(source.raw):,} bytes, but unpacks to more than "
            f"{MOST_UNPACKED:,}. Unpack it first, and choose the columns that are needed."
        )
    return Source(source.name, source.raw, data, (said,))


def _zstd(file: BytesIO) -> Any:
    pa = library("pyarrow", ".zst", "parquet")
    return pa.input_stream(file, compression="zstd")


PACKERS: tuple[tuple[bytes, str, Any], ...] = (
    (rb"\x1f\x8b", "gzip", gzip.open),
    # What follows the level is the start of a block, or the end of an empty file.
    (rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)", "bzip2", bz2.open),
    (rb"\xfd7zXZ\x00", "xz", lzma.open),
    (rb"\x28\xb5\x2f\xfd", "zstd", _zstd),
)
"""How packed files start, what packed them, and what unpacks them."""


def _refuse_other_files(source: Source) -> None:
    """Refuse a file that holds no table, and say what it is."""
    data = source.data
    start = data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    what = ""
    if any(re.match(sign, data) for sign, *_ in PACKERS):
        what = "an archive in an archive. Unpack it first."
    elif data.startswith(PICTURES):
        what = "a picture or a document. Name the file with the table."
    elif data.startswith(ZIP) and "xl/workbook.xml" not in zip_names(data):
        what = "a document or an archive. Save the table as .xlsx or CSV."
    elif start.startswith(PAGES):
        what = "a web page or XML. Open it in a spreadsheet, and save it as .xlsx or CSV."
    elif start.startswith((b"{", b"[")) and data[-200:].rstrip().endswith((b"}", b"]")):
        what = f"JSON. {SAVE}"
    if what:
        raise InputError(f"{source.label} is {what}")


def decode(source: Source) -> tuple[str, tuple[str, ...]]:
    r"""Return the text of a file, and what was decided about its encoding.

    A byte order mark is believed. Without one, what is valid UTF-8 is that. Other text is in
    another script if charset-normalizer finds one, else in Windows-1252, of which Latin-1 is a
    part: charset-normalizer confuses the Latin encodings in the few words of a table.

    Raises
    ------
    InputError
        If it is not text; the message names the line.

    Examples
    --------
    >>> text, said = decode(Source("t", b"", "caf\xe9".encode("latin-1")))
    >>> text, said[0]
    ('café', "read as Windows-1252 (Latin-1), as it is not UTF-8 (first: 'é' on line 1)")
    """
    bare = source.data.removeprefix(codecs.BOM_UTF8)
    is_utf16 = bare.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    codec = "utf-16" if is_utf16 else "utf-8"
    try:
        text = bare.decode(codec)
    except UnicodeDecodeError as error:
        if is_utf16 or b"\0" in bare or len(bare) < len(source.data):
            before = bare[: error.start].decode(codec, "replace")
            raise _not_text(source, codec, before) from None
        return _decode_other(source, error.start)
    if "\0" in text:
        raise _not_text(source, codec, text[: text.index("\0")])
    return text, ("read as UTF-16",) if is_utf16 else ()


def _decode_other(source: Source, first: int) -> tuple[str, tuple[str, ...]]:
    """Decode text that is not UTF-8 from byte `first` on."""
    data = source.data
    codec, name = "cp1252", "Windows-1252 (Latin-1)"
    if len(data) - len(data.translate(None, bytes(range(128, 256)))) >= FEWEST_LETTERS:
        from charset_normalizer import from_bytes

        start = data[: data.rfind(b"\n", 0, LOOKED_AT) + 1 or LOOKED_AT]
        best = from_bytes(start, cp_isolation=[codec, *OTHER_SCRIPTS]).best()
        if best is not None and best.encoding in OTHER_SCRIPTS:
            codec, name = best.encoding, OTHER_SCRIPTS[best.encoding]
    before = data[:first].decode("ascii", "replace")
    try:
        # Any byte has a meaning in such encodings, so it takes a second sign.
        text = "" if CONTROL.search(data) else data.decode(codec)
    except UnicodeDecodeError:
        text = ""
    if not text:
        raise _not_text(source, "utf-8", before)
    letter = data[first : first + 4].decode(codec, "ignore")[:1]
    where = f"first: '{letter}' on line {_line(before)}"
    return text, (f"read as {name}, as it is not UTF-8 ({where})",)


def _line(before: str) -> int:
    """Return the number of the line after some text."""
    return len(re.findall(r"\r\n?|\n", before)) + 1


def _not_text(source: Source, codec: str, before: str) -> InputError:
    where = f"it is not on line {_line(before)}"
    return InputError(f"{source.label} is not text in {codec.upper()} ({where}). {SAVE}")


def library(name: str, suffix: str, extra: str) -> Any:
    """Import an optional library, or say how to get it.

    Examples
    --------
    >>> library("csv", ".csv", "text").__name__
    'csv'
    >>> library("openpyxxl", ".xlsx", "excel")
    Traceback (most recent call last):
    spinney.exceptions.InputError: Reading '.xlsx' needs openpyxxl. Install it with: pip install
    'spinney[excel]'
    """
    try:
        return import_module(name)
    except ImportError:
        needs = name.partition(".")[0]
        raise InputError(
            f"Reading '{suffix}' needs {needs}. Install it with: pip install 'spinney[{extra}]'"
        ) from None


@contextmanager
def reading(source: Source, kind: str = "") -> Iterator[None]:
    """Turn any error of a reading library into an error about the file of some kind."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        raise no_file(source) from None
    except MemoryError:
        raise InputError(
            f"{source.label} does not fit into memory. Keep only what is needed of it."
        ) from None
    except Exception as error:  # what a damaged file raises depends on where it is damaged
        raise InputError(
            f"{source.label} cannot be read{kind and f' as {kind}'} ({cause(error)}). Save or "
            "copy it again."
        ) from error


def columns_text(names: Sequence[str]) -> str:
    """Name some columns in a decision.

    Examples
    --------
    >>> columns_text(["a", "b"])
    "columns 'a' and 'b'"
    """
    few = listed([quoted(name) for name in names], most=4)
    return f"column{'' if len(names) == 1 else 's'} {few}"


def check_cells(n_rows: int, n_columns: int, source: Source) -> None:
    """Refuse a table that is too large before it fills the memory."""
    if n_rows * n_columns > MOST_CELLS:
        raise InputError(
            f"{source.label} holds a table of {n_rows:,} × {n_columns:,} cells; at most "
            f"{MOST_CELLS:,} are read. Keep the rows and columns that are needed."
        )


def check_not_empty(shape: tuple[int, ...], source: Source) -> None:
    """Refuse a table without rows or columns."""
    if 0 in shape:
        raise InputError(f"{source.label} is empty. A table has columns and rows.")
