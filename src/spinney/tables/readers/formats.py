"""File formats: how each is recognised and read.

A new format is one file with a function ``read`` in it, and an entry in ``FORMATS`` of
:mod:`spinney.tables.readers.opening`; the file is imported when a table of its format is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.text import cause
from spinney.exceptions import InputError
from spinney.notices import Notice

__all__ = [
    "MOST_CELLS",
    "Format",
    "Options",
    "Reading",
    "Source",
    "check_cells",
    "fault",
    "library",
    "note",
    "reading",
]

MOST_CELLS = 200_000_000
"""Cells of the largest table that is read: as numbers they take 1.6 GB."""


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
    notices : tuple of Notice
        What was decided on the way.
    path : Path or None
        Where the bytes are, if `raw` and `data` hold the first of them only.
    """

    name: str
    raw: bytes
    data: bytes
    notices: tuple[Notice, ...] = ()
    path: Path | None = None

    def digest(self) -> tuple[str, int]:
        """Return SHA-256 of the bytes as they were given, in hexadecimal, and their number."""
        if self.path is None:
            return hashlib.sha256(self.raw).hexdigest(), len(self.raw)
        with self.path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest(), self.path.stat().st_size

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


@dataclass(frozen=True)
class Reading:
    """A table as a format gives it.

    Attributes
    ----------
    frame : DataFrame
        Named columns, row names as the index.
    notices : tuple of Notice
        What was decided on the way.
    format : str
        "csv", "excel", …
    lines : array of int or None
        Where each row stands, as an editor or a spreadsheet counts.
    extra : DataFrame or None
        Columns that belong to the rows but not to the table.
    """

    frame: pd.DataFrame
    notices: tuple[Notice, ...]
    format: str
    lines: NDArray[np.int64] | None = None
    extra: pd.DataFrame | None = None


@dataclass(frozen=True)
class Format:
    """A format.

    Attributes
    ----------
    name : str
        What it is called.
    module : str
        The module that reads it.
    recognises : callable
        Whether bytes are of this format.
    options : frozenset of str
        The options that mean something for it.
    """

    name: str
    module: str
    recognises: Callable[[Source], bool]
    options: frozenset[str] = frozenset()

    def check(self, source: Source, options: Options) -> None:
        """Refuse options that would be silently ignored."""
        for field in fields(options):
            given = getattr(options, field.name) != field.default
            if given and field.name not in self.options:
                raise fault(source, "file-option", format=self.name, option=field.name)

    def read(self, source: Source, options: Options) -> Reading:
        """Read a table from bytes."""
        module = import_module(f"spinney.tables.readers.{self.module}")
        found: Reading = module.read(source, options)
        return found


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
            Notice.of("file-library", suffix=suffix, needs=needs, extra=extra)
        ) from None


def fault(source: Source, code: str, *columns: str, **facts: Any) -> InputError:
    """Return an error about a file."""
    return InputError(Notice.of(code, *columns, file=source.label, **facts))


def note(code: str, *columns: str, **facts: Any) -> Notice:
    """Return a decision that was made in reading a file."""
    return Notice.of(code, *columns, level="note", **facts)


@contextmanager
def reading(source: Source, format: str) -> Iterator[None]:
    """Turn any error of a reading library into an error about the file."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        raise fault(source, "file-none") from None
    except MemoryError:
        raise fault(source, "file-memory", format=format) from None
    except Exception as error:  # what a damaged file raises depends on where it is damaged
        raise fault(source, "file-damaged", format=format, cause=cause(error)) from error


def check_cells(n_rows: int, n_columns: int, source: Source, format: str) -> None:
    """Refuse a table that is too large before it fills the memory."""
    if n_rows * n_columns > MOST_CELLS:
        facts = {"rows": n_rows, "columns": n_columns, "most": MOST_CELLS, "format": format}
        raise InputError(Notice("file-cells", facts={**facts, "file": source.label}))
