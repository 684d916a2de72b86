"""Where the nodes of a graph go: each component by itself, then side by side, none overlapping."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Literal

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse.csgraph import shortest_path
from scipy.sparse.linalg import eigsh
from scipy.spatial import cKDTree

from spinney.exceptions import InputError

__all__ = [
    "ASPECT",
    "GraphLayout",
    "Layout",
    "given_positions",
    "lay_out_graph",
    "lie_flat",
    "parts_of",
    "push_apart",
    "put_below",
]

Floats = NDArray[np.float64]
Layout = Literal["kamada-kawai", "spring"] | Mapping[Any, Sequence[float]]

SEED = 20261115
EDGE = 52.0
"""Length of an edge in points, where labels leave it the choice."""
GAP = 6.0
"""Free space around each label, in points."""
BETWEEN = 26.0
"""Free space between components, in points."""
LEAST_WIDTH = 330.0
"""Width that the legend needs in any case, in points."""
ASPECT = 1.4
"""Width over height that the whole picture is packed to."""
CLEARING = 60
"""Steps in which nodes move off edges that are not theirs."""
MOST_CLEARING = 3e7
"""Nodes times edges times steps: in a crowd there is no room to move to, and it takes long."""
MANY = 150
"""Nodes from which on Kamada and Kawai's springs are relaxed all at once, not one by one."""
RELAXING = 60
"""Steps of that."""


@dataclass(frozen=True)
class GraphLayout:
    """The numbers behind a picture of a graph, in points.

    Attributes
    ----------
    nodes : list
        The nodes, in the order of the graph.
    positions : array of shape (d, 2)
        Centres of the nodes.
    sizes : array of shape (d, 2)
        Width and height that each node takes.
    isolated_top : float or None
        Upper end of the block of isolated nodes, if it stands below other components.
    names : dict of int to tuple, or None
        Where nodes are dots (see :mod:`spinney.graph.plots.dots`): by the numbers of those that have
        their names beside them, the middle of the name and its font size. None where every node is
        its name.
    name_boxes : array of shape (k, 4)
        Left, lower, right and upper end of these names.
    """

    nodes: list[Hashable]
    positions: Floats
    sizes: Floats
    isolated_top: float | None
    names: dict[int, tuple[float, float, float]] | None = None
    name_boxes: Floats = field(default_factory=lambda: np.empty((0, 4)))

    @property
    def corners(self) -> tuple[Floats, Floats]:
        """Lower left and upper right corner of the box that holds all nodes and names."""
        if not self.nodes:
            return np.zeros(2), np.zeros(2)
        half = self.sizes / 2
        low, high = (self.positions - half).min(axis=0), (self.positions + half).max(axis=0)
        if len(self.name_boxes):
            low = np.minimum(low, self.name_boxes[:, :2].min(axis=0))
            high = np.maximum(high, self.name_boxes[:, 2:].max(axis=0))
        return low, high


