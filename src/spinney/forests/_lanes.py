"""Plain doubles, a few samples side by side, a lane each: dense tiles, sparse elimination, or both.

Samples are read into lanes, eliminated by a layout that says how far the sparse stage goes and
where the tiles take over, and summed back over the rows of the table.
"""

from __future__ import annotations

from functools import lru_cache, partial
from math import copysign
from typing import NamedTuple

import numpy as np

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.compile import kernel
from spinney._core.threads import run_in_threads
from spinney.forests._layout import UNIT, Layout, plan, spread_cost
from spinney.forests._tiles import (
    LANES,
    add,
    broadcast,
    fused,
    highest_bits,
    load,
    load_column,
    lowest_bits,
    mantissa,
    multiply,
    octave,
    reciprocal_or_zero,
    smallest,
    store,
)
from spinney.forests.elimination import eliminate_dense, resist_dense
from spinney.forests.inputs import LARGEST, SMALLEST, Pattern, Samples, Want

LN2 = float(np.log(2.0))

# Chunks of at least this much work, in the units of `Layout.cost`; from about a millisecond on,
# they are worth a second thread.
COST_PER_CHUNK = 100_000.0
WORTH_A_THREAD = 2e6
# Each chunk sums on its own, over all pairs: few chunks, unless the work is large.
FEW_CHUNKS, MANY_CHUNKS, LARGE_COST = 8, 32, 1e8

# Laying out a new pattern takes a millisecond or so: below this work it is not worth trying.
SPREAD_WORK = 4e6
SPREAD_DENSITY = 0.4
SPREAD_GAIN = 0.85


class Task(NamedTuple):
    """One evaluation: samples, weights, layout, and where results go.

    Attributes
    ----------
    W : array of shape (n, n_columns)
    columns : array of shape (n_edges,)
        The column of `W` for each edge of the layout.
    beta : array of shape (n_edges,)
        What samples are multiplied by.
    floor : float
        Sample weights below it might vanish when multiplied.
    ground : array of shape (d,) or (0,)
    layout : Layout
    all_columns, places : arrays of shape (n_all,) or (0,)
        If resistances are summed for all pairs of the pattern, not for the edges of the layout
        alone: their columns in `W`, and their cells in the matrix of all nodes.
    cuts : array of shape (n_chunks + 1,)
        First sample of each chunk, and the number of samples.
    log_partition, in_range : arrays of shape (n,)
        Results; samples that are not in range are left to wide numbers.
    totals : array of shape (n_chunks, n_all or n_edges), or (n_chunks, 0) if not wanted
        ``w R`` summed over the samples of each chunk.
    each : array of shape (n, n_edges), or (0, n_edges) if not wanted
        ``w R`` of each sample.
    """

    W: Floats
    columns: Ints
    beta: Floats
    floor: float
    ground: Floats
    layout: Layout
    all_columns: Ints
    places: Ints
    cuts: Ints
    log_partition: Floats
    in_range: Bools
    totals: Floats
    each: Floats


