"""Correlation matrices of columns with gaps, their inverses, and deviates under independence."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg import eigh, lapack

from spinney._core.arrays import Bools, Floats, Ints

LARGEST_CORRELATION = 0.9999
"""Correlations count as no stronger than that, to stay finite."""
SMALLEST_VARIANCE = 1e-12
LARGEST_SEMICIRCLE = 0.24
"""Variance of eigenvalues around 1 that is reckoned with; at 1/4 they reach 0."""
LEAST_LEFT = 0.1
"""Part of the ridge that must be left of a direction: less, and the matrix is repaired."""
MOST_REPAIRS = 200
"""Most directions that are mended to make a matrix positive definite."""


def fisher_z(r: ArrayLike) -> Floats:
    r"""Fisher's :math:`\operatorname{artanh} r`, finite also for :math:`r = \pm 1`.

    Examples
    --------
    >>> fisher_z([0.5, -1.0]).round(3)
    array([ 0.549, -4.952])
    """
    return np.asarray(np.arctanh(np.clip(r, -LARGEST_CORRELATION, LARGEST_CORRELATION)))


def pairwise_correlation(values: Floats, present: Bools, owners: Ints | None = None) -> Floats:
    """Correlations of columns, each pair over the rows that have both values.

    Parameters
    ----------
    values : array of shape (n, q)
        The columns; 0 where a value is missing.
    present : bool array of shape (n, d)
        Which values are there.
    owners : int array of shape (q,), optional
        Which of the d each of the q columns goes by; by default they are as many, in order.

    Returns
    -------
    array of shape (q, q)
        Ones on the diagonal; 0 where a column is constant over the common rows.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [2.0, 0.0], [3.0, 4.0], [4.0, 9.0]])
    >>> present = np.array([[1, 1], [1, 0], [1, 1], [1, 1]], dtype=bool)
    >>> pairwise_correlation(values, present).round(3)  # of (1, 2), (3, 4), (4, 9)
    array([[1.   , 0.908],
           [0.908, 1.   ]])
    """
    if present.all():
        unit = unit_columns(values)
        products = unit.T @ unit
        np.clip(products, -1.0, 1.0, out=products)
        np.fill_diagonal(products, 1.0)
        return products
    owners = np.arange(values.shape[1]) if owners is None else owners
    here = present.astype(float)
    m = np.maximum(here.sum(axis=0), 1.0)[owners]
    there = here[:, owners]
    centred = (values - (values * there).sum(axis=0) / m) * there
    scale = np.sqrt((centred**2).sum(axis=0) / m)
    centred /= np.where(scale > SMALLEST_VARIANCE, scale, 1.0)
    common = np.maximum(here.T @ here, 1.0)[owners]
    sums = centred.T @ here  # of u over the rows that have v
    variance = ((centred**2).T @ here - sums**2 / common)[:, owners]
    sums, common = sums[:, owners], common[:, owners]
    products = centred.T @ centred - sums * sums.T / common
    sound = (variance > SMALLEST_VARIANCE) & (variance.T > SMALLEST_VARIANCE)
    scale = np.sqrt(np.where(sound, variance * variance.T, 1.0))
    correlation = np.where(sound, np.clip(products / scale, -1.0, 1.0), 0.0)
    np.fill_diagonal(correlation, 1.0)
    return correlation


def unit_columns(values: Floats) -> Floats:
    """Columns of mean 0 and length 1; constant ones are 0.

    Examples
    --------
    >>> unit_columns(np.array([[1.0, 5.0], [3.0, 5.0]])).round(3)
    array([[-0.707,  0.   ],
           [ 0.707,  0.   ]])
    """
    centred = values - values.mean(axis=0)
    square = np.einsum("ij,ij->j", centred, centred)
    least = SMALLEST_VARIANCE * np.maximum(len(values), 1)
    return np.asarray(centred / np.where(square > least, np.sqrt(square), np.inf))


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
    return np.asarray(np.linalg.inv(repaired), dtype=float)


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
    v = np.minimum(q * m / (m + worth) ** 2, LARGEST_SEMICIRCLE)
    left = np.sqrt(1.0 - 4.0 * v)
    middle = 2.0 / (1.0 + left)
    squared = (1.0 - apart) * squared + apart * (middle / left / middle**2 - 1.0) / gamma
    return np.sqrt(np.maximum(squared, 1e-12))


def normal_deviate(
    r: Floats, rows: Floats, worth: float | Floats = 0.0, q: int = 0, apart: float | Floats = 0.0
) -> Floats:
    """Correlations, or partial ones of q columns, in units of their spread for independent pairs.

    Examples
    --------
    >>> normal_deviate(np.array([0.2]), np.array([103.0])).round(3)
    array([2.027])
    """
    deviate = np.sqrt(np.maximum(rows - 3.0, 0.0)) * fisher_z(r)
    return deviate if not q else deviate / null_spread(rows, worth, q, apart)


def chi_squared_deviate(x: Floats, mean: ArrayLike, variance: ArrayLike | None = None) -> Floats:
    r"""Turn numbers like chi-squared ones into normal deviates, as Wilson and Hilferty do.

    .. math:: \frac{(x / \mu)^{1/3} - (1 - 2 / (9 k))}{\sqrt{2 / (9 k)}}, \qquad
              k = \frac{2 \mu^2}{\sigma^2}

    with the k degrees of freedom that a multiple of a chi-squared number of that mean and variance
    has [1]_.

    Parameters
    ----------
    x : array
    mean, variance : arrays
        Those of x for independent pairs; without a variance, twice the mean: chi-squared.

    References
    ----------
    .. [1] E. B. Wilson and M. M. Hilferty (1931). The distribution of chi-square. PNAS 17, 684-688.

    Examples
    --------
    >>> chi_squared_deviate(np.array([3.841, 18.307]), np.array([1, 10])).round(2)
    array([1.67, 1.65])
    """
    mu = np.maximum(mean, SMALLEST_VARIANCE)
    spread = 2.0 * mu if variance is None else np.maximum(variance, SMALLEST_VARIANCE)
    share = spread / (9.0 * mu * mu)
    return np.asarray((np.cbrt(np.maximum(x, 0.0) / mu) - 1.0 + share) / np.sqrt(share))


def permutation_variance(
    rows: NDArray[Any],
    p: Any,
    q: Any,
    leverage_p: NDArray[Any],
    leverage_q: NDArray[Any],
    square_p: Any = None,
    square_q: Any = None,
) -> NDArray[Any]:
    r"""Variance over permutations of the sum of squared correlations of two sets of scores.

    The trace of the product of two matrices A and B of n rows that are centred and have the traces
    p and q has the mean :math:`p q / (n - 1)` over all permutations of the rows, and the variance
    [1]_

    .. math:: \frac{2 b_A b_B}{(n - 1)^2 (n + 1) (n - 2)} +
              \frac{a_A\, a_B}{(n + 1) n (n - 1) (n - 2) (n - 3)},

    .. math:: b_A = (n - 1) \operatorname{tr} A^2 - p^2, \qquad
              a_A = n (n + 1) \sum_i A_{ii}^2 - (n - 1) (p^2 + 2 \operatorname{tr} A^2).

    For the classes of two nominal columns, whose A and B are projections, the trace is
    :math:`\chi^2 / n` of their table, and this the variance that Haldane found for it [2]_: with
    rare levels, the limit is far away.

    Parameters
    ----------
    rows : array
        n.
    p, q : arrays
        Traces; of projections, the numbers of scores.
    leverage_p, leverage_q : arrays
        :math:`n \sum_i A_{ii}^2`: :math:`p^2` if all rows count alike.
    square_p, square_q : arrays, optional
        :math:`\operatorname{tr} A^2`; by default p and q, as of projections.

    References
    ----------
    .. [1] F. Kazi-Aoual, S. Hitier, R. Sabatier and J.-D. Lebreton (1995). Refined approximations
       to permutation tests for multivariate inference. Computational Statistics and Data Analysis
       20, 643-656.
    .. [2] J. B. S. Haldane (1940). The mean and variance of chi squared, when used as a test of
       homogeneity, when expectations are small. Biometrika 31, 346-355.

    Examples
    --------
    >>> float(permutation_variance(100.0, 2.0, 3.0, 4.0, 9.0).round(6)), 2 * 6 / 100**2
    (0.001175, 0.0012)
    """
    n = np.maximum(rows, 4.5)
    s = p if square_p is None else square_p
    t = q if square_q is None else square_q
    usual = 2.0 * np.maximum((n - 1.0) * s - p * p, 0.5 * s)
    usual = usual * np.maximum((n - 1.0) * t - q * q, 0.5 * t)
    usual = usual / ((n - 1.0) ** 2 * (n + 1.0) * (n - 2.0))
    a = (n + 1.0) * leverage_p - (n - 1.0) * (p * p + 2.0 * s)
    b = (n + 1.0) * leverage_q - (n - 1.0) * (q * q + 2.0 * t)
    more = a * b / ((n + 1.0) * n * (n - 1.0) * (n - 2.0) * (n - 3.0))
    return np.asarray(np.maximum(usual + more, 0.1 * usual))


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


def block_sums(values: Floats, starts: Ints) -> Floats:
    """Sum a matrix over the scores of each column, which lie side by side along both axes.

    Examples
    --------
    >>> block_sums(np.ones((3, 3)), np.array([0, 1]))
    array([[1., 2.],
           [2., 4.]])
    """
    return np.asarray(np.add.reduceat(np.add.reduceat(values, starts), starts, axis=1))


def block_sizes(inverse: Floats, starts: Ints) -> Floats:
    r"""Size of the part of an inverse that belongs to two columns with several scores each.

    .. math:: \bigl\| \Omega_{uu}^{-1/2} \Omega_{uv} \Omega_{vv}^{-1/2} \bigr\|_F

    is the root of the sum of squared partial canonical correlations; of columns with one score
    each, it is the partial correlation without its sign.

    Parameters
    ----------
    inverse : array of shape (q, q)
        Inverse of the correlation matrix of all scores.
    starts : int array of shape (d,)
        The first score of each column; those of one column lie side by side.

    Returns
    -------
    array of shape (d, d)
        Zero on the diagonal.

    Examples
    --------
    >>> inverse = np.linalg.inv(np.array([[1.0, 0.5], [0.5, 1.0]]))
    >>> block_sizes(inverse, np.array([0, 1])).round(3)
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    counts = np.diff(np.append(starts, len(inverse)))
    roots = []
    for count in np.unique(counts):
        places = starts[counts == count][:, None] + np.arange(count)
        factors = np.linalg.cholesky(inverse[places[:, :, None], places[:, None, :]])
        roots.append((places, np.linalg.inv(factors)))
    whitened = inverse.copy()
    for again in range(2):  # rows, then columns as rows
        whitened = np.ascontiguousarray(whitened.T) if again else whitened
        for places, root in roots:
            whitened[places] = root @ whitened[places]
    whitened *= whitened
    sums = block_sums(whitened, starts)
    np.fill_diagonal(sums, 0.0)
    return np.sqrt(sums)
