"""Dependence of two columns given one other column.

Two columns with a common cause are independent given it. Whatever the shape of its effects, they
are removed by regression on its ranks in small classes, with a slope inside each (or on its own
values, if they are few). The other column given which the dependence is weakest explains the pair
best. Two causes of one effect, or two inputs of an exclusive or, depend on each other only within
the classes of a third column: so the dependence is also measured within the classes of each other
column, and the strongest is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from spinney._core.arrays import Bools, Floats, Ints
from spinney.evidence.correlations import first_scores
from spinney.evidence.matrices import chi_squared_deviate, normal_deviate, permutation_variance
from spinney.evidence.measured import FEWEST_ROWS, Measured, even, odd
from spinney.scores import Scores

Singles = NDArray[Any]  # of float32

NARROW = 40
"""Columns up to which every other column is given for a pair."""
MOST_PARTNERS = 24
"""Columns that are given for a pair in wider tables: the strongest partners of either."""
AT_ONCE = 1 << 20
"""Numbers held at once, of rows by columns by columns that are given."""
MOST_STEPS = 25
LEAST_LEFT = 1e-4
"""Share of a score's variance that another column must leave to be taken as given."""
MOST_CLASSES = 6
"""Levels up to which a column's own values are the classes; those of others are parted in three."""
FEWEST_IN_CLASS = 8

