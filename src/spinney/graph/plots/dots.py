"""Where hundreds and thousands of nodes go: as dots, with names where there is room.

Up to :data:`MOST_NAMED` nodes each is a label of its own; more of them would make a picture of
several metres. Then nodes are dots, larger with more edges, isolated ones in a small block below,
and names stand beside the best-joined nodes and wherever else they cover nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from spinney.graph.plots.forces import relax_by_forces
from spinney.graph.plots.graph_layout import (
    ASPECT,
    GraphLayout,
    Layout,
    given_positions,
    lie_flat,
    parts_of,
    push_apart,
    put_below,
)

__all__ = ["MOST_NAMED", "lay_out_dots", "pack_around", "place_names"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MOST_NAMED = 300
"""Nodes up to which every one is shown by its name."""
SMALLEST, GROWTH, LARGEST = 3.6, 1.5, 17.0
"""Diameter of a dot in points: without an edge, more by the root of its edges, at most."""
GAP = 2.0
"""Free space around each dot, in points."""
BETWEEN = 15.0
"""Free space between components, in points."""
APART = 10.5
"""Distance of a node to the next, in points, where dots leave it the choice."""
EDGE = 17.0
"""Length of an edge in small components, in points."""
FEW = 40
"""Nodes of a component up to which Kamada and Kawai's springs are quick."""
WIDTHS = 40
"""Widths of a picture that are tried."""
FONTS = (9.0, 6.5)
"""Font sizes of names: of hubs, and of others."""
HUBS = 24
"""Nodes that are named in any case, if they have several edges."""
LEAST_HUB = 4
"""Edges of a hub, at least."""
CELL = 1.5
"""Room is looked for on a grid of this width, in points."""
MOST_CROSSED = 0.12
"""Share of a name that lines may cross."""


def lay_out_dots(
    graph: nx.Graph, layout: Layout, width_of: Callable[[Hashable, float], float]
) -> GraphLayout:
    """Place the nodes of a large graph as dots, and names where there is room.

    Parameters
    ----------
    graph : networkx.Graph
        The graph.
    layout : str or mapping of nodes to positions
        Positions are kept; else components are laid out by forces, each by itself.
    width_of : callable
        Width of a node's name in points, by the node and a font size.

    Examples
    --------
    >>> graph = nx.star_graph(5)
    >>> graph.add_nodes_from(range(6, 400))
    >>> found = lay_out_dots(graph, "kamada-kawai", lambda node, size: 20.0)
    >>> list(found.names)[0], bool(found.sizes[0, 0] > found.sizes[1, 0])
    (0, True)
    """
    nodes = list(graph)
    index = {node: k for k, node in enumerate(nodes)}
    ends = np.array([[index[u], index[v]] for u, v in graph.edges if u != v], dtype=np.int64)
    ends = ends.reshape(-1, 2)
    degrees = np.bincount(ends.ravel(), minlength=len(nodes))
    across = np.minimum(SMALLEST + GROWTH * np.sqrt(degrees), LARGEST)
    sizes = np.column_stack([across, across])
    if isinstance(layout, str):
        positions, top = _lay_out_parts(graph, sizes, ends)
    else:
        positions, top = given_positions(nodes, layout, sizes), None
    names, boxes = place_names(positions, sizes, ends, degrees, nodes, width_of)
    return GraphLayout(nodes, positions, sizes, top, names, boxes)


def _lay_out_parts(graph: nx.Graph, sizes: Floats, ends: Ints) -> tuple[Floats, float | None]:
    """Lay out each component by itself, then all of them beside and below each other."""
    parts, alone = parts_of(graph)
    nodes = list(graph)
    positions = np.zeros((len(nodes), 2))
    part_of, place = np.full(len(nodes), -1), np.zeros(len(nodes), dtype=np.int64)
    for number, part in enumerate(parts):
        part_of[part], place[part] = number, np.arange(len(part))
    order = np.argsort(part_of[ends[:, 0]], kind="stable")
    cuts = np.searchsorted(part_of[ends[order, 0]], np.arange(1, len(parts)))
    for part, own in zip(parts, np.split(order, cuts), strict=False):
        positions[part] = _lay_out_part(place[ends[own]], sizes[part])
    pack_around(positions, sizes, parts)
    joined = [k for part in parts for k in part]
    top = put_below(positions, sizes, joined, alone, gap=GAP + 1.0, between=2 * BETWEEN)
    return positions, top


def _lay_out_part(ends: Ints, sizes: Floats) -> Floats:
    n = len(sizes)
    if n <= FEW:
        part = nx.Graph()
        part.add_nodes_from(range(n))
        part.add_edges_from(ends.tolist())
        found = nx.kamada_kawai_layout(part, pos=nx.circular_layout(part), weight=None)
        positions = np.array([found[k] for k in range(n)])
        lengths = np.linalg.norm(positions[ends[:, 0]] - positions[ends[:, 1]], axis=1)
        positions *= EDGE / max(float(np.median(lengths)), 1e-9)
    else:
        positions = relax_by_forces(ends, n)
        positions *= APART / max(_typical_distance(positions), 1e-9)
    return push_apart(lie_flat(positions - positions.mean(axis=0)), sizes, GAP)


