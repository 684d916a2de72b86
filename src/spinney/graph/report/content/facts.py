"""What the sections share: the graph, its pairs in order, and names and numbers for JSON."""

from __future__ import annotations

import unicodedata
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from spinney._core.command_line import for_command_line
from spinney._core.text import shorten_middle
from spinney.graph.graph import LearnedGraph
from spinney.tables.table import show

__all__ = [
    *("MOST_PAIRS", "MOST_TOLD", "Facts", "label_levels", "label_names", "number", "numbers"),
    *("pack", "relabel", "share"),
]

MOST_PAIRS = 4000
"""Pairs listed, unless there are more edges."""
MOST_TOLD = 600
"""Pairs shown with data, fit and evidence."""


@dataclass(frozen=True, eq=False)
class Facts:
    """A graph, and what several sections derive from it."""

    graph: LearnedGraph

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.graph.names)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Names of the columns, short enough to be shown."""
        return label_names(self.graph.names)

    def say(self, text: object) -> str:
        """Write a text or a notice with labels in place of names."""
        told = for_command_line(text) if self.graph.run else str(text)
        return relabel(told, self.graph.names, self.labels)

    @cached_property
    def ranked(self) -> pd.DataFrame:
        """Every pair, the edges first, each group best first; with positions ``i`` < ``j``."""
        ends = np.asarray(self.graph.pair_positions, dtype=np.int64)
        found = self.graph.pairs.assign(i=ends.min(axis=1), j=ends.max(axis=1))
        order = np.argsort(~found["edge"].to_numpy(dtype=bool), kind="stable")
        return found.iloc[order].reset_index(drop=True)

    @cached_property
    def shown(self) -> pd.DataFrame:
        """The pairs listed: all edges, and the next best."""
        return self.ranked.head(max(MOST_PAIRS, self.graph.n_edges))

    @cached_property
    def told(self) -> list[tuple[int, int]]:
        """The pairs shown in full, by position, best first."""
        head = self.ranked.head(MOST_TOLD)
        return list(zip(head["i"].tolist(), head["j"].tolist(), strict=True))

    @cached_property
    def edges(self) -> dict[tuple[int, int], dict[Any, Any]]:
        """The rows of the table of edges, by position."""
        ends = map(tuple, np.sort(self.graph.edge_positions, axis=1).tolist())
        return dict(zip(ends, self.graph.edges.to_dict("records"), strict=True))


# Numbers

SMALLEST_SHARE = 1e-6


def number(value: Any, digits: int = 6) -> float | None:
    """Return a number in few digits, None where it is missing or infinite.

    Examples
    --------
    >>> number(0.123456789), number(float("nan")), number(None), number(np.float32(2))
    (0.123457, None, None, 2.0)
    """
    if value is None or value != value or np.isinf(value):
        return None
    short = float(f"{float(value):.{digits}g}")
    return short if np.isfinite(short) else float(value)  # the largest doubles cannot be rounded


def numbers(values: Iterable[Any], digits: int = 6) -> list[float | None]:
    """Return many numbers in few digits.

    Examples
    --------
    >>> numbers([1 / 3, np.inf], digits=3)
    [0.333, None]
    """
    return [number(value, digits) for value in values]


def share(value: Any) -> float | None:
    """Round a probability or share to six decimals, but never to 0 or 1.

    Examples
    --------
    >>> share(0.99999999), share(1.0), share(1e-12), share(0.25)
    (0.999999, 1.0, 1e-06, 0.25)
    """
    found = number(value, 12)
    if found is None or (found in (0.0, 1.0) and found == value):
        return found
    return round(min(max(found, SMALLEST_SHARE), 1.0 - SMALLEST_SHARE), 6)


def pack(values: ArrayLike, dtype: str) -> str:
    """Write whole numbers as base64 of a little-endian array.

    Examples
    --------
    >>> pack([0, 255], "u1"), pack([258], "<u2")
    ('AP8=', 'AgE=')
    """
    return b64encode(np.ascontiguousarray(values, dtype=dtype).tobytes()).decode("ascii")


# Names

LONGEST = 40
"""Characters of a label, at most."""
UNNAMED = "(no name)"
_HIDDEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
"""Categories of characters that are invisible or change the direction of text."""
_JOINERS = "\u200c\u200d\ufe0f"
"""Characters that some scripts and emoji need."""


def label_names(names: Iterable[str], longest: int = LONGEST) -> tuple[str, ...]:
    r"""Shorten names to at most `longest` characters, and keep them unique.

    The middle of a long name is cut, because similar names differ at their ends. Invisible
    characters become spaces. Names that are then equal are numbered.

    Examples
    --------
    >>> label_names(["Raf", "a\nb", "x" * 30, "x" * 31], longest=9)
    ('Raf', 'a b', 'xxxx…xxxx', 'xx…xx (2)')
    """
    names = list(names)
    made: list[str] = []
    used: set[str] = set()
    counts: dict[str, int] = {}
    plain = [_visible(name) for name in names]
    # Names that need no change keep their form; changed ones give way.
    untouched = {name for name, seen in zip(names, plain, strict=True) if name == seen}
    for name, seen in zip(names, plain, strict=True):
        whole = label = shorten_middle(seen, longest)
        while label in used or (label in untouched and label != name):
            counts[whole] = counts.get(whole, 1) + 1
            tail = f" ({counts[whole]})"
            label = shorten_middle(seen, longest - len(tail)) + tail
        used.add(label)
        made.append(label)
    return tuple(made)


def label_levels(levels: Sequence[Any]) -> list[str]:
    """Write the levels of a column as text, shortened like names.

    Examples
    --------
    >>> label_levels([1.0, 2.0]), label_levels(["yes", "no"])
    (['1', '2'], ['yes', 'no'])
    """
    return list(label_names(show(level) for level in levels))


def relabel(text: str, names: Sequence[str], labels: Sequence[str]) -> str:
    """Replace names in a text by their labels, where these differ.

    Examples
    --------
    >>> relabel("Column 'xxxxxxxxxxxx' has gaps.", ["xxxxxxxxxxxx"], ["xx…xx"])
    "Column 'xx…xx' has gaps."
    """
    changed = [
        (name, label)
        for name, label in zip(names, labels, strict=True)
        # A short name may be part of a word.
        if name != label and len(name) > 2
    ]
    for name, label in sorted(changed, key=lambda pair: -len(pair[0])):
        text = text.replace(name, label)
    return text


def _visible(name: str) -> str:
    """Replace invisible characters, and those that change direction, by spaces."""
    seen = "".join(
        character
        if unicodedata.category(character) not in _HIDDEN or character in _JOINERS
        else " "
        for character in name[: 10 * LONGEST] + name[10 * LONGEST :][-10 * LONGEST :]
    )
    return " ".join(seen.split()) or UNNAMED
