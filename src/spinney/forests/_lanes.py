"""Groups of eight samples through both stages of the elimination and back."""

from __future__ import annotations

from math import copysign
from threading import local

import numpy as np
from numpy.typing import NDArray

from spinney._compile import kernel
from spinney.forests._layout import Layout
from spinney.forests._tiles import (
    LANES,
    add,
    broadcast,
    fused,
    highest_bits,
    load,
    lowest_bits,
    mantissa,
    multiply,
    octave,
    reciprocal_or_zero,
    smallest,
    store,
    transpose_rows,
)
from spinney.forests.elimination import eliminate_dense, resist_dense

__all__ = [
    "LARGEST",
    "LN2",
    "SMALLEST",
    "add_lanes",
    "eliminate_sparse",
    "fill_in",
    "read_group",
    "run_groups",
    "workspace",
]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

SMALLEST = 1e-140
LARGEST = 1e140
"""Weights within these bounds are *in range*: nothing overflows, and what underflows is negligible.

A fill edge :math:`p_{ki} w_{kj} = p_{kj} w_{ki}` below 1e-158 is fainter than both
:math:`w_{ki}` and :math:`w_{kj}` by 1e-18. Beside it runs the path through the main neighbour of k,
which conducts nearly as well as the fainter of the two: the sum would round the fill away. The
share of an edge that does matter, 1e-158 over a total of 1e142 at most, is a normal number; were it
to underflow, a fill as strong as the edge itself would be lost.
"""

LN2 = float(np.log(2.0))


_rooms = local()
KEPT_CELLS = 1_000_000
"""A thread keeps room for up to this many cells (64 MB) for its next call."""


