"""Correlations of the normal variables behind columns, whether these show them or cut them up."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from spinney._core.pairs import pair_nodes
from spinney.evidence.gains import Gains
from spinney.evidence.scores import Scores

__all__ = ["latent_correlations", "mutual_information"]

Floats = NDArray[np.float64]

ANGLES = np.linspace(0.0, np.arcsin(0.999), 13)
"""Arcsines of the correlations between which gains are interpolated."""
MOST_LEVELS = 20
"""Columns with more levels are cut into so many."""
AT_ONCE = 1 << 21
"""Numbers held at once while the levels of two columns are crossed."""
DOUBT = 2.0
"""Nats of gain at which the correlation of most likelihood counts for a half."""
LARGEST_RATIO = 1.4
"""How much stronger than the cautious correlation it may be: what fits two rare levels that never
meet best is -1, whatever lies behind them."""
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(3)
_SHARES, _MASSES = (np.polynomial.legendre.leggauss(96) + np.array([[1.0], [0.0]])) / 2.0


def latent_correlations(scores: Scores, gains: Gains) -> tuple[Floats, Floats]:
    r"""Correlations of the normal variables behind the columns, and what rows each is worth.

    By Kendall's tau, :math:`\sin(\frac{\pi}{2} \tau)`, where both columns are continuous. Two
    columns that show the shares s and t of their variables say as much of an independent pair as
    :math:`m' = s t m` rows would that were seen whole [1]_: five ones among 500 zeros, twice, are
    worth 2.6 rows. Where one has levels there are two answers: the correlation that m' rows need
    for the gain G of a Gaussian copula over independence,

    .. math:: \rho_0 = \pm \sqrt{1 - e^{-2 G / m'}},

    which is near 0 where little is known, also where the maximum of the likelihood is at -1 because
    no row has both ones; and the correlation :math:`\rho_1` at which the levels have that gain a
    row, :func:`mutual_information`, which is right for strong pairs, but no more than
    :math:`1.4 \rho_0`. The first fades as the gain grows:
    :math:`(2 \rho_0 + G \rho_1) / (2 + G)`.

    Returns
    -------
    latent, rows : arrays of shape (n_pairs,)
        0 where a column is nominal, or nothing is known.

    References
    ----------
    .. [1] U. Olsson (1979). Maximum likelihood estimation of the polychoric correlation
       coefficient. Psychometrika 44, 443-460.
    """
    first, second = pair_nodes(len(scores.shown))
    smooth = ~(scores.levels[first] | scores.levels[second])
    ordered = ~(scores.nominal[first] | scores.nominal[second]) & gains.known
    shown = np.where(smooth, 9.0 / np.pi**2, scores.shown[first] * scores.shown[second])
    rows = gains.n_rows * np.where(ordered, shown, 0.0)
    gain = np.maximum(gains.by_family["gaussian"], 0.0)
    size = np.sqrt(-np.expm1(-2.0 * gain / np.maximum(rows, 1e-6)))
    sign = np.where(gains.tau < 0.0, -1.0, 1.0)
    cuts = [_fewer(own) for own in scores.thresholds]
    n_cuts = np.array([len(own) for own in cuts])
    left = ordered & ~smooth & (gain > 0.0)
    # Pairs of columns with the same numbers of levels are done together.
    kinds = n_cuts[first] * (MOST_LEVELS + 1) + n_cuts[second]
    for kind in np.unique(kinds[left]):
        chosen = np.flatnonzero(left & (kinds == kind))
        corners = max(int(n_cuts[first[chosen[0]]] * n_cuts[second[chosen[0]]]), 1)
        for part in np.array_split(chosen, 1 + len(chosen) * corners * len(ANGLES) // AT_ONCE):
            a, b = (np.stack([cuts[k] for k in nodes[part]]) for nodes in (first, second))
            curve = mutual_information(a, b, sign[part])
            exact = _invert(gain[part] / gains.n_rows[part], curve)
            exact = np.minimum(exact, LARGEST_RATIO * size[part])
            trust = gain[part] / (gain[part] + DOUBT)
            size[part] += trust * (exact - size[part])
    latent = np.where(smooth, np.sin(0.5 * np.pi * gains.tau), np.sign(gains.tau) * size)
    return np.where(ordered, latent, 0.0), rows * scores.row_shares


def mutual_information(a: Floats, b: Floats, sign: Floats) -> Floats:
    r"""Mutual information of two normal variables that are cut into levels, in nats.

    The mass of a rectangle comes from the integral of Plackett [1]_, with
    :math:`\rho = \sin \theta`,

    .. math:: \Phi_2(h, k; \rho) = \Phi(h) \Phi(k) + \frac{1}{2 \pi} \int_0^\theta
              \exp\Bigl(-\frac{h^2 - 2 h k \sin t + k^2}{2 \cos^2 t}\Bigr) dt.

    Parameters
    ----------
    a, b : arrays of shape (m, K) and (m, L)
        Thresholds of m pairs of columns, increasing; none for one that is seen whole.
    sign : array of shape (m,)
        Signs of the correlations.

    Returns
    -------
    array of shape (m, 13)
        At the correlations whose arcsines are :data:`ANGLES`.

    References
    ----------
    .. [1] R. L. Plackett (1954). A reduction formula for normal multivariate integrals. Biometrika
       41, 351-360.

    Examples
    --------
    Of two signs, whose agreement is :math:`1/2 + \arcsin(\rho) / \pi`:

    >>> zero = np.zeros((1, 1))
    >>> float(mutual_information(zero, zero, np.ones(1))[0, 6].round(4))
    0.1231
    >>> agree = 0.5 + ANGLES[6] / np.pi
    >>> round(float(agree * np.log(2 * agree) + (1 - agree) * np.log(2 - 2 * agree)), 4)
    0.1231
    """
    if not a.shape[1]:
        return _seen_whole(b)
    if not b.shape[1]:
        return _seen_whole(a)
    h, k = a[:, :, None, None, None], b[:, None, :, None, None]
    step = ANGLES[1] / 2.0
    t = (ANGLES[:-1] + step)[:, None] + step * _NODES  # within each interval of angles
    across = sign[:, None, None, None, None] * h * k
    density = np.exp(-(h**2 - 2.0 * across * np.sin(t) + k**2) / (2.0 * np.cos(t) ** 2))
    more = np.cumsum(density @ (step * _WEIGHTS), axis=-1) / (2.0 * np.pi)
    below = np.zeros((len(a), a.shape[1] + 2, b.shape[1] + 2, len(ANGLES)))
    ends_a, ends_b = (np.pad(special.ndtr(x), ((0, 0), (1, 1))) for x in (a, b))
    ends_a[:, -1] = ends_b[:, -1] = 1.0
    below += (ends_a[:, :, None] * ends_b[:, None, :])[..., None]
    below[:, 1:-1, 1:-1, 1:] += sign[:, None, None, None] * more
    mass = np.maximum(np.diff(np.diff(below, axis=1), axis=2), 0.0)
    apart = np.diff(ends_a)[:, :, None] * np.diff(ends_b)[:, None, :]
    return np.asarray(special.rel_entr(mass, apart[..., None]).sum(axis=(1, 2)))


def _seen_whole(thresholds: Floats) -> Floats:
    """Mutual information of a variable cut into levels and one that is seen whole."""
    x = special.ndtri(_SHARES)[:, None, None]
    rho = np.sin(ANGLES)
    ends = np.full((len(_SHARES), thresholds.shape[1] + 2, len(ANGLES)), 1.0)
    ends[:, 0] = 0.0
    distinct, which = np.unique(thresholds, axis=0, return_inverse=True)
    found = np.empty((len(distinct), len(ANGLES)))
    for k, own in enumerate(distinct):
        ends[:, 1:-1] = special.ndtr((own[:, None] - rho * x) / np.cos(ANGLES))
        mass = np.diff(ends, axis=1)
        mean = np.tensordot(_MASSES, mass, axes=1)  # the integral over x, as near as it gets
        found[k] = np.tensordot(_MASSES, special.rel_entr(mass, mean).sum(axis=1), axes=1)
    return found[which.ravel()]


def _invert(gain: Floats, curve: Floats) -> Floats:
    """Find the correlation at which a curve of mutual information reaches a gain."""
    rising = np.maximum.accumulate(curve, axis=1)
    place = np.clip((rising <= gain[:, None]).sum(axis=1) - 1, 0, len(ANGLES) - 2)
    low, high = (np.take_along_axis(rising, (place + k)[:, None], 1)[:, 0] for k in (0, 1))
    share = np.clip((gain - low) / np.maximum(high - low, 1e-12), 0.0, 1.0)
    squares = np.sin(ANGLES) ** 2  # to which small gains are proportional
    return np.sqrt(squares[place] + share * (squares[place + 1] - squares[place]))


def _fewer(thresholds: Floats) -> Floats:
    """Leave out thresholds until a column has no more levels than are crossed."""
    if len(thresholds) < MOST_LEVELS:
        return thresholds
    wanted = special.ndtri(np.arange(1, MOST_LEVELS) / MOST_LEVELS)
    near = np.abs(np.subtract.outer(wanted, thresholds)).argmin(axis=1)
    return np.asarray(thresholds[np.unique(near)])
