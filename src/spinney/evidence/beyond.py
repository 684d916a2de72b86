"""Beyond correlations: what one other column leaves of them, and dependence of any shape."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import ndtri

from spinney._core.arrays import average_ranks
from spinney._core.compile import kernel
from spinney._core.pairs import pair_nodes, to_matrix, to_pairs
from spinney.evidence.channels import LARGEST_CORRELATION, Measured, compress, even, odd
from spinney.evidence.correlations import (
    block_sizes,
    chi_squared_deviate,
    normal_deviate,
    null_spread,
    pairwise_correlation,
    shrunk_inverse,
    stacked_scores,
)

__all__ = ["CHANNELS", "channels", "least_given_one", "within_classes"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_LEFT = 0.02
"""Share of a score's variance that another column must leave to be taken as given."""
FEWEST = 3
"""Rows that a class must have for ranks within it."""

_GIVEN = odd(
    "given",
    given_one="the partial correlation of scores given one other column (its score and its square, "
    "or its classes), for the column that leaves the least of it",
    given_one_z="s(√m artanh) of it",
    within="the correlation of ranks within the classes of a nominal column, for the column that "
    "leaves the least of it; that of scores where there is none",
    within_z="s(√m artanh) of it",
)

_SHAPES = even(
    "shapes",
    shapes_z="s(z), z the normal deviate of m times the squared correlations of all polynomials of "
    "the ranks up to degree 4, but for that of the ranks themselves [Neyman's smooth test]",
    partial_shapes_z="s(z) of the size of the pair's block in their inverse correlation matrix",
)

CHANNELS = (*_GIVEN, *_SHAPES)


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of the groups "given" and "shapes"."""
    return {**_given(measured), **_shapes(measured)}


def _given(measured: Measured) -> dict[str, Floats]:
    """Correlations of a pair given one other column, whichever leaves the least of them."""
    scores, gains = measured.scores, measured.gains
    d = scores.normal.shape[1]
    R, owners, ordered, _ = measured.linked
    rows = to_matrix(measured.rows)[np.ix_(ordered, ordered)]
    plain = R[: ordered.size, : ordered.size]
    least = least_given_one(plain, R[: ordered.size], ordered, owners)
    least = np.where(rows > 3.0, least, plain)  # fewer rows have no deviate to compare
    least_z = normal_deviate(least, rows)
    within, within_z = plain.copy(), np.full_like(plain, np.inf)
    for column in np.flatnonzero(scores.nominal):
        codes = _codes(scores.classes[:, scores.owners == column], scores.present[:, column])
        r, lost = within_classes(scores.normal[:, ordered], scores.present[:, ordered], codes)
        z = normal_deviate(r, rows - lost)
        better = np.abs(z) < np.abs(within_z)
        within, within_z = np.where(better, r, within), np.where(better, z, within_z)
    within_z = np.where(np.isinf(within_z), normal_deviate(plain, rows), within_z)
    found = {"given_one": least, "given_one_z": least_z, "within": within, "within_z": within_z}
    spread = np.zeros((d, d))
    result = {}
    for name, values in found.items():
        spread[np.ix_(ordered, ordered)] = compress(values) if name.endswith("_z") else values
        result[name] = np.where(gains.known, to_pairs(spread), 0.0)
    return result


def least_given_one(plain: Floats, loads: Floats, columns: Ints, owners: Ints) -> Floats:
    """Partial correlations given one other column, whichever leaves the least.

    Parameters
    ----------
    plain : array of shape (p, p)
        Correlations of the scores of some columns.
    loads : array of shape (p, q)
        Their correlations with all scores; those of one column are uncorrelated.
    columns : int array of shape (p,)
        Which columns those are.
    owners : int array of shape (q,)
        Whose score each of the q is.

    Examples
    --------
    A chain: its ends are uncorrelated given the middle, and no pair is weaker given an end.

    >>> R = np.array([[1.0, 0.5, 0.25], [0.5, 1.0, 0.5], [0.25, 0.5, 1.0]])
    >>> least_given_one(R, R, np.arange(3), np.arange(3)).round(3) + 0.0
    array([[1.   , 0.447, 0.   ],
           [0.447, 1.   , 0.447],
           [0.   , 0.447, 1.   ]])
    """
    order = np.argsort(owners, kind="stable")
    by_score = np.ascontiguousarray(loads[:, order].T)
    given, counts = np.unique(owners, return_counts=True)
    ends = np.cumsum(counts)
    left = 1.0 - np.add.reduceat(by_score**2, ends - counts, axis=0)
    able = (left > LEAST_LEFT) & (given[:, None] != columns)
    scale = np.where(able, 1.0 / np.sqrt(np.where(able, left, 1.0)), np.nan)
    least = plain.copy()
    _lessen(least, plain, by_score, scale, ends)
    return least


@kernel
def _lessen(least: Floats, plain: Floats, loads: Floats, scale: Floats, ends: Ints) -> None:
    """Put the smallest partial correlation of each pair into `least`; NaN scales never win."""
    p = len(plain)
    rest, size = np.empty(p), np.empty(p)
    for i in range(p):
        for j in range(i):
            size[j] = min(abs(least[i, j]), LARGEST_CORRELATION)
        for k in range(len(ends)):
            own = scale[k, i]
            if np.isnan(own):
                continue
            for j in range(i):
                rest[j] = plain[i, j]
            for row in range(ends[k - 1] if k else 0, ends[k]):
                load = loads[row, i]
                for j in range(i):
                    rest[j] -= load * loads[row, j]
            for j in range(i):
                partial = rest[j] * own * scale[k, j]
                smaller = abs(partial) < size[j]
                size[j] = abs(partial) if smaller else size[j]
                least[i, j] = partial if smaller else least[i, j]
        for j in range(i):
            least[j, i] = least[i, j]


def _codes(classes: Floats, present: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Class of each row by its scores; -1 where it is missing."""
    codes = np.unique(classes.round(9), axis=0, return_inverse=True)[1].ravel()
    return np.where(present, codes, -1)