def workspace(*counts: int) -> list[Floats]:
    """Make room for cells, each in one line of the cache; it is this thread's until next time.

    Fresh memory would be handed over page by page at the first touch, which costs more than the
    elimination of a small network.
    """
    total = sum(counts)
    room: Floats | None = getattr(_rooms, "cells", None)
    if room is None or len(room) < total:
        raw = np.empty(LANES * (total + 1))
        shift = (-raw.ctypes.data // 8) % LANES
        room = raw[shift : shift + LANES * total].reshape(total, LANES)
        _rooms.cells = room if total <= KEPT_CELLS else None
    parts, start = [], 0
    for count in counts:
        parts.append(room[start : start + count])
        start += count
    return parts


@kernel
def read_group(
    W: Floats,
    row: int,
    count: int,
    columns: Integers,
    beta: Floats,
    floor: float,
    slots: Integers,
    raw: Floats,
    cells: Floats,
    scratch: Floats,
) -> bool:
    """Bring eight samples into lanes; say whether all weights are in range.

    Positive sample weights below `floor` could vanish when multiplied by the smallest beta.
    """
    n_edges = len(columns)
    e = 0
    while e < n_edges:
        side_by_side = e + LANES <= n_edges
        if side_by_side:  # absent pairs share a column, so that looking at the ends will not do
            for i in range(1, LANES):
                side_by_side &= columns[e + i] - columns[e] == i
        if side_by_side:
            transpose_rows(W, row, count - 1, columns[e], raw, e)
            e += LANES
        else:
            for lane in range(LANES):
                raw[e, lane] = W[row + min(lane, count - 1), columns[e]]
            e += 1
    high = broadcast(0.0)
    low = broadcast(np.inf)
    low_raw = broadcast(np.inf)
    for e in range(n_edges):
        sample = load(raw, e)
        w = multiply(broadcast(beta[e]), sample)
        store(cells, slots[e], w)
        high = highest_bits(high, w)
        low = lowest_bits(low, w)
        low_raw = lowest_bits(low_raw, sample)
    store(scratch, 0, high)
    store(scratch, 1, low)
    store(scratch, 2, low_raw)
    for lane in range(LANES):
        top = scratch[0, lane]
        bounded = top <= LARGEST and scratch[1, lane] >= SMALLEST and scratch[2, lane] >= floor
        if not bounded or copysign(1.0, top) < 0:
            return False
    return True


@kernel
def eliminate_sparse(
    cells: Floats,
    shares: Floats,
    inverses: Floats,
    logs: Floats,
    row_start: Integers,
    row_size: Integers,
    pair_start: Integers,
    pair_cells: Integers,
) -> None:
    """Eliminate the nodes of the sparse stage in turn: weights in their rows become shares."""
    product = load(logs, 0)
    octaves = load(logs, 1)
    least = load(logs, 2)
    for t in range(len(row_start)):
        row, size = row_start[t], row_size[t]
        total = broadcast(0.0)  # an isolated node of a tree has no cell at all
        for a in range(size):
            total = add(total, load(cells, row + a))
        inverse = reciprocal_or_zero(total)
        store(inverses, t, inverse)
        product = multiply(product, mantissa(total))
        octaves = add(octaves, add(octave(total), octave(product)))
        product = mantissa(product)
        least = smallest(least, total)
        place = pair_start[t]
        for a in range(size):
            share = multiply(load(cells, row + a), inverse)
            store(shares, a, share)
            for b in range(a + 1, size):
                fill = pair_cells[place]
                store(cells, fill, fused(share, load(cells, row + b), load(cells, fill)))
                place += 1
        for a in range(size):
            store(cells, row + a, load(shares, a))
    store(logs, 0, product)
    store(logs, 1, octaves)
    store(logs, 2, least)


@kernel
def resist_sparse(
    cells: Floats,
    y: Floats,
    inverses: Floats,
    row_start: Integers,
    row_size: Integers,
    pair_start: Integers,
    pair_cells: Integers,
) -> None:
    """Go back through the sparse stage: ``R_k = 1 / s_k + y - p y / 2`` on the filled pattern."""
    zero = broadcast(0.0)
    minus_half = broadcast(-0.5)
    for t in range(len(row_start) - 1, -1, -1):
        row, size = row_start[t], row_size[t]
        for a in range(size):
            store(y, a, zero)
        place = pair_start[t]
        spread = zero
        for a in range(size):
            share = load(cells, row + a)
            own = load(y, a)
            for b in range(a + 1, size):
                resistance = load(cells, pair_cells[place])
                own = fused(load(cells, row + b), resistance, own)
                store(y, b, fused(share, resistance, load(y, b)))
                place += 1
            store(y, a, own)
            spread = fused(share, own, spread)
        constant = fused(minus_half, spread, load(inverses, t))
        for a in range(size):
            store(cells, row + a, add(constant, load(y, a)))


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
def add_lanes(sums: Floats, total: Floats) -> None:
    """Write the sum of each cell's lanes, in pairs of pairs: a chain of eight would be slow."""
    for e in range(len(sums)):
        low = (sums[e, 0] + sums[e, 1]) + (sums[e, 2] + sums[e, 3])
        total[e] = low + ((sums[e, 4] + sums[e, 5]) + (sums[e, 6] + sums[e, 7]))


@kernel
def run_groups(
    W: Floats,
    columns: Integers,
    beta: Floats,
    floor: float,
    ground: Floats,
    layout: Layout,
    first_group: int,
    last_group: int,
    cells: Floats,
    buffers: Floats,
    raw: Floats,
    totals: Floats,
    log_partition: Floats,
    in_range: NDArray[np.bool_],
    sums: Floats,
    each: Floats,
    total: Floats,
) -> None:
    """Evaluate groups of eight samples.

    Writes ``log_partition`` per sample, ``in_range`` per group (one that is not is left to wide
    numbers), ``w R`` summed over the samples to ``total`` and, where it has rows, of each sample
    to ``each``. ``buffers`` is cut into panels; ``totals`` into totals and their inverses.
    """
    n = W.shape[0]
    n_edges = len(columns)
    n_sparse = len(layout.row_start)
    n_dense = 4 * layout.n_blocks
    panels = buffers[: len(buffers) // 2]
    products = buffers[len(buffers) // 2 :]
    dense_totals = totals[:n_dense]
    dense_inverses = totals[n_dense : 2 * n_dense]
    sparse_inverses = totals[2 * n_dense : 2 * n_dense + n_sparse]
    logs = totals[2 * n_dense + n_sparse : 2 * n_dense + n_sparse + 3]
    scratch = totals[2 * n_dense + n_sparse + 3 :]
    for e in range(len(sums)):
        store(sums, e, broadcast(0.0))
    for group in range(first_group, last_group):
        row = LANES * group
        count = min(LANES, n - row)
        in_range[group] = read_group(
            W, row, count, columns, beta, floor, layout.slots, raw, cells, scratch
        )
        if not in_range[group]:
            continue
        fill_in(cells, logs, ground, layout)
        if n_sparse > 0:
            eliminate_sparse(
                cells,
                panels,
                sparse_inverses,
                logs,
                layout.row_start,
                layout.row_size,
                layout.pair_start,
                layout.pair_cells,
            )
        eliminate_dense(
            cells,
            panels,
            scratch,
            dense_totals,
            dense_inverses,
            logs,
            layout.n_blocks,
            layout.stride,
            layout.chunk,
        )
        for lane in range(count):
            value = np.log(logs[0, lane]) + LN2 * logs[1, lane]
            log_partition[row + lane] = value if logs[2, lane] > 0 else -np.inf
        if sums.shape[0] == 0 and each.shape[0] == 0:
            continue
        resist_dense(
            cells,
            panels,
            products,
            dense_inverses,
            layout.n_blocks,
            layout.stride,
            layout.chunk,
        )
        if n_sparse:
            resist_sparse(
                cells,
                panels,
                sparse_inverses,
                layout.row_start,
                layout.row_size,
                layout.pair_start,
                layout.pair_cells,
            )
        if sums.shape[0]:
            if count < LANES:
                for e in range(n_edges):
                    for lane in range(count, LANES):
                        raw[e, lane] = 0.0
            for e in range(n_edges):
                weight = load(raw, e)
                store(sums, e, fused(weight, load(cells, layout.slots[e]), load(sums, e)))
        if each.shape[0]:
            for e in range(n_edges):
                for lane in range(count):
                    each[row + lane, e] = raw[e, lane] * cells[layout.slots[e], lane]
    add_lanes(sums, total)
