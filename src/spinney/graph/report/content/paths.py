r"""The strongest other way between two columns: the chain of edges that could carry a dependence.

In a chain the correlations of neighbours multiply. So a link counts

.. math:: \ell_{uv} = P_{uv} \cdot |\rho_{uv}|,

its score times its strength, and the strongest path is the one whose links have the largest
product; the edge between the two columns themselves does not count. Each link is taken as at most
:data:`LARGEST`, so that of equal paths the shorter one wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from spinney._core.pairs import pair_numbers
from spinney.evidence import CHANNELS
from spinney.graph.report.content.facts import Facts

__all__ = ["Way", "links_of", "strongest_paths"]

Floats = NDArray[np.float64]
Pair = tuple[int, int]

SMALLEST, LARGEST = 1e-9, 1.0 - 1e-6


class Way(NamedTuple):
    """A path: its columns from one end to the other, its weakest link, and the product of all."""

    nodes: list[int]
    weakest: float
    product: float


def links_of(facts: Facts) -> Floats:
    """Strength of every edge as a link of a path, between 0 and 1; 0 where there is no edge.

    Where an edge has no strength of its own, for a column has no order, the correlation stands for
    it that holds as much information; if that is not known either, the score counts alone. Weights
    that are no shares count by their size over the largest.
    """
    view = facts.view
    first, second = np.nonzero(np.triu(view.adjacency, 1))
    scores = view.scores[first, second]
    if view.score == "weight":
        size = np.abs(scores)
        links = size / max(float(np.nanmax(size, initial=0.0)), SMALLEST)
    else:
        strength = np.abs(view.strengths[first, second])
        if not view.is_probability:
            strength = np.ones_like(scores)
        unknown = np.flatnonzero(np.isnan(strength))
        if view.evidence is not None and unknown.size:
            at = [channel.name for channel in CHANNELS].index("information")
            numbers = pair_numbers(first[unknown], second[unknown], facts.d)
            values = view.evidence.values[:, at].astype(float)
            found = view.judged.look_up(values, numbers)
            strength[unknown] = np.tanh(np.abs(found))
        links = np.nan_to_num(scores) * np.nan_to_num(strength, nan=1.0)
    found = np.zeros((facts.d, facts.d))
    found[first, second] = found[second, first] = np.clip(links, SMALLEST, LARGEST)
    return found


def strongest_paths(links: Floats, pairs: Sequence[Pair]) -> list[Way | None]:
    """Find for each pair the path with the largest product of links, its own edge left out.

    Parameters
    ----------
    links : array of shape (d, d)
        Symmetric, between 0 and 1; 0 where there is no edge.
    pairs : list of (int, int)
        The ends.

    Returns
    -------
    list of Way or None
        None where no other path joins the two.

    Examples
    --------
    >>> links = np.zeros((3, 3))
    >>> for u, v, size in [(0, 1, 0.9), (1, 2, 0.5), (0, 2, 0.8)]:
    ...     links[u, v] = links[v, u] = size
    >>> [way.nodes for way in strongest_paths(links, [(0, 1), (0, 2)])]
    [[0, 2, 1], [0, 1, 2]]
    """
    joined = links > 0.0
    first, second = np.nonzero(joined)
    cost = -np.log(np.minimum(links[first, second], LARGEST))
    graph = csr_array((cost, (first, second)), shape=links.shape)
    graph.sort_indices()
    plain = {i for i, j in pairs if not joined[i, j]}
    before: dict[int, NDArray[np.int32]] = {}
    if plain:
        sources = sorted(plain)
        found = dijkstra(graph, indices=sources, return_predecessors=True)[1]
        before = dict(zip(sources, found, strict=True))
    ways: list[Way | None] = []
    for i, j in pairs:
        if joined[i, j]:
            ways.append(_walk(_without(graph, i, j), i, j, links))
        else:
            ways.append(_walk(before[i], i, j, links))
    return ways


def _without(graph: csr_array, i: int, j: int) -> NDArray[np.int32]:
    """Return where paths from i come from when the edge to j is closed."""
    places = [
        graph.indptr[u] + np.searchsorted(graph.indices[graph.indptr[u] : graph.indptr[u + 1]], v)
        for u, v in ((i, j), (j, i))
    ]
    open_cost = graph.data[places].copy()
    graph.data[places] = np.inf
    found = dijkstra(graph, indices=[i], return_predecessors=True)
    graph.data[places] = open_cost
    reached: NDArray[np.int32] = np.where(np.isfinite(found[0][0]), found[1][0], -1)
    return reached


def _walk(before: NDArray[np.int32], i: int, j: int, links: Floats) -> Way | None:
    nodes = [j]
    while nodes[-1] != i:
        previous = int(before[nodes[-1]])
        if previous < 0:
            return None
        nodes.append(previous)
    nodes.reverse()
    sizes = links[nodes[:-1], nodes[1:]]
    return Way(nodes, float(sizes.min()), float(sizes.prod()))
