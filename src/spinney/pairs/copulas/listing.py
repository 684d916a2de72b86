"""Which pairs of a table have an entry of their own: all of them, or those of a list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import n_pairs, pair_ends, pair_nodes, pair_positions

__all__ = ["Listing", "Some"]

Ints = NDArray[np.int64]


class Some(NamedTuple):
    """Pairs that are worked on.

    Attributes
    ----------
    places : int array
        Their places in a listing.
    first, second : int arrays
        Their columns.
    """

    places: Ints
    first: Ints
    second: Ints


@dataclass(frozen=True, eq=False)
class Listing:
    """The pairs of a table of d columns that have an entry of their own.

    Attributes
    ----------
    d : int
        Number of columns.
    numbers : int array or None
        Numbers of the listed pairs, ascending; None if every pair is listed.
    first, second : int arrays
        Their columns, found when they are first asked for.

    Examples
    --------
    >>> listing = Listing.of([5, 0, 5], 4)
    >>> listing.numbers, listing.first, listing.second
    (array([0, 5]), array([0, 2]), array([1, 3]))
    >>> listing.places([5, 1, 0])
    array([ 1, -1,  0])
    """

    d: int
    numbers: Ints | None

    @classmethod
    def of(cls, numbers: ArrayLike | None, d: int) -> Listing:
        """List some pairs, in whatever order they are given, or with None all."""
        if numbers is None:
            return cls(d, None)
        return cls(d, np.unique(pair_positions(numbers, n_pairs(d))))

    @property
    def size(self) -> int:
        """How many pairs are listed."""
        return n_pairs(self.d) if self.numbers is None else self.numbers.size

    @property
    def first(self) -> Ints:
        """The smaller column of each listed pair."""
        return self._ends[0]

    @property
    def second(self) -> Ints:
        """The larger column of each listed pair."""
        return self._ends[1]

    @cached_property
    def _ends(self) -> tuple[Ints, Ints]:
        return pair_nodes(self.d) if self.numbers is None else pair_ends(self.numbers, self.d)

    def places(self, pairs: ArrayLike | None) -> Ints:
        """Find the entries of some pairs, -1 where there is none; None stands for all entries."""
        if pairs is None:
            return np.arange(self.size)
        wanted = pair_positions(pairs, n_pairs(self.d))
        if self.numbers is None:
            return wanted
        near = np.searchsorted(self.numbers, wanted)
        found = np.append(self.numbers, -1)[near] == wanted
        return np.where(found, near, -1)

    def find(self, pairs: ArrayLike | None) -> Some:
        """Find the entries of some pairs as :meth:`places` does, and their columns."""
        places = self.places(pairs)
        if pairs is None:
            return Some(places, self.first, self.second)
        return Some(places, *pair_ends(pair_positions(pairs, n_pairs(self.d)), self.d))

    def some(self, places: Ints) -> Some:
        """Take some of the listed pairs, given by their places."""
        return Some(places, self.first[places], self.second[places])