CHANNELS = (
    *odd(
        "given",
        given_one="partial correlation of normal scores given one other column, taken in steps, "
        "for the column that leaves the least of it",
        given_one_z="√m artanh of it",
    ),
    *even(
        "given",
        least_z="normal deviate of the squared correlations of all scores of the two columns given "
        "one other column, for the column that leaves the least of them",
        most_z="normal deviate of the squared correlations of the two columns within the classes "
        "of one other column, for the column that brings out most",
    ),
)


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of the group "given", as matrices of columns by columns."""
    partners = strongest_partners(measured)
    given, given_z, least = _least(measured, partners)
    return {
        "given_one": given,
        "given_one_z": given_z,
        "least_z": least,
        "most_z": _most(measured, partners),
    }


def strongest_partners(measured: Measured) -> Bools:
    """Which columns k are given for the pairs of each column u, shape (d, d): [k, u]."""
    d = measured.d
    if d <= NARROW:
        return ~np.eye(d, dtype=bool)
    mean, variance = measured.moments
    strength = (measured.rows * measured.squares - mean) / np.sqrt(variance)
    np.fill_diagonal(strength, -np.inf)
    order = np.argpartition(-strength, MOST_PARTNERS, axis=0)[:MOST_PARTNERS]
    partners = np.zeros((d, d), dtype=bool)
    np.put_along_axis(partners, order, True, axis=0)
    return partners


class Steps(NamedTuple):
    """Functions of columns that others are freed of.

    Attributes
    ----------
    basis : float32 array of shape (n, k, w)
        Those of each column, orthonormal; 0 beyond its own.
    widths : int array of shape (k,)
        How many each column has.
    """

    basis: Singles
    widths: Ints


def steps_of(scores: Scores, ks: Ints, rows: Floats, dtype: DTypeLike = np.float32) -> Steps:
    r"""Functions of some columns that others are freed of.

    The indicators of a column's values if they are few; else those of :math:`\sqrt m / 2` classes
    of its ranks, as many above the middle as below, each with a slope inside.

    Parameters
    ----------
    scores : Scores
    ks : int array of shape (k,)
        The columns.
    rows : array of shape (k,)
        Independent rows m of each.
    dtype : dtype
        Single precision is enough to compare columns.
    """
    n_classes = np.minimum(2 * ((np.sqrt(rows) / 2.0).astype(np.int64) // 2) + 1, MOST_STEPS)
    codes, there, ranks = scores.codes[:, ks], scores.present[:, ks], scores.ranks[:, ks]
    few = scores.nominal[ks] | (scores.n_values[ks] <= np.maximum(n_classes, 3))
    if not few.all():
        codes = np.where(few | ~there, codes, rank_classes(ranks, n_classes))
    widths = codes.max(axis=0, initial=0) + 1
    slopes = int(widths[~few].max(initial=0))
    width = max(int(widths[few].max(initial=0)), 2 * slopes)
    row, column = np.nonzero(there)
    cell = width * column + codes[row, column]
    counts = np.maximum(np.bincount(cell, minlength=len(ks) * width), 1)
    basis = np.zeros((len(codes), len(ks) * width), dtype=dtype)
    basis[row, cell] = (1.0 / np.sqrt(counts))[cell]
    if slopes:
        x = ranks[row, column]
        x = x - (np.bincount(cell, x, len(counts)) / counts)[cell]
        size = np.sqrt(np.bincount(cell, x * x, len(counts)))
        x /= np.where(size > 1e-9, size, np.inf)[cell]
        own = ~few[column]
        basis[row[own], cell[own] + slopes] = x[own]
    return Steps(basis.reshape(len(codes), len(ks), width), np.where(few, widths, 2 * widths))


def rank_classes(ranks: Floats, n_classes: int | Ints) -> Ints:
    """Part ranks into an odd number of classes, the same from both ends.

    Examples
    --------
    >>> rank_classes(np.array([0.1, 1 / 3, 0.5, 2 / 3, 0.9]), 3)
    array([0, 1, 1, 1, 2])
    """
    x = n_classes * ranks
    near = np.round(x)
    on_edge = np.abs(x - near) < 1e-9  # goes to the class that is nearer to the middle
    below = np.where(on_edge, near - (ranks > 0.5), np.floor(x))
    return np.clip(below, 0, n_classes - 1).astype(np.int64)


class _Slabs(NamedTuple):
    """Scores in another order: the first of all columns, then the second of those that have one.

    Columns with more scores come first, so that sums over the scores of each column are sums of
    whole slices, several times as fast as sums of neighbours.

    Attributes
    ----------
    columns : int array of shape (d,)
        Columns in the new order.
    places : int array of shape (q,)
        Scores in the new order.
    sizes : int array
        Columns that have a first score, a second, and so on.
    """

    columns: Ints
    places: Ints
    sizes: Ints

    @classmethod
    def of(cls, starts: Ints, counts: Ints) -> _Slabs:
        columns = np.argsort(-counts, kind="stable")
        sizes = np.array([(counts > k).sum() for k in range(int(counts.max(initial=1)))])
        places = [starts[columns[:size]] + k for k, size in enumerate(sizes)]
        return cls(columns, np.concatenate(places), sizes)

    @property
    def counts(self) -> Ints:
        """Scores of each column, in the new order."""
        return (np.arange(self.sizes[0])[:, None] < self.sizes).sum(axis=1)

    @property
    def owners(self) -> Ints:
        """Column of each score, both in the new order."""
        return np.concatenate([np.arange(size) for size in self.sizes])

    def only(self, asked: Ints) -> _Slabs:
        """Give the scores of some columns alone, by where they stand, rising."""
        sizes = np.searchsorted(asked, self.sizes)
        starts = np.cumsum(self.sizes) - self.sizes
        places = [asked[:size] + start for size, start in zip(sizes, starts, strict=True)]
        return _Slabs(asked, np.concatenate(places), sizes)

    def fold(self, x: Any, function: np.ufunc, after: int = 0) -> Any:
        """Bring together the scores of each column along an axis with `after` axes behind it."""
        behind = (slice(None),) * after
        found, at = x[(..., slice(0, self.sizes[0]), *behind)], self.sizes[0]
        found = found.copy() if len(self.sizes) > 1 else found
        for size in self.sizes[1:]:
            own = found[(..., slice(0, size), *behind)]
            function(own, x[(..., slice(at, at + size), *behind)], out=own)
            at += size
        return found

    def sums(self, x: Singles, other: _Slabs) -> Singles:
        """Sum the last two axes over the scores of each column, the last by another's slabs."""
        return np.asarray(other.fold(self.fold(x, np.add, 1), np.add))


