"""The whole way of a sample through an evaluation: a few at a time, until all are done."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import kernel
from spinney.forests._lanes import eliminate_sparse, fill_in, resist_sparse
from spinney.forests._layout import Layout
from spinney.forests._reading import Weights, gather, read_group
from spinney.forests._spread import spread
from spinney.forests._tiles import LANES
from spinney.forests.elimination import eliminate_dense, resist_dense

__all__ = ["Task", "room_size", "run_chunks"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

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
        Whether all weights that were looked at are weights.
    totals : array of shape (n_chunks, n_all or n_edges), or (n_chunks, 0) if not wanted
        ``w R`` summed over the samples of each chunk.
    each : array of shape (n, n_edges), or (0, n_edges) if not wanted
        ``w R`` of each sample.
    """

    W: Floats
    columns: Integers
    weights: Weights
    ground: Floats
    layout: Layout
    places: Integers
    all_columns: Integers
    cuts: Integers
    log_partition: Floats
    in_range: NDArray[np.bool_]
    sound: NDArray[np.bool_]
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
