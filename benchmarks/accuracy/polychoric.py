"""Correlations of the normal variables behind columns of levels, pair by pair.

What people put into a graphical lasso when columns have levels: polychoric correlations of two
columns of levels, polyserial ones of a column of levels and a continuous one, and those of normal
scores of two continuous ones. All are Gaussian copulas, fitted in two steps: margins by ranks, then
one correlation by maximum likelihood. Written apart from the package's own copulas, as a peer.

References
----------
.. [1] U. Olsson (1979). Maximum likelihood estimation of the polychoric correlation coefficient.
   Psychometrika 44, 443-460.
.. [2] U. Olsson, F. Drasgow and N. J. Dorans (1982). The polyserial correlation coefficient.
   Psychometrika 47, 337-347.
.. [3] D. B. Owen (1956). Tables for computing bivariate normal probabilities. Annals of
   Mathematical Statistics 27, 1075-1090.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special, stats

Floats = NDArray[np.float64]

LARGEST = 0.99
"""Largest absolute correlation: tables with an empty cell would go to one."""
SMALLEST_PROBABILITY = 1e-12
FEWEST_ROWS = 10


def latent_correlation(X: Floats, has_levels: NDArray[np.bool_]) -> Floats:
    """Correlation matrix of a table of numbers and codes, each pair on the rows that have both.

    Eigenvalues below zero are raised to it and the diagonal is scaled back to one, as the pairs
    need not agree on any one matrix.
    """
    d = X.shape[1]
    S = np.eye(d)
    for u, v in combinations(range(d), 2):
        rows = ~np.isnan(X[:, u]) & ~np.isnan(X[:, v])
        if rows.sum() >= FEWEST_ROWS:
            S[u, v] = S[v, u] = _pair(X[rows, u], X[rows, v], has_levels[u], has_levels[v])
    values, vectors = np.linalg.eigh(S)
    if values[0] < 0:
        S = (vectors * np.maximum(values, 0.0)) @ vectors.T
        S /= np.sqrt(np.outer(S.diagonal(), S.diagonal()))
        S = (S + S.T) / 2
        np.fill_diagonal(S, 1.0)
    return S


def _pair(x: Floats, y: Floats, x_has_levels: bool, y_has_levels: bool) -> float:
    if x.min() == x.max() or y.min() == y.max():
        return 0.0
    if x_has_levels and y_has_levels:
        return polychoric(x, y)
    if x_has_levels or y_has_levels:
        return polyserial(x, y) if x_has_levels else polyserial(y, x)
    return float(np.corrcoef(_normal_scores(x), _normal_scores(y))[0, 1])


def polychoric(x: Floats, y: Floats) -> float:
    """Correlation of the normal variables behind two columns of levels."""
    rows, columns = (np.unique(codes, return_inverse=True)[1] for codes in (x, y))
    counts = np.zeros((rows.max() + 1, columns.max() + 1))
    np.add.at(counts, (rows, columns), 1)
    h, k = _thresholds(counts.sum(axis=1)), _thresholds(counts.sum(axis=0))

    def cost(rho: float) -> float:
        cells = np.maximum(_cell_probabilities(h, k, rho), SMALLEST_PROBABILITY)
        return -float((counts * np.log(cells)).sum())

    return _smallest(cost)


def polyserial(levels: Floats, x: Floats) -> float:
    """Correlation of the normal variables behind a column of levels and a continuous one."""
    _, code, counts = np.unique(levels, return_inverse=True, return_counts=True)
    bounds = np.concatenate([[-np.inf], _thresholds(counts), [np.inf]])
    z = _normal_scores(x)

    def cost(rho: float) -> float:
        scale = np.sqrt(1 - rho**2)
        above = special.ndtr((bounds[code + 1] - rho * z) / scale)
        below = special.ndtr((bounds[code] - rho * z) / scale)
        return -float(np.log(np.maximum(above - below, SMALLEST_PROBABILITY)).sum())

    return _smallest(cost)


def bivariate_normal_cdf(h: Floats, k: Floats, rho: float) -> Floats:
    r"""P(Z_1 <= h, Z_2 <= k) at correlation rho, by Owen's T [3]_.

    .. math::
        \tfrac12 (\Phi(h) + \Phi(k)) - T\bigl(h, \tfrac{k/h - \rho}{\sqrt{1 - \rho^2}}\bigr)
        - T\bigl(k, \tfrac{h/k - \rho}{\sqrt{1 - \rho^2}}\bigr) - \tfrac12 [h k < 0]
    """
    # At nought the quotients have no value, and next to it they have: an error of 1e-13.
    h = np.where(np.abs(h) < 1e-13, 1e-13, h)
    k = np.where(np.abs(k) < 1e-13, 1e-13, k)
    scale = np.sqrt(1 - rho**2)
    half = (special.ndtr(h) + special.ndtr(k)) / 2
    wedges = special.owens_t(h, (k / h - rho) / scale) + special.owens_t(k, (h / k - rho) / scale)
    return np.asarray(half - wedges - np.where(h * k < 0, 0.5, 0.0))


def _cell_probabilities(h: Floats, k: Floats, rho: float) -> Floats:
    """Probabilities of the rectangles between thresholds."""
    corners = np.zeros((len(h) + 2, len(k) + 2))
    corners[1:-1, 1:-1] = bivariate_normal_cdf(h[:, None], k[None, :], rho)
    corners[1:-1, -1], corners[-1, 1:-1], corners[-1, -1] = special.ndtr(h), special.ndtr(k), 1.0
    return np.diff(np.diff(corners, axis=0), axis=1)


def _thresholds(counts: Floats) -> Floats:
    return np.asarray(special.ndtri(np.cumsum(counts)[:-1] / counts.sum()))


def _normal_scores(x: Floats) -> Floats:
    return np.asarray(special.ndtri(stats.rankdata(x) / (len(x) + 1)))


def _smallest(cost: object) -> float:
    found = optimize.minimize_scalar(cost, bounds=(-LARGEST, LARGEST), method="bounded")
    return float(found.x)
