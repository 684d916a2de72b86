"""Correlations of columns with gaps, and partial ones, by scores of one number or several."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh, lapack

from spinney._core.pairs import pair_nodes, to_matrix, to_pairs
from spinney.evidence.channels import Measured, compress, even, fisher_z, odd
from spinney.evidence.scores import Scores

__all__ = [
    "CHANNELS",
    "LONG",
    "RIDGES",
    "Linked",
    "Stack",
    "block_sizes",
    "channels",
    "chi_squared_deviate",
    "link_scores",
    "normal_deviate",
    "null_spread",
    "pairwise_correlation",
    "partial_correlation",
    "positive_definite",
    "shrunk_inverse",
    "stacked_correlation",
    "stacked_scores",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

RIDGES = {"partial_free": 0.1, "partial": 1.0, "partial_firm": 4.0}
"""Rows that the three ridges are worth, for each column. The best rankings of edges, on tuning
tables of trees, loops, grids, hubs and cliques with 50 and 100 rows, have 1 to 8."""
SMALLEST_VARIANCE = 1e-12
LONG = 100_000
"""Rows from which on products are summed over parts of the rows, to save memory."""
PART = 1 << 15
"""Rows of such a part."""
LARGEST_SEMICIRCLE = 0.24
"""Variance of eigenvalues around 1 that is reckoned with; at 1/4 they reach 0."""
LEAST_LEFT = 0.1
"""Part of the ridge that must be left of a direction: less, and the matrix is repaired."""
MOST_REPAIRS = 200
"""Most directions that are mended to make a matrix positive definite."""

_PARTIAL = even(
    "correlations",
    partial_any="artanh of the size of the pair's block in the inverse correlation matrix of "
    "scores, their squares and classes",
    partial_any_z="s(z), z the normal deviate of that size squared, which is chi-squared for "
    "independent pairs",
)

_SQUARES = even(
    "squares",
    squares="s(√m (c - r²)), c the correlation of the squared scores and r that of the scores",
    bends="s(√m x), x² the squared correlations of each score with the other's square, summed",
    partial_squares="s(√m artanh p), p the partial correlation of the squared scores",
    partial_bends="s(√m x), x² the squared partial correlations of each score with the other's "
    "square, summed",
)

_CORRELATIONS = odd(
    "correlations",
    tau="Kendall's tau-b of the sample",
    score="r, the correlation of normal scores",
    score_z="s(√m artanh r), m the independent rows that a pair's rows are worth",
    latent="correlation behind the columns: sin(π tau / 2), of a Gaussian copula with levels",
    latent_z="s(√m' artanh) of it, m' the rows that would say as much were all seen",
    partial_free="partial correlation of scores, drawn to 0 by a ridge worth 0.1 d rows",
    partial_free_z="s(z), z the normal deviate of its artanh for an independent pair",
    partial="partial correlation of scores, ridge worth d rows",
    partial_z="s(z) of it",
    partial_firm="partial correlation of scores, ridge worth 4 d rows",
    partial_firm_z="s(z) of it",
    partial_latent="partial correlation behind the columns, ridge worth d to 3 d rows, more where "
    "levels or gaps hide more",
    partial_latent_z="s(z) of it",
)

CHANNELS = (*_PARTIAL, *_SQUARES, *_CORRELATIONS)


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of the groups "correlations" and "squares"."""
    scores, gains, rows = measured.scores, measured.gains, measured.rows
    d = scores.normal.shape[1]
    R, owners, ordered, bent = measured.linked
    by_score = to_matrix(rows)[np.ix_(owners, owners)]
    linear = np.concatenate([np.arange(ordered.size), np.arange(ordered.size + bent.size, len(R))])
    of_linear = np.ix_(linear, linear)
    spread = _Spread(d, ordered)
    score = spread(R[: ordered.size, : ordered.size])
    found = {"tau": gains.tau, "score": score, "score_z": normal_deviate(score, rows)}
    apart = measured.apart
    by_pair = to_matrix(apart)
    for name, ridge in RIDGES.items():
        strength = ridge + apart  # what pairs say of each other does not fit together then
        own = d * (ridge + by_pair[np.ix_(owners[linear], owners[linear])])
        inverse = shrunk_inverse(R[of_linear], by_score[of_linear], own)
        partial = spread(partial_correlation(inverse)[: ordered.size, : ordered.size])
        found[name] = partial
        found[f"{name}_z"] = normal_deviate(partial, rows, strength * d, d, apart)

    latent, behind = measured.latent
    # What levels hide is blown up, with errors of its own for each pair.
    shown = np.sqrt(np.multiply.outer(scores.shown, scores.shown))
    hidden = 1.0 - (1.0 - apart) * to_pairs(shown)
    worth = d * (1.0 + 2.0 * hidden)
    inverse = shrunk_inverse(to_matrix(latent, diagonal=1.0), to_matrix(behind), to_matrix(worth))
    plain = to_pairs((~(scores.nominal[:, None] | scores.nominal)).astype(float)) > 0.0
    partial = np.where(plain, to_pairs(partial_correlation(inverse)), 0.0)
    found["latent"], found["latent_z"] = latent, normal_deviate(latent, behind)
    found["partial_latent"] = partial
    found["partial_latent_z"] = normal_deviate(partial, behind, worth, d, hidden)

    q = len(R)
    worth = q * (1.0 + 2.0 * apart)
    inverse = shrunk_inverse(R, by_score, q * (1.0 + 2.0 * by_pair[np.ix_(owners, owners)]))
    sizes, counts = block_sizes(inverse, owners, d)
    any_kind, (first, second) = to_pairs(sizes), pair_nodes(d)
    found["partial_any"] = fisher_z(any_kind)
    found["partial_any_z"] = chi_squared_deviate(
        rows * (any_kind / null_spread(rows, worth, q, apart)) ** 2, counts[first] * counts[second]
    )

    bends = slice(ordered.size, ordered.size + bent.size)
    straight = slice(ordered.size)
    both, cross = _Spread(d, bent), _Spread(d, ordered, bent)
    partial = partial_correlation(inverse)
    excess = np.where(both.there, both(R[bends, bends]) - score**2, 0.0)
    root_rows = np.sqrt(rows)
    found["squares"] = root_rows * excess
    found["bends"] = root_rows * cross.size(R[straight, bends])
    found["partial_squares"] = normal_deviate(both(partial[bends, bends]), rows, worth, q, apart)
    found["partial_bends"] = (
        root_rows / null_spread(rows, worth, q, apart) * cross.size(partial[straight, bends])
    )
    bent_names = [channel.name for channel in _SQUARES]
    for name in [name for name in found if name.endswith("_z")] + bent_names:
        found[name] = compress(found[name])
    return {name: np.where(gains.known, values, 0.0) for name, values in found.items()}


