"""Which pairs of a table show any sign of dependence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import n_pairs, pair_ends, pair_numbers
from spinney._core.progress import progress_bar
from spinney._core.storable import storable
from spinney._core.text import counted
from spinney._core.threads import n_threads, one_blas_thread
from spinney.exceptions import InputError
from spinney.pairs.margins import Margins
from spinney.pairs.pseudo import PseudoTable
from spinney.scale.score_tests import Blocks, nominal_strengths, strengths_between, threshold
from spinney.tables import MIN_ROWS, Table

__all__ = ["LEVEL", "PARTNERS", "Screened", "screen"]

Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
LEVEL = 0.01
"""Share of independent pairs that pass by their statistics."""
PARTNERS = 50
"""Strongest pairs of each column that pass in any case."""


def screen(
    table: Table | PseudoTable,
    *,
    level: float = LEVEL,
    partners: int = PARTNERS,
    n_jobs: int | None = None,
    progress: bool = False,
) -> Screened:
    r"""Find the pairs of a table that show any sign of dependence.

    A pair passes if its strength exceeds what a share `level` of independent pairs exceeds, or if
    it is among the `partners` strongest of one of its columns. The strength is the largest of
    thirteen statistics, correlations of functions of the two columns: normal scores above all, and
    others that see tails, bends, rings and waves (:mod:`spinney.scale.score_tests`).

    Parameters
    ----------
    table : Table or PseudoTable
        The table, or its pseudo-observations (:meth:`spinney.pairs.margins.Margins.pseudo`).
        Levels stand at the middle of their interval; a pair with gaps is looked at in the rows
        that have both values, ten at least.
    level : float
        Share of independent pairs that pass by their statistics, between 0 and 1.
    partners : int
        Number of pairs of each column that pass in any case: its strongest.
    n_jobs : int, optional
        Threads; -1 takes all cores. The result does not depend on it.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    Screened
        The pairs that passed, and their strengths.

    Notes
    -----
    Time goes as :math:`n d^2`: thirteen products of (d × n) and (n × d) matrices in single
    precision, in blocks of at most 256 columns. Memory is that of the features, 28 n d bytes or
    256 MiB if that is less, and for each thread some 20 MiB and 5 d · 256 bytes.

    Examples
    --------
    >>> from spinney.tables import read_table
    >>> x = np.random.default_rng(0).normal(size=(200, 40))
    >>> x[:, 1] += x[:, 0]
    >>> x[:, 3] = x[:, 2] ** 2 + 0.5 * x[:, 3]
    >>> screened = screen(read_table(x), level=1e-4, partners=0)
    >>> screened.first, screened.second
    (array([0, 2]), array([1, 3]))
    """
    _check(level, partners)
    pseudo = _read(table)
    n, d = pseudo.u.shape
    if n < MIN_ROWS or d < 2:
        raise InputError(
            f"A screening needs at least {MIN_ROWS} rows and 2 columns; the table has {n} and {d}."
        )
    least = np.float32(threshold(float(level)))
    with one_blas_thread():
        blocks = Blocks(pseudo)
        nominal = nominal_strengths(pseudo, blocks)
        run = Parallel(n_jobs=n_threads(n_jobs), require="sharedmem", return_as="generator")
        found = []
        with progress_bar(len(blocks), "screening pairs", progress) as advance:
            for part in run(
                delayed(_pass)(k, blocks, nominal, least, int(partners)) for k in range(len(blocks))
            ):
                found.append(part)
                advance(1)
    numbers = np.concatenate([part[0] for part in found])
    strengths = np.concatenate([part[1] for part in found])
    # A pair may have passed from both of its ends, whose sums differ in their last digits.
    order = np.lexsort((-strengths, numbers))
    numbers, strengths = numbers[order], strengths[order]
    first = np.diff(numbers, prepend=-1) > 0
    return Screened(d, numbers[first], strengths[first], float(level), int(partners))


def _pass(
    k: int, blocks: Blocks, nominal: tuple[Ints, Singles], least: np.float32, partners: int
) -> tuple[Ints, Singles]:
    """Numbers and strengths of the pairs of a block's columns that pass."""
    left = blocks[k]
    # A block beside itself is one object, whether blocks are kept or read anew: BLAS takes another
    # way, with other last bits, where both factors of a product are the same memory.
    others = (left if j == k else blocks[j] for j in range(len(blocks)))
    strength = np.hstack([strengths_between(left, right) for right in others])
    rows, d = left.columns, strength.shape[1]
    columns, of_nominal = nominal
    strength[:, columns] = of_nominal[:, rows].T
    inside = np.flatnonzero(np.isin(rows, columns))
    strength[inside] = of_nominal[np.searchsorted(columns, rows[inside])]
    strength[np.arange(rows.size), rows] = 0.0
    passed = strength > least
    # From its smaller column, each pair once; those of the other end are found there.
    passed &= np.arange(d) > rows[:, None]
    most = min(partners, d - 1)
    if most:
        best = np.argpartition(strength, d - most, axis=1)[:, d - most :]
        of_best = np.take_along_axis(strength, best, axis=1)
        kept = np.take_along_axis(passed, best, axis=1)
        np.put_along_axis(passed, best, kept | (of_best > 0.0), axis=1)
    u, v = np.nonzero(passed)
    return pair_numbers(rows[u], v, d), strength[u, v]


def _read(table: Table | PseudoTable) -> PseudoTable:
    """Find the pseudo-observations of what was given."""
    if isinstance(table, PseudoTable):
        return table
    if isinstance(table, Table):
        return Margins(smooth=None).fit_pseudo(table)
    raise InputError(
        f"A screening reads a Table or a PseudoTable, not a {type(table).__name__}. "
        "Use spinney.tables.read_table(table) first."
    )


def _check(level: float, partners: int) -> None:
    if not 0.0 < level < 1.0:
        raise InputError(f"level must lie between 0 and 1, it is {level!r}.")
    if partners != int(partners) or partners < 0:
        raise InputError(f"partners must be a whole number from 0 on, it is {partners!r}.")


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
