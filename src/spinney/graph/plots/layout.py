"""Layout of a graph: each component by itself, then packed, without overlaps.

Up to :data:`MOST_NAMED` nodes are drawn as labels; more would make a picture of several metres, so
they are dots, larger with more edges, with names beside hubs and wherever else there is room.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path

from spinney._core.choices import check_choice
from spinney._core.text import plain_line
from spinney.exceptions import InputError
from spinney.graph.plots.style import text_width

__all__ = [
    *("DOTS", "FONT", "HUBS", "LABELS", "LAYOUTS", "MARK", "MARKS", "GraphLayout", "Positions"),
    *("Spacing", "lay_out_graph", "lay_out_labels", "node_kinds", "shown_name"),
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Positions = Mapping[Any, Sequence[float]]
Names = dict[int, tuple[float, float, float]]

LAYOUTS = ("components", "circle", "spring")
SEED = 20261116
MIDDLE, PULL = object(), 0.1
"""A node that is not drawn, and how it pulls all others to the middle."""
MOST_NAMED = 300
"""Most nodes drawn as labels."""
FONT = 9.0
LONGEST = 22
"""Longest name shown."""
PADDING = (9.0, 6.5)
"""Space of a label beyond its text, in points: total width, total height."""
MARKS = {"continuous": "o", "ordinal": "D", "binary": "^", "nominal": "s"}
"""Mark of each kind of column."""
MARK = 5.5
"""Size of the mark, in points."""
SMALLEST, GROWTH, LARGEST = 3.6, 1.5, 17.0
"""Diameter of a dot in points: smallest, growth by the root of its edges, largest."""
HUBS, LEAST_HUB = 24, 4
"""Number of dots that are always named, and their fewest edges."""
NAME_FONTS = (9.0, 6.5)
"""Font sizes of the names of hubs and of other dots."""
ASPECT = 1.4
"""Aspect ratio of the whole picture."""
WIDTHS = 80
"""Number of widths tried."""
PIVOTS = 100
"""Nodes whose distances to all others unfold a component."""
MOST_BY_SPRINGS = 120
"""Nodes of a component beyond which forces replace springs, which take seconds."""
STARTS, MOST_TRIED = 8, 40
"""Layouts of a component by springs from which the clearest is taken, and most nodes for that."""
FORCE_STEPS, MOST_BY_FORCES = 40, 1500
"""Steps by forces, and nodes beyond which these take long: the unfolded component is drawn."""
CLEARING = 60
"""Steps to move nodes off other edges."""
MOST_CLEARING = 3e7
"""Most nodes times edges times steps: crowded graphs have no room, and it takes long."""


class Spacing(NamedTuple):
    """Distances in a picture, in points.

    Attributes
    ----------
    edge : float
        Typical length of an edge.
    gap : float
        Free space around each node.
    between : float
        Free space between components.
    least : float
        Least width of the picture, which the legend needs.
    clear : bool
        Whether nodes move off other edges.
    """

    edge: float
    gap: float
    between: float
    least: float
    clear: bool


LABELS = Spacing(52.0, 6.0, 26.0, 330.0, True)
DOTS = Spacing(20.0, 2.0, 20.0, 0.0, False)


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
        Width and height of each node.
    isolated_top : float or None
        Upper end of the block of isolated nodes, if it is below other components.
    names : dict of int to (x, y, size), or None
        Where nodes are dots: the middle and the font size of each name beside a dot, by the node's
        position. None where every node is a label.
    name_boxes : array of shape (k, 4)
        Left, lower, right and upper end of each such name.
    """

    nodes: list[Hashable]
    positions: Floats
    sizes: Floats
    isolated_top: float | None
    names: Names | None = None
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


