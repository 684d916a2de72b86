"""Resistances of all pairs when only few have an edge: the usual case of a gradient.

The elimination sees the edges alone, and so does a step back,

    R_ku = 1 / s_k + y_u - p y / 2,    y_u = sum over the neighbours j of k of p_j R_ju,

but it is taken for every u behind k, not only for the neighbours: d times the edges of the filled
graph, in place of d cubed.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._compile import kernel
from spinney.forests._lanes import LN2, add_lanes, eliminate_sparse, fill_in, read_group
from spinney.forests._layout import Layout
from spinney.forests._tiles import (
    LANES,
    add,
    broadcast,
    fused,
    highest_bits,
    load,
    store,
    transpose_rows,
)
from spinney.forests.elimination import eliminate_dense, resist_dense

__all__ = ["run_groups_spread"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@kernel
def _copy_inner(cells: Floats, inner: Integers, n_blocks: int, size: int, full: Floats) -> None:
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
def _spread(
    cells: Floats,
    y: Floats,
    inverses: Floats,
    layout: Layout,
    size: int,
    behind: Integers,
    full: Floats,
) -> None:
    """Go back through the sparse stage, for all nodes behind each one."""
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


@kernel
def _gather(
    W: Floats,
    row: int,
    count: int,
    first: Integers,
    second: Integers,
    size: int,
    full: Floats,
    raw: Floats,
    scratch: Floats,
    sums: Floats,
) -> bool:
    """Add ``w R`` of eight samples for every column; say whether all weights are weights."""
    n_columns = W.shape[1]
    high = broadcast(0.0)
    for begin in range(0, n_columns, LANES):
        width = min(LANES, n_columns - begin)
        if width == LANES:
            transpose_rows(W, row, count - 1, begin, raw, 0)
        else:
            for e in range(width):
                for lane in range(LANES):
                    raw[e, lane] = W[row + min(lane, count - 1), begin + e]
        if count < LANES:
            for e in range(width):
                for lane in range(count, LANES):
                    raw[e, lane] = 0.0
        for e in range(width):
            weight = load(raw, e)
            high = highest_bits(high, weight)
            place = first[begin + e] * size + second[begin + e]
            store(sums, begin + e, fused(weight, load(full, place), load(sums, begin + e)))
    store(scratch, 0, high)
    sound = True
    for lane in range(LANES):
        sound &= 0.0 <= scratch[0, lane] < np.inf
    return sound


@kernel
def run_groups_spread(
    W: Floats,
    columns: Integers,
    beta: Floats,
    floor: float,
    ground: Floats,
    layout: Layout,
    first: Integers,
    second: Integers,
    size: int,
    first_group: int,
    last_group: int,
    cells: Floats,
    buffers: Floats,
    raw: Floats,
    totals: Floats,
    full: Floats,
    log_partition: Floats,
    in_range: NDArray[np.bool_],
    sound: NDArray[np.bool_],
    sums: Floats,
    total: Floats,
) -> None:
    """Do what :func:`spinney.forests._lanes.run_groups` does, for all columns of `W`.

    ``columns`` and ``beta`` are those of the edges. ``sound`` says of each group whether its
    weights beside the edges are finite and not negative.
    """
    n = W.shape[0]
    n_sparse = len(layout.row_start)
    n_dense = 4 * layout.n_blocks
    panels = buffers[: len(buffers) // 2]
    products = buffers[len(buffers) // 2 :]
    dense_totals = totals[:n_dense]
    dense_inverses = totals[n_dense : 2 * n_dense]
    sparse_inverses = totals[2 * n_dense : 2 * n_dense + n_sparse]
    logs = totals[2 * n_dense + n_sparse : 2 * n_dense + n_sparse + 3]
    scratch = totals[2 * n_dense + n_sparse + 3 :]
    behind = np.empty(size, dtype=np.int64)
    for e in range(len(sums)):
        store(sums, e, broadcast(0.0))
    for group in range(first_group, last_group):
        row = LANES * group
        count = min(LANES, n - row)
        in_range[group] = read_group(
            W, row, count, columns, beta, floor, layout.slots, raw, cells, scratch
        )
        sound[group] = True
        if not in_range[group]:
            continue
        fill_in(cells, logs, ground, layout)
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
        blocks = (layout.n_blocks, layout.stride, layout.chunk)
        eliminate_dense(cells, panels, scratch, dense_totals, dense_inverses, logs, *blocks)
        for lane in range(count):
            value = np.log(logs[0, lane]) + LN2 * logs[1, lane]
            log_partition[row + lane] = value if logs[2, lane] > 0 else -np.inf
        resist_dense(cells, panels, products, dense_inverses, *blocks)
        _spread(cells, panels, sparse_inverses, layout, size, behind, full)
        sound[group] = _gather(W, row, count, first, second, size, full, raw, scratch, sums)
    add_lanes(sums, total)
