r"""Functions of single columns whose products are score tests of independence.

Where a family of copulas has independence at :math:`\theta = 0`, the best test of a weak
dependence of its kind is the score :math:`\sum_i \partial_\theta \log c_0(u_i, v_i)` [1]_. For
many families that is a product of a function of u and one of v, so that the tests of all pairs of a
table are a product of two matrices:

========================  ============================================  ======================
family, parameter         score at independence                         product
========================  ============================================  ======================
Gaussian, ρ               :math:`z_u z_v`                               score, score
Clayton, θ                :math:`(1 + \log u)(1 + \log v)`              low, low
Clayton turned by 90°     :math:`(1 + \log \bar u)(1 + \log v)`         high, low
Clayton turned by 180°    :math:`(1 + \log \bar u)(1 + \log \bar v)`    high, high
Clayton turned by 270°    :math:`(1 + \log u)(1 + \log \bar v)`         low, high
Student, 1/ν at ρ = 0     :math:`\tfrac12 (z_u^2 - 1)(z_v^2 - 1)`       square, square
Frank, θ                  :math:`\tfrac12 (1 - 2u)(1 - 2v)`             (as score, score)
========================  ============================================  ======================

with :math:`z = \Phi^{-1}(u)` and :math:`\bar u = 1 - u`. Frank's is Spearman's correlation, which
is 3/π = 0.955 correlated with the first product and finds hardly more. Shapes that
rise and fall have products of their own: a score against a square (bends, and a spread that grows),
two bows :math:`6u^2 - 6u + 1` (rings, crosses, clusters), a score against a wave
:math:`\cos 3\pi u` or :math:`\cos 4\pi u` (up to two periods of a sine).

References
----------
.. [1] C. Genest and F. Verret (2005). Locally most powerful rank tests of independence for copula
   models. Journal of Nonparametric Statistics 17, 521-539.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from spinney.pairs.pseudo import PseudoTable

__all__ = ["FEATURES", "PRODUCTS", "Features", "features_of", "positions_of"]

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

SMALLEST_REST = 1e-6
"""Share of a feature's variance that must be left when what is linear in the score is taken out:
two levels leave none."""

SMALLEST_SPREAD = 1e-9


class Feature(NamedTuple):
    """A function of a column's pseudo-observations.

    Attributes
    ----------
    of : function
        What it is of u, strictly between 0 and 1.
    beside_score : bool
        Whether what is linear in the normal score is taken out.
    """

    of: Callable[[Floats], Floats]
    beside_score: bool = False


def _normal_score(u: Floats) -> Floats:
    return np.asarray(special.ndtri(u))


FEATURES: dict[str, Feature] = {
    "score": Feature(_normal_score),
    "square": Feature(lambda u: _normal_score(u) ** 2, beside_score=True),
    "low": Feature(np.log),
    "high": Feature(lambda u: np.log1p(-u)),
    "bow": Feature(lambda u: (u - 0.5) ** 2),
    "wave_3": Feature(lambda u: np.cos(3.0 * np.pi * u)),
    "wave_4": Feature(lambda u: np.cos(4.0 * np.pi * u)),
}
"""Functions of one column; see :data:`PRODUCTS`."""

PRODUCTS: tuple[tuple[str, str], ...] = (
    ("score", "score"),
    ("low", "low"),
    ("high", "high"),
    ("low", "high"),
    ("high", "low"),
    ("square", "square"),
    ("score", "square"),
    ("square", "score"),
    ("bow", "bow"),
    ("score", "wave_3"),
    ("wave_3", "score"),
    ("score", "wave_4"),
    ("wave_4", "score"),
)
"""Features of the first and of the second column whose correlation is a statistic of a pair. The
first is the main one, see :mod:`spinney.scale.screening.strength`."""


class Features(NamedTuple):
    """Standardised features of some columns, and their skewness.

    Attributes
    ----------
    values : float32 array of shape (n_features, n, d)
        Mean 0 and variance 1 over the rows that have a value, 0 in the others; 0 throughout where a
        column leaves nothing of a feature, and in nominal columns.
    skewness : array of shape (n_features, d)
        Mean cube of the values that are there.
    """

    values: Singles
    skewness: Floats


def positions_of(table: PseudoTable, columns: Ints) -> Floats:
    """Pseudo-observations of some columns, levels at the middle of their interval.

    NaN where a value is missing, and in nominal columns.
    """
    u = table.u[:, columns].copy()
    for place, k in enumerate(columns):
        mass = table.masses[k]
        if len(mass):
            codes = table.codes[:, k]
            middle = np.cumsum(mass) - mass / 2.0
            u[:, place] = np.where((codes >= 0) & ~table.nominal[k], middle[codes], np.nan)
    return u


def features_of(u: Floats) -> Features:
    """Compute all features of columns of pseudo-observations, NaN where there is none.

    Examples
    --------
    >>> found = features_of(np.arange(1.0, 8.0)[:, None] / 8.0)
    >>> found.values[0, :, 0].round(2)
    array([-1.57, -0.92, -0.43,  0.  ,  0.43,  0.92,  1.57], dtype=float32)
    >>> found.skewness[:2, 0].round(2)
    array([0.  , 0.65])
    """
    there = ~np.isnan(u)
    m = np.maximum(there.sum(axis=0), 1)
    filled = np.where(there, u, 0.5)
    score = _standardised(_normal_score(filled), there, m)
    values = np.empty((len(FEATURES), *u.shape), dtype=np.float32)
    skewness = np.empty((len(FEATURES), u.shape[1]))
    for k, feature in enumerate(FEATURES.values()):
        x = _standardised(feature.of(filled), there, m)
        if feature.beside_score:
            x = x - score * ((x * score).sum(axis=0) / m)
            x[:, ~((x**2).sum(axis=0) > SMALLEST_REST * m)] = 0.0
            x = _standardised(x, there, m)
        values[k], skewness[k] = x, (x**3).sum(axis=0) / m
    return Features(values, skewness)


def _standardised(x: Floats, there: Bools, m: Ints) -> Floats:
    """Centre and scale over the rows that are there; constant columns become 0."""
    x = np.where(there, x, 0.0)
    size = np.sqrt((x**2).sum(axis=0) / m)
    x = np.where(there, x - x.sum(axis=0) / m, 0.0)
    scale = np.sqrt((x**2).sum(axis=0) / m)
    varies = scale > SMALLEST_SPREAD * size  # more than rounding leaves of equal values
    return np.asarray(np.where(varies, x / np.where(varies, scale, 1.0), 0.0))