def lay_out_labels(
    graph: nx.Graph, layout: Positions | str | None = None, kinds: Mapping[Any, str] | None = None
) -> GraphLayout:
    """Place the nodes of a graph as :func:`plot_graph` does: labels, or dots if they are many.

    Parameters
    ----------
    graph : networkx.Graph
        Nodes may have a ``label``.
    layout : {"components", "circle", "spring"} or mapping of nodes to positions
        See :func:`lay_out_graph`.
    kinds : mapping of nodes to str, optional
        Kinds of columns, whose marks take room; by default :func:`node_kinds`.

    Examples
    --------
    >>> graph = nx.path_graph(3)
    >>> graph.nodes[1]["label"] = "a name that takes room"
    >>> widths = lay_out_labels(graph).sizes[:, 0]
    >>> bool(widths[1] > 4 * widths[0])
    True
    """
    if len(graph) > MOST_NAMED:
        degrees = np.bincount(_ends(graph).ravel(), minlength=len(graph))
        across = np.minimum(SMALLEST + GROWTH * np.sqrt(degrees), LARGEST)
        found = lay_out_graph(graph, np.column_stack([across, across]), layout, DOTS)
        widths = [text_width(shown_name(graph, node), 1.0) for node in graph]
        names, boxes = _place_names(found.positions, found.sizes, degrees, widths)
        return replace(found, names=names, name_boxes=boxes)
    kinds = node_kinds(graph) if kinds is None else kinds
    sizes = np.full((len(graph), 2), FONT) + PADDING
    sizes[:, 0] += [text_width(shown_name(graph, node), FONT) for node in graph]
    sizes[:, 0] += (MARK if kinds else 0.0) - FONT
    return lay_out_graph(graph, sizes, layout)


def node_kinds(graph: nx.Graph, kinds: Sequence[str] | None = None) -> dict[Any, str]:
    """Return the kind of each node, if kinds differ; from the nodes unless `kinds` is given."""
    if kinds is None or len(kinds) != len(graph):
        known = dict(graph.nodes(data="kind"))
    else:
        known = dict(zip(graph, kinds, strict=True))
    marked = {node: kind for node, kind in known.items() if kind in MARKS}
    return marked if len(set(marked.values())) > 1 else {}


def shown_name(graph: nx.Graph, node: Any) -> str:
    """Name of a node as drawn, with the level that is up: a short line of visible letters."""
    told = graph.nodes[node]
    up = f": {plain_line(told['up'], LONGEST)}" if "up" in told else ""
    return plain_line(told.get("label", node), LONGEST) + up


def _ends(graph: nx.Graph) -> Ints:
    """Edges as positions of their nodes; without loops."""
    index = {node: k for k, node in enumerate(graph)}
    pairs = [(index[u], index[v]) for u, v in graph.edges if u != v]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def lay_out_graph(
    graph: nx.Graph,
    sizes: Floats,
    layout: Positions | str | None = None,
    spacing: Spacing = LABELS,
) -> GraphLayout:
    """Place the nodes of a graph so that no two overlap.

    Each component is laid out by springs between all pairs of nodes [1]_, or by forces if it is
    large [3]_, and turned to lie flat; then components are packed into rows, the largest first,
    with the isolated nodes in a grid at the bottom. The same graph always gives the same picture.

    Parameters
    ----------
    graph : networkx.Graph
        The graph.
    sizes : array of shape (d, 2)
        Width and height of each node, in points, in the order of the graph.
    layout : {"components", "circle", "spring"} or mapping of nodes to positions
        By default "components", as above. "circle": all nodes on a circle, in the order of the
        graph; "spring": springs between all nodes, whatever their component [2]_. Given positions
        are scaled to the nodes' sizes and otherwise kept.
    spacing : Spacing
        Distances: those of labels, or of dots.

    References
    ----------
    .. [1] T. Kamada and S. Kawai (1989). An algorithm for drawing general undirected graphs.
       Information Processing Letters 31, 7-15.
    .. [2] T. M. J. Fruchterman and E. M. Reingold (1991). Graph drawing by force-directed
       placement. Software: Practice and Experience 21, 1129-1164.
    .. [3] M. Jacomy, T. Venturini, S. Heymann and M. Bastian (2014). ForceAtlas2, a continuous
       graph layout algorithm for handy network visualization. PLoS ONE 9, e98679.

    Examples
    --------
    >>> found = lay_out_graph(nx.Graph([("a", "b"), ("b", "c")]), np.full((3, 2), [20.0, 12.0]))
    >>> np.ptp(found.positions, axis=0).round()  # a path lies flat
    array([104.,   0.])
    """
    nodes = list(graph)
    if isinstance(layout, str):
        check_choice(layout, LAYOUTS, "layout")
        if layout == "circle" and len(nodes) > 1:
            return GraphLayout(nodes, _circle(sizes + spacing.gap), sizes, None)
        if layout == "spring" and graph.number_of_edges():
            return GraphLayout(nodes, _lay_out_part(graph, sizes, spacing, True), sizes, None)
    elif layout is not None:
        return GraphLayout(nodes, _given_positions(nodes, layout, sizes), sizes, None)
    index = {node: k for k, node in enumerate(nodes)}
    members = [sorted(index[node] for node in part) for part in nx.connected_components(graph)]
    parts = sorted((part for part in members if len(part) > 1), key=lambda m: (-len(m), m[0]))
    alone = sorted(part[0] for part in members if len(part) == 1)
    positions = np.zeros((len(nodes), 2))
    for part in parts:
        inside = nx.Graph()  # with its nodes in the order of the whole graph
        inside.add_nodes_from(nodes[k] for k in part)
        inside.add_edges_from(graph.subgraph(inside).edges)
        positions[part] = _lay_out_part(inside, sizes[part], spacing)
    _pack(positions, sizes, parts, spacing)
    top = _put_below(positions, sizes, [k for part in parts for k in part], alone, spacing)
    return GraphLayout(nodes, positions, sizes, top)


