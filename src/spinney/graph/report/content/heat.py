"""The heat map: a score in one byte for each pair, and an order in which blocks are seen.

Of a table with more than :data:`MOST_COLUMNS` columns it holds those that are most closely joined:
a cell for every pair would be millions of bytes, and less than a pixel each.
"""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import squareform

from spinney._core.pairs import to_pairs
from spinney.graph.report.content.encoding import number, pack
from spinney.graph.report.content.facts import Facts

__all__ = ["closest", "heat", "seriate"]

Floats = NDArray[np.float64]

STEPS = 250
UNKNOWN = 255
MOST_COLUMNS = 400
"""Columns that are shown."""
MOST_ORDERED = 400
"""Columns of a component up to which the leaves of the tree are put in their best order."""


def heat(facts: Facts) -> dict[str, Any]:
    """Pack the scores of pairs; order the columns, components together."""
    view = facts.view
    chosen = closest(view.graph, MOST_COLUMNS) if facts.d > MOST_COLUMNS else None
    scores = np.abs(view.scores if chosen is None else view.scores[np.ix_(chosen, chosen)])
    size = to_pairs(scores)
    largest = float(np.nanmax(size, initial=0.0))
    # Weights have no largest value of their own.
    scale = largest if view.score == "weight" and largest > 0.0 else 1.0
    steps = np.round(np.clip(np.nan_to_num(size / scale), 0.0, 1.0) * STEPS)
    near = np.nan_to_num(scores / scale)
    order: list[int] = []
    for members in _parts(facts, chosen):
        order.extend(members[seriate(near[np.ix_(members, members)])].tolist())
    values = pack(np.where(np.isnan(size), UNKNOWN, steps), "u1")
    found: dict[str, Any] = {"order": order, "values": values, "scale": number(scale)}
    if chosen is not None:
        found["nodes"] = chosen.tolist()
        found["order"] = chosen[order].tolist()
    return {"heat": found}


def closest(graph: nx.Graph, most: int) -> NDArray[np.intp]:
    """Choose the nodes that are most closely joined, by number, in the order of the graph.

    Those of the innermost cores [1]_, and of these the ones with most edges.

    References
    ----------
    .. [1] S. B. Seidman (1983). Network structure and minimum degree. Social Networks 5, 269-287.

    Examples
    --------
    >>> graph = nx.compose(nx.star_graph(6), nx.complete_graph([7, 8, 9]))
    >>> closest(graph, 4)
    array([0, 7, 8, 9])
    """
    core = nx.core_number(graph)
    nodes = list(graph)
    cores = np.array([core[node] for node in nodes])
    degrees = np.array([graph.degree(node) for node in nodes])
    return np.sort(np.lexsort((np.arange(len(nodes)), -degrees, -cores))[:most])


def _parts(facts: Facts, chosen: NDArray[np.intp] | None) -> list[NDArray[np.intp]]:
    """List the components by places among the chosen columns, the largest first."""
    labels = facts.view.labels if chosen is None else facts.view.labels[chosen]
    parts: dict[int, list[int]] = {}
    for place, label in enumerate(labels.tolist()):
        parts.setdefault(label, []).append(place)
    return [np.array(part) for part in sorted(parts.values(), key=len, reverse=True)]


def seriate(near: Floats) -> NDArray[np.intp]:
    """Order things so that near ones stand side by side, the better joined end first.

    A tree by average linkage, its leaves in the order that makes neighbours nearest [1]_.

    Parameters
    ----------
    near : array of shape (k, k)
        Symmetric, between 0 and 1: how near any two are.

    References
    ----------
    .. [1] Z. Bar-Joseph, D. K. Gifford and T. S. Jaakkola (2001). Fast optimal leaf ordering for
       hierarchical clustering. Bioinformatics 17, S22-S29.

    Examples
    --------
    >>> near = np.eye(4)
    >>> for u, v in [(0, 2), (2, 1), (1, 3)]:
    ...     near[u, v] = near[v, u] = 0.9
    >>> seriate(near).tolist() in ([0, 2, 1, 3], [3, 1, 2, 0])
    True
    """
    k = len(near)
    if k < 3:
        return np.arange(k)
    far = 1.0 - np.clip((near + near.T) / 2, 0.0, 1.0)
    np.fill_diagonal(far, 0.0)
    distances = squareform(far, checks=False)
    tree = linkage(distances, "average")
    if k <= MOST_ORDERED:
        tree = optimal_leaf_ordering(tree, distances)
    order = np.asarray(leaves_list(tree), dtype=np.intp)
    joined = near.sum(axis=1)[order]
    return order if joined[: k // 2].sum() >= joined[-(k // 2) :].sum() else order[::-1]