def _parts(d: int, size: int) -> Iterator[Ints]:
    """Part the columns so that a product of some with `size` scores of rows is worth its while."""
    step = d if d <= NARROW else max(1, min(d, AT_ONCE // max(size // 8, 1)))
    yield from (np.arange(low, min(low + step, d)) for low in range(0, d, step))


def _batches(partners: Bools, many: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Give columns k to be given at once, by their place in `many`, and columns u for their pairs.

    Of a narrow table many k for all u; of a wide one each k for those whose partner it is.
    """
    if len(partners) <= NARROW:
        yield np.arange(len(many)), np.arange(len(partners))
    else:
        yield from ((np.array([k]), np.flatnonzero(partners[many[k]])) for k in range(len(many)))


def _least(measured: Measured, partners: Bools) -> tuple[Floats, Floats, Floats]:
    """Take each column as given in turn, and keep what is least."""
    scores, d = measured.scores, measured.d
    slabs = _Slabs.of(scores.starts, scores.counts)
    order, owners = slabs.columns, slabs.owners
    at = np.ix_(order, order)
    # Single precision is enough for what is compared with errors of 1 / √m, and twice as fast.
    rows = measured.rows[at].astype(np.float32)
    R = measured.R[np.ix_(slabs.places, slabs.places)].astype(np.float32)
    values = np.ascontiguousarray(scores.values.T[slabs.places], dtype=np.float32)
    there = scores.present.sum(axis=0)[order]
    size = (np.sqrt(there)[:, None] / np.maximum(measured.common[at], 1.0)).astype(np.float32)
    seen, nominal = measured.seen[at], scores.nominal[order]
    given = measured.score[at].astype(np.float32)
    given_z = normal_deviate(measured.score, measured.rows)[at].astype(np.float32)
    squares = (measured.rows * measured.squares)[at].astype(np.float32)
    partners = partners[at]
    for many in _parts(d, values.size):
        basis, widths = steps_of(scores, order[many], measured.rows.diagonal()[order[many]])
        loads = values @ basis.reshape(len(basis), -1)
        loads = np.ascontiguousarray(loads.reshape(len(owners), len(many), -1).swapaxes(0, 1))
        loads *= size[many][:, owners, None]
        left = 1.0 - np.einsum("kij,kij->ki", loads, loads)
        # Which scores stand for the classes of a nominal column is a choice: one scale for them.
        whole = slabs.fold(left, np.add) / slabs.counts
        left = np.where(nominal[owners], whole[:, owners], left)
        able = seen[many] & (slabs.fold(left, np.minimum) > LEAST_LEFT)
        able[np.arange(len(many)), many] = False
        scale = 1.0 / np.sqrt(np.maximum(left, LEAST_LEFT))
        loads *= scale[:, :, None]
        for ks, asked in _batches(partners, many):
            some = slabs.only(asked)
            here, spread, load = some.places, scale[ks], loads[ks]
            rest = R[here] * spread[:, None, :]
            rest *= spread[:, here, None]
            rest -= load[:, here] @ load.swapaxes(1, 2)
            m = np.maximum(rows[asked] - widths[ks, None, None].astype(np.float32), 1.0)
            cannot = m < FEWEST_ROWS
            cannot |= ~able[ks][:, asked, None]
            cannot |= ~able[ks][:, None, :]
            linear = rest[:, : len(asked), :d].copy()
            linear[:, nominal[asked]] = 0.0
            linear[..., nominal] = 0.0
            z = normal_deviate(linear, m)
            z[cannot] = np.inf
            best = np.abs(z).argmin(axis=0)[None]
            z, linear = (np.take_along_axis(x, best, 0)[0] for x in (z, linear))
            smaller = np.abs(z) < np.abs(given_z[asked])
            given_z[asked] = np.where(smaller, z, given_z[asked])
            given[asked] = np.where(smaller, linear, given[asked])
            rest *= rest
            summed = some.sums(rest, slabs)
            summed *= m
            summed[cannot] = np.inf
            squares[asked] = np.minimum(squares[asked], summed.min(axis=0))
    turn = np.abs(given_z.T) < np.abs(given_z)
    given, given_z = np.where(turn, given.T, given), np.where(turn, given_z.T, given_z)
    back = np.ix_(np.argsort(order), np.argsort(order))
    least = chi_squared_deviate(
        np.minimum(squares, squares.T)[back].astype(float), *measured.moments
    )
    return given[back].astype(float), given_z[back].astype(float), least


def _most(measured: Measured, partners: Bools) -> Floats:
    """Take the classes of each column in turn, and keep the deviate that is largest."""
    scores, d = measured.scores, measured.d
    places = first_scores(scores, 1)
    counts = np.bincount(scores.owners[places], minlength=d)
    slabs = _Slabs.of(np.cumsum(counts) - counts, counts)
    places, order = places[slabs.places], slabs.columns
    at = np.ix_(order, order)
    X = scores.values[:, places].astype(np.float32)
    there = None if scores.present.all() else scores.present[:, order].astype(np.float32)
    shares, partners = scores.row_shares[at].astype(np.float32), partners[at]
    most = np.full((d, d), -np.inf, dtype=np.float32)
    for many in _parts(d, X.size):
        classes = _Classes.of(scores, order[many], X, there, slabs)
        for ks, asked in _batches(partners, many):
            low, high = np.searchsorted(classes.owners, [ks[0], ks[-1] + 1])
            if low == high:
                continue
            within = _within(X, classes, slice(low, high), slabs, asked, there)
            T, mean, variance = (_by_column(x, classes.owners[low:high], ks) for x in within)
            z = chi_squared_deviate(T * shares[asked], mean, variance)
            z[mean < 0.5] = -np.inf
            z[np.arange(len(ks)), :, many[ks]] = -np.inf
            z[many[ks][:, None] == asked] = -np.inf
            most[asked] = np.maximum(most[asked], z.max(axis=0))
    most = np.maximum(most, most.T)
    back = np.argsort(order)
    return np.where(np.isfinite(most), most, 0.0)[np.ix_(back, back)]


def _by_column(x: Singles, owners: Ints, ks: Ints) -> Singles:
    """Sum the first axis over the classes of each column."""
    if len(ks) == 1:
        return np.asarray(x.sum(axis=0, keepdims=True))
    over = (owners == ks[:, None]).astype(np.float32)
    return np.asarray(over @ x.reshape(len(x), -1)).reshape(len(ks), *x.shape[1:])


class _Classes(NamedTuple):
    """Classes of some columns, and facts of all columns in each.

    Attributes
    ----------
    member : array of shape (n_classes, n)
        Which rows belong to each.
    owners : int array of shape (n_classes,)
        The column that each belongs to; a column has two classes at least, or none.
    mean, spread : arrays of shape (n_classes, q)
        Mean of each score, and one over its standard deviation, or over that of all scores of its
        column; 0 if there is none.
    square, heavy : arrays of shape (n_classes, d)
        With these spreads, the sum of squared covariances of a column's scores, and the mean of the
        squared sum of its squared scores: 1 and the kurtosis of a single score.
    """

    member: Singles
    owners: Ints
    mean: Singles
    spread: Singles
    square: Singles
    heavy: Singles

    @classmethod
    def of(
        cls, scores: Scores, ks: Ints, X: Singles, there: Singles | None, slabs: _Slabs
    ) -> _Classes:
        member, classes_of = _members(scores, ks)
        owners, d = slabs.owners, len(slabs.columns)
        count = np.maximum(member.sum(axis=1)[:, None] if there is None else member @ there, 1.0)
        count = np.broadcast_to(count, (len(member), d))
        x2 = X * X
        a, b, c, e = (member @ x / count[:, owners] for x in (X, x2, x2 * X, x2 * x2))
        mean, m2 = a[:, :d], a[:, :d] ** 2
        variance = b[:, :d] - m2
        heavy = e[:, :d] - 4.0 * mean * c[:, :d] + 6.0 * m2 * b[:, :d] - 3.0 * m2 * m2
        square = variance * variance
        for k in range(slabs.sizes[1] if len(slabs.sizes) > 1 else 0):
            # The scores of a nominal column are numbers of its levels: their counts tell all.
            own = np.flatnonzero(owners == k)
            codes = scores.codes[:, slabs.columns[k]]
            levels, rows = np.unique(codes, return_index=True)
            levels, rows = levels[levels >= 0], rows[levels >= 0]
            share = member @ (codes[:, None] == levels).astype(np.float32) / count[:, [k]]
            apart = X[np.ix_(rows, own)] - a[:, None, own]
            covariance = np.swapaxes(share[:, :, None] * apart, 1, 2) @ apart
            variance[:, k] = np.einsum("cii->c", covariance) / len(own)
            square[:, k] = (covariance**2).sum(axis=(1, 2))
            heavy[:, k] = (share * (apart**2).sum(axis=2) ** 2).sum(axis=1)
        sound = variance > np.maximum(1e-6, 1e-5 * b[:, :d])  # less is a rounding error
        spread = np.where(sound, 1.0 / np.sqrt(np.where(sound, variance, 1.0)), np.float32(0.0))
        scale = spread**4
        return cls(member, classes_of, a, spread[:, owners], square * scale, heavy * scale)


def _members(scores: Scores, ks: Ints) -> tuple[Singles, Ints]:
    """Part the rows by the classes of some columns: which belong to each, and whose it is."""
    codes, ranks = scores.codes[:, ks], scores.ranks[:, ks]
    fine = (scores.n_values[ks] > MOST_CLASSES) & ~scores.nominal[ks]
    codes = np.where(fine & scores.present[:, ks], rank_classes(ranks, 3), codes)
    width = int(codes.max(initial=0)) + 2
    sizes = np.bincount((codes + 1 + width * np.arange(len(ks))).ravel(), minlength=width * len(ks))
    sizes = sizes.reshape(len(ks), width)[:, 1:]
    large = np.argsort(-sizes, axis=1, kind="stable")[:, :MOST_CLASSES]
    enough = np.take_along_axis(sizes, large, 1) >= FEWEST_IN_CLASS
    enough &= enough.sum(axis=1, keepdims=True) > 1
    owners, at = np.nonzero(enough)
    return (codes.T[owners] == large[owners, at][:, None]).astype(np.float32), owners


def _within(
    X: Singles, classes: _Classes, own: slice, slabs: _Slabs, asked: Ints, there: Singles | None
) -> tuple[Singles, Singles, Singles]:
    """Compute n r² of columns in each class, and its mean and variance over permutations inside.

    Of `own` classes; columns that are `asked` by all columns, shape (n_classes, n_asked, d).
    """
    member, a, spread, square, heavy = (
        x[own]
        for x in (classes.member, classes.mean, classes.spread, classes.square, classes.heavy)
    )
    some, p = slabs.only(asked), slabs.counts.astype(np.float32)
    here, sound = some.places, spread[:, : len(p)] > 0.0
    usable = sound[:, asked, None] & sound[:, None, :]
    r = _products(X, member, here)
    if there is None:
        both = member.sum(axis=1)[:, None, None]
        r /= both
    else:
        both = np.maximum(_products(there, member, asked), 1.0)
        r /= both[:, some.owners][:, :, slabs.owners]
        usable &= both >= FEWEST_IN_CLASS
    r -= a[:, here, None] * a[:, None, :]
    r *= spread[:, here, None]
    r *= spread[:, None, :]
    r *= r
    m = np.maximum(both, np.float32(FEWEST_IN_CLASS))
    T = np.minimum(some.sums(r, slabs), np.sqrt(square[:, asked, None] * square[:, None, :]))
    traces, squares, heavies = ((x[..., asked, None], x[..., None, :]) for x in (p, square, heavy))
    variance = permutation_variance(m, *traces, *heavies, *squares)
    mean = traces[0] * traces[1] * m / (m - 1.0)
    return usable * m * T, usable * mean, usable * m * m * variance


def _products(X: Singles, member: Singles, here: Ints) -> Singles:
    """Sum the products of scores over the rows of each class, as one product of matrices."""
    own = X[:, here].T * member[:, None, :]
    return np.asarray(own.reshape(-1, len(X)) @ X).reshape(len(member), -1, X.shape[1])