def lay_out_graph(
    graph: nx.Graph, sizes: Floats, layout: Layout = "kamada-kawai", aspect: float = ASPECT
) -> GraphLayout:
    """Place the nodes of a graph so that no two labels overlap.

    Each component is laid out by itself and turned to lie flat; then they are packed into rows,
    the largest first, with the isolated nodes in a grid below. The same graph always gives the
    same picture.

    Parameters
    ----------
    graph : networkx.Graph
        The graph.
    sizes : array of shape (d, 2)
        Width and height of each node's label, in points, in the order of the graph.
    layout : {"kamada-kawai", "spring"} or mapping of nodes to positions
        How a component is laid out: by springs between all pairs of nodes [1]_ (in large
        components relaxed by majorization [2]_), or by forces between neighbours [3]_. Given
        positions are scaled to the labels and otherwise kept.
    aspect : float
        Width over height to aim for.

    References
    ----------
    .. [1] T. Kamada and S. Kawai (1989). An algorithm for drawing general undirected graphs.
       Information Processing Letters 31, 7-15.
    .. [2] E. R. Gansner, Y. Koren and S. North (2005). Graph drawing by stress majorization. Graph
       Drawing 2004, 239-250.
    .. [3] T. M. J. Fruchterman and E. M. Reingold (1991). Graph drawing by force-directed
       placement. Software: Practice and Experience 21, 1129-1164.

    Examples
    --------
    >>> found = lay_out_graph(nx.Graph([("a", "b"), ("b", "c")]), np.full((3, 2), [20.0, 12.0]))
    >>> np.ptp(found.positions, axis=0).round()  # a path lies flat
    array([104.,   0.])
    """
    nodes = list(graph)
    if not isinstance(layout, str):
        return GraphLayout(nodes, given_positions(nodes, layout, sizes), sizes, None)
    if layout not in ("kamada-kawai", "spring"):
        raise InputError(
            f"layout must be 'kamada-kawai', 'spring' or positions by node, got {layout!r}."
        )
    parts, alone = parts_of(graph)
    positions = np.zeros((len(nodes), 2))
    for part in parts:
        inside = graph.subgraph([nodes[k] for k in part])
        positions[part] = _lay_out_part(inside, [nodes[k] for k in part], sizes[part], layout)
    _pack(positions, sizes, parts, aspect)
    top = put_below(positions, sizes, [k for part in parts for k in part], alone, aspect)
    return GraphLayout(nodes, positions, sizes, top)


def parts_of(graph: nx.Graph) -> tuple[list[list[int]], list[int]]:
    """List the components by the numbers of their nodes, the largest first; and isolated nodes.

    Examples
    --------
    >>> parts_of(nx.Graph([(0, 1), (2, 3), (3, 4), (5, 5)]))
    ([[2, 3, 4], [0, 1]], [5])
    """
    index = {node: k for k, node in enumerate(graph)}
    members = [sorted(index[node] for node in part) for part in nx.connected_components(graph)]
    parts = sorted((part for part in members if len(part) > 1), key=lambda m: (-len(m), m[0]))
    return parts, sorted(part[0] for part in members if len(part) == 1)


def given_positions(
    nodes: list[Hashable], layout: Mapping[Any, Sequence[float]], sizes: Floats
) -> Floats:
    """Scale positions that were given to the size of the nodes."""
    missing = [node for node in nodes if node not in layout]
    if missing:
        raise InputError(f"The layout has no position for '{missing[0]}'. Give one for each node.")
    positions = np.array([layout[node] for node in nodes], dtype=float).reshape(-1, 2)
    span = float(np.ptp(positions, axis=0).max()) if len(nodes) > 1 else 0.0
    if span == 0.0:
        return positions
    return positions * (EDGE * 1.5 * np.sqrt(len(nodes)) + float(sizes[:, 0].max())) / span


def _lay_out_part(part: nx.Graph, order: list[Hashable], sizes: Floats, layout: str) -> Floats:
    """Lay out one component around the origin."""
    circle = nx.circular_layout(order)
    if layout == "spring":
        found = nx.spring_layout(part, pos=circle, seed=SEED, iterations=100, weight=None)
    elif len(order) > MANY:
        found = dict(zip(order, _relax(part, order), strict=True))
    else:
        found = nx.kamada_kawai_layout(part, pos=circle, weight=None)
    positions = np.array([found[node] for node in order])
    positions = lie_flat(positions - positions.mean(axis=0))
    index = {node: k for k, node in enumerate(order)}
    ends = np.array([[index[u], index[v]] for u, v in part.edges if u != v])
    lengths = np.linalg.norm(positions[ends[:, 0]] - positions[ends[:, 1]], axis=1)
    # Typical edges are EDGE long; those along long labels must also be seen between them.
    wanted = max(EDGE, 1.35 * float(np.median(sizes[:, 0])))
    # Dense graphs draw their nodes together, and need more room for the lines between them.
    wanted *= float(np.clip(2 * len(ends) / len(order) / 2.5, 1.0, 1.7))
    positions *= wanted / max(float(np.median(lengths)), 1e-9)
    return push_apart(_clear_edges(positions, sizes, ends), sizes)


