"""Tables that are read a column at a time, so that they need not be in memory as a whole."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import pandas as pd

__all__ = ["ColumnSource"]


@runtime_checkable
class ColumnSource(Protocol):
    """A long table in a file: :class:`spinney.tables.readers.LongTable` is one.

    Attributes
    ----------
    names : tuple of str
        Its columns.
    n_rows : int
        Its rows.
    """

    names: tuple[str, ...]
    n_rows: int

    def column(self, name: str) -> pd.Series[Any]:
        """Read all rows of one column."""
        ...
