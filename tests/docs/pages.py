"""Pages of the documentation, and the pieces of code that stand in them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

__all__ = ["NOT_RUN", "PAGES", "ROOT", "Block", "blocks_of"]

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    [*(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "gallery").glob("*.md"), ROOT / "README.md"]
)
NOT_RUN = "# not run: "
"""How a piece of code begins that is not run; the reader sees the reason as well."""


class Block(NamedTuple):
    """A fenced piece of a page: its language, its text, and the line it begins at."""

    language: str
    text: str
    line: int

    @property
    def is_session(self) -> bool:
        """Whether it shows input and output, as doctest reads them."""
        return self.language == "python" and ">>>" in self.text

    @property
    def is_run(self) -> bool:
        """Whether it is run."""
        return not self.text.startswith(NOT_RUN)


def blocks_of(text: str) -> list[Block]:
    """Find the fenced pieces of a page.

    Examples
    --------
    >>> blocks_of("A page.\\n\\n```python\\nx = 1\\n```\\n")
    [Block(language='python', text='x = 1\\n', line=4)]
    """
    fences = re.finditer(r"^```([\w-]+)[^\n]*\n(.*?)^```$", text, re.S | re.M)
    return [Block(found[1], found[2], text.count("\n", 0, found.start()) + 2) for found in fences]
