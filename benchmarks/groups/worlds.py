"""Two groups that share most of their graph, with the truth of both."""

from __future__ import annotations

from typing import NamedTuple

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from spinney.pairs.copulas.base import Copula
from spinney.simulate import copula_forest, random_copula, random_graph

__all__ = ["WORLDS", "TwoGroups", "draw"]

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

SMALLEST = 0.1
"""Smallest eigenvalue of a precision matrix before it is scaled, as in spinney.simulate."""
DEGREE = 2.0
"""Mean number of neighbours."""
WORLDS = ("same strengths", "other strengths", "forests")
"""What the groups are: Gaussian fields whose common edges have the same weights, or weights of
their own, and copula forests whose common edges have the same copulas."""


class TwoGroups(NamedTuple):
    """Tables of two groups and their true graphs."""

    tables: tuple[Floats, Floats]
    graphs: tuple[Flags, Flags]


def draw(world: str, d: int, rows: tuple[int, int], changed: float, seed: int) -> TwoGroups:
    """Draw two groups; a share `changed` of the first one's edges has moved in the second.

    Parameters
    ----------
    world : one of :data:`WORLDS`
        How the tables are made.
    d : int
        Number of columns.
    rows : (int, int)
        Rows of each group.
    changed : float
        Share of the edges of the first group that the second has not; it has as many of its own.
    seed : int
        Seed.

    Examples
    --------
    >>> groups = draw("forests", 10, (50, 80), 0.3, 0)
    >>> [table.shape for table in groups.tables]
    [(50, 10), (80, 10)]
    >>> int((groups.graphs[0] & ~groups.graphs[1]).sum()) // 2
    3
    """
    rng = np.random.default_rng(np.random.SeedSequence([seed, d, WORLDS.index(world)]))
    if world == "forests":
        return _forests(d, rows, changed, rng)
    graph = random_graph(d, DEGREE, random_state=int(rng.integers(2**31)))
    other = _moved(graph, changed, rng)
    weights = _weights(d, rng), _weights(d, rng)
    if world == "same strengths":
        weights = weights[0], weights[0]
    tables = [
        _gaussian(n, own, weight, rng)
        for n, own, weight in zip(rows, (graph, other), weights, strict=True)
    ]
    return TwoGroups((tables[0], tables[1]), (graph, other))


def _moved(graph: Flags, changed: float, rng: np.random.Generator) -> Flags:
    edges, gaps = np.argwhere(np.triu(graph)), np.argwhere(np.triu(~graph, 1))
    count = round(changed * len(edges))
    other = graph.copy()
    for pairs, value in ((edges, False), (gaps, True)):
        for u, v in pairs[rng.choice(len(pairs), count, replace=False)]:
            other[u, v] = other[v, u] = value
    return other


def _weights(d: int, rng: np.random.Generator) -> Floats:
    """Weights of all pairs, between 0.5 and 1 with random signs: a graph takes those it needs."""
    upper = np.triu(rng.uniform(0.5, 1.0, (d, d)) * rng.choice([-1.0, 1.0], (d, d)), 1)
    return np.asarray(upper + upper.T)


def _gaussian(n: int, graph: Flags, weights: Floats, rng: np.random.Generator) -> Floats:
    W = np.where(graph, weights, 0.0)
    precision = W + (SMALLEST - np.linalg.eigvalsh(W)[0]) * np.eye(len(W))
    factor = np.linalg.cholesky(precision)
    return np.asarray(np.linalg.solve(factor.T, rng.normal(size=(len(W), n))).T)


def _forests(d: int, rows: tuple[int, int], changed: float, rng: np.random.Generator) -> TwoGroups:
    first = copula_forest(2, d, random_state=int(rng.integers(2**31))).copulas
    assert first is not None
    second: dict[tuple[int, int], Copula] = dict(first)
    count = round(changed * len(first))
    gone = [list(first)[k] for k in rng.choice(len(first), count, replace=False)]
    for edge in gone:
        del second[edge]
    for _ in gone:
        # What joins two trees of the rest, and was no edge before: again a forest.
        forest = nx.Graph(list(second))
        forest.add_nodes_from(range(d))
        tree = {v: k for k, part in enumerate(nx.connected_components(forest)) for v in part}
        free = [
            (u, v)
            for u in range(d)
            for v in range(u + 1, d)
            if tree[u] != tree[v] and (u, v) not in first
        ]
        if free:
            chosen = free[int(rng.integers(len(free)))]
            second[chosen] = random_copula(random_state=int(rng.integers(2**31)))
    drawn = [
        copula_forest(n, d, copulas=copulas, random_state=int(rng.integers(2**31)))
        for n, copulas in zip(rows, (first, second), strict=True)
    ]
    return TwoGroups((drawn[0].X, drawn[1].X), (drawn[0].adjacency, drawn[1].adjacency))
