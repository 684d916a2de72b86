"""Correlations of columns with gaps, and partial ones, by scores of one number or several."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import pair_nodes, to_matrix, to_pairs
from spinney.evidence.channels import Measured, compress, even, fisher_z, odd, root
from spinney.evidence.gains import Gains
from spinney.evidence.scores import Scores

__all__ = [
    "CHANNELS",
    "LONG",
    "RIDGES",
    "Stack",
    "block_sizes",
    "channels",
    "inverse_of",
    "pairwise_correlation",
    "partial_correlation",
    "ridge",
    "stacked_correlation",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

RIDGES = (0.1, 1.0, 4.0)
"""Rows that the three ridges are worth, for each column. The best rankings of edges, on tuning
tables of trees, loops, grids, hubs and cliques with 50 and 100 rows, have 1 to 8."""
SMALLEST_VARIANCE = 1e-12
LONG = 100_000
"""Rows from which on products are summed over parts of the rows, to save memory."""
PART = 1 << 15
"""Rows of such a part."""
MEDIUM = 1
"""The ridge that serves where there is but one."""
LARGEST_LATENT = 0.99
"""A correlation that levels blur is corrected to no more than that."""

_PARTIAL = even(
    "correlations",
    partial_any="artanh of the size of the pair's block in the inverse correlation matrix of "
    "scores, their squares and classes",
    partial_any_z="s(root(n x² - k)), x that size and k the numbers in the block",
)

_SQUARES = even(
    "squares",
    squares="s(√n (c - r²)), c the correlation of the squared scores and r that of the scores",
    bends="s(√n x), x² the squared correlations of each score with the other's square, summed",
    partial_squares="s(√n artanh p), p the partial correlation of the squared scores",
    partial_bends="s(√n x), x² the squared partial correlations of each score with the other's "
    "square, summed",
)

_CORRELATIONS = odd(
    "correlations",
    tau="Kendall's tau-b of the sample",
    score="r, the correlation of normal scores",
    score_z="s(√n artanh r)",
    latent="correlation behind the columns: sin(π tau / 2), of the fitted copula with levels",
    latent_z="s(√n artanh) of it",
    partial_free="partial correlation of scores, drawn to 0 by a ridge worth 0.1 d rows",
    partial_free_z="s(√n artanh) of it",
    partial="partial correlation of scores, ridge worth d rows",
    partial_z="s(√n artanh) of it",
    partial_firm="partial correlation of scores, ridge worth 4 d rows",
    partial_firm_z="s(√n artanh) of it",
    partial_latent="partial correlation behind the columns, ridge worth d rows",
    partial_latent_z="s(√n artanh) of it",
)

CHANNELS = (*_PARTIAL, *_SQUARES, *_CORRELATIONS)


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of the groups "correlations" and "squares"."""
    scores, gains = measured.scores, measured.gains
    n, d = scores.normal.shape
    ordered = np.flatnonzero(~scores.nominal)
    bent = np.flatnonzero(scores.squares.any(axis=0))
    # Scores of all columns, then squares, then classes: one matrix for all correlations.
    arrays = scores.normal, scores.squares, scores.classes
    columns = ordered, bent, np.arange(scores.classes.shape[1])
    owners = np.concatenate([ordered, bent, scores.owners])
    known = to_matrix(gains.known, diagonal=1.0)[np.ix_(owners, owners)] > 0.0
    same = np.equal.outer(owners, owners)
    R = stacked_correlation(Stack(arrays, columns, scores.present, owners))
    R = np.where(known & ~same, R, 0.0)  # scores of one column are uncorrelated by construction
    np.fill_diagonal(R, 1.0)
    ridges = [ridge(n, d, strength) for strength in RIDGES]
    linear = np.concatenate([np.arange(ordered.size), np.arange(ordered.size + bent.size, len(R))])
    inverses = inverse_of(R[np.ix_(linear, linear)], ridges)
    spread = _Spread(d, ordered)
    partials = [spread(partial_correlation(x)[: ordered.size, : ordered.size]) for x in inverses]
    score = spread(R[: ordered.size, : ordered.size])
    latent, partial_latent = _latent(score, scores, gains, ridges[MEDIUM])
    found = {"tau": gains.tau}
    names = ("score", "latent", "partial_free", "partial", "partial_firm", "partial_latent")
    rows = np.sqrt(gains.n_rows)
    for name, r in zip(names, (score, latent, *partials, partial_latent), strict=True):
        found[name], found[f"{name}_z"] = r, compress(rows * fisher_z(r))

    inverse = inverse_of(R, [ridge(n, len(R), RIDGES[MEDIUM])])[0]
    sizes, counts = block_sizes(inverse, owners, d)
    any_kind = np.where(gains.known, to_pairs(sizes), 0.0)
    first, second = pair_nodes(d)
    surplus = gains.n_rows * any_kind**2 - np.where(gains.known, counts[first] * counts[second], 0)
    found["partial_any"], found["partial_any_z"] = fisher_z(any_kind), compress(root(surplus))

    bends = slice(ordered.size, ordered.size + bent.size)
    straight = slice(ordered.size)
    both, cross = _Spread(d, bent), _Spread(d, ordered, bent)
    partial = partial_correlation(inverse)
    squared = both(R[bends, bends])
    excess = np.where(both.there, squared - score**2, 0.0)
    found["squares"] = compress(rows * excess)
    found["bends"] = compress(rows * cross.size(R[straight, bends]))
    found["partial_squares"] = compress(rows * fisher_z(both(partial[bends, bends])))
    found["partial_bends"] = compress(rows * cross.size(partial[straight, bends]))
    return {name: np.where(gains.known, values, 0.0) for name, values in found.items()}


