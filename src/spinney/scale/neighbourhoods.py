"""Overlapping groups of columns, so that a wide table can be judged part by part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import DisjointSet

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Strengths = NDArray[np.float32]

CORE = 100
"""Columns that are at home in one neighbourhood, at most."""
SIZE = 200
"""Columns of a neighbourhood, at most."""
PARTNERS = 20
"""Pairs of a column, its strongest, that are seen together in any case."""


@dataclass(frozen=True, eq=False)
class Neighbourhood:
    """Columns that are judged together.

    Attributes
    ----------
    nodes : int array
        The columns, rising.
    home : bool array of the same shape
        Which of them are at home here: of those, the strongest partners are here, too. The others
        are the partners; and where only pairs are seen that were left over, none is at home.
    """

    nodes: Ints
    home: Bools

    def __len__(self) -> int:
        return len(self.nodes)


def find_neighbourhoods(
    n_nodes: int,
    first: ArrayLike,
    second: ArrayLike,
    strength: ArrayLike,
    *,
    together: float = 0.0,
    partners: int = PARTNERS,
    core: int = CORE,
    size: int = SIZE,
) -> tuple[Neighbourhood, ...]:
    r"""Group columns that belong together, and add to each group its strongest partners.

    Cores grow as in Kruskal's algorithm: pairs are visited from the strongest to the weakest, and
    the groups of their two columns are joined if that makes no more than `core` columns. Groups
    that no pair joins are packed together, the largest first, each where it fits first. Then each
    core is extended, up to `size` columns, by the columns outside with the strongest pair into it.

    Pairs of at least the strength `together` that are among the strongest `partners` of one of
    their columns, but lie in no neighbourhood yet (in a block of thousands of columns that all
    depend on each other there are many), are grouped in the same way again, among themselves, until
    there are none left.

    Parameters
    ----------
    n_nodes : int
        Number of columns.
    first, second : int arrays of shape (n_listed,)
        The listed pairs; all others count as weaker than any of these.
    strength : array of shape (n_listed,)
        How strongly each pair depends, such as a normal deviate. Pairs of infinite strength are
        seen together in any case.
    together : float
        Pairs from this strength on are in one neighbourhood at least, if they are
    partners : int
        among so many strongest of one of their columns.
    core, size : int
        Most columns of a core and of a neighbourhood; 2 ≤ core ≤ size.

    Returns
    -------
    tuple of Neighbourhood
        First those of the cores, of which each column is at home in one, in the order of their
        first columns; then those of pairs that were left over.

    Notes
    -----
    The same pairs give the same neighbourhoods, in whatever order they are listed. Of equal
    strengths the pair of the first columns is visited first; without equal strengths, permuting
    the columns permutes the groups that are grown, and only what is packed may change.

    Examples
    --------
    Five columns, of which two and three belong together:

    >>> found = find_neighbourhoods(5, [0, 1, 3, 0], [4, 2, 2, 1], [9.0, 8.0, 7.0, 1.0], core=3)
    >>> [part.nodes[part.home].tolist() for part in found]
    [[0, 4], [1, 2, 3]]
    >>> [part.nodes.tolist() for part in found]
    [[0, 1, 4], [0, 1, 2, 3]]
    """
    one, other = (np.asarray(ends, dtype=np.int64) for ends in (first, second))
    low, high = np.minimum(one, other), np.maximum(one, other)
    power = np.asarray(strength, dtype=np.float32)
    order = np.lexsort((high, low, -power))  # strongest first
    one, other, power = low[order], high[order], power[order]
    cores = _pack(_grow(n_nodes, one, other, core), core)
    found = [_extend(nodes, n_nodes, one, other, power, size) for nodes in cores]
    constrained = np.isposinf(power)
    left = np.flatnonzero(constrained | (power >= together) & (_ranks(one, other) < partners))
    left = left[~together_in(found, one[left], other[left], n_nodes)]
    while left.size:
        groups = _grow(n_nodes, one[left], other[left], core)
        again = [
            _extend(nodes, n_nodes, one[left], other[left], power[left], size)
            for nodes in groups
            if len(nodes) > 1
        ]
        # What room is left goes to the strongest partners of all, without whom a pair that others
        # explain would look like an edge.
        wholes = [_extend(part.nodes, n_nodes, one, other, power, size) for part in again]
        again = [Neighbourhood(part.nodes, np.zeros(len(part), dtype=bool)) for part in wholes]
        found += again
        left = left[~together_in(again, one[left], other[left], n_nodes)]
    return tuple(found)


def together_in(
    neighbourhoods: Iterable[Neighbourhood], first: ArrayLike, second: ArrayLike, n_nodes: int
) -> Bools:
    """Which pairs have both columns in some neighbourhood.

    Examples
    --------
    >>> parts = find_neighbourhoods(4, [0, 2], [1, 3], [2.0, 1.0], core=2, size=2)
    >>> together_in(parts, [0, 1], [1, 2], 4)
    array([ True, False])
    """
    one, other = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    covered = np.zeros(one.shape, dtype=bool)
    for part in neighbourhoods:
        inside = np.zeros(n_nodes, dtype=bool)
        inside[part.nodes] = True
        covered |= inside[one] & inside[other]
    return covered


def _ranks(one: Ints, other: Ints) -> Ints:
    """How many stronger pairs a pair's columns have: the fewer of the two; strongest come first."""
    ends = np.concatenate([one, other])
    visits = np.concatenate([np.arange(len(one))] * 2)
    order = np.lexsort((visits, ends))
    starts = np.flatnonzero(np.diff(ends[order], prepend=-1))
    rank = np.empty(len(ends), dtype=np.int64)
    lengths = np.diff(np.append(starts, len(ends)))
    rank[order] = np.arange(len(ends)) - np.repeat(starts, lengths)
    return np.minimum(rank[: len(one)], rank[len(one) :])


def _grow(n_nodes: int, one: Ints, other: Ints, core: int) -> list[Ints]:
    """Join the groups of each pair in turn, unless that makes a group too large."""
    groups = DisjointSet(range(n_nodes))
    for u, v in zip(one.tolist(), other.tolist(), strict=True):
        if groups.subset_size(u) + groups.subset_size(v) <= core:
            groups.merge(u, v)
    return [np.array(sorted(group), dtype=np.int64) for group in groups.subsets()]


def _pack(groups: list[Ints], core: int) -> list[Ints]:
    """Put groups together, the largest first, each into the first place with room for it."""
    places: list[list[Ints]] = []
    room: list[int] = []
    for group in sorted(groups, key=len, reverse=True):
        at = next((k for k, left in enumerate(room) if left >= len(group)), len(room))
        if at == len(room):
            places.append([])
            room.append(core)
        places[at].append(group)
        room[at] -= len(group)
    packed = [np.sort(np.concatenate(place)) for place in places]
    return sorted(packed, key=lambda nodes: int(nodes[0]))


def _extend(
    core: Ints, n_nodes: int, one: Ints, other: Ints, power: Strengths, size: int
) -> Neighbourhood:
    """Add the columns with the strongest pair into the core, as long as there is room."""
    inside = np.zeros(n_nodes, dtype=bool)
    inside[core] = True
    crossing = np.flatnonzero(inside[one] != inside[other])  # strongest first
    outer = np.where(inside[one[crossing]], other[crossing], one[crossing])
    met, when = np.unique(outer, return_index=True)
    partners = met[np.argsort(when, kind="stable")][: size - len(core)]
    nodes = np.sort(np.concatenate([core, partners]))
    return Neighbourhood(nodes, np.isin(nodes, core, assume_unique=True))