class Linked(NamedTuple):
    """Correlations of the scores of all columns, their squares and classes.

    Attributes
    ----------
    R : array of shape (q, q)
        Scores of ordered columns first, then squares, then classes of nominal columns.
    owners : int array of shape (q,)
        Whose score each is.
    ordered, bent : int arrays
        The columns that have scores, and those that have squares.
    """

    R: Floats
    owners: Ints
    ordered: Ints
    bent: Ints


def link_scores(scores: Scores, known: Bools) -> Linked:
    """Correlate the scores, their squares and the classes; `known` are the pairs with rows."""
    ordered = np.flatnonzero(~scores.nominal)
    bent = np.flatnonzero(scores.squares.any(axis=0))
    arrays = scores.normal, scores.squares
    return Linked(*stacked_scores(scores, known, arrays, (ordered, bent)), ordered, bent)


def stacked_scores(
    scores: Scores, known: Bools, arrays: tuple[Floats, ...], columns: tuple[Ints, ...]
) -> tuple[Floats, Ints]:
    """Correlations of several scores of the columns, and the owner of each score.

    Scores of one column are uncorrelated by construction; pairs that are not known are taken as
    uncorrelated too. The classes of nominal columns are the last.
    """
    arrays = (*arrays, scores.classes)
    places = (*columns, np.arange(scores.classes.shape[1]))
    owners = np.concatenate([*columns, scores.owners])
    seen = to_matrix(known, diagonal=1.0)[np.ix_(owners, owners)] > 0.0
    R = stacked_correlation(Stack(arrays, places, scores.present, owners))
    R = np.where(seen & ~np.equal.outer(owners, owners), R, 0.0)
    np.fill_diagonal(R, 1.0)
    return R, owners


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


