"""Forests of discrete columns, given by the probabilities of pairs of levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import networkx as nx
import numpy as np
from numpy.typing import NDArray

__all__ = ["sample_down"]

Floats = NDArray[np.float64]


def sample_down(
    margins: Sequence[Floats], tables: Mapping[tuple[int, int], Floats], P: Floats
) -> Floats:
    r"""Turn independent uniforms into the codes of a forest, parents before children.

    With the margins :math:`p_u` and the pair tables :math:`p_{uv}` that agree with them, the
    forest has

    .. math:: p(x) = \prod_u p_u(x_u) \prod_{uv} \frac{p_{uv}(x_u, x_v)}{p_u(x_u)\, p_v(x_v)},

    whose pair tables on the edges are those that went in. A root is drawn from its margin, a
    child from :math:`p_{uv}(x_u, \cdot) / p_u(x_u)`, each by one uniform.

    Parameters
    ----------
    margins : sequence of arrays
        Probabilities of the levels of each column.
    tables : mapping from (u, v) to array
        Probabilities of the pairs on the edges, u < v; u goes down the rows.
    P : array of shape (n, d)
        Independent uniforms.

    Returns
    -------
    array of shape (n, d)
        Codes, as floats.
    """
    codes = np.zeros(P.shape, dtype=np.int64)
    forest = nx.Graph()
    forest.add_nodes_from(range(len(margins)))
    forest.add_edges_from(tables)
    for tree in nx.connected_components(forest):
        root = min(tree)
        codes[:, root] = _invert(margins[root][None, :], P[:, root])
        for parent, child in nx.bfs_edges(forest, root):
            table = tables[parent, child] if parent < child else tables[child, parent].T
            codes[:, child] = _invert(table[codes[:, parent]], P[:, child])
    return codes.astype(float)


def _invert(weights: Floats, uniforms: Floats) -> NDArray[np.int64]:
    """Draw one level per uniform, by weights of which there is one row or a row for each."""
    cumulated = np.cumsum(weights, axis=1)
    # The last bound is the total, so rounding cannot lead beyond the last level.
    bounds = cumulated[:, :-1] / cumulated[:, -1:]
    return np.asarray((uniforms[:, None] >= bounds).sum(axis=1), dtype=np.int64)
