"""Which pairs of a table show any sign of dependence."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy import special

from spinney._core.pairs import n_pairs, pair_ends, pair_numbers
from spinney._core.progress import progress_bar
from spinney._core.storable import storable
from spinney._core.text import counted
from spinney._core.threads import n_threads, one_blas_thread
from spinney.exceptions import InputError
from spinney.pairs.margins import Margins
from spinney.pairs.pseudo import PseudoTable
from spinney.scale.score_tests import (
    MIN_COMMON_ROWS,
    Blocks,
    nominal_strengths,
    positions_of,
    strengths_between,
    threshold,
    unbend,
)
from spinney.tables import MIN_ROWS, Table

__all__ = ["LEVEL", "PARTNERS", "Screened", "add_co_parents", "screen"]

Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
LEVEL = 0.01
"""Share of independent pairs that pass by their statistics."""
PARTNERS = 50
"""Strongest pairs of each column that pass in any case."""

SMALLEST_REST = 0.02
"""Share of a column's variance that a third column must leave for it to be compared given that."""
SHARED = 30
"""Strongest partners of a column that are looked at as pairs given that column."""
CHANCE = 0.1
"""Partners of a column that may be as strong by chance as those that are looked at."""


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


def add_co_parents(
    table: Table | PseudoTable, screened: Screened, *, n_jobs: int | None = None
) -> Screened:
    r"""Add pairs that depend on each other given a column that both depend on.

    Two causes of one effect may be independent of each other, and still be joined in the graph:
    they depend on each other given the effect. So of each column w the strongest partners (30 at
    most, as strong as 0.1 partners of a column are by chance) are compared given w: a pair u, v by
    its partial correlation of normal scores

    .. math:: r_{uv \cdot w} = \frac{r_{uv} - r_{uw} r_{vw}}
              {\sqrt{(1 - r_{uw}^2) (1 - r_{vw}^2)}},

    as a normal deviate, of which the largest counts where a pair shares several partners, with its
    probability times their number. The pair passes at the level of the screening. The strength of
    a pair that has passed already is raised to that deviate, if it is larger.

    Parameters
    ----------
    table : Table or PseudoTable
        The table that was screened.
    screened : Screened
        What passed.
    n_jobs : int, optional
        Threads; -1 takes all cores. The result does not depend on it.

    Notes
    -----
    Time and memory go as the columns: of d columns there are at most 435 d triples. Nominal
    columns have no scores, and take no part. With gaps, rows that have all three values count.

    Examples
    --------
    >>> from spinney.tables import read_table
    >>> x = np.random.default_rng(0).normal(size=(200, 40))
    >>> x[:, 2] += x[:, 0] + x[:, 1]  # two causes, independent of each other
    >>> table = read_table(x)
    >>> first = screen(table, level=1e-4, partners=0)
    >>> second = add_co_parents(table, first)
    >>> [list(zip(s.first.tolist(), s.second.tolist())) for s in (first, second)]
    [[(0, 2), (1, 2)], [(0, 1), (0, 2), (1, 2)]]
    """
    pseudo, d = _read(table), screened.n_nodes
    with one_blas_thread():
        partners = _strong_partners(screened)
        run = Parallel(n_jobs=n_threads(n_jobs), require="sharedmem")
        middle = [w for w in range(d) if len(partners[w]) > 1 and not pseudo.nominal[w]]
        parts = [middle[at : at + 100] for at in range(0, len(middle), 100)]
        found = run(delayed(_given_each)(pseudo, part, partners) for part in parts)
    numbers = np.concatenate([screened.pairs[:0], *(part[0] for part in found)])
    z = np.concatenate([screened.strength[:0], *(part[1] for part in found)])
    order = np.lexsort((-z, numbers))
    pairs, start, times = np.unique(numbers[order], return_index=True, return_counts=True)
    largest = z[order][start].astype(float)
    tail = special.log_ndtr(-largest) + np.log(times)
    corrected = np.maximum(-special.ndtri_exp(np.minimum(tail, np.log(0.5))), 0.0)
    passes = corrected > -special.ndtri(screened.level / 2.0)
    every = np.union1d(screened.pairs, pairs[passes])
    strength = np.zeros(every.size, dtype=np.float32)
    strength[np.searchsorted(every, screened.pairs)] = screened.strength
    at = np.searchsorted(every, pairs[passes])
    strength[at] = np.maximum(strength[at], corrected[passes].astype(np.float32))
    return Screened(d, every, strength, screened.level, screened.partners)


def _strong_partners(screened: Screened) -> list[Ints]:
    """Find the strongest partners of each column, ascending."""
    d = screened.n_nodes
    strong = np.flatnonzero(screened.strength > -special.ndtri(min(CHANCE / d, 0.5)))
    one = np.concatenate([screened.first[strong], screened.second[strong]])
    other = np.concatenate([screened.second[strong], screened.first[strong]])
    order = np.lexsort((other, -np.tile(screened.strength[strong], 2), one))
    ends = np.cumsum(np.bincount(one, minlength=d))
    return [np.sort(own[:SHARED]) for own in np.split(other[order], ends[:-1])]


def _given_each(
    pseudo: PseudoTable, middle: list[int], partners: list[Ints]
) -> tuple[Ints, Singles]:
    """Numbers and deviates of pairs of partners given the column between them, for some columns."""
    numbers, deviates = [], []
    for w in middle:
        u, v, z = _given(pseudo, w, partners[w])
        numbers.append(pair_numbers(u, v, pseudo.n_columns))
        deviates.append(z)
    return np.concatenate(numbers), np.concatenate(deviates)


def _given(pseudo: PseudoTable, w: int, partners: Ints) -> tuple[Ints, Ints, Singles]:
    """Compare the partners of a column, in pairs, given it."""
    u = positions_of(pseudo, np.append(partners[~pseudo.nominal[partners]], w))
    u = u[~np.isnan(u[:, -1])]
    there = (~np.isnan(u)).astype(float)
    scores = np.where(there > 0.0, special.ndtri(np.where(there > 0.0, u, 0.5)), 0.0)
    here, x, given = there[:, :-1], scores[:, :-1], scores[:, -1:]
    count = np.maximum(here.sum(axis=0), 1.0)
    x = (x - x.sum(axis=0) / count) * here
    given = (given - (given * here).sum(axis=0) / count) * here
    square = (given**2).sum(axis=0)
    rest = x - given * ((x * given).sum(axis=0) / np.where(square > 0.0, square, 1.0))
    left = (rest**2).sum(axis=0) > SMALLEST_REST * (x**2).sum(axis=0)
    rows, squares = here.T @ here, (rest**2).T @ here
    sound = np.multiply.outer(left, left) & (rows >= MIN_COMMON_ROWS)
    scale = np.sqrt(np.where(sound, squares * squares.T, 1.0))
    r = np.where(sound, np.clip(rest.T @ rest / np.where(scale > 0.0, scale, 1.0), -1.0, 1.0), 0.0)
    one, other = np.triu_indices(len(r), 1)
    m = rows[one, other].astype(np.float32) - np.float32(1.0)  # a row is spent on the third column
    size = np.abs(r[one, other]).astype(np.float32) * np.sqrt(np.maximum(m - 1.0, 0.0))
    listed = partners[~pseudo.nominal[partners]]
    return listed[one], listed[other], unbend(size, m)


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
