"""Pair densities of long tables: computed a few pairs at a time, summed, and not kept.

A million rows of 40 columns have 780 million log-densities, 6.2 GB. All that the forests and the
evidence ask of them are sums over sets of rows, so that each pair's numbers can be forgotten when
they have been added up: one visit to every pair serves all sets at once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import n_pairs as count_pairs
from spinney.exceptions import InputError
from spinney.pairs.densities import subset_sums

__all__ = ["MOST_HELD", "ChunkedDensities", "are_too_many"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Visit = Callable[[Callable[[Integers, Floats], None]], None]

MOST_HELD = 1 << 27
"""Log-densities that are held at once, 1 GiB of them; more are summed up and forgotten."""


def are_too_many(n_rows: int, n_listed: int) -> bool:
    """Whether the log-densities of so many rows and pairs are not held.

    Examples
    --------
    >>> are_too_many(20_000, 780), are_too_many(1_000_000, 780)
    (False, True)
    """
    return n_rows * n_listed > MOST_HELD


class ChunkedDensities:
    """What a long table says of its pairs, for whoever asks for sums over rows only.

    It stands where a :class:`~spinney.pairs.densities.PairDensities` of all pairs would not fit into
    memory, and gives the same sums, to the bit.

    Parameters
    ----------
    visit : callable
        ``visit(receive)`` calls ``receive(pairs, values)`` for a few pairs at a time, until each
        was there once: their numbers, and log-densities of shape (n_pairs, n). Pairs that do not
        come are independent. Calls may come from several threads.
    n_rows : int
        Rows of the table.
    n_parameters, pair_rows : arrays of shape (n_pairs,)
        Parameters of each pair's density, and rows that it was fitted on.
    n_nodes : int
        Columns of the table.
    silent : bool array of shape (n_pairs,), optional
        Pairs that say nothing, since others explain them.

    Examples
    --------
    >>> table = np.array([[0.5, 0.1, 0.0], [0.2, 0.3, 1.0]])
    >>> def visit(receive):
    ...     for pair in range(3):
    ...         receive(np.array([pair]), table.T[pair : pair + 1])
    >>> densities = ChunkedDensities(visit, 2, np.ones(3), np.full(3, 2.0), 3)
    >>> densities.subset_sums([np.array([0, 1])])
    array([[0.7, 0.4, 1. ]])
    """

    pairs: Integers | None = None

    def __init__(
        self,
        visit: Visit,
        n_rows: int,
        n_parameters: ArrayLike,
        pair_rows: ArrayLike,
        n_nodes: int,
        silent: NDArray[np.bool_] | None = None,
    ) -> None:
        total = count_pairs(n_nodes)
        self._visit = visit
        self._n_samples, self._n_nodes = n_rows, n_nodes
        self.listed_parameters: Floats = np.asarray(n_parameters, dtype=float)
        self.listed_rows: Floats = np.asarray(pair_rows, dtype=float)
        self._silent = np.zeros(total, dtype=bool) if silent is None else silent
        self._known: dict[bytes, Floats] = {}
        for name in ("listed_parameters", "listed_rows", "_silent"):
            if getattr(self, name).shape != (total,):
                raise InputError(f"Each of {total} pairs needs a number: {name.lstrip('_')}.")

    @property
    def n_nodes(self) -> int:
        """Columns of the table."""
        return self._n_nodes

    @property
    def n_samples(self) -> int:
        """Rows of the table."""
        return self._n_samples

    @property
    def n_pairs(self) -> int:
        """Pairs of columns."""
        return len(self.listed_parameters)

    @property
    def n_parameters(self) -> Floats:
        """Parameters of every pair's density."""
        return self.listed_parameters

    @property
    def n_rows(self) -> Floats:
        """Rows of every pair."""
        return self.listed_rows

    @property
    def costs(self) -> Floats:
        r"""What the parameters of each pair's density cost in BIC, :math:`k_e \log n_e`."""
        return self.n_parameters * np.log(np.maximum(self.n_rows, 1.0))

    def total(self, pairs: ArrayLike | None = None) -> Floats:
        """Sum the log-densities of some pairs, by default all, over all rows."""
        sums = self.subset_sums([np.arange(self.n_samples)])[0]
        return sums if pairs is None else sums[np.asarray(pairs)]

    def subset_sums(self, subsets: Sequence[Integers]) -> Floats:
        """Sum log-densities over the rows of each subset, shape (n_subsets, n_pairs)."""
        self.sum_ahead([subsets])
        return np.stack([self._known[_key(rows)] for rows in subsets])

    def sum_ahead(self, batches: Sequence[Sequence[Integers]]) -> None:
        """Sum over all subsets that will be asked for, in one visit to the pairs.

        Parameters
        ----------
        batches : sequence of sequences of int arrays
            Row numbers of subsets; those of one batch have one size.
        """
        wanted: list[Sequence[Integers]] = []
        for batch in batches:
            left = [rows for rows in batch if _key(rows) not in self._known]
            if left:
                wanted.append(left)
        if not wanted:
            return
        stacked = [np.stack(batch) for batch in wanted]
        sums = [np.zeros((len(batch), self.n_pairs)) for batch in wanted]

        def receive(pairs: Integers, values: Floats) -> None:
            speaking = ~self._silent[pairs]
            if not speaking.all():
                pairs, values = pairs[speaking], values[speaking]
            if not pairs.size:
                return
            if not np.isfinite(values).all():
                pair, row = np.argwhere(~np.isfinite(values))[0]
                raise InputError(
                    f"The log-density of row {row} under pair {pairs[pair]} is "
                    f"{values[pair, row]}. Log-densities must be finite; keep the "
                    "pseudo-observations away from 0 and 1."
                )
            table = np.ascontiguousarray(values.T)
            for found, rows in zip(sums, stacked, strict=True):
                found[:, pairs] = subset_sums(table, rows)

        self._visit(receive)
        for batch, found in zip(wanted, sums, strict=True):
            for rows, row_sums in zip(batch, found, strict=True):
                self._known[_key(rows)] = row_sums

    @property
    def log_density(self) -> NoReturn:
        """Refuse to hold all log-densities."""
        gigabytes = 8e-9 * self.n_samples * self.n_pairs
        raise InputError(
            f"The log-densities of {self.n_samples:,} rows and {self.n_pairs:,} pairs would take "
            f"{gigabytes:.1f} GB, so they are summed and not kept. Learn from fewer rows "
            "(rows=20000) to have what needs them all."
        )


def _key(rows: Integers) -> bytes:
    """Tell subsets apart by their rows, in whatever process they are."""
    return blake2b(np.ascontiguousarray(rows).data, digest_size=16).digest()