def pack_around(positions: Floats, sizes: Floats, parts: list[list[int]]) -> None:
    """Put components into rows beside the largest and below it, in place.

    Of several widths of the whole the one is taken that comes nearest to the aspect of a page.
    """
    if not parts:
        return
    low = np.array([(positions[part] - sizes[part] / 2).min(axis=0) for part in parts])
    high = np.array([(positions[part] + sizes[part] / 2).max(axis=0) for part in parts])
    extents = high - low + BETWEEN
    least = float(extents[:, 0].max())
    widths = least + np.linspace(0.0, 1.0, WIDTHS) * (extents[:, 0].sum() - least)
    widths = np.append(widths, least * np.linspace(1.0, 3.0, WIDTHS))

    def size_of(width: float) -> float:
        corners = _rows_around(extents, width)
        return max(width / ASPECT, float((extents[:, 1] - corners[:, 1]).max()))

    corners = _rows_around(extents, min(widths.tolist(), key=size_of))
    corners[:, 0] -= (corners[:, 0] + extents[:, 0]).max() / 2  # what comes below is centred
    for part, corner, own, extent in zip(parts, corners, low, extents, strict=True):
        # Corners are upper left ones.
        positions[part] += corner - own - (0.0, float(extent[1]))


def _rows_around(extents: Floats, width: float) -> Floats:
    """Find the upper left corners of boxes of falling size in rows, the first on the left."""
    corners = np.zeros((len(extents), 2))
    first = extents[0]
    left, top, height, start = float(first[0]), 0.0, 0.0, float(first[0])
    for k, (wide, tall) in enumerate(extents[1:].tolist(), start=1):
        while left + wide > width or (start > 0.0 and top - tall < -first[1]):
            top -= height
            if start > 0.0 and (top - tall < -first[1] or start + wide > width):
                start, top = 0.0, -float(first[1])  # below the first there is the whole width
            left, height = start, 0.0
            if left + wide > width:
                break  # wider than the page, which it cannot be but for rounding
        corners[k] = left, top
        left, height = left + wide, max(height, tall)
    return corners


def _typical_distance(positions: Floats) -> float:
    nearest = np.asarray(cKDTree(positions).query(positions, k=2)[0])
    return float(np.median(nearest[:, 1]))


def place_names(
    positions: Floats,
    sizes: Floats,
    ends: Ints,
    degrees: Ints,
    nodes: Sequence[Hashable],
    width_of: Callable[[Hashable, float], float],
) -> tuple[dict[int, tuple[float, float, float]], Floats]:
    """Find room for names beside dots, those of hubs first; see :class:`GraphLayout`.

    The first :data:`HUBS` are named wherever they cover least; others only where they cover no dot
    and no name, and hardly a line. Nodes without an edge are not named.

    Returns
    -------
    names : dict
        Middle and font size of each name, by node.
    boxes : array of shape (k, 4)
        What they take.
    """
    room = _Room(positions, sizes, ends)
    names: dict[int, tuple[float, float, float]] = {}
    boxes = []
    order = np.lexsort((np.arange(len(degrees)), -degrees))
    for rank, k in enumerate(order[degrees[order] > 0].tolist()):
        is_hub = rank < HUBS and degrees[k] >= LEAST_HUB
        font = FONTS[0] if is_hub else FONTS[1]
        size = np.array([width_of(nodes[k], font) + 1.0, font])
        box = room.take(positions[k], sizes[k] / 2, size, forced=is_hub)
        if box is not None:
            names[k] = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2, font
            boxes.append(box)
    return names, np.array(boxes).reshape(-1, 4)


class _Room:
    """What of a picture is taken, on a grid: by dots and names, and by lines."""

    def __init__(self, positions: Floats, sizes: Floats, ends: Ints) -> None:
        self._low = positions.min(axis=0) - 200.0
        shape = np.ceil((positions.max(axis=0) + 200.0 - self._low) / CELL).astype(int)
        self._taken = np.zeros(shape, dtype=bool)
        self._lines = np.zeros(shape, dtype=bool)
        for at, size in zip(positions, sizes, strict=True):
            self._taken[self._cells([*(at - size / 2), *(at + size / 2)])] = True
        if len(ends):
            start, along = positions[ends[:, 0]], positions[ends[:, 1]] - positions[ends[:, 0]]
            steps = np.ceil(np.abs(along).max(axis=1) / CELL).astype(int) + 1
            line = np.repeat(np.arange(len(ends)), steps)
            place = np.arange(line.size) - np.repeat(np.cumsum(steps) - steps, steps)
            share = place / np.maximum(steps[line] - 1, 1)
            at = ((start[line] + share[:, None] * along[line] - self._low) / CELL).astype(int)
            self._lines[at[:, 0], at[:, 1]] = True

    def _cells(self, box: Sequence[float]) -> tuple[slice, slice]:
        left, lower, right, upper = box
        x, y = self._low
        return (
            slice(int((left - x) / CELL), int((right - x) / CELL) + 1),
            slice(int((lower - y) / CELL), int((upper - y) / CELL) + 1),
        )

    def take(
        self, at: Floats, half: Floats, size: Floats, *, forced: bool
    ) -> tuple[float, float, float, float] | None:
        """Find the best place for a name beside a dot and take it; None if there is none."""
        best, least = None, np.inf
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)):
            # Beside or above the dot; at a corner somewhat nearer.
            near = 0.75 if dx and dy else 1.0
            middle = at + (near * half + 1.2 + size / 2) * (dx, dy)
            left, lower = (middle - size / 2).tolist()
            box = left, lower, left + float(size[0]), lower + float(size[1])
            cells = self._cells(box)
            covered = float(self._taken[cells].mean())
            crossed = float(self._lines[cells].mean())
            if not forced and (covered > 0.0 or crossed > MOST_CROSSED):
                continue
            if covered + 0.3 * crossed < least:
                best, least = box, covered + 0.3 * crossed
        if best is not None:
            self._taken[self._cells(best)] = True
        return best
