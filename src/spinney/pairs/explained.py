r"""Pairs whose dependence others explain, where columns show less than they hold.

A column that is cut into levels, or has gaps, shows only a part of the variable behind it. In a
chain a - b - c the ends are independent given that variable, but not given what is seen of it: so
the rows support an edge a - c, more strongly the more of them there are. Correlations of what lies
behind the columns are not blurred. In a chain they multiply, :math:`\rho_{ac} = \rho_{ab}
\rho_{bc}`, and a pair whose correlation such a product explains has no direct evidence.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import special

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.pairs import pair_nodes, to_matrix

BEYOND = 4.0
"""Standard errors by which a correlation must exceed what a path explains to count as direct.

Chosen on tuning tables, among 2, 3, 4 and 6; see docs/copulas.md."""
BLURRED = 0.05
"""Share of a variable that its column must hide before paths through it are considered. Where it
shows nearly all, forests explain the dependence of the pair better."""
COPY = 0.95
"""Correlation behind two columns from which on one may be a coarser copy of the other: a column cut
into classes, or floored at zero. Paths over it are then not considered, for what seems to come
through the copy comes from the column itself."""
LARGEST = 0.999
"""Correlations are taken as no stronger than that, to stay finite."""


@dataclass(frozen=True, eq=False)
class Explained:
    """Pairs without direct evidence.

    Attributes
    ----------
    pairs : bool array of shape (n_pairs,)
        Which they are.
    through : int array of shape (n_pairs,)
        The column that explains a pair best; -1 where none does.
    """

    pairs: Bools
    through: Ints


def shown_share(masses: Floats, n_present: int, n_rows: int) -> float:
    r"""How much of the variable behind a column it shows.

    .. math:: \frac{m}{n} \sum_l \frac{\bigl(\varphi(z_{l-1}) - \varphi(z_l)\bigr)^2}{p_l}

    is the share of rows that are there, times the variance of a standard normal variable that is
    left between L levels of mass :math:`p_l`, with thresholds :math:`z_l` [1]_.

    Parameters
    ----------
    masses : array of shape (L,)
        Masses of the ordered levels; empty for a continuous column.
    n_present, n_rows : int
        Values that are there, and rows.

    References
    ----------
    .. [1] U. Olsson, F. Drasgow and N. J. Dorans (1982). The polyserial correlation coefficient.
       Psychometrika 47, 337-347.

    Examples
    --------
    >>> round(shown_share(np.array([0.5, 0.5]), 100, 100), 4)  # 2/π
    0.6366
    >>> round(shown_share(np.empty(0), 90, 100), 2)
    0.9
    """
    share = n_present / max(n_rows, 1)
    if not len(masses):
        return share
    at = special.ndtri(np.clip(np.cumsum(masses)[:-1], 0.0, 1.0))
    heights = np.exp(-(at**2) / 2.0) / np.sqrt(2.0 * np.pi)
    steps = np.diff(np.concatenate([[0.0], heights, [0.0]]))
    return share * float((steps**2 / masses).sum())


def effective_rows(gains: Floats, correlation: Floats, n_rows: Floats) -> Floats:
    r"""Rows of the variables themselves that would say as much as the pair's rows do.

    .. math:: n^* = \frac{2 G}{-\log(1 - \rho^2)}

    for a gain of G nats over independence: what n* rows of a bivariate normal variable with
    correlation ρ gain on average. At least one, and no more than there are rows.

    Examples
    --------
    >>> effective_rows(np.array([9.0]), np.array([0.5]), np.array([100.0])).round(1)
    array([62.6])
    """
    gain_of_row = -0.5 * np.log1p(-(np.clip(correlation, -LARGEST, LARGEST) ** 2))
    rows = np.divide(gains, gain_of_row, out=n_rows.copy(), where=gain_of_row > 0.0)
    return np.clip(rows, 1.0, np.maximum(n_rows, 1.0))


def explained_pairs(
    correlation: Floats, rows: Floats, shown: Floats, beyond: float = BEYOND
) -> Explained:
    r"""Find the pairs whose correlation a path over a third, blurred column explains.

    A pair a, c is explained by b if both of its correlations with b are stronger, and its own
    exceeds their product by no more than chance allows,

    .. math:: \pm\frac{\operatorname{artanh} \rho_{ac} - \operatorname{artanh}(\rho_{ab}\rho_{bc})}
              {\sqrt{1/n^*_{ac} + v}} < z, \qquad
              v = \frac{\rho_{bc}^2 (1-\rho_{ab}^2)^2 / n^*_{ab}
                        + \rho_{ab}^2 (1-\rho_{bc}^2)^2 / n^*_{bc}}{(1 - \rho_{ab}^2\rho_{bc}^2)^2},

    with the sign of :math:`\rho_{ac}` and the usual variance of Fisher's z. A pair is explained by
    stronger ones only, so that the sides of a triangle never explain each other, and a path of
    pairs that are not explained is always left. Longer paths need no test: in
    a - b - c - d, the pair a, d is explained by c as well as by b.

    Parameters
    ----------
    correlation : array of shape (n_pairs,)
        Correlations of the normal scores behind the columns; zero for pairs that are independent,
        NaN where there is none (nominal columns), which neither explain nor are explained.
    rows : array of shape (n_pairs,)
        :func:`effective_rows`.
    shown : array of shape (d,)
        :func:`shown_share` of each column.
    beyond : float
        z.

    References
    ----------
    .. [1] A. A. Margolin et al. (2006). ARACNE: an algorithm for the reconstruction of gene
       regulatory networks in a mammalian cellular context. BMC Bioinformatics 7, S7. (Its
       data-processing inequality, here with a test, and on what lies behind the columns.)
    .. [2] B. Muthén (1984). A general structural equation model with dichotomous, ordered
       categorical, and continuous latent variable indicators. Psychometrika 49, 115-132.

    Examples
    --------
    A chain a - b - c, whose middle is a column of yes and no:

    >>> correlation = np.array([0.7, 0.5, 0.7])  # ab, ac, bc
    >>> explained_pairs(correlation, np.full(3, 200.0), np.array([1.0, 0.64, 1.0])).pairs
    array([False,  True, False])
    >>> explained_pairs(correlation, np.full(3, 200.0), np.ones(3)).pairs.any()
    np.False_
    """
    known = np.clip(np.nan_to_num(correlation), -LARGEST, LARGEST)
    R, V = to_matrix(known), to_matrix(1.0 / np.maximum(rows, 1.0))
    first, second = pair_nodes(len(R))
    sign, own_z = np.sign(known), np.arctanh(np.abs(known))
    z, through = np.full(len(known), beyond), np.full(len(known), -1)
    for b in np.flatnonzero(1.0 - shown > BLURRED):
        one, other = R[b, first], R[b, second]
        path, sizes = one * other, np.abs([one, other])
        slack = (other * (1.0 - one**2)) ** 2 * V[b, first]
        slack += (one * (1.0 - other**2)) ** 2 * V[b, second]
        error = np.sqrt(V[first, second] + slack / (1.0 - path**2) ** 2)
        left = (own_z - sign * np.arctanh(path)) / error
        # Of itself b knows nothing: its own correlation is zero, and no pair is weaker. A column
        # that is (nearly) a function of another has nothing of its own to pass on.
        weaker = (sign != 0.0) & (np.abs(known) < sizes.min(axis=0))
        best = weaker & (sizes.max(axis=0) < COPY) & (left < z)
        z, through = np.where(best, left, z), np.where(best, b, through)
    return Explained(through >= 0, through)
