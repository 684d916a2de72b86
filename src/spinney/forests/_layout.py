"""Where every number of a network lives: elimination order, fill, tiles and padding.

A network is eliminated in two stages. The *sparse* stage takes nodes of least degree one by one;
what it leaves, the *inner* nodes and the ground, is the dense block that the register tiles of
:mod:`spinney.forests.elimination` work on. The cost of both stages is known before anything is
computed, so the cheapest place to change over is known in advance: no sparse stage for a full
graph, next to no dense block for a tree.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.compile import kernel

UNIT = 8
"""Unit of work, in networks, whatever the number of lanes."""


# Costs in units of one fused operation on a cell, fitted to benchmarks/forests (see there).
DENSE_CUBIC = 0.55
DENSE_SQUARE = 9.0
SPARSE_PAIR = 6.0
SPARSE_ENTRY = 14.0
SPARSE_NODE = 60.0
SPREAD_ENTRY = 1.6
SPREAD_ROW = 6.0
SPREAD_READ = 30.0
SPREAD_FAR = 0.3

CACHE_STEPS = ((32, 1, 16), (60, 2, 32), (80, 4, 32), (1 << 30, 8, 64))
"""Most block rows, stride and chunk: up to 128 nodes a dense block fits the second-level cache."""


class Layout(NamedTuple):
    """Places of a network's numbers in the cells of a kernel.

    Attributes
    ----------
    slots : array of shape (n_edges,)
        Cell of each edge of the pattern.
    ground_cells : array of shape (d,) or (0,)
        Cell of each node's edge to the ground; empty for spanning trees.
    ones, blank : arrays
        Cells that start as one (they tie padding nodes to the ground) and as zero (fill).
    n_cells, n_blocks, n_buffer : int
        All cells; block rows of the dense block, whose cells come first; cells of each of the two
        buffers that the elimination needs besides.
    stride, chunk : int
        Block rows brought up to date together, and rows of a panel kept in the nearest cache.
    row_start, row_size : arrays of shape (n_sparse,)
        Cells of the k-th node of the sparse stage: consecutive ones.
    pair_start, pair_cells : arrays
        Cells of the pairs among its neighbours, row by row.
    sparse_nodes, neighbours, inner_nodes : arrays
        The nodes of the sparse stage in turn; the neighbours that their rows of cells lead to,
        one after another; the nodes of the dense block in order. The ground is node d.
    cost : float
        Estimated cost of one unit of eight networks.
    """

    slots: Ints
    ground_cells: Ints
    ones: Ints
    blank: Ints
    n_cells: int
    n_blocks: int
    n_buffer: int
    stride: int
    chunk: int
    row_start: Ints
    row_size: Ints
    pair_start: Ints
    pair_cells: Ints
    sparse_nodes: Ints
    neighbours: Ints
    inner_nodes: Ints
    cost: float


def plan(d: int, first: Ints, second: Ints, grounded: bool, mode: str = "auto") -> Layout:
    """Lay out networks on `d` nodes with edges (first[e], second[e]), first < second.

    Parameters
    ----------
    d : int
        Number of nodes.
    first, second : int64 arrays of shape (n_edges,)
        The pattern that all networks share.
    grounded : bool
        Whether there is a ground; if not, the last inner node plays its part.
    mode : {"auto", "dense", "sparse"}
        Let the costs decide, or insist on all nodes in the dense block, or as few as possible.

    Examples
    --------
    >>> path = plan(4, np.array([0, 1, 2]), np.array([1, 2, 3]), grounded=True, mode="sparse")
    >>> path.n_blocks, path.row_size.tolist()  # each node: the next one and the ground
    (1, [2, 2, 2, 1])
    """
    return _plan(d, first.tobytes(), second.tobytes(), grounded, mode)


@lru_cache(maxsize=32)
def _plan(d: int, first_bytes: bytes, second_bytes: bytes, grounded: bool, mode: str) -> Layout:
    first = np.frombuffer(first_bytes, dtype=np.int64).copy()
    second = np.frombuffer(second_bytes, dtype=np.int64).copy()
    order, start, members = _empty(), np.zeros(1, dtype=np.int64), _empty()
    n_sparse = 0
    nearly_full = 2 * len(first) > 0.8 * d * (d - 1)
    if mode == "sparse" or (mode == "auto" and not nearly_full):
        adjacency = np.zeros((d, d), dtype=np.bool_)
        adjacency[first, second] = adjacency[second, first] = True
        order, start, members = _least_degree_order(adjacency)
        n_sparse = _change_over(d, np.diff(start), grounded, mode)
    inner = np.setdiff1d(np.arange(d), order[:n_sparse])
    return _place(d, first, second, grounded, inner, order[:n_sparse], start, members)


def _empty() -> Ints:
    return np.empty(0, dtype=np.int64)


def _dense_cost(size: Floats) -> Floats:
    padded = 4 * np.ceil(size / 4)
    return DENSE_CUBIC * padded**3 + DENSE_SQUARE * padded**2


def _sparse_cost(neighbours: Floats) -> Floats:
    pairs = neighbours * (neighbours - 1) / 2
    return SPARSE_NODE + SPARSE_ENTRY * neighbours + SPARSE_PAIR * pairs


def _change_over(d: int, degrees: Ints, grounded: bool, mode: str) -> int:
    """Choose how many nodes the sparse stage takes."""
    most = len(degrees) if grounded else min(len(degrees), d - 1)
    if mode == "sparse":
        return most
    neighbours = degrees[:most].astype(float) + grounded
    spent = np.concatenate([[0.0], np.cumsum(_sparse_cost(neighbours))])
    left = d - np.arange(most + 1.0) + grounded
    return int(np.argmin(spent + _dense_cost(left)))


@kernel
def _least_degree_order(adjacency: Bools) -> tuple[Ints, Ints, Ints]:
    """Eliminate nodes of least degree, smallest number first, and note who their neighbours are.

    Overwrites `adjacency` with the filled graph. ``members[start[t]:start[t + 1]]`` are the
    neighbours of ``order[t]`` when it goes, in increasing order.
    """
    d = adjacency.shape[0]
    degree = adjacency.sum(axis=1)
    alive = np.ones(d, dtype=np.bool_)
    order = np.empty(d, dtype=np.int64)
    start = np.zeros(d + 1, dtype=np.int64)
    members = np.empty(16, dtype=np.int64)
    filled = 0
    neighbours = np.empty(d, dtype=np.int64)
    for t in range(d):
        k = -1
        for i in range(d):
            if alive[i] and (k < 0 or degree[i] < degree[k]):
                k = i
        count = 0
        for i in range(d):
            if alive[i] and adjacency[k, i]:
                neighbours[count] = i
                count += 1
        alive[k] = False
        order[t] = k
        if filled + count > len(members):
            larger = np.empty(2 * len(members) + count, dtype=np.int64)
            larger[:filled] = members[:filled]
            members = larger
        complete = count == d - t - 1  # what is left is a clique: there is nothing to fill
        for a in range(count):
            i = neighbours[a]
            members[filled + a] = i
            degree[i] -= 1
            for b in range(a + 1, 0 if complete else count):
                j = neighbours[b]
                if not adjacency[i, j]:
                    adjacency[i, j] = adjacency[j, i] = True
                    degree[i] += 1
                    degree[j] += 1
        filled += count
        start[t + 1] = filled
    return order, start, members[:filled]


def _place(
    d: int,
    first: Ints,
    second: Ints,
    grounded: bool,
    inner: Ints,
    order: Ints,
    start: Ints,
    members: Ints,
) -> Layout:
    """Give every edge, fill edge and padding edge its cell."""
    size = len(inner) + grounded
    n_blocks = -(-size // 4)
    padding = 4 * n_blocks - size
    last = 4 * n_blocks - 1
    position = np.full(d + 1, -1, dtype=np.int64)  # in the dense block; node d is the ground
    position[inner] = padding + np.arange(len(inner))
    if grounded:
        position[d] = last
    rank = np.full(d + 1, d + 1, dtype=np.int64)  # in the sparse stage
    rank[order] = np.arange(len(order))
    n_sparse = len(order)
    n_dense_cells = 8 * n_blocks * (n_blocks + 1)
    row_size = np.diff(start[: n_sparse + 1]) + grounded
    row_start = n_dense_cells + np.concatenate([[0], np.cumsum(row_size)[:-1]]).astype(np.int64)
    if n_sparse == 0:
        row_start = _empty()
    n_cells = n_dense_cells + int(row_size.sum())
    pairs = row_size * (row_size - 1) // 2
    pair_start = np.concatenate([[0], np.cumsum(pairs)]).astype(np.int64)
    pair_cells = np.empty(int(pair_start[-1]), dtype=np.int64)
    places = _Places(start, members, rank, position, row_start)
    _find_pair_cells(order, places, pair_start, d, grounded, pair_cells)
    slots = np.empty(len(first), dtype=np.int64)
    _find_cells(first, second, places, slots)
    ground_cells = np.empty(d if grounded else 0, dtype=np.int64)
    _find_cells(np.arange(len(ground_cells)), np.full(len(ground_cells), d), places, ground_cells)
    ones = 8 * (n_blocks - 1) * n_blocks + 4 * np.arange(padding) + 3
    blank = np.ones(n_cells, dtype=np.bool_)
    blank[slots] = False
    blank[ground_cells] = False
    blank[ones] = False
    stride, chunk = next((s, c) for most, s, c in CACHE_STEPS if n_blocks <= most)
    cost = float(_dense_cost(np.array(float(size))) + _sparse_cost(row_size.astype(float)).sum())
    neighbours = members[: start[n_sparse]]
    if grounded:
        neighbours = np.insert(neighbours, start[1 : n_sparse + 1], d)
    return Layout(
        slots,
        ground_cells,
        ones.astype(np.int64),
        np.flatnonzero(blank).astype(np.int64),
        n_cells,
        n_blocks,
        max(16 * n_blocks * stride, int(row_size.max(initial=0)), d + grounded),
        stride,
        chunk,
        row_start,
        row_size.astype(np.int64),
        pair_start,
        pair_cells,
        order,
        neighbours,
        np.append(inner, d) if grounded else inner,
        cost,
    )


def spread_cost(layout: Layout) -> float:
    """Estimate the cost of all pairs' resistances after an elimination by `layout`."""
    size = len(layout.sparse_nodes) + len(layout.inner_nodes)
    behind = size - 1.0 - np.arange(len(layout.sparse_nodes))
    steps = float((behind * (SPREAD_ENTRY * layout.row_size + SPREAD_ROW)).sum())
    # The sample weights of all pairs are read again, from slower memory as d grows.
    reading = (SPREAD_READ + SPREAD_FAR * size) * size * (size - 1) / 2
    return layout.cost + steps + reading