def shrunk_inverse(correlation: Floats, rows: Floats, worth: float | Floats) -> Floats:
    r"""Inverse of a correlation matrix whose entries are drawn to 0 by how little is known of them.

    .. math:: \bigl(\tilde R\bigr)^{-1}, \qquad
              \tilde R_{uv} = \frac{m_{uv}}{m_{uv} + w} R_{uv}, \quad \tilde R_{uu} = 1

    as if each pair had been seen in w rows more in which it was uncorrelated. With as many rows
    for all pairs that is a ridge. Where pairs differ in their rows the matrix may still not be
    positive definite, and is made so by :func:`positive_definite`.

    Parameters
    ----------
    correlation, rows : arrays of shape (q, q)
        R and the rows m; the diagonals are ignored.
    worth : float or array of shape (q, q)
        w.

    Examples
    --------
    >>> shrunk_inverse(np.array([[1.0, 0.5], [0.5, 1.0]]), np.full((2, 2), 80.0), 20.0).round(4)
    array([[ 1.1905, -0.4762],
           [-0.4762,  1.1905]])
    """
    known = np.maximum(rows, 0.0)
    lost = worth / np.maximum(known + worth, SMALLEST_VARIANCE)
    shrunk = correlation * (1.0 - lost)
    np.fill_diagonal(shrunk, 1.0)
    np.fill_diagonal(lost, 0.0)
    least = LEAST_LEFT * lost.sum(axis=1) / max(len(lost) - 1, 1)
    repaired = positive_definite(shrunk, np.maximum(least, SMALLEST_VARIANCE))
    factor, failed = lapack.dpotrf(repaired, lower=1, clean=0)
    if failed:  # as many repairs as are made were not enough
        return np.asarray(np.linalg.inv(repaired), dtype=float)
    inverse: Floats = np.tril(lapack.dpotri(factor, lower=1, overwrite_c=1)[0])
    return inverse + np.tril(inverse, -1).T


def positive_definite(matrix: Floats, smallest: float | Floats) -> Floats:
    r"""Add to the diagonal until no direction is too short.

    To the columns that make a direction v too short,
    :math:`v^T R v < \sum_u \epsilon_u v_u^2`, in proportion to :math:`v_u^2`, until it is not. So
    the columns that do not fit together, usually those with few values, count for less, and the
    others stay as they are.

    Parameters
    ----------
    matrix : array of shape (q, q)
        Symmetric.
    smallest : float or array of shape (q,)
        :math:`\epsilon`: if it is the same for all columns, the smallest eigenvalue.

    Examples
    --------
    >>> R = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.9], [0.0, 0.9, 1.0]])
    >>> repaired = positive_definite(R, 0.1)
    >>> float(np.linalg.eigvalsh(repaired)[0].round(3)), np.diag(repaired).round(2)
    (0.1, array([1.25, 1.5 , 1.25]))
    """
    scale = np.sqrt(np.broadcast_to(smallest, len(matrix)))
    scaled = matrix / np.multiply.outer(scale, scale)  # to have no eigenvalue below 1
    added = np.zeros(len(matrix))
    for _ in range(MOST_REPAIRS):
        # Whether a Cholesky factor exists takes a thirtieth of the time of eigenvectors.
        shifted = scaled - (1.0 - 1e-9) * np.eye(len(scaled))
        if not lapack.dpotrf(shifted, lower=1, clean=0, overwrite_a=1)[1]:
            break
        value, vector = eigh(scaled, subset_by_index=[0, 0])
        v = vector[:, 0]
        more = (1.0 - value[0]) * v**2 / (v**4).sum()
        added += more
        np.einsum("ii->i", scaled)[...] += more
    return matrix + np.diag(added * scale**2) if added.any() else matrix


