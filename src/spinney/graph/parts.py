"""Some rows of a table that has been read: a group, or a half."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from spinney._core.knowledge import read_pairs
from spinney._core.pairs import pair_nodes
from spinney.tables import part_of

__all__ = ["named_pairs", "pairs_among", "part_of"]

NamedPairs = list[tuple[str, str]]


def named_pairs(
    pairs: Iterable[Sequence[Any]] | None, names: tuple[str, ...], what: str
) -> NamedPairs:
    """Give pairs of columns, by name or position, all by name; `what` is their parameter.

    Examples
    --------
    >>> named_pairs([(0, "c")], ("a", "b", "c"), "required")
    [('a', 'c')]
    """
    first, second = pair_nodes(len(names))
    found = read_pairs(pairs, names, what)
    return [(names[int(first[pair])], names[int(second[pair])]) for pair in found]


def pairs_among(pairs: NamedPairs, names: Sequence[str]) -> NamedPairs:
    """Keep the pairs of which both columns are among some."""
    known = set(names)
    return [(u, v) for u, v in pairs if u in known and v in known]
