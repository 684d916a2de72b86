"""The pairs that a screening let pass."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import n_pairs, pair_ends, pair_numbers
from spinney._core.storable import storable
from spinney._core.text import counted
from spinney.exceptions import InputError

__all__ = ["Screened"]

Ints = NDArray[np.int64]


@storable("Screened")
@dataclass(frozen=True, eq=False)
class Screened:
    """The pairs of a table that passed a screening; all others count as independent.

    Attributes
    ----------
    n_nodes : int
        Number of columns d of the table.
    pairs : int array
        Numbers of the pairs that passed, ascending, in the order of ``np.triu_indices(d, 1)``.
    strength : float32 array
        The largest statistic of each of them, as the size of a standard normal variable.
    level : float
        Share of independent pairs that pass by their statistics.
    partners : int
        Number of pairs of each column that pass in any case: its strongest.
    first, second : int arrays
        The two columns of each pair that passed, the smaller one first.

    Examples
    --------
    >>> screened = Screened(4, np.array([0, 5]), np.array([9.1, 4.2], dtype=np.float32), 0.01, 1)
    >>> screened.first, screened.second
    (array([0, 2]), array([1, 3]))
    >>> screened.sentence()
    '2 of 6 pairs (33 %) passed the screening, by level 0.01 or among the strongest of a column.'
    """

    n_nodes: int
    pairs: Ints
    strength: NDArray[np.float32]
    level: float
    partners: int

    def __post_init__(self) -> None:
        """Refuse what cannot come from a screening: readers trust order and shapes."""
        pairs, total = self.pairs, n_pairs(self.n_nodes)
        if pairs.ndim != 1 or pairs.dtype.kind not in "iu" or self.strength.shape != pairs.shape:
            raise InputError("A screening needs a list of pair numbers and a strength for each.")
        if pairs.size and (pairs[0] < 0 or pairs[-1] >= total or (np.diff(pairs) <= 0).any()):
            raise InputError(
                f"The pairs of a screening must be numbers from 0 to {total - 1}, ascending and "
                "each listed once."
            )

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def first(self) -> Ints:
        """The smaller column of each pair that passed."""
        return self._ends[0]

    @property
    def second(self) -> Ints:
        """The larger column of each pair that passed."""
        return self._ends[1]

    @cached_property
    def _ends(self) -> tuple[Ints, Ints]:
        return pair_ends(self.pairs, self.n_nodes)

    def within(self, nodes: ArrayLike) -> tuple[Ints, Ints]:
        """Find the pairs that lie within some columns, as pairs of the table of these alone.

        Parameters
        ----------
        nodes : array of int
            Columns, each once, in the order that they have in the smaller table.

        Returns
        -------
        local : int array
            Numbers of the pairs in the smaller table, ascending.
        places : int array
            Where each of them stands in `pairs`.

        Examples
        --------
        >>> strength = np.array([9.1, 4.2], dtype=np.float32)
        >>> Screened(4, np.array([0, 5]), strength, 0.01, 1).within([3, 1, 2])
        (array([1]), array([1]))
        """
        chosen = np.asarray(nodes, dtype=np.int64)
        inside = (chosen >= 0) & (chosen < self.n_nodes)
        if chosen.ndim != 1 or not inside.all() or np.unique(chosen).size < chosen.size:
            raise InputError(
                f"nodes must list columns from 0 to {self.n_nodes - 1}, each of them once."
            )
        place = np.full(self.n_nodes, -1)
        place[chosen] = np.arange(chosen.size)
        u, v = place[self.first], place[self.second]
        places = np.flatnonzero((u >= 0) & (v >= 0))
        local = pair_numbers(u[places], v[places], chosen.size)
        order = np.argsort(local)
        return local[order], places[order]

    def sentence(self) -> str:
        """Say in a sentence how many pairs passed."""
        total = n_pairs(self.n_nodes)
        share = 100.0 * len(self) / max(total, 1)
        return (
            f"{len(self):,} of {counted(total, 'pair')} ({share:.2g} %) passed the screening, by "
            f"level {self.level:g} or among the strongest of a column."
        )
