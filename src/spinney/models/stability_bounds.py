r"""How many false edges a threshold on selection frequencies lets through, on average.

With q the mean number of edges that the estimator selects on half of the rows, p the number of
pairs of columns and :math:`\theta = q / p`, all bounds are on the expected number of kept edges
among those whose chance of selection on half of the rows is at most :math:`\theta`: no better than
picking q pairs blindly. Those are the false ones if, as Meinshausen and Bühlmann assume, false
edges are exchangeable and the estimator does no worse than such a blind pick.

References
----------
.. [1] N. Meinshausen and P. Bühlmann (2010). Stability selection. Journal of the Royal Statistical
   Society B 72, 417-473. (Theorem 1.)
.. [2] R. D. Shah and R. J. Samworth (2013). Variable selection with error control: another look at
   stability selection. Journal of the Royal Statistical Society B 75, 55-80. (Theorems 1 and 2.)
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import Literal

import numpy as np

from spinney.exceptions import InputError

Assumption = Literal["none", "unimodal"]


def votes_needed(threshold: float, n_splits: int) -> int:
    """Count the halves, of ``2 * n_splits``, that must select an edge.

    Frequencies are multiples of 1/(2B), so a threshold between two of them means the upper one.

    Examples
    --------
    >>> votes_needed(0.75, 50), votes_needed(0.751, 50), votes_needed(0.58, 50)
    (75, 76, 58)
    """
    return int(np.ceil(2 * n_splits * threshold - 1e-9))  # 0.58 * 100 is 57.99…


def false_edge_bound(
    q: float, p: int, threshold: float, n_splits: int = 50, assumption: Assumption = "unimodal"
) -> float:
    r"""Bound the expected number of false edges of complementary-pairs stability selection.

    For a threshold :math:`\tau > 1/2` (rounded up to a multiple of :math:`1/(2B)`):

    - ``"none"``: :math:`\frac{q^2}{(2\tau - 1) p}`, Meinshausen and Bühlmann's bound; for
      complementary halves it is Shah and Samworth's first theorem, and assumes nothing.
    - ``"unimodal"``: :math:`C(\tau, B) \frac{q^2}{p}`, if the share of splits that select an edge
      twice has a unimodal distribution, with

      .. math:: C(\tau, B) = \begin{cases} \frac{1}{2 (2\tau - 1 - 1/(2B))} &
                \min\{\tfrac12 + \theta^2, \tfrac12 + \tfrac1{2B} + \tfrac34 \theta^2\} < \tau
                \le \tfrac34 \\
                \frac{4 (1 - \tau + 1/(2B))}{1 + 1/B} & \tfrac34 < \tau \le 1 \end{cases}

      for :math:`\theta \le 1/\sqrt3` and :math:`\tau \ge \frac12 + \frac1B`. Elsewhere the theorem
      is silent and the bound without assumption is returned.

    Parameters
    ----------
    q : float
        Mean number of edges selected on half of the rows.
    p : int
        Number of pairs of columns.
    threshold : float
        Frequency from which an edge is kept, in (0.5, 1].
    n_splits : int
        Number B of complementary splits.
    assumption : {"none", "unimodal"}
        What is assumed of the distribution of frequencies.

    Examples
    --------
    >>> round(false_edge_bound(10, 300, 0.75, assumption="none"), 3)
    0.667
    >>> round(false_edge_bound(10, 300, 0.75), 3)
    0.34
    """
    if assumption not in ASSUMPTIONS:
        raise InputError(f"assumption must be 'none' or 'unimodal', got {assumption!r}.")
    if not 0.0 <= q <= p:
        raise InputError(f"Between 0 and all {p} pairs can be selected on average, not {q!r}.")
    if not 0.5 < threshold <= 1.0:
        raise InputError(f"The bounds need a threshold in (0.5, 1], got {threshold!r}.")
    if n_splits < 1:
        raise InputError(f"At least one split is needed, got {n_splits!r}.")
    if q == 0:
        return 0.0
    return ASSUMPTIONS[assumption](float(q), p, votes_needed(threshold, n_splits), n_splits)


def smallest_threshold(
    max_false_edges: float,
    q: float,
    p: int,
    n_splits: int = 50,
    assumption: Assumption = "unimodal",
) -> float | None:
    """Find the smallest threshold whose bound is at most `max_false_edges`, or None.

    Parameters are those of :func:`false_edge_bound`.

    Examples
    --------
    >>> smallest_threshold(1.0, q=10, p=300)
    0.59
    >>> smallest_threshold(0.001, q=100, p=300) is None
    True
    """
    thresholds = np.arange(n_splits + 1, 2 * n_splits + 1) / (2 * n_splits)

    def keeps(threshold: float) -> bool:
        return false_edge_bound(q, p, threshold, n_splits, assumption) <= max_false_edges

    place = bisect_left(thresholds, True, key=keeps)  # the bounds fall along the thresholds
    return float(thresholds[place]) if place < n_splits else None


def _markov(q: float, p: int, votes: int, n_splits: int) -> float:
    return q**2 / p / (votes / n_splits - 1.0)


def _unimodal(q: float, p: int, votes: int, n_splits: int) -> float:
    tau, theta, step = votes / (2 * n_splits), q / p, 1.0 / (2 * n_splits)
    lowest = 0.5 + min(theta**2, step + 0.75 * theta**2)
    if theta > 3.0**-0.5 or votes < n_splits + 2 or tau <= lowest:
        return _markov(q, p, votes, n_splits)
    if tau <= 0.75:
        return q**2 / p / (2.0 * (2.0 * tau - 1.0 - step))
    return q**2 / p * 4.0 * (1.0 - tau + step) / (1.0 + 2.0 * step)


ASSUMPTIONS: dict[str, Callable[[float, int, int, int], float]]
ASSUMPTIONS = {"none": _markov, "unimodal": _unimodal}
"""Bounds by what they assume."""