def within_classes(
    values: Floats, present: NDArray[np.bool_], codes: NDArray[np.int64]
) -> tuple[Floats, int]:
    """Correlations of normal scores of the ranks within classes, all classes together.

    Parameters
    ----------
    values : array of shape (n, d)
        Ordered columns.
    present : bool array of shape (n, d)
        Which values are there.
    codes : int array of shape (n,)
        The class of each row; -1 where it is missing. Such rows, and those of classes with fewer
        than three, are left out.

    Returns
    -------
    correlation : array of shape (d, d)
    lost : int
        Rows that are left out, and one per class, whose mean is taken out.

    Examples
    --------
    Two classes far apart, and within each the columns fall together as they rise:

    >>> x = np.array([1.0, 2.0, 3.0, 11.0, 12.0, 13.0])
    >>> y = np.array([3.0, 2.0, 1.0, 13.0, 12.0, 11.0])
    >>> codes = np.array([0, 0, 0, 1, 1, 1])
    >>> r, lost = within_classes(np.column_stack([x, y]), np.ones((6, 2), bool), codes)
    >>> r.round(2), lost
    (array([[ 1., -1.],
           [-1.,  1.]]), 2)
    """
    scores, used = np.zeros_like(values), np.zeros(len(values), dtype=bool)
    n_classes = 0
    for code in range(int(codes.max(initial=-1)) + 1):
        rows = np.flatnonzero(codes == code)
        if rows.size < FEWEST:
            continue
        n_classes += 1
        used[rows] = True
        own = np.where(present[rows], values[rows], np.nan)
        ranks = average_ranks(own)
        counts = present[rows].sum(axis=0)
        z = ndtri((ranks - 0.5) / np.maximum(counts, 1))
        z = np.where(present[rows], z, 0.0)
        z -= np.where(present[rows], z.sum(axis=0) / np.maximum(counts, 1), 0.0)
        scores[rows] = z
    there = present & used[:, None]
    correlation = pairwise_correlation(scores, there)
    return correlation, int((~used).sum()) + n_classes


def _shapes(measured: Measured) -> dict[str, Floats]:
    """Dependence of any shape: correlations of polynomials of the ranks.

    A pair whose columns have k and l polynomials (of a nominal column: classes less one) has k l
    correlations. If the pair is independent they are independent, and m times the sum of
    their squares is chi-squared: not for a monotone dependence alone, which the first of them sees,
    but for a ring, a wave, or a variance that moves.
    """
    scores, gains = measured.scores, measured.gains
    d = scores.normal.shape[1]
    columns = tuple(np.flatnonzero(shape.any(axis=0)) for shape in scores.shapes)
    R, owners = stacked_scores(scores, gains.known, scores.shapes, columns)
    # Bends of a slow column are faster than the column itself.
    rows = gains.n_rows * np.sqrt(scores.row_shares)
    apart = measured.apart
    first, second = pair_nodes(d)
    counts = np.bincount(owners, minlength=d)
    squares = _sums_by_owner(_sums_by_owner(R**2, owners, d).T, owners, d)
    ranks = np.zeros((d, d))
    ranks[np.ix_(columns[0], columns[0])] = R[: columns[0].size, : columns[0].size] ** 2
    straight = to_pairs(ranks)
    degrees = counts[first] * counts[second]
    ordered = ~(scores.nominal[first] | scores.nominal[second])
    bent = np.where(ordered, degrees - 1, degrees)
    rest = rows * (to_pairs(squares) - np.where(ordered, straight, 0.0))
    marginal = np.where(bent > 0, chi_squared_deviate(rest, bent), 0.0)
    q = len(R)
    worth = q * (1.0 + 2.0 * apart)
    both = np.ix_(owners, owners)
    inverse = shrunk_inverse(R, to_matrix(rows)[both], to_matrix(worth, diagonal=q)[both])
    sizes, _ = block_sizes(inverse, owners, d)
    partial = rows * (to_pairs(sizes) / null_spread(rows, worth, q, apart)) ** 2
    found = {"shapes_z": marginal, "partial_shapes_z": chi_squared_deviate(partial, degrees)}
    return {name: np.where(gains.known, compress(z), 0.0) for name, z in found.items()}


def _sums_by_owner(values: Floats, owners: Ints, d: int) -> Floats:
    """Sum the rows of each owner."""
    ones = sparse.csr_array(
        (np.ones(len(owners)), (owners, np.arange(len(owners)))), (d, len(owners))
    )
    return np.asarray(ones @ values)
