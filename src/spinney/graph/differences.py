r"""Whether two groups differ in an edge, from the probability that each of them has it.

For group g, the judge gives the probability :math:`p_g` that a pair of columns is an edge, given
the group's rows. If it is calibrated, and :math:`\pi_g` is the share of pairs that are edges, the
rows multiply the odds of an edge by the likelihood ratio

.. math:: R_g = \frac{p_g / (1 - p_g)}{\pi_g / (1 - \pi_g)}.

Groups have most of their edges in common, so the edge in one says much about the edge in the
other. Let :math:`\theta_{ab}` be the share of pairs that are an edge (a = 1) or none (a = 0) in
the first group and likewise (b) in the second. Given the two truths the rows of the groups are
independent, hence

.. math:: P(a, b \mid \text{rows}) \propto \theta_{ab} \, R_1^a \, R_2^b, \qquad
          P(\text{differ}) = P(1, 0 \mid \text{rows}) + P(0, 1 \mid \text{rows}).

The shares are estimated from all pairs: empirical Bayes, with a Dirichlet prior, by the EM
algorithm. With :math:`\theta_{ab} = \pi_1^a (1 - \pi_1)^{1-a} \pi_2^b (1 - \pi_2)^{1-b}` it would
be the :math:`p_1 (1 - p_2) + p_2 (1 - p_1)` of independent graphs.
docs/groups.md has the derivation and how well it holds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logit

from spinney._core.pairs import n_pairs, pair_numbers
from spinney.judge.strength import edge_strengths
from spinney.scores import Scores
from spinney.tables import Table

Floats = NDArray[np.float64]

STATES = ((0, 0), (1, 0), (0, 1), (1, 1))
"""States of an edge in two groups, in the order of all arrays here."""
PRIOR_PAIRS = 10.0
"""Weight of the Dirichlet prior, in pairs."""
PRIOR_OWN = 0.02
"""Prior share of a group's edges that the other group lacks. Random halves of real tables, which
differ in nothing, were expected to differ in half a pair with 0.2, and in 0.06 with this."""
SUREST = 1e-9
"""Probabilities of edges are kept this far from 0 and 1."""
TOLERANCE = 1e-10
"""Largest change of a share after which EM stops."""
MOST_STEPS = 10_000


@dataclass(frozen=True, eq=False)
class Coupling:
    """Joint posterior of every pair in two groups.

    Attributes
    ----------
    posterior : array of shape (n_pairs, 4)
        Probability that neither group has the edge, only the first, only the second, both; NaN
        where a group's probability is.
    shares : array of shape (4,)
        The estimated shares of pairs in these states.
    density : array of shape (2,)
        Share of pairs that are edges in each group, the mean of its probabilities.
    """

    posterior: Floats
    shares: Floats
    density: Floats

    @property
    def differs(self) -> Floats:
        """Probability that just one of the groups has the edge, shape (n_pairs,)."""
        return np.asarray(self.posterior[:, 1] + self.posterior[:, 2])


def couple(
    first: ArrayLike,
    second: ArrayLike,
    *,
    prior_pairs: float = PRIOR_PAIRS,
    prior_own: float = PRIOR_OWN,
) -> Coupling:
    r"""Couple the edge probabilities of two groups; see this module.

    The prior of the shares is Dirichlet and counts as `prior_pairs` additional pairs. A share
    :math:`\bar\pi = (\pi_1 + \pi_2) / 2` of them are edges in each group, and a share `prior_own`
    of these in that group alone:

    .. math:: \hat\theta = \arg\max_\theta \sum_e \log \sum_{ab} \theta_{ab} R_{1e}^a R_{2e}^b
              + m \sum_{ab} \theta^0_{ab} \log \theta_{ab}

    Parameters
    ----------
    first, second : arrays of shape (n_pairs,)
        Probability of an edge in each group; NaN (unknown) is left out.
    prior_pairs, prior_own : float
        Weight m of the prior, and its share of edges that only one group has.

    References
    ----------
    .. [1] B. Efron (2008). Microarrays, empirical Bayes and the two-groups model. Statistical
       Science 23, 1-22.
    .. [2] A. P. Dempster, N. M. Laird and D. B. Rubin (1977). Maximum likelihood from incomplete
       data via the EM algorithm. Journal of the Royal Statistical Society B 39, 1-38.

    Examples
    --------
    Both groups have the first edge; the second pair is most probably no difference, although a
    product of the probabilities would give it 0.30; the last one is a difference.

    >>> first = [0.99, 0.70, 0.99, 0.95, 0.02, 0.01, 0.03, 0.99]
    >>> second = [0.99, 0.99, 0.98, 0.70, 0.01, 0.03, 0.05, 0.001]
    >>> couple(first, second).differs.round(2)
    array([0.  , 0.  , 0.  , 0.04, 0.  , 0.  , 0.  , 0.89])
    """
    P = np.array([first, second], dtype=float)
    known = ~np.isnan(P).any(axis=0)
    posterior = np.full((P.shape[1], 4), np.nan)
    count = int(known.sum())
    if not count:
        return Coupling(posterior, np.full(4, np.nan), np.full(2, np.nan))
    # Keep the odds finite even for a group without edges.
    density = np.clip(P[:, known].mean(axis=1), 0.5 / (count + 1), 1.0 - 0.5 / (count + 1))
    # Relative to the largest of each pair, so that exp neither overflows nor vanishes.
    logs = _log_ratios(P[:, known], density)
    ratios = np.exp(logs - logs.max(axis=1, keepdims=True))
    extra = prior_pairs * _prior_shares(float(density.mean()), prior_own)
    shares = extra / extra.sum()
    for _ in range(MOST_STEPS):
        # Expected number of pairs in each state, the sum of their posterior probabilities.
        new = shares * ((1.0 / (ratios @ shares)) @ ratios) + extra
        new /= new.sum()
        change, shares = float(np.abs(new - shares).max()), new
        if change <= TOLERANCE:
            break
    weights = ratios * shares
    posterior[known] = weights / weights.sum(axis=1, keepdims=True)
    return Coupling(posterior, shares, density)


def compare_strengths(
    strengths: tuple[Floats, Floats], errors: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    r"""Compare the strengths of edges in two groups by Fisher's transformation.

    .. math:: z = \frac{\operatorname{artanh} r_2 - \operatorname{artanh} r_1}
              {\sqrt{e_1^2 + e_2^2}}

    is approximately standard normal if the strengths :math:`r_g` are equal in truth [1]_. It
    ignores that the graphs were selected.

    Parameters
    ----------
    strengths, errors : two arrays each
        :math:`r_g`, and the standard errors :math:`e_g` of their artanh
        (:func:`spinney.judge.edge_strengths`).

    Returns
    -------
    difference, z : arrays
        :math:`r_2 - r_1`, and z.

    References
    ----------
    .. [1] R. A. Fisher (1924). The distribution of the partial correlation coefficient. Metron 3,
       329-332.

    Examples
    --------
    >>> parts = compare_strengths((np.array([0.5]), np.array([0.2])), (np.array([0.1]),) * 2)
    >>> [part.round(2).tolist() for part in parts]
    [[-0.3], [-2.45]]
    """
    (first, second), (one, other) = strengths, errors
    return second - first, (np.arctanh(second) - np.arctanh(first)) / np.hypot(one, other)


def strengths_of_pairs(
    table: Table, edges: NDArray[np.bool_], columns: NDArray[np.intp], scores: Scores | None = None
) -> tuple[Floats, Floats]:
    """Measure edges in a table that has some of the columns.

    Parameters
    ----------
    table : Table
        The rows.
    edges : bool array of shape (d, d)
        Which pairs of all columns.
    columns : int array
        Columns of the table among all, rising.
    scores : Scores, optional
        Those of the table, if they are at hand.

    Returns
    -------
    strengths, errors : arrays of shape (n_pairs,)
        Of all pairs; NaN where nothing is measured.
    """
    own = edges[np.ix_(columns, columns)]
    measured = edge_strengths(table, own, scores)
    u, v = columns[np.argwhere(np.triu(own, 1))].T
    found = np.full((2, n_pairs(len(edges))), np.nan)
    found[:, pair_numbers(u, v, len(edges))] = measured.values, measured.errors
    return found[0], found[1]


def _log_ratios(P: Floats, density: Floats) -> Floats:
    """Log-likelihood ratios of the four states against no edge at all, shape (n_pairs, 4)."""
    ratios = logit(np.clip(P, SUREST, 1.0 - SUREST)) - logit(density)[:, None]
    return np.stack([a * ratios[0] + b * ratios[1] for a, b in STATES], axis=1)


def _prior_shares(density: float, own: float) -> Floats:
    """Prior shares of the states, all positive."""
    alone = own * density * (1.0 - density)
    return np.array([1.0 - density - alone, alone, alone, density - alone])
