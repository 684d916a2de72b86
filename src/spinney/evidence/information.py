"""Mutual information of scores, all pairs of columns at once."""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Floats, Ints

__all__ = ["information"]

AT_ONCE = 1 << 18
"""Numbers held at once, so that they stay in a core's own cache."""
FEW = 5
"""Scores of a column up to which determinants are computed by elimination."""


def information(R: Floats, starts: Ints, counts: Ints) -> Floats:
    r"""Mutual information of the scores of two columns, were they normal, in nats a row.

    .. math:: -\tfrac12 \log \det (I - R_{uv} R_{vu})

    Parameters
    ----------
    R : array of shape (q, q)
        Correlations of all scores; those of one column lie side by side.
    starts, counts : int arrays of shape (d,)
        The first score of each column, and how many it has.

    Returns
    -------
    array of shape (d, d)
        Zero on the diagonal.

    Examples
    --------
    >>> information(np.array([[1.0, 0.6], [0.6, 1.0]]), np.arange(2), np.ones(2, int)).round(3)
    array([[0.   , 0.223],
           [0.223, 0.   ]])
    """
    d = len(starts)
    found = np.zeros((d, d))
    kinds = np.unique(counts)
    for a in kinds:
        for b in kinds[kinds >= a]:
            u, v = np.flatnonzero(counts == a), np.flatnonzero(counts == b)
            step = max(1, AT_ONCE // max(len(v) * a * b, 1))
            for low in range(0, len(u), step):
                some, others = u[low : low + step], v[low:] if a == b else v
                rows, columns = (
                    (starts[x] + np.arange(k)[:, None]).ravel() for x, k in ((some, a), (others, b))
                )
                block = R[np.ix_(rows, columns)].reshape(a, len(some), b, len(others))
                part = _log_det(block.swapaxes(1, 2))
                found[np.ix_(some, others)] = part
                found[np.ix_(others, some)] = part.T
    np.fill_diagonal(found, 0.0)
    return found


def _log_det(block: Floats) -> Floats:
    """Log det (I - B Bᵀ) over -2 for matrices B along the first two axes."""
    a, b = block.shape[:2]
    if a > FEW:
        B = np.moveaxis(block, (0, 1), (-2, -1))
        rest = np.linalg.det(np.eye(a) - B @ B.swapaxes(-2, -1))
    else:  # elimination, of all pairs at once
        left = [
            [-sum(block[i, k] * block[j, k] for k in range(b)) for j in range(i + 1)]
            for i in range(a)
        ]
        rest = np.ones(block.shape[2:])
        for i in range(a):
            left[i][i] += 1.0
        for k in range(a):
            pivot = left[k][k]
            rest = rest * pivot
            pivot = np.where(np.abs(pivot) > 1e-12, pivot, 1e-12)
            for i in range(k + 1, a):
                share = left[i][k] / pivot
                for j in range(k + 1, i + 1):
                    left[i][j] -= share * left[j][k]
    return np.asarray(-0.5 * np.log(np.clip(rest, 1e-8, 1.0)))
