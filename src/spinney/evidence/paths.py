r"""Pairs whose dependence others explain, where columns show less than they hold.

A column that is cut into levels, or has gaps, shows only a part of the variable behind it. In a
chain a - b - c the ends are independent given that variable, but not given what is seen of it: so
the rows support an edge a - c, more strongly the more of them there are. Correlations of what lies
behind the columns are not blurred. In a chain they multiply, :math:`\rho_{ac} = \rho_{ab}
\rho_{bc}`, and a pair whose correlation such a product explains has no direct evidence.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from spinney._core.arrays import Floats
from spinney.evidence.matrices import fisher_z

__all__ = ["path_shares"]

BEYOND = 4.0
"""Standard errors by which a correlation must exceed what a path explains to count as direct.
Chosen on tuning tables, among 2, 3, 4 and 6."""
BLURRED = 0.05
"""Share of a variable that its column must hide before paths through it are considered."""
COPY = 0.95
"""Correlation behind two columns from which on one may be a coarser copy of the other: a column cut
into classes, or floored at zero. Paths over it are then not considered, because what seems to come
through the copy comes from the column itself."""


def path_shares(correlation: Floats, rows: Floats, shown: Floats, beyond: float = BEYOND) -> Floats:
    r"""How far a path over a third, blurred column explains each pair, from 0 to 1.

    A pair a, c is explained by b if both of its correlations with b are stronger, and its own
    exceeds their product by no more than chance allows,

    .. math:: \pm\frac{\operatorname{artanh} \rho_{ac} - \operatorname{artanh}(\rho_{ab}\rho_{bc})}
              {\sqrt{1/m_{ac} + v}} < z, \qquad
              v = \frac{\rho_{bc}^2 (1-\rho_{ab}^2)^2 / m_{ab}
                        + \rho_{ab}^2 (1-\rho_{bc}^2)^2 / m_{bc}}{(1 - \rho_{ab}^2\rho_{bc}^2)^2},

    with the sign of :math:`\rho_{ac}` and the usual variance of Fisher's z [1]_. The share is one
    half where the left side is z, and less where the correlations along the path may be chance.

    Parameters
    ----------
    correlation, rows : arrays of shape (d, d)
        Correlations behind the columns, and the rows m that each is worth.
    shown : array of shape (d,)
        Share of its variable that each column shows.
    beyond : float
        z.

    References
    ----------
    .. [1] A. A. Margolin et al. (2006). ARACNE: an algorithm for the reconstruction of gene
       regulatory networks in a mammalian cellular context. BMC Bioinformatics 7, S7. (Its
       data-processing inequality, here with a test, and on what lies behind the columns.)

    Examples
    --------
    A chain a - b - c, whose middle is a column of yes and no:

    >>> R = np.array([[1.0, 0.7, 0.5], [0.7, 1.0, 0.7], [0.5, 0.7, 1.0]])
    >>> path_shares(R, np.full((3, 3), 200.0), np.array([1.0, 0.64, 1.0])).round(2)
    array([[0., 0., 1.],
           [0., 0., 0.],
           [1., 0., 0.]])
    """
    R = correlation.copy()
    np.fill_diagonal(R, 0.0)  # of itself a column knows nothing
    size, z = np.abs(R), fisher_z(np.abs(R))
    errors = 1.0 / np.maximum(rows, 1.0)
    legs = np.sqrt(rows) * z
    least, share = np.full_like(R, np.inf), np.zeros_like(R)
    for b in np.flatnonzero(1.0 - shown > BLURRED):
        own, strength = R[b], size[b]
        # A pair is explained by stronger ones only, so that the sides of a triangle never explain
        # each other; and a column that is nearly a function of another passes nothing on.
        able = (size < np.minimum.outer(strength, strength)) & (size > 0.0)
        able &= np.maximum.outer(strength, strength) < COPY
        if not able.any():
            continue
        path = np.multiply.outer(own, own)
        slack = np.multiply.outer((1.0 - own**2) ** 2 * errors[b], own**2)
        error = np.sqrt(errors + (slack + slack.T) / (1.0 - path**2) ** 2)
        exceeds = np.where(able, (z - np.sign(R) * fisher_z(path)) / error, np.inf)
        better = exceeds < least
        leg = np.minimum.outer(legs[b], legs[b])
        least = np.where(better, exceeds, least)
        share = np.where(better, expit(2.0 * (beyond - exceeds)) * expit(leg - 4.0), share)
    return share
