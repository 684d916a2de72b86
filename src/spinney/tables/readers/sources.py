"""The bytes of a file: from a path or standard input, unpacked by what they are, not by suffix."""

from __future__ import annotations

import bz2
import gzip
import lzma
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from typing import IO, Any

from spinney.exceptions import InputError
from spinney.tables.readers.formats import Source, library
from spinney.tables.readers.wording import cause, listed, quoted

__all__ = ["MOST_UNPACKED", "STANDARD_INPUT", "open_source", "zip_names"]

STANDARD_INPUT = "standard input"
MOST_UNPACKED = 2**31
"""Bytes that a packed file may unpack to; small files that unpack to any size are traps."""
CHUNK = 2**20
MOST_LAYERS = 3
"""Archives within archives that are opened."""
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


def open_source(path: str | Path) -> Source:
    """Read all bytes of a file, or of standard input if `path` is "-", and unpack them.

    Packed files (gzip, bzip2, xz, zstd, and zip with one file in it) are recognised by their
    first bytes. Of files that are read in place (Parquet), only the first bytes are in the result.

    Raises
    ------
    InputError
        If there is no such file, it is a folder, may not be read, is damaged, or unpacks to more
        than ``MOST_UNPACKED`` bytes.
    """
    if str(path) == "-":
        name, raw = STANDARD_INPUT, _from_standard_input()
    else:
        name, raw = str(path), _from_path(path)
        if raw == READ_IN_PLACE:
            return Source(name, raw, raw, path=Path(path))
    source = Source(name, raw, raw)
    for _ in range(MOST_LAYERS):
        packer = _packer(source.data)
        if packer is None:
            return source
        source = _unpack(source, packer)
    return source


def _from_path(path: str | Path) -> bytes:
    try:
        with Path(path).open("rb") as file:
            start = file.read(len(READ_IN_PLACE))
            # What comes through a pipe cannot be read twice, and is taken as a whole.
            in_place = start == READ_IN_PLACE and Path(path).is_file()
            return start if in_place else start + file.read()
    except FileNotFoundError:
        raise InputError(f"There is no file '{path}'. Check the path.") from None
    except IsADirectoryError:
        raise InputError(f"'{path}' is a folder. Name a file in it.") from None
    except PermissionError:
        raise InputError(f"'{path}' may not be read. Check its permissions.") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise InputError(f"'{path}' cannot be read ({error}). Check the path.") from error


def _from_standard_input() -> bytes:
    stream = getattr(sys.stdin, "buffer", None)
    try:
        data = stream.read() if stream is not None else b""
    except (OSError, ValueError) as error:
        raise InputError(f"Standard input cannot be read ({error}). Name a file.") from error
    return bytes(data)


def _packer(data: bytes) -> str | None:
    for packer, starts in PACKERS.items():
        if data.startswith(starts):
            return packer
    # Spreadsheets and NumPy's archives are zip files too, and no packed tables.
    if data.startswith(ZIP) and not _is_a_document(zip_names(data)):
        return "zip"
    return None


def _is_a_document(names: tuple[str, ...] | None) -> bool:
    if not names:
        return False
    return (
        "[Content_Types].xml" in names
        or "mimetype" in names
        or all(name.endswith(".npy") for name in names)
    )


def zip_names(data: bytes) -> tuple[str, ...] | None:
    """Return the names of the files in a zip archive; None if it is damaged."""
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            return tuple(archive.namelist())
    except Exception:  # what a damaged archive raises depends on where it is damaged
        return None


def _unpack(source: Source, packer: str) -> Source:
    try:
        if packer == "zip":
            data, said = _unzip(source)
        else:
            with _stream(source.data, packer) as stream:
                data = _bounded(stream, source)
            said = f"unpacked with {packer}"
    except InputError:
        raise
    except MemoryError:
        raise InputError(
            f"{source.label} needs more memory than there is to be unpacked. Unpack it first."
        ) from None
    except Exception as error:  # what a damaged file raises depends on where it is damaged
        raise InputError(
            f"{source.label} cannot be read ({cause(error)}). Copy it anew."
        ) from error
    return Source(source.name, source.raw, data, (*source.decisions, said))


def _stream(data: bytes, packer: str) -> Any:
    if packer == "gzip":
        return gzip.GzipFile(fileobj=BytesIO(data))
    if packer == "bzip2":
        return bz2.BZ2File(BytesIO(data))
    if packer == "xz":
        return lzma.LZMAFile(BytesIO(data))
    pa = library("pyarrow", ".zst", "parquet")
    return pa.input_stream(pa.py_buffer(data), compression="zstd")


def _bounded(stream: IO[bytes], source: Source) -> bytes:
    chunks, size = [], 0
    while chunk := stream.read(CHUNK):
        chunks.append(chunk)
        size += len(chunk)
        if size > MOST_UNPACKED:
            raise InputError(
                f"{source.label} has {len(source.data):,} bytes, but unpacks to more than "
                f"{MOST_UNPACKED:,}. Unpack it first, and choose the columns that are needed."
            )
    return b"".join(chunks)


def _unzip(source: Source) -> tuple[bytes, str]:
    with zipfile.ZipFile(BytesIO(source.data)) as archive:
        members = [
            member
            for member in archive.infolist()
            # A Mac adds files of its own.
            if not member.is_dir() and not member.filename.startswith("__MACOSX/")
        ]
        if not members:
            raise InputError(f"{source.label} holds no file. Pack one table into it.")
        if len(members) > 1:
            shown = listed([quoted(member.filename) for member in members])
            raise InputError(
                f"{source.label} holds {len(members)} files ({shown}). Pack one table into it."
            )
        (member,) = members
        if member.flag_bits & 1:
            raise InputError(f"{source.label} has a password. Unpack it first.")
        with archive.open(member) as stream:
            return _bounded(stream, source), f"unpacked {quoted(member.filename)} from a zip file"