class _Spread:
    """Puts numbers of some columns in their places among all pairs, 0 elsewhere."""

    def __init__(
        self, d: int, rows: NDArray[np.intp], columns: NDArray[np.intp] | None = None
    ) -> None:
        self.d = d
        self.where = np.ix_(rows, rows if columns is None else columns)

    def _whole(self, matrix: Floats) -> Floats:
        whole = np.zeros((self.d, self.d))
        whole[self.where] = matrix
        return whole

    def __call__(self, matrix: Floats) -> Floats:
        """Spread a symmetric matrix."""
        return to_pairs(self._whole(matrix))

    def size(self, matrix: Floats) -> Floats:
        """Join the two entries that a pair has in a matrix of one score against another."""
        whole = self._whole(matrix) ** 2
        return np.sqrt(to_pairs(whole + whole.T))

    @property
    def there(self) -> Bools:
        """The pairs that have a place in the matrix."""
        return to_pairs(self._whole(np.ones([len(x.ravel()) for x in self.where]))) > 0.0


def _latent(score: Floats, scores: Scores, gains: Gains, strength: float) -> tuple[Floats, Floats]:
    """Correlations of the normal variables behind the columns, and their partial ones.

    By Kendall's tau where both columns are continuous, by that of the fitted copula where one has
    levels. Where that is independence, the correlation of scores is corrected for what the levels
    do not show.
    """
    first, second = pair_nodes(len(scores.shown))
    smooth = (scores.levels[first] == 0.0) & (scores.levels[second] == 0.0)
    blur = np.sqrt(np.maximum(scores.shown[first] * scores.shown[second], 1e-6))
    corrected = np.clip(score / blur, -LARGEST_LATENT, LARGEST_LATENT)
    by_tau = np.sin(0.5 * np.pi * np.where(smooth, gains.tau, gains.fitted_tau))
    ordered = ~(scores.nominal[first] | scores.nominal[second]) & gains.known
    latent = np.where(smooth | (gains.fitted_tau != 0.0), by_tau, corrected)
    latent = np.where(ordered, latent, 0.0)
    inverse = inverse_of(to_matrix(latent, diagonal=1.0), [strength])[0]
    return latent, np.where(ordered, to_pairs(partial_correlation(inverse)), 0.0)


