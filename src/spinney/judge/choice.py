"""Which pairs are kept, given the probability of each; and how many of them are wrong."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["expected_false", "expected_missed", "keep_above", "keep_by_fdr"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

ROUNDING = 1e-12
"""What sums of probabilities may be off in their last digits."""


def keep_above(probabilities: ArrayLike, cut: float = 0.5) -> Bools:
    """Keep the pairs whose probability is larger than `cut`.

    At one half this makes the expected number of wrong pairs (false and missed together) the
    smallest, if probabilities are what they say. NaN, where nothing is known, is not kept.

    Examples
    --------
    >>> keep_above([0.5, 0.7, np.nan])
    array([False,  True, False])
    """
    return np.asarray(probabilities, dtype=float) > cut


def keep_by_fdr(probabilities: ArrayLike, target: float) -> Bools:
    r"""Keep the most probable pairs while the expected share of false ones stays within a target.

    .. math:: \{e : P_e \ge t\}, \quad t \text{ the smallest with }
              \frac{\sum_{P_e \ge t} (1 - P_e)}{|\{e : P_e \ge t\}|} \le \text{target}

    The mean is the posterior expectation of the false discovery proportion [1]_ (the "direct
    posterior probability approach"). Pairs of equal probability are kept together or not at all.

    Parameters
    ----------
    probabilities : array
        Probability of each pair; NaN, where nothing is known, is not kept.
    target : float
        Largest expected share of false pairs among those kept.

    References
    ----------
    .. [1] M. A. Newton, A. Noueiry, D. Sarkar and P. Ahlquist (2004). Detecting differential gene
       expression with a semiparametric hierarchical mixture method. Biostatistics 5, 155-176.

    Examples
    --------
    >>> keep_by_fdr([0.95, 0.2, 0.85, 0.6], 0.1)
    array([ True, False,  True, False])
    """
    P = np.asarray(probabilities, dtype=float)
    falling = np.sort(P[~np.isnan(P)])[::-1]
    if not falling.size:
        return np.zeros(P.shape, dtype=bool)
    share = np.cumsum(1.0 - falling) / np.arange(1, falling.size + 1)
    # Only where a run of equal probabilities ends can one stop.
    ends = np.append(falling[1:] < falling[:-1], True)
    within = np.flatnonzero(ends & (share <= target + ROUNDING))
    if not within.size:
        return np.zeros(P.shape, dtype=bool)
    return falling[within[-1]] <= P


def expected_false(probabilities: ArrayLike, kept: ArrayLike) -> float:
    r"""Count the kept pairs that should be no edges, :math:`\sum_{\text{kept}} (1 - P_e)`.

    Examples
    --------
    >>> round(expected_false([0.9, 0.8, 0.3], [True, True, False]), 2)
    0.3
    """
    P = np.asarray(probabilities, dtype=float)[np.asarray(kept, dtype=bool)]
    return float(np.nansum(1.0 - P))


def expected_missed(probabilities: ArrayLike, kept: ArrayLike) -> float:
    r"""Count the edges that should be among the other pairs, :math:`\sum_{\text{not kept}} P_e`.

    Pairs of which nothing is known (NaN) are not counted.

    Examples
    --------
    >>> round(expected_missed([0.9, 0.8, 0.3, 0.1], [True, True, False, False]), 2)
    0.4
    """
    P = np.asarray(probabilities, dtype=float)[~np.asarray(kept, dtype=bool)]
    return float(np.nansum(P))
