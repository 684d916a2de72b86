r"""Why a pair is or is not an edge: sentences, the evidence, and the strongest other path.

That path is the chain of other edges that could carry the dependence. In a chain the correlations
of neighbours multiply. So a link counts

.. math:: \ell_{uv} = P_{uv} \cdot |\rho_{uv}|,

its score times its strength, and the strongest path is the one whose links have the largest
product; the edge between the two columns themselves does not count. Links are at most
:data:`LARGEST`, so that the shorter of two equal paths wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from spinney._core.text import counted
from spinney.graph.pair_words import (
    MOST_THIRDS,
    brought_out_by,
    leading_evidence,
    pair_sentences,
    thirds_of,
)
from spinney.graph.report.content.facts import Facts, number

__all__ = ["Way", "links_of", "strongest_paths", "why"]

Floats = NDArray[np.float64]
Pair = tuple[int, int]

SMALLEST, LARGEST = 1e-9, 1.0 - 1e-6


def why(facts: Facts) -> dict[str, Any]:
    """Give the evidence for and against an edge, for the pairs shown in full."""
    graph = facts.graph
    ways = strongest_paths(links_of(facts), facts.told)
    places = facts.positions(facts.told).tolist()
    measured = graph.table is not None and facts.d <= MOST_THIRDS
    thirds = thirds_of(graph, facts.told) if measured else [None] * len(facts.told)
    found = {}
    for (i, j), way, place, third in zip(facts.told, ways, places, thirds, strict=True):
        evidence: list[dict[str, Any]] = []
        if graph.evidence is not None and place in graph.judged:
            measured = graph.judged.look_up(graph.evidence.values, [place])[0]
            evidence = [
                {**line, "value": number(line["value"], 4)} for line in leading_evidence(measured)
            ]
        path = None if way is None else {"nodes": way.nodes, "weakest": number(way.weakest, 4)}
        found[f"{i}-{j}"] = {
            "sentences": [facts.say(line) for line in pair_sentences(graph, i, j, third)],
            "details": [_told(facts, way)],
            "third": None if third is None else brought_out_by(graph, i, j, third),
            "evidence": evidence,
            "path": path,
        }
    return {"why": found}


def _told(facts: Facts, way: Way | None) -> str:
    if way is None:
        return "No other path of edges connects the two."
    shown = [facts.labels[k] for k in way.nodes]
    if len(shown) > 8:
        shown = [*shown[:4], "…", *shown[-3:]]
    between = counted(len(way.nodes) - 2, "column")
    how = " (probability times strength)" if facts.graph.is_probability else ""
    return (
        f"The strongest other path runs through {between}: {' – '.join(shown)}; its weakest link "
        f"has a weight of {way.weakest:.2g}{how}."
    )


class Way(NamedTuple):
    """A path: its columns in order, its weakest link, and the product of its links."""

    nodes: list[int]
    weakest: float
    product: float


def links_of(facts: Facts) -> Floats:
    """Strength of every edge as a link of a path, between 0 and 1; 0 where there is no edge.

    An edge whose strength is unknown counts by its score alone. Weights count relative to the
    largest.
    """
    graph = facts.graph
    first, second = np.nonzero(np.triu(graph.joined, 1))
    scores = graph.scores[first, second]
    if graph.score == "weight":
        size = np.abs(scores)
        links = size / max(float(np.nanmax(size, initial=0.0)), SMALLEST)
    else:
        strength = np.abs(graph.strengths[first, second])
        if not graph.is_probability:
            strength = np.ones_like(scores)
        links = np.nan_to_num(scores) * np.nan_to_num(strength, nan=1.0)
    found = np.zeros((facts.d, facts.d))
    found[first, second] = found[second, first] = np.clip(links, SMALLEST, LARGEST)
    return found


def strongest_paths(links: Floats, pairs: Sequence[Pair]) -> list[Way | None]:
    """Find for each pair the path with the largest product of links, without its own edge.

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
    first, second = np.nonzero(links > 0.0)
    cost = -np.log(np.minimum(links[first, second], LARGEST))
    costs = csr_array((cost, (first, second)), shape=links.shape)
    return [_walk(_without(costs, i, j), i, j, links) for i, j in pairs]


def _without(graph: csr_array, i: int, j: int) -> NDArray[np.int32]:
    """Return predecessors on paths from i, without the edge to j if there is one."""
    own = [
        start + np.flatnonzero(graph.indices[start:stop] == v)
        for u, v in ((i, j), (j, i))
        for start, stop in [graph.indptr[u : u + 2]]
    ]
    places = np.concatenate(own)
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
