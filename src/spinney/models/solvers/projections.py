"""Projections onto the sets that edge weights are sought in."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["onto_orthant", "onto_simplices"]

Floats = NDArray[np.float64]


def onto_orthant(beta: Floats) -> Floats:
    """Set negative weights to zero."""
    return np.maximum(beta, 0.0)


def onto_simplices(
    groups: Sequence[ArrayLike], sums: Sequence[float]
) -> Callable[[Floats], Floats]:
    r"""Make the projection onto weights at least zero with a given sum in each group.

    The nearest point of :math:`\{\beta \ge 0, \sum_{e \in G} \beta_e = s\}` is
    :math:`\max(\beta - \tau, 0)` with the :math:`\tau` that gives the sum [1]_.

    Parameters
    ----------
    groups : sequence of arrays of int
        Positions of the weights in each group; weights in none are set to zero.
    sums : sequence of float
        Sum of each group, positive.

    References
    ----------
    .. [1] M. Held, P. Wolfe and H. P. Crowder (1974). Validation of subgradient optimization.
       Mathematical Programming 6, 62-88.

    Examples
    --------
    >>> onto_simplices([[0, 1]], [1.0])(np.array([1.0, 0.5, 7.0]))
    array([0.75, 0.25, 0.  ])
    """
    members = [np.asarray(group, dtype=np.int64) for group in groups]

    def project(beta: Floats) -> Floats:
        result = np.zeros_like(beta)
        for group, total in zip(members, sums, strict=True):
            if not group.size:
                continue
            # Measured from the largest: far from the origin the sum would be rounded away.
            below = beta[group] - beta[group].max()
            falling = np.sort(below)[::-1]
            shift = (np.cumsum(falling) - total) / np.arange(1, group.size + 1)
            last = np.flatnonzero(falling > shift)[-1]
            result[group] = np.maximum(below - shift[last], 0.0)
        return result

    return project
