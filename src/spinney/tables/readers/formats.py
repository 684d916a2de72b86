"""File formats: how each is recognised and read.

A new format is one file with a function ``read`` in it, and an entry in ``FORMATS`` of
:mod:`spinney.tables.readers.opening`; the file is imported when a table of its format is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.text import cause, listed, quoted
from spinney.exceptions import InputError

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
    decisions : tuple of str
        What was decided on the way.
    path : Path or None
        Where the bytes are, if `raw` and `data` hold the first of them only.
    """

    name: str
    raw: bytes
    data: bytes
    decisions: tuple[str, ...] = ()
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
                raise InputError(
                    f"{source.label} holds {self.name}, for which {field.name}= means nothing. "
                    "Leave it out."
                )

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
            f"Reading '{suffix}' needs {needs}. Install it with: pip install 'spinney[{extra}]'"
        ) from None


def columns_text(names: Sequence[str]) -> str:
    """Name some columns in a decision.

    Examples
    --------
    >>> columns_text(["a", "b"])
    "columns 'a' and 'b'"
    """
    few = listed([quoted(name) for name in names], most=4)
    return f"column{'' if len(names) == 1 else 's'} {few}"


@contextmanager
def reading(source: Source, kind: str = "") -> Iterator[None]:
    """Turn any error of a reading library into an error about the file of some kind."""
    try:
        yield
    except InputError:
        raise
    except FileNotFoundError:
        raise InputError(f"There is no file {source.label}. Check the path.") from None
    except MemoryError:
        raise InputError(
            f"{source.label} does not fit into memory. Keep only what is needed of it."
        ) from None
    except Exception as error:  # what a damaged file raises depends on where it is damaged
        raise InputError(
            f"{source.label} cannot be read{kind and f' as {kind}'} ({cause(error)}). Save or "
            "copy it again."
        ) from error


def check_cells(n_rows: int, n_columns: int, source: Source) -> None:
    """Refuse a table that is too large before it fills the memory."""
    if n_rows * n_columns > MOST_CELLS:
        raise InputError(
            f"{source.label} holds a table of {n_rows:,} × {n_columns:,} cells; at most "
            f"{MOST_CELLS:,} are read. Keep the rows and columns that are needed."
        )