class _Places(NamedTuple):
    """What tells the cell of a pair: order of elimination, neighbours, and the dense block."""

    start: Ints
    members: Ints
    rank: Ints
    position: Ints
    row_start: Ints


@kernel
def _cell(i: int, j: int, places: _Places) -> int:
    """Find the cell of the pair {i, j}: in a row of the sparse stage or in the dense block."""
    start, members, rank, position, row_start = places
    if rank[i] > rank[j]:
        i, j = j, i
    t = rank[i]
    if t < len(row_start):
        low, high = start[t], start[t + 1]
        end = high
        while low < high:  # neighbours stand in increasing order; the ground comes after them
            middle = (low + high) // 2
            if members[middle] < j:
                low = middle + 1
            else:
                high = middle
        return int(row_start[t] + min(low, end) - start[t])
    a, b = min(position[i], position[j]), max(position[i], position[j])
    J = b // 4
    return int(8 * J * (J + 1) + 4 * a + b % 4)


@kernel
def _find_cells(first: Ints, second: Ints, places: _Places, out: Ints) -> None:
    for e in range(len(first)):
        out[e] = _cell(first[e], second[e], places)


@kernel
def _find_pair_cells(
    order: Ints, places: _Places, pair_start: Ints, ground: int, grounded: bool, out: Ints
) -> None:
    for t in range(len(order)):
        place = pair_start[t]
        begin, end = places.start[t], places.start[t + 1]
        for a in range(begin, end):
            i = places.members[a]
            for b in range(a + 1, end):
                out[place] = _cell(i, places.members[b], places)
                place += 1
            if grounded:
                out[place] = _cell(i, ground, places)
                place += 1
