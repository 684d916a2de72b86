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
from dataclasses import dataclass, replace
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any, Literal

from spinney._core.text import cause, listed, quoted
from spinney.exceptions import InputError

STANDARD_INPUT = "standard input"
PACKERS: dict[bytes, tuple[str, Any]] = {
    b"\x1f\x8b": ("gzip", gzip),
    b"BZh": ("bzip2", bz2),
    b"\xfd7zXZ\x00": ("xz", lzma),
}
"""How packed files start, and what packed them."""
ZIP = b"PK\x03\x04"
SAVE = "Save the table as CSV in UTF-8."
OTHER_SCRIPTS = ("cp1251", "cp1253", "cp1255", "cp1256", "cp932", "cp949", "gb18030", "big5")
"""Encodings that are told from Windows-1252: of Cyrillic, Greek, Hebrew, Arabic, East Asia."""


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


def open_source(path: str | Path) -> Source:
    """Read all bytes of a file, or of standard input if `path` is "-", and unpack them.

    Packed files (gzip, bzip2, xz, and zip with one file in it) are recognised by their
    first bytes.

    Raises
    ------
    InputError
        If there is no such file, it is a folder, may not be read, is damaged, or is known to hold
        no table.
    """
    source = Source(STANDARD_INPUT if str(path) == "-" else str(path))
    raw = _read_bytes(source)
    source = _unpack(Source(source.name, raw, raw))
    start = source.data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    ends = source.data[-200:].rstrip().endswith((b"}", b"]"))
    page = start.startswith((b"<!doctype html", b"<html", b"<?xml", b"<table"))
    if page or (start.startswith((b"{", b"[")) and ends):
        raise InputError(f"{source.label} is a web page, XML or JSON. {SAVE}")
    return source


def _read_bytes(source: Source) -> bytes:
    try:
        if source.name == STANDARD_INPUT:
            stream = getattr(sys.stdin, "buffer", None)
            return bytes(stream.read()) if stream is not None else b""
        return Path(source.name).read_bytes()
    except FileNotFoundError:
        raise InputError(f"There is no file {source.label}. Check the path.") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        why = getattr(error, "strerror", None) or error
        raise InputError(f"{source.label} cannot be read ({why}). Check the path.") from error


def _unpack(source: Source) -> Source:
    data = source.data
    with reading(source):
        for start, (packer, module) in PACKERS.items():
            if data.startswith(start):
                said = f"unpacked with {packer}"
                return replace(source, data=module.decompress(data), decisions=(said,))
        # Spreadsheets and other documents are zip archives with such a file in them.
        if not data.startswith(ZIP) or b"[Content_Types].xml" in data or b"mimetype" in data:
            return source
        with zipfile.ZipFile(BytesIO(data)) as archive:
            files = [name for name in archive.namelist() if not name.endswith("/")]
            names = [name for name in files if not name.startswith("__MACOSX/")]
            if len(names) != 1:
                shown = listed([quoted(name) for name in names], most=4) or "none"
                raise InputError(f"{source.label} must hold one file, but has {shown}.")
            said = f"unpacked {quoted(names[0])} from a zip file"
            return replace(source, data=archive.read(names[0]), decisions=(said,))


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
    data = source.data
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    said: tuple[str, ...] = ("read as UTF-16",) if wide else ()
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError as error:
        first, line = error.start, data.count(b"\n", 0, error.start) + 1
        other = None if wide or data.startswith(codecs.BOM_UTF8) else _other_codec(data)
        if other is None:
            raise _not_text(source, line) from None
        text = data.decode(other)
        name = "Windows-1252 (Latin-1)" if other == "cp1252" else other
        letter = data[first : first + 4].decode(other, "ignore")[:1]
        said = (f"read as {name}, as it is not UTF-8 (first: '{letter}' on line {line})",)
    if "\0" in text:
        raise _not_text(source, text.count("\n", 0, text.index("\0")) + 1)
    return text, said


def _other_codec(data: bytes) -> str | None:
    """Find the encoding of text that is not UTF-8; None if it is not text."""
    codec = "cp1252"
    # A few letters do not tell other scripts from Windows-1252.
    if len(data) - len(data.translate(None, bytes(range(128, 256)))) >= 12:
        from charset_normalizer import from_bytes

        start = data[: 2**16]  # up to the end of a line, lest a letter is cut
        start = start[: start.rfind(b"\n") + 1 or None]
        best = from_bytes(start, cp_isolation=[codec, *OTHER_SCRIPTS]).best()
        codec = codec if best is None else best.encoding
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return None
    # Any byte has a meaning in such encodings, so it takes a second sign: control characters.
    return None if re.search(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]", data) else codec


def _not_text(source: Source, line: int) -> InputError:
    where = f"it is not on line {line}"
    return InputError(f"{source.label} is not text in UTF-8 or UTF-16 ({where}). {SAVE}")


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
