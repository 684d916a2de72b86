"""Layout of a graph: each component by networkx, then packed, without overlaps.

Up to :data:`MOST_NAMED` nodes are drawn as labels; more would make a picture of several metres, so
they are dots, larger with more edges, with names beside hubs and wherever else there is room.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import shortest_path
from scipy.spatial import cKDTree

from spinney._core.choices import check_choice
from spinney._core.text import plain_line
from spinney.exceptions import InputError
from spinney.graph.plots.style import text_width

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Positions = Mapping[Any, Sequence[float]]

LAYOUTS = ("components", "circle", "spring")
SEED = 20261116
MOST_NAMED = 300
"""Most nodes drawn as labels."""
FONT = 9.0
LONGEST = 22
"""Longest name shown."""
PADDING = (9.0, 6.5)
"""Space of a label beyond its text, in points: total width, total height."""
MARKS = {"continuous": "○", "ordinal": "◇", "binary": "△", "nominal": "□"}
"""Mark of each kind of column, before its name."""
SMALLEST, GROWTH, LARGEST = 3.6, 1.5, 17.0
"""Diameter of a dot in points: smallest, growth by the root of its edges, largest."""
HUBS, NAME_FONTS = 24, (9.0, 6.5)
"""Number of dots that are always named, and font sizes of their names and of others."""
EDGE, GAP, BETWEEN = 50.0, 6.0, 26.0
"""Length of an edge between two labels, and free space around nodes and around components."""
ASPECT, LEAST_WIDTH = 2.0, 330.0
"""Aspect ratio of the whole picture if it were filled, and its least width."""
MOST_BY_SPRINGS, MOST_BY_FORCES = 200, 1500
"""Nodes of a component beyond which springs between all pairs, and forces, take too long."""
PIVOTS = 100
"""Nodes whose distances to all others unfold a component."""


@dataclass(frozen=True)
class GraphLayout:
    """The numbers behind a picture of a graph, in points.

    Attributes
    ----------
    nodes : list
        The nodes, in the order of the graph.
    positions, sizes : arrays of shape (d, 2)
        Centre, and width and height, of each node.
    names : dict of int to (x, y, font), or None
        Where nodes are dots: the middle and the font size of each name beside a dot, by the node's
        position. None where every node is a label.
    """

    nodes: list[Hashable]
    positions: Floats
    sizes: Floats
    names: dict[int, tuple[float, float, float]] | None = None

    @property
    def corners(self) -> tuple[Floats, Floats]:
        """Lower left and upper right corner of the box that holds all nodes, and names of dots."""
        if not self.nodes:
            return np.zeros(2), np.zeros(2)
        room = np.array([90.0 if self.names else 0.0, 0.0])
        return _box(self.positions, self.sizes + room)


def node_kinds(graph: nx.Graph) -> dict[Any, str]:
    """Return the kind of each node, if kinds differ."""
    marked = {node: kind for node, kind in graph.nodes(data="kind") if kind in MARKS}
    return marked if len(set(marked.values())) > 1 else {}


def shown_name(graph: nx.Graph, node: Any) -> str:
    """Name of a node as drawn, with the level that is up: a short line of visible letters."""
    told = graph.nodes[node]
    up = f": {plain_line(told['up'], LONGEST)}" if "up" in told else ""
    return plain_line(told.get("label", node), LONGEST) + up


def lay_out_graph(graph: nx.Graph, layout: Positions | str | None = None) -> GraphLayout:
    """Place the nodes of a graph so that no two overlap.

    Each component is laid out by springs between all pairs of nodes [1]_, or by forces if it is
    large [2]_; then components are packed into rows, the largest first, with the isolated nodes at
    the bottom. The same graph always gives the same picture.

    Parameters
    ----------
    graph : networkx.Graph
        Nodes may have a ``label``, a ``kind`` and the level that is ``up``.
    layout : {"components", "circle", "spring"} or mapping of nodes to positions
        By default "components", as above. "circle": all nodes on a circle, in the order of the
        graph; "spring": forces between all nodes, whatever their component [2]_. Given positions
        are scaled to the nodes' sizes and otherwise kept.

    References
    ----------
    .. [1] T. Kamada and S. Kawai (1989). An algorithm for drawing general undirected graphs.
       Information Processing Letters 31, 7-15.
    .. [2] M. Jacomy, T. Venturini, S. Heymann and M. Bastian (2014). ForceAtlas2, a continuous
       graph layout algorithm for handy network visualization. PLoS ONE 9, e98679.

    Examples
    --------
    >>> found = lay_out_graph(nx.Graph([("a", "b"), ("b", "c")]))
    >>> width, height = np.ptp(found.positions, axis=0)
    >>> bool(width > 5 * height)  # a path lies flat
    True
    """
    if isinstance(layout, str):
        check_choice(layout, LAYOUTS, "layout")
    nodes, dots = list(graph), len(graph) > MOST_NAMED
    names = [shown_name(graph, node) for node in nodes]
    degrees = np.array([graph.degree(node) for node in nodes], dtype=np.int64)
    if dots:
        across = np.minimum(SMALLEST + GROWTH * np.sqrt(degrees), LARGEST)
        sizes = np.column_stack([across, across])
    else:
        sizes = np.full((len(nodes), 2), FONT) + PADDING
        sizes[:, 0] += [text_width(name, FONT) for name in names]
        sizes[:, 0] += (FONT if node_kinds(graph) else 0.0) - FONT
    if not nodes:
        positions = np.empty((0, 2))
    elif layout == "circle":
        positions = _circle(sizes + GAP)
    elif layout == "spring" and len(nodes) > 1:
        positions = _lay_out_part(nx.convert_node_labels_to_integers(graph), sizes, True)
    elif layout is not None and not isinstance(layout, str):
        positions = _given_positions(nodes, layout, sizes)
    else:
        positions = _lay_out_parts(nx.convert_node_labels_to_integers(graph), sizes)
    beside = _place_names(positions, sizes, degrees, names) if dots else None
    return GraphLayout(nodes, positions, sizes, beside)


def _given_positions(nodes: list[Hashable], layout: Positions, sizes: Floats) -> Floats:
    """Scale given positions to the sizes of the nodes."""
    missing = [node for node in nodes if node not in layout]
    if missing:
        raise InputError(f"The layout has no position for '{missing[0]}'. Give one for each node.")
    positions = np.array([layout[node] for node in nodes], dtype=float).reshape(-1, 2)
    span = float(np.ptp(positions, axis=0).max())
    wanted = 1.5 * EDGE * np.sqrt(len(nodes)) + float(sizes[:, 0].max())
    return positions * wanted / span if span else positions


def _circle(sizes: Floats) -> Floats:
    """Place nodes clockwise on the smallest circle on which neighbours do not overlap."""
    turn = 2 * np.pi * np.arange(len(sizes)) / len(sizes)
    unit = np.column_stack([np.sin(turn), np.cos(turn)])
    apart = np.maximum(np.abs(unit - np.roll(unit, 1, axis=0)), 1e-9)
    needed = (sizes + np.roll(sizes, 1, axis=0)) / 2 / apart
    return unit * max(float(needed.min(axis=1).max()) if len(sizes) > 1 else 0.0, 1.5 * EDGE)


def _lay_out_parts(graph: nx.Graph, sizes: Floats) -> Floats:
    """Lay out each component, and pack them into centred rows, isolated nodes last."""
    parts = [sorted(part) for part in nx.connected_components(graph)]
    parts.sort(key=lambda part: (-len(part), part[0]))
    positions = np.zeros((len(graph), 2))
    for part in parts:
        if len(part) > 1:
            inside = nx.convert_node_labels_to_integers(graph.subgraph(part), ordering="sorted")
            positions[part] = _lay_out_part(inside, sizes[part])
    boxes = [_box(positions[part], sizes[part]) for part in parts]
    alone = np.array([len(part) == 1 for part in parts])
    extents = np.array([high - low for low, high in boxes])
    extents += np.where(alone, GAP if len(graph) <= MOST_NAMED else 2.0, BETWEEN)[:, None]
    width = max(extents[:, 0].max(), LEAST_WIDTH, np.sqrt(ASPECT * extents.prod(axis=1).sum()))
    rows, used = [[0]], extents[0, 0]
    for k in range(1, len(parts)):
        if used + extents[k, 0] > width or alone[k] != alone[k - 1]:
            rows.append([])
            used = 0.0
        rows[-1].append(k)
        used += extents[k, 0]
    top = 0.0
    for row in rows:
        across, height = extents[row, 0], extents[row, 1].max()
        for k, x in zip(row, np.cumsum(across) - across / 2 - across.sum() / 2, strict=True):
            low, high = boxes[k]
            positions[parts[k]] += np.array([x, top - height / 2]) - (low + high) / 2
        top -= height
    return positions


def _lay_out_part(part: nx.Graph, sizes: Floats, forces: bool = False) -> Floats:
    """Lay out one component, of nodes from 0, around the origin; with `forces` a whole graph."""
    start = _unfold(part) if nx.is_connected(part) else nx.circular_layout(part)
    if len(part) > MOST_BY_FORCES:
        found = start
    elif forces or len(part) > MOST_BY_SPRINGS:
        # As wide as forces make it: ForceAtlas2 sways for long if it has to grow.
        wide = {node: 10.0 * np.sqrt(len(part)) * at for node, at in start.items()}
        found = nx.forceatlas2_layout(part, wide, max_iter=60, strong_gravity=forces, seed=SEED)
    else:
        found = nx.kamada_kawai_layout(part, pos=start, weight=None)
    positions = np.array([found[k] for k in range(len(part))], dtype=float)
    positions -= positions.mean(axis=0)
    ends = np.array([pair for pair in part.edges if pair[0] != pair[1]], dtype=int).reshape(-1, 2)
    lengths = np.linalg.norm(positions[ends[:, 0]] - positions[ends[:, 1]], axis=1)
    positions /= max(float(np.median(lengths)) if len(ends) else 0.0, 1e-9)
    if len(part) > MOST_NAMED:  # dots: as much room for each, whatever the edges
        positions *= 28.0 * np.sqrt(len(part) / max(np.ptp(positions, axis=0).prod(), 1e-9))
        return _push_apart(positions, sizes, 2.0)
    # Labels are wide, so that lying edges are longer; dense graphs need room for their lines.
    width = float(np.quantile(sizes[ends, 0].mean(axis=1), 0.8)) if len(ends) else 0.0
    dense = float(np.clip(0.8 * len(ends) / len(part), 1.0, 1.7))
    positions *= dense * np.array([max(EDGE, width + 28.0), EDGE])
    return _push_apart(_clear_edges(positions, sizes, ends), sizes, GAP)


def _unfold(part: nx.Graph) -> dict[int, Floats]:
    """Place nodes by their distances to some of them [1]_, which unfolds a component.

    References
    ----------
    .. [1] U. Brandes and C. Pich (2007). Eigensolver methods for progressive multidimensional
       scaling of large data. Graph Drawing 2006, 42-53.
    """
    rng = np.random.default_rng(SEED)
    pivots = rng.permutation(len(part))[:PIVOTS]
    joined = nx.to_scipy_sparse_array(part, range(len(part)), weight=None)
    squares = shortest_path(joined, unweighted=True, indices=pivots).T ** 2
    centred = squares.mean(axis=0) + squares.mean(axis=1)[:, None] - squares - squares.mean()
    vectors, values, _ = np.linalg.svd(centred, full_matrices=False)
    at = vectors[:, :2] * np.sqrt(values[:2])
    at *= np.sign(at[np.abs(at).argmax(axis=0), [0, 1]])  # signs of singular vectors are arbitrary
    # Nodes in the same place, such as leaves of a hub, are separated at random.
    at = at / np.abs(at).max() + 0.02 * rng.normal(size=at.shape)
    return dict(enumerate(at))


def _clear_edges(positions: Floats, sizes: Floats, ends: Ints) -> Floats:
    """Move nodes off edges of other nodes, in small steps, lest they seem connected."""
    for step in np.linspace(0.5, 0.05, 60):
        start, along = positions[ends[:, 0]], positions[ends[:, 1]] - positions[ends[:, 0]]
        length = np.maximum(np.linalg.norm(along, axis=1), 1e-9)
        away = positions[:, None] - start
        where = (away * along).sum(axis=-1) / length**2
        normal = np.column_stack([-along[:, 1], along[:, 0]]) / length[:, None]
        distance = (away * normal).sum(axis=-1)
        lacking = 0.5 * sizes @ np.abs(normal).T + GAP / 2 - np.abs(distance)
        lacking[(where <= 0) | (where >= 1)] = 0.0
        lacking[ends.T, np.arange(len(ends))] = 0.0
        push = np.maximum(lacking, 0.0) * np.where(distance < 0, -1.0, 1.0)
        if not push.any():
            break
        positions = positions + step * push @ normal
    return positions


def _push_apart(positions: Floats, sizes: Floats, gap: float) -> Floats:
    """Move overlapping nodes apart the shortest way; spread all if that does not suffice."""
    positions = positions.copy()
    widest = sizes.max(axis=0) + gap
    for attempt in range(400):
        near = cKDTree(positions / widest).query_pairs(1.0, p=np.inf, output_type="ndarray")
        difference = positions[near[:, 1]] - positions[near[:, 0]]
        lacking = sizes[near].mean(axis=1) + gap - np.abs(difference)
        overlap = (lacking > 1e-6).all(axis=1)
        if not overlap.any():
            break
        near, difference, lacking = near[overlap], difference[overlap], lacking[overlap]
        # The shortest way only; at equal coordinates the later node goes right and up.
        lacking[np.arange(len(near)), lacking.argmax(axis=1)] = -0.1
        push = 0.5 * (lacking + 0.1) * np.where(difference < 0, -1.0, 1.0)
        total, counts = np.zeros_like(positions), np.zeros_like(positions)
        for end, sign in ((0, -1.0), (1, 1.0)):
            np.add.at(total, near[:, end], sign * push)
            np.add.at(counts, near[:, end], push != 0.0)
        # The mean, not the sum: in a crowd the pushes of many neighbours would overshoot.
        positions += total / np.maximum(counts, 1)
        if attempt % 40 == 39:
            positions *= 1.1
    return positions - positions.mean(axis=0)


def _box(positions: Floats, sizes: Floats) -> tuple[Floats, Floats]:
    return (positions - sizes / 2).min(axis=0), (positions + sizes / 2).max(axis=0)


def _place_names(
    positions: Floats, sizes: Floats, degrees: Ints, names: Sequence[str]
) -> dict[int, tuple[float, float, float]]:
    """Put names to the right of dots that have an edge, or to the left: those of hubs first.

    Hubs are named in any case; others where the name covers no dot and no other name.
    """
    taken = np.hstack([positions - sizes / 2, positions + sizes / 2])
    found = {}
    for rank, k in enumerate(np.argsort(-degrees, kind="stable")[: np.count_nonzero(degrees)]):
        font = NAME_FONTS[int(rank >= HUBS)]
        size = np.array([text_width(names[k], font) + 1.0, font])
        for side in (1.0, -1.0):
            middle = positions[k] + (side * ((sizes[k, 0] + size[0]) / 2 + 1.2), 0.0)
            box = np.concatenate([middle - size / 2, middle + size / 2])
            covers = ((taken[:, :2] < box[2:]) & (taken[:, 2:] > box[:2])).all(axis=1).any()
            if not covers or (rank < HUBS and side < 0):
                found[int(k)] = (*middle.tolist(), font)
                taken = np.vstack([taken, box])
                break
    return found
