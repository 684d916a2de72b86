"""Correlations of the normal variables behind columns, whether these show them or cut them up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from spinney._core.arrays import Floats
from spinney.evidence.channels import odd
from spinney.evidence.matrices import normal_deviate, partial_correlation, shrunk_inverse
from spinney.evidence.measured import Measured
from spinney.scores.columns import N_HERMITE

__all__ = ["CHANNELS", "Latent", "channels", "invert_mehler", "latent_correlations"]

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

CHANNELS = odd(
    "latent",
    latent="correlation of the normal variables behind the columns",
    latent_z="√m' artanh of it, m' the rows that would say as much were all seen",
    partial_latent="partial correlation behind the columns, ridge worth d to 3 d rows, more where "
    "levels or gaps hide more",
    partial_latent_z="normal deviate of its artanh for an independent pair",
)


class Latent(NamedTuple):
    """Correlations behind the columns, and the rows that each is worth, shape (d, d)."""

    correlation: Floats
    rows: Floats


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of the group "latent", as matrices of columns by columns."""
    scores, d = measured.scores, measured.d
    latent, behind = latent_correlations(measured)
    # What levels hide is blown up, with errors of its own for each pair.
    hidden = 1.0 - (1.0 - measured.apart) * np.sqrt(np.multiply.outer(scores.shown, scores.shown))
    worth = d * (1.0 + 2.0 * hidden)
    seen = bool((scores.hermite[:, 0] == 1.0).all() and (hidden == 0.0).all())
    if seen and not scores.nominal.any():  # nothing lies behind what is there
        inverse = measured.inverse_of(scores.starts, worth)
    else:
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


def latent_correlations(measured: Measured) -> Latent:
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
    return Latent(latent, measured.rows * shares)


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