def _given_positions(nodes: list[Hashable], layout: Positions, sizes: Floats) -> Floats:
    """Scale given positions to the sizes of the nodes."""
    missing = [node for node in nodes if node not in layout]
    if missing:
        raise InputError(f"The layout has no position for '{missing[0]}'. Give one for each node.")
    positions = np.array([layout[node] for node in nodes], dtype=float).reshape(-1, 2)
    span = float(np.ptp(positions, axis=0).max()) if len(nodes) > 1 else 0.0
    if span == 0.0:
        return positions
    return positions * (LABELS.edge * 1.5 * np.sqrt(len(nodes)) + float(sizes[:, 0].max())) / span


def _circle(sizes: Floats) -> Floats:
    """Place nodes clockwise on the smallest circle on which neighbours do not overlap."""
    turn = 2 * np.pi * np.arange(len(sizes)) / len(sizes)
    unit = np.column_stack([np.sin(turn), np.cos(turn)])
    apart = np.maximum(np.abs(unit - np.roll(unit, 1, axis=0)), 1e-9)
    needed = (sizes + np.roll(sizes, 1, axis=0)) / 2 / apart
    return unit * max(float(needed.min(axis=1).max()), 1.5 * LABELS.edge)


def _lay_out_part(part: nx.Graph, sizes: Floats, spacing: Spacing, free: bool = False) -> Floats:
    """Lay out one component, or by `free` springs a whole graph, around the origin."""
    ends, n = _ends(part), len(part)
    if free:
        held = nx.Graph((u, v, {"weight": 1.0}) for u, v in part.edges)
        held.add_weighted_edges_from((MIDDLE, node, PULL) for node in part)  # or parts fly apart
        found = nx.spring_layout(held, seed=SEED, iterations=200)
        return _make_room(_array(found, part), sizes, ends, spacing)
    start = _unfold(part)
    if n > MOST_BY_FORCES:
        return _make_room(_array(start, part), sizes, ends, spacing)
    if n > MOST_BY_SPRINGS:
        # As wide as forces make it: ForceAtlas2 sways for long if it has to grow.
        wide = {node: 10.0 * np.sqrt(n) * at for node, at in start.items()}
        found = nx.forceatlas2_layout(part, wide, max_iter=FORCE_STEPS, seed=SEED)
        return _make_room(_array(found, part), sizes, ends, spacing)
    starts = [start]
    for seed in range(STARTS - 1 if spacing.clear and n <= MOST_TRIED else 0):
        starts.append(nx.circular_layout(np.random.default_rng(seed).permutation(list(part))))
    tried = [
        _make_room(_array(nx.kamada_kawai_layout(part, pos=at), part), sizes, ends, spacing)
        for at in starts
    ]
    return min(tried, key=lambda at: _faults(at, sizes, ends))


def _array(positions: Mapping[Any, Any], nodes: nx.Graph) -> Floats:
    return np.array([positions[node] for node in nodes], dtype=float)


def _unfold(part: nx.Graph) -> dict[Any, Floats]:
    """Place nodes by their distances to some of them [1]_, which unfolds a component.

    References
    ----------
    .. [1] U. Brandes and C. Pich (2007). Eigensolver methods for progressive multidimensional
       scaling of large data. Graph Drawing 2006, 42-53.
    """
    rng = np.random.default_rng(SEED)
    pivots = rng.permutation(len(part))[:PIVOTS]
    joined = nx.to_scipy_sparse_array(part, weight=None)
    squares = shortest_path(joined, unweighted=True, indices=pivots).T ** 2
    centred = squares.mean(axis=0) + squares.mean(axis=1)[:, None] - squares - squares.mean()
    vectors, values, _ = np.linalg.svd(centred, full_matrices=False)
    at = vectors[:, :2] * np.sqrt(values[:2])
    # The signs of singular vectors are arbitrary; fixed, the picture does not depend on LAPACK.
    at *= np.sign(at[np.abs(at).argmax(axis=0), [0, 1]])
    # Nodes in the same place, such as leaves of a hub, are separated at random.
    at = at / np.abs(at).max() + 0.02 * rng.normal(size=at.shape)
    return dict(zip(part, at, strict=True))


