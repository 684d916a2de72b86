"""How two columns depend on each other, alone and given all others.

By correlations of normal scores; by those of the normal variables behind the columns, whether the
columns show them or cut them up; and by all scores of both, whatever the shape of the dependence.
"""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney.evidence.matrices import (
    block_sizes,
    chi_squared_deviate,
    fisher_z,
    normal_deviate,
    null_spread,
    partial_correlation,
    shrunk_inverse,
)
from spinney.evidence.measured import Measured, even, odd
from spinney.scores import Scores
from spinney.scores.columns import N_HERMITE

RIDGES = {"partial_free": 0.1, "partial": 1.0}
"""Rows that the two ridges are worth for each score: an ordered column has one here, a nominal one
all of its own. The best rankings of edges, on tuning tables of trees, loops, grids, hubs and
cliques with 50 and 100 rows, have 1 to 8."""

LARGEST = 0.999
"""Correlations behind levels are taken as no stronger than that."""
_GRID = LARGEST * np.sin(0.5 * np.pi * np.linspace(0.0, 1.0, 21))
_ORDERS = np.arange(1, N_HERMITE + 1)
_POWERS = _GRID ** _ORDERS[:, None]
N_STEPS = 3
"""Steps of Newton's method, from between two points of the grid."""
DOUBT = 2.0
"""Nats of gain at which the correlation behind the levels counts for a half."""
LARGEST_RATIO = 1.4
"""How much stronger than the cautious correlation it may be: what fits two rare levels that never
meet best is -1, whatever lies behind them."""

