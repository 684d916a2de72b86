"""A table in an opened file, and what was decided in reading it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class TableFile:
    """A table in an opened file, and all decisions made in reading it.

    Attributes
    ----------
    frame : DataFrame
        The table, with the names of the rows as the index.
    decisions : tuple of str
        What was decided, a line each.
    format : str
        "csv" (commas or semicolons), "tsv" (tabs), "text" (bars or blanks), "excel", "parquet",
        "h5ad", "spss", "stata", "sas", "r".
    lines : array of shape (n,) or None
        The line of each row in an editor, or its row in a spreadsheet.
    extra : DataFrame or None
        Columns that belong to the rows but not to the table: those of ``obs`` in AnnData files.
    name : str
        The path as it was given, or "standard input".
    checksum : str
        SHA-256 of the bytes as they were given, in hexadecimal.
    n_bytes : int
        How many these are.
    """

    frame: pd.DataFrame = field(repr=False)
    decisions: tuple[str, ...]
    format: str
    lines: NDArray[Any] | None = None
    extra: pd.DataFrame | None = None
    name: str = ""
    checksum: str = ""
    n_bytes: int = 0

    def __len__(self) -> int:
        return len(self.frame)

    @property
    def names(self) -> tuple[str, ...]:
        """Its columns."""
        return tuple(map(str, self.frame))

    @property
    def aside(self) -> tuple[str, ...]:
        """Columns of the file that are not in the table: the names of the rows, and `extra`."""
        extra = () if self.extra is None else self.extra.columns
        names = dict.fromkeys(map(str, (self.frame.index.name or "", *extra)))
        return tuple(name for name in names if name and name not in self.frame)

    def column(self, name: str) -> pd.Series[Any]:
        """Return a column, which may be one of those aside."""
        for frame in (self.frame, self.extra):
            if frame is not None and name in frame:
                return frame[name]
        return pd.Series(self.frame.index, index=self.frame.index, name=name)

    def select(self, names: Sequence[str]) -> TableFile:
        """Return the table with some of its columns, or those aside, in their order."""
        if tuple(names) == self.names:
            return self
        new = [self.column(name).rename(name) for name in names if name not in self.frame]
        frame = pd.concat([self.frame, *new], axis=1) if new else self.frame
        return replace(self, frame=frame[list(names)])

    def place(self, row: int) -> str:
        """Name a row for a message: by its line, if the file has lines."""
        if self.lines is None:
            return f"row {row}"
        return f"line {self.lines[row]} of {Path(self.name).name}"
