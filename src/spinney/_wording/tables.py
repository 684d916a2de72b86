"""What is said of tables, their columns and rows."""

from __future__ import annotations

from spinney.wording import Words

__all__ = ["WORDS"]

WORDS: dict[str, Words] = {
    "column-constant": "Column '{column}' is constant over {n} rows, so it has no ranks. Drop it.",
}
