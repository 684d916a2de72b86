"""Graphs of the world: each kind by its name, its share and the fewest nodes that it needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import networkx as nx
import numpy as np

from spinney.simulate.graphs import (
    forest_graph,
    grid_graph,
    hub_graph,
    random_graph,
    scale_free_graph,
)
from training.world.source import Bools, log_between, pick

__all__ = ["SHAPES", "Shape", "ShapeKind", "draw_shape", "groups_of_shape"]

Rng = np.random.Generator


class Shape(NamedTuple):
    """A graph, the kind it was drawn from, and the kinds of its parts."""

    adjacency: Bools
    kind: str
    parts: tuple[str, ...]


class ShapeKind(NamedTuple):
    """How a kind of graph is drawn."""

    share: float
    fewest: int
    groups: tuple[str, ...]
    draw: Callable[[Rng, int], Bools]
    meaning: str


def _seed(rng: Rng) -> int:
    return int(rng.integers(2**62))


def _empty(d: int) -> Bools:
    return np.zeros((d, d), dtype=bool)


def _shuffled(adjacency: Bools, rng: Rng) -> Bools:
    order = rng.permutation(len(adjacency))
    return adjacency[np.ix_(order, order)]


def _from_parents(parents: list[int], rng: Rng) -> Bools:
    """Join node k + 1 to the earlier node parents[k]; then shuffle."""
    adjacency = _empty(len(parents) + 1)
    children = np.arange(1, len(parents) + 1)
    adjacency[children, parents] = adjacency[parents, children] = True
    return _shuffled(adjacency, rng)


def tree(rng: Rng, d: int) -> Bools:
    """Draw uniformly from all trees."""
    return forest_graph(d, 1, _seed(rng))


def recursive_tree(rng: Rng, d: int) -> Bools:
    """Join every node to one of those before it, drawn uniformly."""
    return _from_parents([int(rng.integers(k)) for k in range(1, d)], rng)


def chain(rng: Rng, d: int) -> Bools:
    """Draw a path."""
    return _from_parents(list(range(d - 1)), rng)


def preferential_tree(rng: Rng, d: int) -> Bools:
    """Join every node to one before it, drawn in proportion to its neighbours."""
    return scale_free_graph(d, 1, _seed(rng))


TREES = (tree, recursive_tree, chain)


def forest(rng: Rng, d: int) -> Bools:
    """Draw two to d / 2 trees, each uniform, recursive or a chain, of uneven sizes."""
    k = int(np.floor(log_between(rng, 2, max(3, d // 2 + 1))))
    return _joined([(TREES[int(rng.integers(3))], size) for size in _sizes(rng, d, k)], rng)


def near_tree(rng: Rng, d: int) -> Bools:
    """Draw one to three trees and one to d / 4 edges more."""
    k = 1 if rng.uniform() < 0.6 else int(rng.integers(1, max(2, min(4, d // 4 + 1))))
    most = sum(s * (s - 1) // 2 for s in _even(d, k))
    more = 1 + int(rng.integers(max(1, d // 4)))
    edges = min(d - k + more, most)
    return random_graph(d, 2 * edges / d, k, _seed(rng))


def loopy(rng: Rng, d: int) -> Bools:
    """Draw a connected graph with 2.2 to 6 neighbours a node."""
    edges = round(d * log_between(rng, 2.2, 6.0) / 2)
    edges = min(max(edges, d), d * (d - 1) // 2)
    return random_graph(d, 2 * edges / d, 1, _seed(rng))


def erdos_renyi(rng: Rng, d: int) -> Bools:
    """Join each pair with one probability, from 0.5 / d to 0.7 (log-uniform)."""
    density = log_between(rng, 0.5 / d, 0.7)
    upper = np.triu(rng.uniform(size=(d, d)) < density, 1)
    return upper | upper.T


def grid(rng: Rng, d: int) -> Bools:
    """Draw a lattice of two rows or more, its last row perhaps not full."""
    columns = int(rng.integers(2, max(3, int(np.sqrt(d)) + 2)))
    rows = -(-d // columns)
    return _shuffled(grid_graph(rows, columns)[:d, :d], rng)


def band(rng: Rng, d: int) -> Bools:
    """Join nodes at most 2 or 3 places from each other on a line."""
    width = int(rng.integers(2, 4))
    place = np.arange(d)
    apart = np.abs(place[:, None] - place)
    return _shuffled((apart > 0) & (apart <= width), rng)


def ring(rng: Rng, d: int) -> Bools:
    """Join nodes at most 1 or 2 places from each other on a circle."""
    width = int(rng.integers(1, 3))
    return _shuffled(_circle(d, width), rng)


def small_world(rng: Rng, d: int) -> Bools:
    """Draw a circle of 2 neighbours to each side, of whose edges 5 to 40 % lead elsewhere."""
    graph = nx.watts_strogatz_graph(d, 4, rng.uniform(0.05, 0.4), seed=_seed(rng) % 2**32)
    return _shuffled(nx.to_numpy_array(graph, dtype=bool, nodelist=range(d)), rng)


def hubs(rng: Rng, d: int) -> Bools:
    """Draw one star to d / 4 stars, apart or with hubs in a path."""
    k = int(rng.integers(1, max(2, min(8, d // 4) + 1)))
    return hub_graph(d, k, _seed(rng), joined=bool(rng.integers(2)))


def scale_free(rng: Rng, d: int) -> Bools:
    """Let every new node join two or three, drawn in proportion to their neighbours."""
    return scale_free_graph(d, int(rng.integers(2, 4)) if d > 4 else 2, _seed(rng))


def cliques(rng: Rng, d: int) -> Bools:
    """Draw cliques of 2 to 8 nodes apart from each other, some nodes perhaps alone."""
    most = int(rng.integers(3, 9))
    alone = rng.uniform(0, 0.5) if rng.uniform() < 0.3 else 0.0
    adjacency, order, used = _empty(d), rng.permutation(d), 0
    while used < d:
        size = 1 if rng.uniform() < alone else int(rng.integers(2, most + 1))
        members = order[used : used + size]
        adjacency[np.ix_(members, members)] = True
        used += size
    np.fill_diagonal(adjacency, False)
    return adjacency


def overlapping_cliques(rng: Rng, d: int) -> Bools:
    """Draw cliques of 3 to 6 nodes, each sharing one or two nodes with the one before."""
    adjacency, order = _empty(d), rng.permutation(d)
    start = 0
    while start < d - 1:
        stop = start + int(rng.integers(3, 7))
        members = order[start:stop]
        adjacency[np.ix_(members, members)] = True
        start = stop - int(rng.integers(1, 3)) if stop < d else d
    np.fill_diagonal(adjacency, False)
    return adjacency


def blocks(rng: Rng, d: int) -> Bools:
    """Draw 2 to 5 groups: pairs within are joined far more often than pairs between."""
    group = rng.integers(int(rng.integers(2, 6)), size=d)
    same = group[:, None] == group
    size = max(2.0, float(same.sum() / d))
    within = min(0.9, rng.uniform(1.5, 6.0) / size)
    chance = np.where(same, within, within * rng.uniform(0.0, 0.15))
    upper = np.triu(rng.uniform(size=(d, d)) < chance, 1)
    return upper | upper.T


SHAPES: dict[str, ShapeKind] = {
    "tree": ShapeKind(0.09, 2, ("trees",), tree, "uniform over all trees"),
    "recursive tree": ShapeKind(0.05, 3, ("trees",), recursive_tree, "random recursive tree"),
    "chain": ShapeKind(0.04, 2, ("trees",), chain, "path"),
    "preferential tree": ShapeKind(
        0.04, 4, ("trees", "hubs"), preferential_tree, "tree by preferential attachment"
    ),
    "forest": ShapeKind(0.09, 4, ("trees",), forest, "2 to d/2 trees, chains among them"),
    "near-tree": ShapeKind(0.11, 4, ("loops",), near_tree, "1–3 trees and 1 to d/4 edges more"),
    "loopy": ShapeKind(0.12, 4, ("loops",), loopy, "connected, mean degree 2.2–6"),
    "erdos-renyi": ShapeKind(0.09, 2, (), erdos_renyi, "each pair with probability 0.5/d–0.7"),
    "grid": ShapeKind(0.06, 4, ("loops",), grid, "lattice"),
    "band": ShapeKind(0.03, 4, ("loops",), band, "neighbours on a line up to 2 or 3 apart"),
    "ring": ShapeKind(0.02, 5, ("loops",), ring, "neighbours on a circle up to 1 or 2 apart"),
    "small world": ShapeKind(0.04, 6, ("loops",), small_world, "Watts–Strogatz, 5–40 % rewired"),
    "hubs": ShapeKind(0.05, 4, ("hubs",), hubs, "1–8 stars, apart or joined in a path"),
    "scale-free": ShapeKind(0.05, 4, ("hubs",), scale_free, "preferential, 2–3 edges a node"),
    "cliques": ShapeKind(0.07, 3, ("cliques",), cliques, "apart, of 2–8 nodes"),
    "overlapping cliques": ShapeKind(
        0.04, 5, ("cliques",), overlapping_cliques, "of 3–6 nodes, sharing 1–2 with the next"
    ),
    "blocks": ShapeKind(0.04, 6, ("cliques",), blocks, "2–5 groups, dense within"),
}
"""Kinds of graphs in one piece of the world, by their shares (which need not add up to one)."""
MOSTLY_ISOLATED = 0.05
"""Share of tables in which 50 to 90 % of the nodes have no neighbour."""
UNION = 0.08
"""Share of tables whose graph is a disjoint union of two to four kinds."""


def draw_shape(rng: Rng, d: int) -> Shape:
    """Draw a graph of any kind.

    Examples
    --------
    >>> shape = draw_shape(np.random.default_rng(4), 20)
    >>> shape.kind, shape.adjacency.shape
    ('...', (20, 20))
    """
    chance = rng.uniform()
    if d >= 6 and chance < MOSTLY_ISOLATED:
        inside = max(2, round(d * rng.uniform(0.1, 0.5)))
        part = _simple(rng, inside)
        adjacency = _empty(d)
        adjacency[:inside, :inside] = part.adjacency
        return Shape(_shuffled(adjacency, rng), "mostly isolated", part.parts)
    if d >= 6 and chance < MOSTLY_ISOLATED + UNION:
        parts = [_simple(rng, size) for size in _sizes(rng, d, int(rng.integers(2, 5)))]
        adjacency, start = _empty(d), 0
        for part in parts:
            stop = start + len(part.adjacency)
            adjacency[start:stop, start:stop] = part.adjacency
            start = stop
        kinds = tuple(sorted({kind for part in parts for kind in part.parts}))
        return Shape(_shuffled(adjacency, rng), "union", kinds)
    return _simple(rng, d)


def groups_of_shape(parts: tuple[str, ...]) -> set[str]:
    """Leave-out groups that a graph of these parts belongs to.

    Examples
    --------
    >>> sorted(groups_of_shape(("preferential tree", "grid")))
    ['hubs', 'loops', 'trees']
    """
    return {group for kind in parts if kind in SHAPES for group in SHAPES[kind].groups}


def _simple(rng: Rng, d: int) -> Shape:
    if d == 1:
        return Shape(_empty(1), "empty", ())
    kind = pick(rng, {k: shape.share for k, shape in SHAPES.items() if shape.fewest <= d})
    return Shape(SHAPES[kind].draw(rng, d), kind, (kind,))


def _circle(d: int, width: int) -> Bools:
    place = np.arange(d)
    apart = np.abs(place[:, None] - place)
    apart = np.minimum(apart, d - apart)
    return np.asarray((apart > 0) & (apart <= width), dtype=bool)


def _even(d: int, k: int) -> list[int]:
    return [d // k + (j < d % k) for j in range(k)]


def _sizes(rng: Rng, d: int, k: int) -> list[int]:
    """Split d into k uneven parts of at least one: k - 1 cuts drawn from the d - 1 places."""
    cuts = np.sort(rng.choice(d - 1, min(k, d) - 1, replace=False)) + 1
    return [int(size) for size in np.diff([0, *cuts.tolist(), d])]


def _joined(parts: list[tuple[Callable[[Rng, int], Bools], int]], rng: Rng) -> Bools:
    adjacency, start = _empty(sum(size for _, size in parts)), 0
    for draw, size in parts:
        adjacency[start : start + size, start : start + size] = draw(rng, size)
        start += size
    return _shuffled(adjacency, rng)
