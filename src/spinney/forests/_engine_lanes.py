"""Plain doubles, a few samples side by side: dense tiles, sparse elimination, or the cheaper."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Literal, NamedTuple

import numpy as np

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.compile import kernel
from spinney._core.threads import run_in_threads
from spinney.forests._lanes import eliminate_sparse, fill_in, resist_sparse, spread, workspace
from spinney.forests._layout import UNIT, Layout, plan, spread_cost
from spinney.forests._networks import Networks, Solution, Want
from spinney.forests._reading import Weights, gather, read_group
from spinney.forests._tiles import LANES
from spinney.forests.elimination import eliminate_dense, resist_dense

Mode = Literal["auto", "dense", "sparse"]

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

_EMPTY = np.empty(0, dtype=np.int64)


def solve_in_lanes(mode: Mode, networks: Networks, want: Want, threads: int | None) -> Solution:
    """Evaluate samples in range; see :class:`spinney.forests._networks.Engine`.

    "dense" and "sparse" are as in :func:`spinney.forests._layout.plan`; "auto" weighs them by their
    known costs, pattern by pattern.
    """
    pattern = networks.pattern
    n, n_edges = len(networks.samples), len(pattern.columns)
    log_partition = np.zeros(n)
    each = np.zeros((n, n_edges)) if want == "each" else np.empty((0, n_edges))
    total = np.zeros(n_edges)
    resistance = each if want == "each" else total
    if not n or not pattern.in_range:
        return Solution(log_partition, resistance, "log", np.arange(n))
    layout = plan(pattern.d, pattern.first, pattern.second, pattern.grounded, mode)
    width = n_edges if want == "sum" else 0
    task, name = None, "sparse"
    over_edges = _spread_layout(networks, layout, mode) if want == "sum" else None
    if over_edges is not None:
        task = _run(networks, over_edges, True, threads, log_partition, width, each)
        if not task.sound.all():
            networks.samples.check()
            task = None  # nothing wrong, only too large for this: leave it to the full pattern
    if task is None:
        name = "sparse" if len(layout.row_start) else "dense"
        task = _run(networks, layout, False, threads, log_partition, width, each)
    if want == "sum":
        np.add.reduce(task.totals, axis=0, out=total)
    left = _EMPTY if task.in_range.all() else np.flatnonzero(~task.in_range)
    return Solution(log_partition, resistance, name, left)


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


def _run(
    networks: Networks,
    layout: Layout,
    spread_out: bool,
    threads: int | None,
    log_partition: Floats,
    width: int,
    each: Floats,
) -> Task:
    """Evaluate all chunks: one after the other if that takes no time, or else on threads.

    With `spread_out`, the layout is that of the edges of positive weight, and resistances are
    found between all nodes.
    """
    pattern = networks.pattern
    edges = pattern.support if spread_out else pattern
    n, cost = len(networks.samples), spread_cost(layout) if spread_out else layout.cost
    places = all_columns = _EMPTY
    if spread_out:
        places = pattern.first * (pattern.d + pattern.grounded) + pattern.second
        all_columns = np.arange(len(pattern.columns))
    cuts = _cut(n, cost)
    n_chunks = len(cuts) - 1
    task = Task(
        networks.samples.plain,
        edges.columns,
        Weights(edges.beta, edges.least, edges.largest, edges.floor),
        pattern.ground if pattern.grounded else np.empty(0),
        layout,
        places,
        all_columns,
        cuts,
        log_partition,
        np.empty(n, dtype=np.bool_),
        np.empty(n_chunks, dtype=np.bool_),
        np.empty((n_chunks, width)),
        each,
    )
    n_cells = room_size(layout, all_nodes=spread_out)

    def run(first: int, last: int) -> None:
        run_chunks(task, first, last, workspace(n_cells))

    if -(-n // UNIT) * cost < WORTH_A_THREAD:
        run(0, n_chunks)
    else:
        run_in_threads([partial(run, k, k + 1) for k in range(n_chunks)], threads)
    return task


def _spread_layout(networks: Networks, full_layout: Layout, mode: str) -> Layout | None:
    """Lay out the edges alone if it is cheaper to spread the resistances from there."""
    pattern = networks.pattern
    work = -(-len(networks.samples) // UNIT) * full_layout.cost
    if mode != "sparse" and (mode != "auto" or work < SPREAD_WORK):
        return None
    few = np.count_nonzero(pattern.beta) < SPREAD_DENSITY * len(pattern.columns)
    if not few or not networks.are_all_columns:
        return None
    edges = pattern.support
    layout = plan(pattern.d, edges.first, edges.second, pattern.grounded, mode)
    if mode == "auto" and spread_cost(layout) > SPREAD_GAIN * full_layout.cost:
        return None
    return layout


LN2 = float(np.log(2.0))


class Task(NamedTuple):
    """One evaluation: samples, weights, layout, and where results go.

    Attributes
    ----------
    W : array of shape (n, n_columns)
    columns : array of shape (n_edges,)
        The column of `W` for each edge of the layout.
    weights : Weights
    ground : array of shape (d,) or (0,)
    layout : Layout
    places, all_columns : arrays of shape (n_all,) or (0,)
        If resistances are wanted between all nodes, not for edges alone: their cells in the full
        matrix, and their columns in `W`.
    cuts : array of shape (n_chunks + 1,)
        First sample of each chunk, and the number of samples.
    log_partition, in_range : arrays of shape (n,)
        Results; samples that are not in range are left to wide numbers.
    sound : array of shape (n_chunks,)
        Whether all weights that were read are valid.
    totals : array of shape (n_chunks, n_all or n_edges), or (n_chunks, 0) if not wanted
        ``w R`` summed over the samples of each chunk.
    each : array of shape (n, n_edges), or (0, n_edges) if not wanted
        ``w R`` of each sample.
    """

    W: Floats
    columns: Ints
    weights: Weights
    ground: Floats
    layout: Layout
    places: Ints
    all_columns: Ints
    cuts: Ints
    log_partition: Floats
    in_range: Bools
    sound: Bools
    totals: Floats
    each: Floats


def room_size(layout: Layout, *, all_nodes: bool) -> int:
    """Count the cells that :func:`run_chunks` needs."""
    size = len(layout.sparse_nodes) + len(layout.inner_nodes)
    per_node = 8 * layout.n_blocks + len(layout.row_start)
    room = layout.n_cells + 2 * layout.n_buffer + per_node + 7 + LANES
    return room + (size * size if all_nodes else 0)


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
    square = room[begin + 7 : begin + 7 + LANES]
    full = room[begin + 7 + LANES :]
    behind = np.empty(len(layout.sparse_nodes) + len(layout.inner_nodes), dtype=np.int64)
    for chunk in range(first, last):
        task.totals[chunk] = 0.0
        task.sound[chunk] = True
        for row in range(task.cuts[chunk], task.cuts[chunk + 1], LANES):
            stop = min(row + LANES, task.cuts[chunk + 1])
            n_within = read_group(
                task.W,
                row,
                stop - row,
                task.columns,
                task.weights,
                layout.slots,
                square,
                cells,
                task.in_range,
            )
            if n_within == 0:
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
            columns, slots, source = task.columns, layout.slots, cells
            if len(task.places) > 0:
                spread(cells, panels, inverses[n_dense:], layout, behind, full)
                columns, slots, source = task.all_columns, task.places, full
            elif n_sparse > 0:
                resist_sparse(cells, panels, inverses[n_dense:], layout)
            task.sound[chunk] &= gather(
                task.W,
                row,
                task.in_range[row:stop],
                columns,
                slots,
                source,
                square,
                task.totals,
                chunk,
                task.each,
            )