def _make_room(positions: Floats, sizes: Floats, ends: Ints, spacing: Spacing) -> Floats:
    """Turn a component, and stretch it until its nodes have room."""
    positions = _lie_flat(positions - positions.mean(axis=0))
    lengths = np.linalg.norm(positions[ends[:, 0]] - positions[ends[:, 1]], axis=1)
    # Edges must be visible between wide nodes.
    wanted = max(spacing.edge, 1.35 * float(np.median(sizes[:, 0])))
    # Dense graphs need more room for the lines between their nodes.
    wanted *= float(np.clip(2 * len(ends) / len(sizes) / 2.5, 1.0, 1.7))
    scale = wanted / max(float(np.median(lengths)), 1e-9)
    if len(sizes) > MOST_BY_SPRINGS:  # forces leave hubs and their leaves in heaps
        scale = max(
            scale, 1.4 * spacing.edge * np.sqrt(len(sizes) / np.ptp(positions, axis=0).prod())
        )
    positions *= scale
    if spacing.clear:
        positions = _clear_edges(positions, sizes, ends, spacing.gap)
    return _push_apart(positions, sizes, spacing.gap)


def _faults(positions: Floats, sizes: Floats, ends: Ints) -> int:
    """Count edges that cross, and edges behind nodes, which are three times as bad."""
    start, stop = positions[ends[:, 0]], positions[ends[:, 1]]

    def side(points: Floats) -> Floats:
        """Tell on which side of each edge the points lie; 0 for its own ends."""
        along, away = stop - start, points[:, None] - start
        return np.asarray(
            np.sign((along[:, 0] * away[..., 1] - along[:, 1] * away[..., 0]).round(6))
        )

    apart = (side(start) * side(stop) < 0).T
    behind = _lacking(positions, sizes, ends, 0.0)[0] > 0
    return int((apart & apart.T).sum() // 2 + 3 * behind.sum())


def _lie_flat(positions: Floats) -> Floats:
    """Turn a cloud of points so that its longest direction is horizontal."""
    _, _, axes = np.linalg.svd(positions, full_matrices=False)
    turned = positions @ axes.T
    if np.ptp(turned[:, 1]) < 0.05 * np.ptp(turned[:, 0]):
        turned[:, 1] = 0.0  # a path, up to the tolerance of the layout
    # The signs of singular vectors are arbitrary; fixed, the picture does not depend on LAPACK.
    largest = np.abs(turned).argmax(axis=0)
    return turned * np.where(turned[largest, [0, 1]] < 0, -1.0, 1.0)


def _clear_edges(positions: Floats, sizes: Floats, ends: Ints, gap: float) -> Floats:
    """Move nodes off edges of other nodes, where there is room, lest they seem connected.

    In small steps, because a crowded graph has no room for all.
    """
    positions = positions.copy()
    n_steps = int(min(CLEARING, MOST_CLEARING // max(len(sizes) * len(ends), 1)))
    for step in np.linspace(0.5, 0.05, n_steps):
        lacking, direction, normal = _lacking(positions, sizes, ends, gap)
        push = lacking * direction
        if not push.any():
            break
        positions += step * push @ normal
    return positions


def _lacking(
    positions: Floats, sizes: Floats, ends: Ints, gap: float
) -> tuple[Floats, Floats, Floats]:
    """Tell how far each node must move to leave each edge of others, to which side, and normals."""
    start, along = positions[ends[:, 0]], positions[ends[:, 1]] - positions[ends[:, 0]]
    length = np.maximum(np.linalg.norm(along, axis=1), 1e-9)
    away = positions[:, None] - start
    where = np.einsum("nek,ek->ne", away, along) / length**2
    normal = np.column_stack([-along[:, 1], along[:, 0]]) / length[:, None]
    distance = np.einsum("nek,ek->ne", away, normal)
    lacking = 0.5 * sizes @ np.abs(normal).T + gap / 2 - np.abs(distance)
    beside = (where > 0) & (where < 1)
    beside[ends.T, np.arange(len(ends))] = False
    direction = np.where(distance < 0, -1.0, 1.0)
    return np.where(beside, np.maximum(lacking, 0.0), 0.0), direction, normal


def _push_apart(positions: Floats, sizes: Floats, gap: float) -> Floats:
    """Move overlapping nodes apart the shortest way; spread all if that does not suffice."""
    positions = positions.copy()
    widest = sizes.max(axis=0) + gap
    for attempt in range(400):
        near = scipy.spatial.cKDTree(positions / widest)
        first, second = near.query_pairs(1.0, p=np.inf, output_type="ndarray").T
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


def _pack(positions: Floats, sizes: Floats, parts: list[list[int]], spacing: Spacing) -> None:
    """Put components into centred rows, in place, of a width that suits a page."""
    if not parts:
        return
    low, high = np.array([_box(positions[part], sizes[part]) for part in parts]).swapaxes(0, 1)
    extents = high - low + spacing.between
    widest, total = float(extents[:, 0].max()), float(extents[:, 0].sum())
    tried = [_rows(extents, width) for width in np.linspace(widest, total, WIDTHS) + 1e-6]

    def size_of(middles: Floats) -> tuple[float, float]:
        low, high = _box(middles, extents)
        width, height = (high - low).tolist()
        return max(max(width, spacing.least) / ASPECT, height), height

    middles = min(tried, key=size_of)
    for part, shift in zip(parts, middles - (low + high) / 2, strict=True):
        positions[part] += shift


def _rows(extents: Floats, width: float) -> Floats:
    """Centres of boxes in rows of at most this width, from the top down; low boxes not by high."""
    middles, top, start = np.zeros_like(extents), 0.0, 0
    while start < len(extents):
        ends = np.cumsum(extents[start:, 0])
        fits = (ends < width) & (extents[start:, 1] > 0.4 * extents[start, 1])
        row = slice(start, start + max(int(np.argmin([*fits, False])), 1))
        own = ends[: row.stop - start]
        middles[row, 0] = own - extents[row, 0] / 2 - own[-1] / 2
        height = extents[row, 1].max()
        middles[row, 1] = top - height / 2
        top, start = top - height, row.stop
    return middles


def _put_below(
    positions: Floats, sizes: Floats, placed: list[int], alone: list[int], spacing: Spacing
) -> float | None:
    """Put isolated nodes into a grid below the others, in place; return its upper end."""
    if not alone:
        return None
    cell = sizes[alone].max(axis=0) + spacing.gap
    square = max(1, round(float(np.sqrt(len(alone) * ASPECT * cell[1] / cell[0]))))
    columns, top = square, 0.0
    if placed:
        low, high = _box(positions[placed], sizes[placed])
        columns = max(square, int((high - low)[0] // cell[0]))
        top = float(low[1]) - spacing.between
    n_rows = ceil(len(alone) / columns)
    columns = ceil(len(alone) / n_rows)  # even rows
    for k, node in enumerate(alone):
        row, column = divmod(k, columns)
        in_row = min(columns, len(alone) - row * columns)
        positions[node] = (column - (in_row - 1) / 2) * cell[0], top - (row + 0.5) * cell[1]
    return top if placed else None


def _box(positions: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    return (positions - sizes / 2).min(axis=0), (positions + sizes / 2).max(axis=0)


def _place_names(
    positions: Floats, sizes: Floats, degrees: Ints, widths: Sequence[float]
) -> tuple[Names, Floats]:
    """Put names beside dots that have an edge, those of hubs first.

    Hubs are named in any case; others where the name covers no dot and no other name. `widths` are
    in units of the font. Returns the middle and font size of each name by node, and their boxes.
    """
    taken = np.hstack([positions - sizes / 2, positions + sizes / 2])
    names: Names = {}
    for rank, k in enumerate(np.argsort(-degrees, kind="stable")[: np.count_nonzero(degrees)]):
        is_hub = rank < HUBS and degrees[k] >= LEAST_HUB
        font = NAME_FONTS[0 if is_hub else 1]
        size = np.array([widths[k] * font + 1.0, font])
        least = np.inf if is_hub else 1
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            middle = positions[k] + (sizes[k] / 2 + 1.2 + size / 2) * (dx, dy)
            box = np.concatenate([middle - size / 2, middle + size / 2])
            covered = ((taken[:, :2] < box[2:]) & (taken[:, 2:] > box[:2])).all(axis=1).sum()
            if covered < least:
                least, best = covered, box
                names[int(k)] = (*middle.tolist(), font)
        if int(k) in names:
            taken = np.vstack([taken, best])
    return names, taken[len(positions) :]
