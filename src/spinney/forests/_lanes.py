"""Networks side by side, a lane each: their bounds, their room, and the sparse elimination."""

from __future__ import annotations

from threading import local

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel
from spinney.forests._layout import Layout
from spinney.forests._tiles import (
    LANES,
    add,
    broadcast,
    fused,
    load,
    mantissa,
    multiply,
    octave,
    reciprocal_or_zero,
    smallest,
    store,
)

SMALLEST = 1e-140
LARGEST = 1e140
"""Weights within these bounds are *in range*: nothing overflows, and what underflows is negligible.

A fill edge :math:`p_{ki} w_{kj} = p_{kj} w_{ki}` below 1e-158 is fainter than both
:math:`w_{ki}` and :math:`w_{kj}` by 1e-18. Beside it runs the path through the main neighbour of k,
which conducts nearly as well as the fainter of the two: the sum would round the fill away. The
share of an edge that does matter, 1e-158 over a total of 1e142 at most, is a normal number; were it
to underflow, a fill as strong as the edge itself would be lost.
"""


_rooms = local()
KEPT_BYTES = 64_000_000
"""Largest memory that a thread keeps for its next call."""


def workspace(n_cells: int) -> Floats:
    """Return memory for cells, which this thread reuses at its next call.

    Fresh memory is mapped page by page at the first touch, which costs more than the elimination
    of a small network.
    """
    room: Floats | None = getattr(_rooms, "cells", None)
    if room is None or len(room) < n_cells:
        room = new_room(n_cells)
        _rooms.cells = room if room.nbytes <= KEPT_BYTES else None
    return room


def new_room(n_cells: int) -> Floats:
    """Make room for cells, none of them across two lines of the cache."""
    raw = np.empty(LANES * n_cells + 8)
    shift = (-raw.ctypes.data // 8) % 8
    return raw[shift : shift + LANES * n_cells].reshape(n_cells, LANES)


@kernel
def fill_in(cells: Floats, logs: Floats, ground: Floats, layout: Layout) -> None:
    """Set the cells that no sample weight goes to, and start the product of totals."""
    zero = broadcast(0.0)
    one = broadcast(1.0)
    for k in range(len(layout.blank)):
        store(cells, layout.blank[k], zero)
    for k in range(len(layout.ones)):
        store(cells, layout.ones[k], one)
    for k in range(len(layout.ground_cells)):
        store(cells, layout.ground_cells[k], broadcast(ground[k]))
    store(logs, 0, one)
    store(logs, 1, zero)
    store(logs, 2, one)


@kernel
def eliminate_sparse(
    cells: Floats, shares: Floats, inverses: Floats, logs: Floats, layout: Layout
) -> None:
    """Eliminate the nodes of the sparse stage in turn: weights in their rows become shares."""
    product = load(logs, 0)
    octaves = load(logs, 1)
    least = load(logs, 2)
    for t in range(len(layout.row_start)):
        row, size = layout.row_start[t], layout.row_size[t]
        total = broadcast(0.0)  # an isolated node of a tree has no cell at all
        for a in range(size):
            total = add(total, load(cells, row + a))
        inverse = reciprocal_or_zero(total)
        store(inverses, t, inverse)
        product = multiply(product, mantissa(total))
        octaves = add(octaves, add(octave(total), octave(product)))
        product = mantissa(product)
        least = smallest(least, total)
        place = layout.pair_start[t]
        for a in range(size):
            share = multiply(load(cells, row + a), inverse)
            store(shares, a, share)
            for b in range(a + 1, size):
                fill = layout.pair_cells[place]
                store(cells, fill, fused(share, load(cells, row + b), load(cells, fill)))
                place += 1
        for a in range(size):
            store(cells, row + a, load(shares, a))
    store(logs, 0, product)
    store(logs, 1, octaves)
    store(logs, 2, least)


@kernel
def resist_sparse(cells: Floats, y: Floats, inverses: Floats, layout: Layout) -> None:
    """Go back through the sparse stage: ``R_k = 1 / s_k + y - p y / 2`` on the filled pattern."""
    zero = broadcast(0.0)
    minus_half = broadcast(-0.5)
    for t in range(len(layout.row_start) - 1, -1, -1):
        row, size = layout.row_start[t], layout.row_size[t]
        for a in range(size):
            store(y, a, zero)
        place = layout.pair_start[t]
        spread = zero
        for a in range(size):
            share = load(cells, row + a)
            own = load(y, a)
            for b in range(a + 1, size):
                resistance = load(cells, layout.pair_cells[place])
                own = fused(load(cells, row + b), resistance, own)
                store(y, b, fused(share, resistance, load(y, b)))
                place += 1
            store(y, a, own)
            spread = fused(share, own, spread)
        constant = fused(minus_half, spread, load(inverses, t))
        for a in range(size):
            store(cells, row + a, add(constant, load(y, a)))


@kernel
def _copy_inner(cells: Floats, inner: Ints, n_blocks: int, size: int, full: Floats) -> None:
    """Copy the resistances of the dense block to both halves of the full matrix."""
    first = 4 * n_blocks - len(inner)
    for b in range(len(inner)):
        v, j = inner[b], first + b
        column = 8 * (j // 4) * (j // 4 + 1) + j % 4
        store(full, v * size + v, broadcast(0.0))
        for a in range(b):
            u = inner[a]
            resistance = load(cells, column + 4 * (first + a))
            store(full, u * size + v, resistance)
            store(full, v * size + u, resistance)


@kernel
def spread(
    cells: Floats, y: Floats, inverses: Floats, layout: Layout, behind: Ints, full: Floats
) -> None:
    """Go back through the sparse stage, for all nodes behind each one.

    The resistance between u and v goes to ``full[u * size + v]``, where the ground is the last of
    `size` nodes.
    """
    size = len(layout.sparse_nodes) + len(layout.inner_nodes)
    _copy_inner(cells, layout.inner_nodes, layout.n_blocks, size, full)
    count = len(layout.inner_nodes)
    for i in range(count):
        behind[i] = layout.inner_nodes[i]
    base = len(layout.neighbours)
    for t in range(len(layout.row_start) - 1, -1, -1):
        k, row, degree = layout.sparse_nodes[t], layout.row_start[t], layout.row_size[t]
        base -= degree
        for i in range(count):
            u = behind[i]
            own = broadcast(0.0)
            for a in range(degree):
                j = layout.neighbours[base + a]
                own = fused(load(cells, row + a), load(full, j * size + u), own)
            store(y, u, own)
        spread = broadcast(0.0)
        for a in range(degree):
            spread = fused(load(cells, row + a), load(y, layout.neighbours[base + a]), spread)
        constant = fused(broadcast(-0.5), spread, load(inverses, t))
        for i in range(count):
            u = behind[i]
            resistance = add(constant, load(y, u))
            store(full, k * size + u, resistance)
            store(full, u * size + k, resistance)
        store(full, k * size + k, broadcast(0.0))
        behind[count] = k
        count += 1
