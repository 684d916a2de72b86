"""Pairs of columns as users name them: for edges that are known beforehand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.choices import column_position
from spinney._core.pairs import pair_ends, pair_index, pair_nodes
from spinney.exceptions import InputError


def read_pair(edge: Sequence[Any], names: Sequence[str], what: str) -> int:
    """Find the position of a pair of columns, each given by name or position.

    `what` names the parameter.

    Examples
    --------
    >>> read_pair(("c", 0), ("a", "b", "c"), "required")
    1
    """
    if isinstance(edge, str) or not isinstance(edge, Sequence | np.ndarray) or len(edge) != 2:
        raise InputError(f"{what} must list pairs of columns; {edge!r} is none.")
    i, j = (column_position(column, names, what) for column in edge)
    if i == j:
        raise InputError(f"{what} joins column {edge[0]!r} to itself.")
    return int(pair_index(i, j, len(names)))


def read_pairs(
    edges: Iterable[Sequence[Any]] | None, names: Sequence[str], what: str
) -> NDArray[np.int64]:
    """Find the positions of several pairs, rising, each once; None stands for none.

    Examples
    --------
    >>> read_pairs([("b", "c"), ("a", "b"), ("b", "a")], ("a", "b", "c"), "forbidden")
    array([0, 2])
    """
    if isinstance(edges, str):
        raise InputError(f"{what} must list pairs of columns; {edges!r} is none.")
    wanted = {read_pair(edge, names, what) for edge in (edges if edges is not None else ())}
    return np.array(sorted(wanted), dtype=np.int64)


def both_required_and_forbidden(pair: int, names: Sequence[str]) -> InputError:
    """Error for a pair that is both."""
    u, v = (names[int(nodes[pair])] for nodes in pair_nodes(len(names)))
    return InputError(f"The edge '{u}' - '{v}' is both required and forbidden.")


def named_pairs(
    edges: Iterable[Sequence[Any]] | None, names: Sequence[str], what: str
) -> list[tuple[str, str]]:
    """Name pairs of columns that are given by name or position.

    Examples
    --------
    >>> named_pairs([(0, "c")], ("a", "b", "c"), "required")
    [('a', 'c')]
    """
    first, second = pair_ends(read_pairs(edges, names, what), len(names))
    return [(names[u], names[v]) for u, v in zip(first.tolist(), second.tolist(), strict=True)]


def pairs_among(pairs: Iterable[tuple[str, str]], names: Iterable[str]) -> list[tuple[str, str]]:
    """Keep the pairs with both columns among `names`."""
    known = set(names)
    return [pair for pair in pairs if known.issuperset(pair)]
