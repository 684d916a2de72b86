"""Connected components, numbered in one way for the whole package."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csgraph, csr_array

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
    graph = csr_array(np.asarray(adjacency) != 0)
    return csgraph.connected_components(graph, directed=False)[1].astype(np.int64)