class Stack(NamedTuple):
    """Columns of several arrays side by side, of which some rows are looked at at a time.

    Attributes
    ----------
    arrays : tuple of arrays of shape (n, …)
        Where the columns are; 0 where a value is missing.
    columns : tuple of int arrays
        Which columns of each.
    present : bool array of shape (n, d)
        Which values of the table are there.
    owners : int array
        Whose column of the table each of the columns is.
    """

    arrays: tuple[Floats, ...]
    columns: tuple[Ints, ...]
    present: Bools
    owners: Ints

    def rows(self, part: slice) -> tuple[Floats, Bools]:
        """Put some rows of the columns side by side, and say which values are there."""
        pieces = (array[part][:, own] for array, own in zip(self.arrays, self.columns, strict=True))
        return np.hstack(list(pieces)), self.present[part][:, self.owners]


def stacked_correlation(stack: Stack) -> Floats:
    """Correlations of columns, as :func:`pairwise_correlation` computes them.

    Tables of 100,000 rows and more are summed over parts of their rows, which agrees with the whole
    to twelve digits.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [2.0, 0.0], [3.0, 4.0], [4.0, 9.0]])
    >>> present = np.array([[1, 1], [1, 0], [1, 1], [1, 1]], dtype=bool)
    >>> both = np.arange(2)
    >>> stacked_correlation(Stack((values,), (both,), present, both)).round(3)
    array([[1.   , 0.908],
           [0.908, 1.   ]])
    """
    n = len(stack.present)
    if n < LONG:
        return pairwise_correlation(*stack.rows(slice(n)))
    parts = [slice(begin, begin + PART) for begin in range(0, n, PART)]
    q = len(stack.owners)
    m, total = np.zeros(q), np.zeros(q)
    for part in parts:
        values, there = stack.rows(part)
        m += there.sum(axis=0)
        total += (values * there).sum(axis=0)
    mean = total / np.maximum(m, 1.0)
    products, common, sums, squares = np.zeros((4, q, q))
    whole = bool((m == n).all())
    for part in parts:
        values, there = stack.rows(part)
        here = there.astype(float)
        centred = (values - mean) * here
        products += centred.T @ centred
        if not whole:
            common += here.T @ here
            sums += centred.T @ here
            squares += (centred**2).T @ here
    scale = np.sqrt(np.diagonal(products) / np.maximum(m, 1.0))
    scale = np.where(scale > SMALLEST_VARIANCE, scale, 1.0)
    products /= np.multiply.outer(scale, scale)
    if whole:
        variance = np.broadcast_to(np.diagonal(products)[:, None], products.shape)
    else:
        common = np.maximum(common, 1.0)
        sums /= scale[:, None]
        products -= sums * sums.T / common
        variance = squares / scale[:, None] ** 2 - sums**2 / common
    return _scaled(products, variance)


def pairwise_correlation(values: Floats, present: Bools) -> Floats:
    """Correlations of columns, each pair over the rows that have both values.

    Parameters
    ----------
    values : array of shape (n, d)
        The columns; 0 where a value is missing.
    present : bool array of shape (n, d)
        Which values are there.

    Returns
    -------
    array of shape (d, d)
        Ones on the diagonal; 0 where a column is constant over the common rows.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [2.0, 0.0], [3.0, 4.0], [4.0, 9.0]])
    >>> present = np.array([[1, 1], [1, 0], [1, 1], [1, 1]], dtype=bool)
    >>> pairwise_correlation(values, present).round(3)  # of (1, 2), (3, 4), (4, 9)
    array([[1.   , 0.908],
           [0.908, 1.   ]])
    """
    here = present.astype(float)
    m = np.maximum(here.sum(axis=0), 1.0)
    centred = (values - (values * here).sum(axis=0) / m) * here
    scale = np.sqrt((centred**2).sum(axis=0) / m)
    centred /= np.where(scale > SMALLEST_VARIANCE, scale, 1.0)
    products = centred.T @ centred
    if present.all():
        variance = np.broadcast_to(np.diagonal(products)[:, None], products.shape)
    else:
        common = np.maximum(here.T @ here, 1.0)
        sums = centred.T @ here  # of u over the rows that have v
        products = products - sums * sums.T / common
        variance = (centred**2).T @ here - sums**2 / common
    return _scaled(products, variance)


