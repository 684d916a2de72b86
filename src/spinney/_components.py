"""Connected components, numbered in one way for the whole package."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csgraph

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
    found = csgraph.connected_components(np.asarray(adjacency) != 0, directed=False)[1]
    _, first, inverse = np.unique(found, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse]