def _relax(part: nx.Graph, order: list[Hashable]) -> Floats:
    r"""Relax springs between all pairs of nodes of a large component, all nodes at once.

    Minimises :math:`\sum_{i<j} (|x_i - x_j| / D_{ij} - 1)^2`, with :math:`D` the number of edges
    between two nodes, by majorization; it starts at the best linear picture of the distances.
    """
    distances = shortest_path(nx.to_scipy_sparse_array(part, order, weight=None), unweighted=True)
    np.fill_diagonal(distances, 1.0)
    weights = distances**-2.0
    np.fill_diagonal(weights, 0.0)
    stiffness = np.diag(weights.sum(axis=1)) - weights
    # A constant shift costs nothing: one more spring, to the origin, makes the solution unique.
    factor = cho_factor(stiffness + 1.0 / len(order), overwrite_a=True)
    positions = _linear_picture(distances)
    for _ in range(RELAXING):
        apart = np.sqrt(((positions[:, None] - positions[None]) ** 2).sum(axis=-1))
        pull = weights * distances / np.maximum(apart, 1e-9)
        pull = pull.sum(axis=1)[:, None] * positions - pull @ positions
        positions = cho_solve(factor, pull)
    return positions


def _linear_picture(distances: Floats) -> Floats:
    """Two coordinates whose distances are as near to these as linear algebra can make them."""
    squares = distances**2
    np.fill_diagonal(squares, 0.0)
    means = squares.mean(axis=0)
    centred = -0.5 * (squares - means[:, None] - means[None] + means.mean())
    start = np.cos(np.arange(len(centred)))  # any, but always the same
    values, vectors = eigsh(centred, k=2, which="LA", v0=start)
    return vectors * np.sqrt(np.maximum(values, 1e-9))


def lie_flat(positions: Floats) -> Floats:
    """Turn a cloud of points so that its longest direction is horizontal."""
    _, _, axes = np.linalg.svd(positions, full_matrices=False)
    turned = positions @ axes.T
    if np.ptp(turned[:, 1]) < 0.05 * np.ptp(turned[:, 0]):
        turned[:, 1] = 0.0  # a path, but for the tolerance of the layout
    # The signs of singular vectors are arbitrary; fixed, the picture does not depend on LAPACK.
    largest = np.abs(turned).argmax(axis=0)
    return turned * np.where(turned[largest, [0, 1]] < 0, -1.0, 1.0)


