"""Connected components, numbered in one way for the whole package."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Ints


def component_labels(adjacency: ArrayLike) -> Ints:
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
    joined = np.asarray(adjacency)
    first, second = np.nonzero(joined)
    labels = np.arange(len(joined))
    while True:  # each node takes the least label nearby, and the label of the node of that number
        least = labels.copy()
        np.minimum.at(least, first, labels[second])
        least = least[least]
        if np.array_equal(least, labels):
            return np.unique(labels, return_inverse=True)[1]
        labels = least