CHANNELS = (
    *odd(
        "correlations",
        score="r, the correlation of normal scores",
        score_z="√m artanh r, m the effective sample size of the pair",
        partial_free="partial correlation of scores, shrunk by a ridge worth 0.1 row for each "
        "score",
        partial_free_z="normal deviate of its artanh for an independent pair",
        partial="partial correlation of scores, ridge worth a row for each score",
        partial_z="normal deviate of its artanh for an independent pair",
    ),
    *odd(
        "latent",
        latent="correlation of the normal variables behind the columns",
        latent_z="√m' artanh of it, m' the rows that would carry as much information if all were "
        "seen",
        partial_latent="partial correlation behind the columns, ridge worth d to 3 d rows, more "
        "where levels or missing values hide more",
        partial_latent_z="normal deviate of its artanh for an independent pair",
    ),
    *even(
        "shapes",
        shapes_z="normal deviate of m times the squared correlations of all scores of the two "
        "columns, but for that of two normal scores [Neyman's smooth test]",
        information="artanh √(1 - exp(-2 I)), I the mutual information of all scores were they "
        "normal, less its bias: Fisher's z of the normal correlation with that information",
        partial_any="artanh of the size of the pair's block in the inverse correlation matrix of "
        "the first two scores of ordered columns and all classes of nominal ones",
        partial_any_z="normal deviate of that size squared, which is chi-squared for independent "
        "pairs",
        partial_shapes_z="the same with all scores",
    ),
)


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of this module, as matrices of columns by columns."""
    return _correlations(measured) | _latent(measured) | _shapes(measured)


# Of normal scores


def _correlations(measured: Measured) -> dict[str, Floats]:
    """Correlations of normal scores, and partial ones given all other columns."""
    scores, rows, apart, d = measured.scores, measured.rows, measured.apart, measured.d
    linear = np.flatnonzero(~scores.bends)
    first = np.searchsorted(scores.owners[linear], np.arange(d))
    found = {"score": measured.score, "score_z": normal_deviate(measured.score, rows)}
    plain = np.multiply.outer(~scores.nominal, ~scores.nominal)
    for name, ridge in RIDGES.items():
        # Where pairs have rows of their own, what they say of each other does not fit together.
        worth = len(linear) * (ridge + apart)
        inverse = measured.inverse_of(linear, worth)
        partial = np.where(plain, partial_correlation(inverse)[np.ix_(first, first)], 0.0)
        found[name] = partial
        spread = (measured.scaled(worth), len(linear), apart)
        found[f"{name}_z"] = normal_deviate(partial, rows, *spread)
    return found


# Of the normal variables behind the columns


def _latent(measured: Measured) -> dict[str, Floats]:
    """Correlations of what lies behind the columns."""
    scores, d = measured.scores, measured.d
    latent, behind = latent_correlations(measured)
    # What levels hide is blown up, with errors of its own for each pair.
    hidden = 1.0 - (1.0 - measured.apart) * np.sqrt(np.multiply.outer(scores.shown, scores.shown))
    worth = d * (1.0 + 2.0 * hidden)
    share = behind / np.maximum(measured.rows, 1e-12)
    inverse = shrunk_inverse(latent, measured.ridge_rows * share, worth)
    plain = np.multiply.outer(~scores.nominal, ~scores.nominal)
    partial = np.where(plain, partial_correlation(inverse), 0.0)
    return {
        "latent": latent,
        "latent_z": normal_deviate(latent, behind),
        "partial_latent": partial,
        "partial_latent_z": normal_deviate(partial, behind, measured.scaled(worth), d, hidden),
    }


def latent_correlations(measured: Measured) -> tuple[Floats, Floats]:
    r"""Correlations of the normal variables behind the columns, and what rows each is worth.

    Two columns that show the shares s and t of their variables say as much of an independent pair
    as :math:`m' = s t m` rows would that were seen whole [1]_: five ones among 500 zeros, twice,
    are worth 2.6 rows. Of the correlation r of their scores there are two readings: the correlation
    that m' rows need for the information of r in m rows,

    .. math:: \rho_0 = \pm \sqrt{1 - (1 - r^2)^{m / m'}},

    which is near 0 where little is known; and the correlation :math:`\rho_1` at which variables cut
    into these levels have scores with correlation r, :func:`invert_mehler`, which is right for
    strong pairs, but no more than :math:`1.4 \rho_0`. The first fades as the gain
    :math:`G = -\frac{m}{2} \log (1 - r^2)` grows: :math:`(2 \rho_0 + G \rho_1) / (2 + G)`.

    References
    ----------
    .. [1] U. Olsson (1979). Maximum likelihood estimation of the polychoric correlation
       coefficient. Psychometrika 44, 443-460.
    """
    scores, r = measured.scores, measured.score
    share = np.multiply.outer(scores.shown, scores.shown)
    shares = np.where(measured.seen, share, 0.0)
    shares[scores.nominal] = shares[:, scores.nominal] = 0.0
    whole = scores.hermite[:, 0] == 1.0
    latent = r.copy()
    blurred = np.argwhere(np.triu(~np.logical_and.outer(whole, whole) & (shares > 0.0), 1))
    if blurred.size:
        u, v = blurred.T
        own = np.clip(r[u, v], -LARGEST, LARGEST)
        logs = -np.log1p(-(own**2))
        cautious = np.sqrt(-np.expm1(-logs / np.maximum(share[u, v], 1e-6)))
        exact = np.abs(invert_mehler(own, scores.hermite[u] * scores.hermite[v]))
        gain = 0.5 * measured.rows[u, v] * logs
        size = (DOUBT * cautious + gain * np.minimum(exact, LARGEST_RATIO * cautious)) / (
            DOUBT + gain
        )
        latent[u, v] = latent[v, u] = np.sign(own) * np.minimum(size, LARGEST)
    np.fill_diagonal(latent, 1.0)
    return latent, measured.rows * shares


def invert_mehler(r: Floats, products: Floats) -> Floats:
    r"""Find the correlations behind scores by Mehler's formula.

    Two functions f, g of normal variables with correlation :math:`\rho` are correlated by

    .. math:: r = \sum_k a_k b_k \rho^k

    with their Hermite coefficients a and b [1]_. For scores that rise with their variables r rises
    with :math:`\rho`.

    Parameters
    ----------
    r : array of shape (m,)
    products : array of shape (m, K)
        :math:`a_k b_k`, k from 1 on.

    References
    ----------
    .. [1] H. O. Lancaster (1957). Some properties of the bivariate normal distribution considered
       in the form of a contingency table. Biometrika 44, 289-292.

    Examples
    --------
    Two signs agree with probability 1/2 + arcsin(ρ) / π; their correlation at ρ = 1/2 is 1/3.

    >>> from spinney.scores import score_column
    >>> sign = score_column(np.repeat([-1.0, 1.0], 50)).hermite
    >>> invert_mehler(np.array([1 / 3]), (sign * sign)[None]).round(3)
    array([0.5])
    """
    # For the size of r; where it is negative, odd terms of the series change their sign. A rough
    # table first, which rises from 0 on; then Newton's method inside a cell.
    sign, r = np.where(r < 0.0, -1.0, 1.0), np.abs(r)
    products = products * sign[:, None] ** (_ORDERS + 1)
    table = np.maximum.accumulate(products @ _POWERS, axis=1)
    cell = np.clip((table < r[:, None]).sum(axis=1) - 1, 0, len(_GRID) - 2)
    low, high = (np.take_along_axis(table, (cell + k)[:, None], 1)[:, 0] for k in (0, 1))
    share = np.clip((r - low) / np.maximum(high - low, 1e-12), 0.0, 1.0)
    left, right = _GRID[cell], _GRID[cell + 1]
    rho = left + share * (right - left)
    for _ in range(N_STEPS):
        value, slope = np.zeros_like(rho), np.zeros_like(rho)
        for k in range(products.shape[1] - 1, -1, -1):  # Horner's rule, with the derivative
            slope = slope * rho + value
            value = value * rho + products[:, k]
        slope = slope * rho + value
        rho = np.clip(rho - (value * rho - r) / np.maximum(slope, 1e-3), left, right)
    return sign * rho


# Of any shape


def _shapes(measured: Measured) -> dict[str, Floats]:
    """Dependence of all scores of two columns at once, alone and given all others."""
    scores, rows = measured.scores, measured.rows
    every = np.arange(len(scores.owners))
    any_kind, any_z = _partial_sizes(measured, first_scores(scores, 2))
    straight = np.where(np.logical_or.outer(scores.nominal, scores.nominal), 0.0, 1.0)
    mean, variance = measured.moments
    _, linear = measured.moments_of(scores.starts)
    bent = rows * (measured.squares - straight * measured.score**2)
    left = mean - straight * rows / np.maximum(rows - 1.0, 1.0)
    bent_variance = np.maximum(variance - straight * linear, 0.5 * variance)
    excess = np.maximum(measured.information - mean / np.maximum(2.0 * rows, 1.0), 0.0)
    return {
        "shapes_z": np.where(left > 0.5, chi_squared_deviate(bent, left, bent_variance), 0.0),
        "information": fisher_z(np.sqrt(-np.expm1(-2.0 * excess))),
        "partial_any": fisher_z(any_kind),
        "partial_any_z": any_z,
        "partial_shapes_z": _partial_sizes(measured, every)[1],
    }


def first_scores(scores: Scores, count: int) -> Ints:
    """Places of the first scores of ordered columns, and of all classes of nominal ones."""
    order = np.arange(len(scores.owners)) - scores.starts[scores.owners]
    return np.flatnonzero(scores.nominal[scores.owners] | (order < count))


def _partial_sizes(measured: Measured, places: Ints) -> tuple[Floats, Floats]:
    """Size of each pair's block in the inverse of some scores, and its deviate."""
    rows, q = measured.rows, len(places)
    starts = np.searchsorted(measured.scores.owners[places], np.arange(measured.d))
    worth = q * (1.0 + 2.0 * measured.apart)
    sizes = block_sizes(measured.inverse_of(places, worth), starts)
    spread = null_spread(rows, measured.scaled(worth), q, measured.apart)
    moments = measured.moments if q == len(measured.R) else measured.moments_of(places)
    return sizes, chi_squared_deviate(rows * (sizes / spread) ** 2, *moments)
