"""What the sections share: the graph, its pairs in order, and names and numbers for JSON."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from spinney._core.command_line import for_command_line
from spinney._core.text import plain_line, shorten_middle
from spinney.graph.graph import LearnedGraph
from spinney.tables.table import show

MOST_PAIRS = 4000
"""Pairs listed, unless there are more edges."""
MOST_TOLD = 600
"""Pairs shown with data, fit and evidence."""
NEARLY_1 = 0.999999
"""What a number just below 1 is rounded to."""


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
        return list(self.ranked.head(MOST_TOLD)[["i", "j"]].itertuples(index=False, name=None))

    @cached_property
    def edges(self) -> dict[tuple[int, int], dict[Any, Any]]:
        """The rows of the table of edges, by position."""
        ends = map(tuple, np.sort(self.graph.edge_positions, axis=1).tolist())
        return dict(zip(ends, self.graph.edges.to_dict("records"), strict=True))


# Numbers


def plain(value: Any) -> Any:
    """Return plain JSON: lists and dictionaries of text and numbers; see :func:`number`.

    Examples
    --------
    >>> plain({"a": np.array([1.0, np.nan]), 2: (np.int64(3), "b", None)})
    {'a': [1.0, None], '2': [3, 'b', None]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | np.ndarray | pd.Series):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    return number(value) if isinstance(value, float) else value


def number(value: float) -> float | None:
    """Round to six digits, but no share to 1; None where it is missing or infinite.

    Examples
    --------
    >>> number(0.123456789), number(0.99999999), number(1.0), number(float("nan"))
    (0.123457, 0.999999, 1.0, None)
    """
    if not np.isfinite(value):
        return None
    short = float(f"{value:.6g}")
    return NEARLY_1 if short == 1.0 > value else short


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


def label_names(names: Iterable[str], longest: int = LONGEST) -> tuple[str, ...]:
    r"""Shorten names to at most `longest` characters, and keep them unique.

    The middle of a long name is cut, because similar names differ at their ends. Invisible
    characters are left out. Names that are then equal are numbered.

    Examples
    --------
    >>> label_names(["Raf", "a\nb", "x" * 30, "x" * 31], longest=9)
    ('Raf', 'a b', 'xxxx…xxxx', 'xx…xx (2)')
    """
    made: dict[str, None] = {}
    counts: Counter[str] = Counter()
    for name in names:
        seen = plain_line(name) or UNNAMED
        whole = label = shorten_middle(seen, longest)
        while label in made:
            counts[whole] += 1
            tail = f" ({counts[whole] + 1})"
            label = shorten_middle(seen, longest - len(tail)) + tail
        made[label] = None
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