def _scaled(products: Floats, variance: Floats) -> Floats:
    """Divide products by standard deviations, those of each pair over the rows that it has."""
    sound = (variance > SMALLEST_VARIANCE) & (variance.T > SMALLEST_VARIANCE)
    scale = np.sqrt(np.where(sound, variance * variance.T, 1.0))
    correlation = np.where(sound, np.clip(products / scale, -1.0, 1.0), 0.0)
    np.fill_diagonal(correlation, 1.0)
    return correlation


def ridge(n: int, d: int, strength: float) -> float:
    r"""How far a correlation matrix is drawn to the identity, :math:`\lambda = c d / (n + c d)`.

    As if c rows for each column had been seen in which nothing is correlated: next to nothing
    where rows abound, nearly the whole way where columns do.

    Examples
    --------
    >>> ridge(300, 100, 1.0)
    0.25
    """
    return strength * d / (n + strength * d)


def inverse_of(correlation: Floats, ridges: list[float]) -> list[Floats]:
    r"""Inverses of :math:`(1 - \lambda) R_+ + \lambda I` for several :math:`\lambda`.

    :math:`R_+` is R without its negative eigenvalues, which it has where pairs differ in their
    rows.

    Examples
    --------
    >>> inverse_of(np.array([[1.0, 0.5], [0.5, 1.0]]), [0.2])[0].round(4)
    array([[ 1.1905, -0.4762],
           [-0.4762,  1.1905]])
    """
    eigenvalues, vectors = np.linalg.eigh(correlation)
    eigenvalues = np.maximum(eigenvalues, 0.0)
    return [(vectors / ((1.0 - x) * eigenvalues + x)) @ vectors.T for x in ridges]


def partial_correlation(inverse: Floats) -> Floats:
    r"""Partial correlations :math:`-\Omega_{uv} / \sqrt{\Omega_{uu} \Omega_{vv}}`, zero diagonal.

    Examples
    --------
    >>> partial_correlation(np.linalg.inv([[1.0, 0.5], [0.5, 1.0]])).round(3)
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    scale = np.sqrt(np.diagonal(inverse))
    partial = -inverse / np.multiply.outer(scale, scale)
    np.fill_diagonal(partial, 0.0)
    return np.clip(partial, -1.0, 1.0)


def block_sizes(inverse: Floats, owners: Ints, d: int) -> tuple[Floats, Ints]:
    r"""Size of the part of an inverse that belongs to two columns with several scores each.

    .. math:: \bigl\| \Omega_{uu}^{-1/2} \Omega_{uv} \Omega_{vv}^{-1/2} \bigr\|_F

    is the root of the sum of squared partial canonical correlations; of columns with one score
    each, it is the partial correlation without its sign.

    Parameters
    ----------
    inverse : array of shape (q, q)
        Inverse of the correlation matrix of all scores.
    owners : int array of shape (q,)
        The column that each score belongs to; each of d columns has one at least.
    d : int
        Number of columns.

    Returns
    -------
    sizes : array of shape (d, d)
        Zero on the diagonal.
    counts : int array of shape (d,)
        Scores of each column.

    Examples
    --------
    >>> inverse = np.linalg.inv(np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> block_sizes(inverse, np.array([0, 1]), 2)[0].round(3)
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    order = np.argsort(owners, kind="stable")
    inverse = inverse[np.ix_(order, order)]
    counts = np.bincount(owners, minlength=d)
    starts = np.cumsum(counts) - counts
    whiten = np.zeros_like(inverse)
    for count in np.unique(counts):
        places = starts[counts == count][:, None] + np.arange(count)
        block = places[:, :, None], places[:, None, :]
        values, vectors = np.linalg.eigh(inverse[block])
        whiten[block] = (vectors / np.sqrt(values)[:, None, :]) @ vectors.swapaxes(1, 2)
    squares = (whiten @ inverse @ whiten) ** 2
    sums = np.add.reduceat(np.add.reduceat(squares, starts, axis=0), starts, axis=1)
    np.fill_diagonal(sums, 0.0)
    return np.sqrt(sums), counts
