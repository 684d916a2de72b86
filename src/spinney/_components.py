"""Connected components, numbered in one way for the whole package."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["component_labels"]


def component_labels(adjacency: ArrayLike) -> NDArray[np.int64]:
    """Label each node by its connected component, numbered from 0 in order of first nodes.

    Parameters
    ----------
    adjacency : array-like of shape (d, d)
        Symmetric; every non-zero entry is an edge.

    Examples
    --------
    >>> component_labels([[0, 0, 1], [0, 0, 0], [1, 0, 0]])
    array([0, 1, 0])
    """
    # Scipy's routine takes longer to check a small dense matrix than this to go through it, and
    # solvers ask at every step.
    joined = np.asarray(adjacency) != 0
    labels = np.full(len(joined), -1, dtype=np.int64)
    number = 0
    for node in range(len(joined)):
        if labels[node] >= 0:
            continue
        labels[node] = number
        front = joined[node] & (labels < 0)
        while front.any():
            labels[front] = number
            front = joined[front].any(axis=0) & (labels < 0)
        number += 1
    return labels