def _clear_edges(positions: Floats, sizes: Floats, ends: NDArray[np.int64]) -> Floats:
    """Move nodes off edges that are not theirs, where there is room: else they seem to be joined.

    Small steps, for a crowded graph has no such place for every node.
    """
    positions = positions.copy()
    foreign = np.ones((len(sizes), len(ends)), dtype=bool)
    foreign[ends.T, np.arange(len(ends))] = False
    n_steps = int(min(CLEARING, MOST_CLEARING // foreign.size))
    for step in np.linspace(0.5, 0.05, n_steps):
        start, along = positions[ends[:, 0]], positions[ends[:, 1]] - positions[ends[:, 0]]
        length = np.maximum(np.linalg.norm(along, axis=1), 1e-9)
        away = positions[:, None] - start
        where = np.einsum("nek,ek->ne", away, along) / length**2
        normal = np.column_stack([-along[:, 1], along[:, 0]]) / length[:, None]
        distance = np.einsum("nek,ek->ne", away, normal)
        reach = 0.5 * sizes @ np.abs(normal).T + GAP / 2
        lacking = np.where(foreign & (where > 0) & (where < 1), reach - np.abs(distance), 0.0)
        push = np.maximum(lacking, 0.0) * np.where(distance < 0, -1.0, 1.0)
        if not push.any():
            break
        positions += step * push @ normal
    return positions


def push_apart(positions: Floats, sizes: Floats, gap: float = GAP) -> Floats:
    """Move labels that overlap apart by the shortest way, and everything if that does not end."""
    positions = positions.copy()
    widest = sizes.max(axis=0) + gap
    for attempt in range(400):
        # Of all pairs those that can overlap at all: in units of the widest label, less than 1.
        near = cKDTree(positions / widest).query_pairs(1.0, p=np.inf, output_type="ndarray")
        first, second = near.T  # the earlier node first
        difference = positions[second] - positions[first]
        lacking = (sizes[first] + sizes[second]) / 2 + gap - np.abs(difference)
        overlap = (lacking > 1e-6).all(axis=-1)
        if not overlap.any():
            break
        first, second, difference = first[overlap], second[overlap], difference[overlap]
        lacking = lacking[overlap]
        axis = lacking.argmin(axis=-1)
        for k in (0, 1):
            own = axis == k
            # At equal coordinates the later node goes right and up.
            direction = np.where(difference[own, k] < 0, -1.0, 1.0)
            push = 0.5 * (lacking[own, k] + 0.1) * direction
            ends = np.concatenate([first[own], second[own]])
            total = np.bincount(ends, np.concatenate([-push, push]), len(positions))
            # The mean, not the sum: in a crowd the pushes of many neighbours would overshoot.
            positions[:, k] += total / np.maximum(np.bincount(ends, minlength=len(positions)), 1)
        if attempt % 40 == 39:
            positions *= 1.1
    return positions - positions.mean(axis=0)


def _pack(positions: Floats, sizes: Floats, parts: list[list[int]], aspect: float) -> None:
    """Put components side by side in rows, in place."""
    boxes = [_box(positions[part], sizes[part]) for part in parts]
    if not boxes:
        return
    extents = np.array([high - low for low, high in boxes]) + BETWEEN
    rows = _best_rows(extents, aspect)
    top = 0.0
    for row in rows:
        height = float(extents[row, 1].max())
        left = -float(extents[row, 0].sum()) / 2
        for k in row:
            low, high = boxes[k]
            middle = np.array([left + extents[k, 0] / 2, top - height / 2])
            positions[parts[k]] += middle - (low + high) / 2
            left += float(extents[k, 0])
        top -= height


def _best_rows(extents: Floats, aspect: float) -> list[list[int]]:
    """Break boxes into rows, trying every width that matters, to come nearest to the aspect."""

    def size_of(rows: list[list[int]]) -> tuple[float, float]:
        width = max(LEAST_WIDTH, *(float(extents[row, 0].sum()) for row in rows))
        height = sum(float(extents[row, 1].max()) for row in rows)
        return max(width / aspect, height), height

    widths = [*np.cumsum(extents[:, 0]), float(extents[:, 0].max())]
    candidates = [_rows(extents[:, 0], width) for width in widths]
    return min(candidates, key=size_of)


def _rows(widths: Floats, limit: float) -> list[list[int]]:
    rows: list[list[int]] = [[]]
    room = limit
    for k, width in enumerate(widths):
        if width > room + 1e-9 and rows[-1]:
            rows.append([])
            room = limit
        rows[-1].append(k)
        room -= width
    return rows


def put_below(
    positions: Floats,
    sizes: Floats,
    placed: list[int],
    alone: list[int],
    aspect: float = ASPECT,
    gap: float = GAP,
    between: float = BETWEEN,
) -> float | None:
    """Put isolated nodes into a grid below the others, in place; return its upper end."""
    if not alone:
        return None
    cell = sizes[alone].max(axis=0) + gap
    square = max(1, round(float(np.sqrt(len(alone) * aspect * cell[1] / cell[0]))))
    columns, top = square, 0.0
    if placed:
        low, high = _box(positions[placed], sizes[placed])
        columns = max(square, int((high - low)[0] // cell[0]))
        top = float(low[1]) - between
    n_rows = ceil(len(alone) / columns)
    columns = ceil(len(alone) / n_rows)  # rows of even length
    for k, node in enumerate(alone):
        row, column = divmod(k, columns)
        in_row = min(columns, len(alone) - row * columns)
        positions[node] = (column - (in_row - 1) / 2) * cell[0], top - (row + 0.5) * cell[1]
    return top if placed else None


def _box(positions: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    return (positions - sizes / 2).min(axis=0), (positions + sizes / 2).max(axis=0)
