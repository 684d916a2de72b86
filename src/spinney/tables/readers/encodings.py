"""From bytes to text: UTF-8, UTF-16 and Windows-1252 told apart by looking."""

from __future__ import annotations

import codecs
import re
import unicodedata

from spinney.exceptions import InputError
from spinney.tables.readers.formats import Source

__all__ = ["decode"]

MARKS = (
    # That of UTF-32 starts with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32-le", "UTF-32"),
    (codecs.BOM_UTF32_BE, "utf-32-be", "UTF-32"),
    (codecs.BOM_UTF8, "utf-8", ""),
    (codecs.BOM_UTF16_LE, "utf-16-le", "UTF-16"),
    (codecs.BOM_UTF16_BE, "utf-16-be", "UTF-16"),
)
"""Bytes that a file may start with, the codec, and what is said of it."""
LOOKED_AT = 4096
"""Bytes in which every other one is NUL if the text is UTF-16."""
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")
"""Bytes that text hardly ever holds."""


def decode(source: Source) -> tuple[str, tuple[str, ...]]:
    r"""Return the text of a file, and what was decided about its encoding.

    A byte order mark is believed. Without one, text in which nearly every second byte is NUL is
    UTF-16; what is valid UTF-8 is that; anything else is Windows-1252, of which Latin-1 is a part.

    Raises
    ------
    InputError
        If it is no text: the message says on which line.

    Examples
    --------
    >>> decode(Source("t", b"", "caf\xe9".encode("latin-1")))
    ('café', ("read as Windows-1252 (Latin-1), as it is not UTF-8 (first: 'é' on line 1)",))
    """
    data = source.data
    for mark, codec, said in MARKS:
        if data.startswith(mark):
            text = _decode_marked(source, data[len(mark) :], codec, said or "UTF-8")
            return text, (f"read as {said}",) if said else ()
    wide_codec = _wide(data)
    if wide_codec is not None:
        wide = _strict(data, wide_codec)
        if wide is not None and "\0" not in wide and _is_readable(wide):
            return wide, ("read as UTF-16 (there is no byte order mark)",)
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
    line = _line(data, first)
    said = f"(first: '{data[first : first + 1].decode('cp1252')}' on line {line})"
    return text, (f"read as Windows-1252 (Latin-1), as it is not UTF-8 {said}",)


def _decode_marked(source: Source, data: bytes, codec: str, name: str) -> str:
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        line = len(re.findall(r"\r\n?|\n", data[: error.start].decode(codec, "replace"))) + 1
        raise InputError(
            f"{source.label} starts as text in {name}, but is damaged on line {line}. "
            "Save the table anew as CSV in UTF-8."
        ) from None
    place = text.find("\0")
    if place >= 0:
        line = len(re.findall(r"\r\n?|\n", text[:place])) + 1
        raise InputError(
            f"{source.label} is not text (first: a NUL character on line {line}). "
            "Save the table as CSV in UTF-8."
        )
    return text


def _wide(data: bytes) -> str | None:
    """Return which kind of UTF-16 it may be: digits and separators have a byte that is NUL."""
    start = data[:LOOKED_AT]
    if len(data) % 2 or len(start) < 4:
        return None
    even, odd = start[::2].count(0), start[1::2].count(0)
    half = len(start) // 2
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


def _strict(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def _is_readable(text: str) -> bool:
    return all(c in "\t\r\n\v\f" or unicodedata.category(c) not in ("Cc", "Cn") for c in set(text))


def _line(data: bytes, position: int) -> int:
    return len(re.findall(rb"\r\n?|\n", data[:position])) + 1


def _not_text(source: Source, position: int) -> InputError:
    line = _line(source.data, position)
    return InputError(
        f"{source.label} is not text in UTF-8 (first: byte 0x{source.data[position]:02x} on line "
        f"{line}). Save the table as CSV in UTF-8."
    )