def null_spread(rows: Floats, worth: float | Floats, q: int, apart: float | Floats = 0.0) -> Floats:
    r"""Spread of :math:`\sqrt m` times the partial correlation of independent columns.

    Of q columns and m rows the eigenvalues of the correlation matrix follow the law of Marchenko
    and Pastur with :math:`\gamma = q / m`. With a ridge worth w rows, :math:`a = w / m`, the
    eigenvalues of the inverse are proportional to :math:`1 / (x + a)`, and with

    .. math:: g(a) = \int \frac{dF(x)}{x + a}
              = \frac{\sqrt{(1 - \gamma + a)^2 + 4 \gamma a} - (1 - \gamma + a)}{2 \gamma a}

    and eigenvectors in no particular direction the spread is
    :math:`\sqrt{(-g'(a) / g(a)^2 - 1) / \gamma}` [1]_: 1 where rows abound. Where every pair has
    rows of its own the errors of the correlations are independent, and the eigenvalues follow the
    semicircle around 1 instead, with variance :math:`v = q m / (m + w)^2`; then

    .. math:: g = \frac{1 - \sqrt{1 - 4 v}}{2 v}, \qquad
              \text{and the spread is } \sqrt{(1 / \sqrt{1 - 4 v} - 1) / \gamma} / g.

    Parameters
    ----------
    rows : array
        m.
    worth : float
        w.
    q : int
        Columns.
    apart : float
        Share of the rows of a pair, 0 to 1, that another pair with one column in common does not
        have: how far it is from the first law to the second.

    References
    ----------
    .. [1] V. A. Marchenko and L. A. Pastur (1967). Distribution of eigenvalues for some sets of
       random matrices. Mathematics of the USSR-Sbornik 1, 457-483.

    Examples
    --------
    >>> null_spread(np.array([20.0, 100.0, 1e6]), 10.0, 10).round(3)
    array([0.644, 0.94 , 1.   ])
    """
    m = np.maximum(np.asarray(rows, dtype=float), 1.0)
    gamma, a = q / m, np.maximum(worth / m, 1e-9)
    b = 1.0 - gamma + a
    root_of = np.sqrt(b**2 + 4.0 * gamma * a)
    # (root - b) / (2 γ a) without cancellation.
    g = np.where(b > 0.0, 2.0 / (root_of + np.abs(b)), (root_of - b) / (2.0 * gamma * a))
    # g solves γ a g² + b g - 1 = 0; its derivative follows.
    slope = -g * (gamma * g + 1.0) / root_of
    squared = (-slope / g**2 - 1.0) / gamma
    if np.any(np.asarray(apart) > 0.0):
        v = np.minimum(q * m / (m + worth) ** 2, LARGEST_SEMICIRCLE)
        left = np.sqrt(1.0 - 4.0 * v)
        middle = 2.0 / (1.0 + left)
        squared = (1.0 - apart) * squared + apart * (middle / left / middle**2 - 1.0) / gamma
    return np.sqrt(np.maximum(squared, 1e-12))


def normal_deviate(
    r: Floats,
    rows: Floats,
    worth: float | Floats = 0.0,
    q: int = 0,
    apart: float | Floats = 0.0,
) -> Floats:
    """Correlations, or partial ones of q columns, in units of their spread for independent pairs.

    Examples
    --------
    >>> normal_deviate(np.array([0.2]), np.array([103.0])).round(3)
    array([2.027])
    """
    deviate = np.sqrt(np.maximum(rows - 3.0, 0.0)) * fisher_z(r)
    return deviate if not q else deviate / null_spread(rows, worth, q, apart)


def chi_squared_deviate(x: Floats, degrees: ArrayLike) -> Floats:
    r"""Turn chi-squared numbers into normal deviates, as Wilson and Hilferty do.

    .. math:: \frac{(x / k)^{1/3} - (1 - 2 / (9 k))}{\sqrt{2 / (9 k)}}

    References
    ----------
    .. [1] E. B. Wilson and M. M. Hilferty (1931). The distribution of chi-square. PNAS 17, 684-688.

    Examples
    --------
    >>> chi_squared_deviate(np.array([3.841, 18.307]), np.array([1, 10])).round(2)
    array([1.67, 1.65])
    """
    k = np.maximum(np.asarray(degrees, dtype=float), 1.0)
    share = 2.0 / (9.0 * k)
    return np.asarray((np.cbrt(np.maximum(x, 0.0) / k) - (1.0 - share)) / np.sqrt(share))


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
    whitened = inverse.copy()
    for count in np.unique(counts):
        places = starts[counts == count][:, None] + np.arange(count)
        block = places[:, :, None], places[:, None, :]
        values, vectors = np.linalg.eigh(inverse[block])
        root = (vectors / np.sqrt(values)[:, None, :]) @ vectors.swapaxes(1, 2)
        rows = whitened[places]  # of these columns, shape (columns, count, q)
        whitened[places] = root @ rows
        columns = whitened[:, places].swapaxes(0, 1)
        whitened[:, places] = (columns @ root).swapaxes(0, 1)
    squares = whitened**2
    sums = np.add.reduceat(np.add.reduceat(squares, starts, axis=0), starts, axis=1)
    np.fill_diagonal(sums, 0.0)
    return np.sqrt(sums), counts