def solve_in_lanes(
    mode: str, pattern: Pattern, samples: Samples, want: Want, threads: int | None
) -> tuple[Floats, Floats, str, Ints]:
    """Evaluate the samples in range, and leave the others.

    Parameters
    ----------
    mode : {"auto", "dense", "sparse"}
        As in :func:`spinney.forests._layout.plan`.
    pattern : Pattern
    samples : Samples
    want : {"partition", "sum", "each"}
    threads : int, optional

    Returns
    -------
    log_partition : array of shape (n,)
    resistance : array of shape (n_edges,), (n, n_edges) or (0,)
        ``w R`` of the pattern's edges: summed over the samples, of each, or not wanted. Samples in
        `left` are not in the sum.
    engine : str
        What did the work: "dense" or "sparse".
    left : array of sample numbers
        Samples that were out of range, in increasing order; their numbers are void.
    """
    n, n_edges = len(samples), len(pattern.columns)
    layout = plan(pattern.d, pattern.first, pattern.second, pattern.grounded, mode)
    edges, cost = pattern, layout.cost
    all_columns = places = np.empty(0, dtype=np.int64)
    over_edges = _spread_layout(pattern, samples, layout.cost, mode) if want == "sum" else None
    if over_edges is not None:
        layout, edges, cost = over_edges, pattern.support, spread_cost(over_edges)
        all_columns = pattern.columns
        places = pattern.first * (pattern.d + pattern.grounded) + pattern.second
    cuts = _cut(n, cost)
    n_chunks = len(cuts) - 1
    task = Task(
        samples.plain,
        edges.columns,
        edges.beta,
        edges.floor,
        edges.ground if edges.grounded else np.empty(0),
        layout,
        all_columns,
        places,
        cuts,
        np.zeros(n),
        np.empty(n, dtype=np.bool_),
        np.empty((n_chunks, n_edges if want == "sum" else 0)),
        np.zeros((n if want == "each" else 0, n_edges)),
    )

    def run(first: int, last: int) -> None:
        run_chunks(task, first, last, _make_room(layout, all_nodes=over_edges is not None))

    if -(-n // UNIT) * cost < WORTH_A_THREAD:
        run(0, n_chunks)
    else:
        run_in_threads([partial(run, k, k + 1) for k in range(n_chunks)], threads)
    return (
        task.log_partition,
        task.each if want == "each" else np.add.reduce(task.totals, axis=0),
        "sparse" if len(layout.row_start) else "dense",
        np.flatnonzero(~task.in_range),
    )


def _spread_layout(
    pattern: Pattern, samples: Samples, full_cost: float, mode: str
) -> Layout | None:
    """Lay out the edges alone if it is cheaper to spread the resistances of all nodes from there.

    Weights beside the edges are then only multiplied by resistances, and not checked by the lanes.
    """
    work = -(-len(samples) // UNIT) * full_cost
    if mode != "sparse" and (mode != "auto" or work < SPREAD_WORK):
        return None
    n_pairs = pattern.d * (pattern.d - 1) // 2
    if np.count_nonzero(pattern.beta) >= SPREAD_DENSITY * n_pairs:
        return None
    edges = pattern.support
    layout = plan(pattern.d, edges.first, edges.second, pattern.grounded, mode)
    if mode == "auto" and spread_cost(layout) > SPREAD_GAIN * full_cost:
        return None
    samples.check()
    return layout


@lru_cache(maxsize=32)
def _cut(n: int, cost: float) -> Ints:
    """Cut samples into chunks by size alone, so that results repeat to the bit.

    Not by threads, nor by lanes: always at whole units.
    """
    n_units = -(-n // UNIT)
    most = FEW_CHUNKS if n_units * cost < LARGE_COST else MANY_CHUNKS
    n_chunks = int(min(n_units, most, max(1, n_units * cost // COST_PER_CHUNK)))
    n_chunks -= n_chunks % 2 if n_chunks > 1 else 0  # two threads share an even number fairly
    cuts = -(-n_units * np.arange(n_chunks + 1) // n_chunks)  # the larger ones first
    return np.minimum(UNIT * cuts, n)


def _make_room(layout: Layout, *, all_nodes: bool) -> Floats:
    """Make room for the cells of :func:`run_chunks`, none of them across two lines of the cache."""
    size = len(layout.sparse_nodes) + len(layout.inner_nodes)
    per_node = 8 * layout.n_blocks + len(layout.row_start)
    n_cells = layout.n_cells + 2 * layout.n_buffer + per_node + 7
    n_cells += size * size if all_nodes else 0
    raw = np.empty(LANES * n_cells + 8)
    shift = (-raw.ctypes.data // 8) % 8
    return raw[shift : shift + LANES * n_cells].reshape(n_cells, LANES)


@kernel
def run_chunks(task: Task, first: int, last: int, room: Floats) -> None:
    """Evaluate chunks of samples, from `first` up to `last`, which is not among them.

    Several threads may do so at once, each with a `room` of its own. What is found is written to
    the task's arrays.
    """
    layout = task.layout
    n_sparse = len(layout.row_start)
    n_dense = 4 * layout.n_blocks
    padding = len(layout.ones)
    blocks = (layout.n_blocks, layout.stride, layout.chunk)
    begin = 0
    cells = room[: layout.n_cells]
    begin += layout.n_cells
    panels = room[begin : begin + layout.n_buffer]
    begin += layout.n_buffer
    products = room[begin : begin + layout.n_buffer]
    begin += layout.n_buffer
    totals = room[begin : begin + n_dense]
    begin += n_dense
    inverses = room[begin : begin + n_dense + n_sparse]
    begin += n_dense + n_sparse
    logs = room[begin : begin + 3]
    sums = room[begin + 3 : begin + 7]
    full = room[begin + 7 :]
    behind = np.empty(len(layout.sparse_nodes) + len(layout.inner_nodes), dtype=np.int64)
    for chunk in range(first, last):
        task.totals[chunk] = 0.0
        for row in range(task.cuts[chunk], task.cuts[chunk + 1], LANES):
            stop = min(row + LANES, task.cuts[chunk + 1])
            if read_group(task, row, stop, cells, sums) == 0:
                continue
            fill_in(cells, logs, task.ground, layout)
            if n_sparse > 0:
                eliminate_sparse(cells, panels, inverses[n_dense:], logs, layout)
            eliminate_dense(cells, panels, sums, totals, inverses, logs, padding, *blocks)
            for lane in range(stop - row):
                value = np.log(logs[0, lane]) + LN2 * logs[1, lane]
                task.log_partition[row + lane] = value if logs[2, lane] > 0 else -np.inf
            if task.totals.shape[1] == 0 and len(task.each) == 0:
                continue
            resist_dense(cells, panels, products, inverses, *blocks)
            total = task.totals[chunk]
            if len(task.places) > 0:
                spread(cells, panels, inverses[n_dense:], layout, behind, full)
                add_group(task, row, stop, task.all_columns, task.places, full, total)
                continue
            if n_sparse > 0:
                resist_sparse(cells, panels, inverses[n_dense:], layout)
            if len(task.each) > 0:
                write_each(task, row, stop, cells)
            else:
                add_group(task, row, stop, task.columns, layout.slots, cells, total)


@kernel
def read_group(task: Task, row: int, stop: int, cells: Floats, extremes: Floats) -> int:
    """Bring samples `row` to `stop` - 1 into lanes, times beta; count those that are in range."""
    slots = task.layout.slots
    high = broadcast(0.0)
    low = least = broadcast(np.inf)
    for e in range(len(slots)):
        weight = load_column(task.W, row, stop - 1, task.columns[e])
        product = multiply(broadcast(task.beta[e]), weight)
        high = highest_bits(high, product)
        low = lowest_bits(low, product)
        least = lowest_bits(least, weight)
        store(cells, slots[e], product)
    store(extremes, 0, high)
    store(extremes, 1, low)
    store(extremes, 2, least)
    n_within = 0
    for lane in range(stop - row):
        top = extremes[0, lane]  # of bit patterns: anything that is no weight ends up here
        within = copysign(1.0, top) > 0 and top <= LARGEST
        within &= extremes[1, lane] >= SMALLEST and extremes[2, lane] >= task.floor
        task.in_range[row + lane] = within
        n_within += within
    return n_within


@kernel
def add_group(
    task: Task, row: int, stop: int, columns: Ints, slots: Ints, cells: Floats, total: Floats
) -> None:
    """Add ``w R`` of samples `row` to `stop` - 1 to `total`, leaving out those out of range.

    One is added after another, so that the sum does not depend on the number of lanes.
    """
    W, count = task.W, stop - row
    whole = count == LANES
    for lane in range(count):
        whole &= task.in_range[row + lane]
    for e in range(len(columns)):
        column, slot = columns[e], slots[e]
        own = total[e]
        if whole:  # a loop of known length, which is unrolled
            for lane in range(LANES):
                own += W[row + lane, column] * cells[slot, lane]
        else:
            for lane in range(count):
                if task.in_range[row + lane]:
                    own += W[row + lane, column] * cells[slot, lane]
        total[e] = own


@kernel
def write_each(task: Task, row: int, stop: int, cells: Floats) -> None:
    """Write ``w R`` of samples `row` to `stop` - 1, those in range, to the rows of `each`."""
    columns, slots = task.columns, task.layout.slots
    for lane in range(stop - row):
        if task.in_range[row + lane]:
            own, out = task.W[row + lane], task.each[row + lane]
            for e in range(len(columns)):
                out[e] = own[columns[e]] * cells[slots[e], lane]


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
