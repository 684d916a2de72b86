"""Plain doubles, eight samples side by side: dense tiles, sparse elimination, or the cheaper."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from spinney.forests._lanes import run_groups, workspace
from spinney.forests._layout import Layout, plan, spread_cost
from spinney.forests._networks import Networks, Solution, Want
from spinney.forests._spread import run_groups_spread
from spinney.forests._tiles import LANES
from spinney.forests.threads import run_in_threads

__all__ = ["Lanes"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# A thread is worth waking for this much work, in the units of `Layout.cost`.
COST_PER_CHUNK = 350_000.0
# Each chunk sums on its own, over all pairs: few chunks, unless the work is large.
FEW_CHUNKS, MANY_CHUNKS, LARGE_COST = 8, 32, 1e8

# Laying out a new pattern takes a millisecond or so: below this work it is not worth trying.
SPREAD_WORK = 4e6
SPREAD_DENSITY = 0.4
SPREAD_GAIN = 0.85

_EMPTY = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class Lanes:
    """The engine for samples in range.

    "dense" and "sparse" are as in :func:`spinney.forests._layout.plan`; "auto" weighs them by their
    known costs, pattern by pattern.
    """

    name: Literal["auto", "dense", "sparse"] = "auto"
    device: Literal["cpu"] = "cpu"

    def solve(self, networks: Networks, want: Want, threads: int | None) -> Solution:
        """Evaluate; see :class:`spinney.forests._networks.Engine`."""
        pattern = networks.pattern
        n, n_edges = len(networks.samples), len(pattern.columns)
        log_partition = np.zeros(n)
        each = np.zeros((n, n_edges)) if want == "each" else np.empty((0, n_edges))
        total = np.zeros(n_edges)
        resistance = each if want == "each" else total
        if not n or not pattern.in_range:
            return Solution(log_partition, resistance, "log", np.arange(n))
        layout = plan(pattern.d, pattern.first, pattern.second, pattern.grounded, self.name)
        in_range, name = None, "sparse"
        if want == "sum":
            in_range = _try_spread(networks, layout, self.name, threads, log_partition, total)
        if in_range is None:
            name = "sparse" if len(layout.row_start) else "dense"
            in_range = _run_lanes(networks, layout, want, threads, log_partition, total, each)
        left = _EMPTY if in_range.all() else np.flatnonzero(~np.repeat(in_range, LANES)[:n])
        return Solution(log_partition, resistance, name, left)


def _cut(n_groups: int, cost: float) -> list[int]:
    """Cut groups into chunks by size alone, not by threads, so that results repeat to the bit."""
    most = FEW_CHUNKS if n_groups * cost < LARGE_COST else MANY_CHUNKS
    n_chunks = int(min(n_groups, most, max(1, n_groups * cost // COST_PER_CHUNK)))
    n_chunks -= n_chunks % 2 if n_chunks > 1 else 0  # two threads share an even number fairly
    return [-(-n_groups * k // n_chunks) for k in range(n_chunks + 1)]  # the larger ones first


def _run_lanes(
    networks: Networks,
    layout: Layout,
    want: str,
    threads: int | None,
    log_partition: Floats,
    total: Floats,
    each: Floats,
) -> NDArray[np.bool_]:
    pattern = networks.pattern
    W = networks.samples.plain
    n_groups = -(-len(W) // LANES)
    in_range = np.zeros(n_groups, dtype=np.bool_)
    cuts = _cut(n_groups, layout.cost)
    n_chunks = len(cuts) - 1
    columns = networks.columns
    n_edges = len(columns)
    totals = np.empty((n_chunks, n_edges if want == "sum" else 0))
    ground = pattern.ground if pattern.grounded else np.empty(0)
    width = max(16 * layout.n_blocks * layout.stride, int(layout.row_size.max(initial=0)))
    rooms = (
        layout.n_cells,
        2 * width,
        n_edges + LANES,
        8 * layout.n_blocks + len(layout.row_start) + 7,
        n_edges if want == "sum" else 0,
    )

    def job(chunk: int) -> None:
        cells, buffers, raw, per_node, sums = workspace(*rooms)
        run_groups(
            W,
            columns,
            pattern.beta,
            pattern.floor,
            ground,
            layout,
            cuts[chunk],
            cuts[chunk + 1],
            cells,
            buffers,
            raw,
            per_node,
            log_partition,
            in_range,
            sums,
            each,
            totals[chunk],
        )

    run_in_threads([partial(job, chunk) for chunk in range(n_chunks)], threads)
    if want == "sum":
        total[:] = totals[0] if n_chunks == 1 else totals.sum(axis=0)
    return in_range


def _try_spread(
    networks: Networks,
    full_layout: Layout,
    mode: str,
    threads: int | None,
    log_partition: Floats,
    total: Floats,
) -> NDArray[np.bool_] | None:
    """Eliminate the edges alone and spread the resistances, if that is cheaper."""
    pattern = networks.pattern
    n_columns = len(pattern.columns)
    work = -(-len(networks.samples) // LANES) * full_layout.cost
    if mode != "sparse" and (mode != "auto" or work < SPREAD_WORK):
        return None
    few = np.count_nonzero(pattern.beta) < SPREAD_DENSITY * n_columns
    if not few or not networks.samples.are_columns(n_columns):
        return None
    edges = pattern.support
    layout = plan(pattern.d, edges.first, edges.second, pattern.grounded, mode)
    if mode == "auto" and spread_cost(layout) > SPREAD_GAIN * full_layout.cost:
        return None
    return _run_spread(networks, layout, threads, log_partition, total)


def _run_spread(
    networks: Networks,
    layout: Layout,
    threads: int | None,
    log_partition: Floats,
    total: Floats,
) -> NDArray[np.bool_] | None:
    pattern, edges = networks.pattern, networks.pattern.support
    W = networks.samples.plain
    n_groups = -(-len(W) // LANES)
    in_range = np.zeros(n_groups, dtype=np.bool_)
    sound = np.ones(n_groups, dtype=np.bool_)
    cuts = _cut(n_groups, spread_cost(layout))
    n_columns = len(pattern.columns)
    totals = np.empty((len(cuts) - 1, n_columns))
    ground = pattern.ground if pattern.grounded else np.empty(0)
    size = pattern.d + pattern.grounded
    width = max(16 * layout.n_blocks * layout.stride, int(layout.row_size.max(initial=0)), size)
    rooms = (
        layout.n_cells,
        2 * width,
        len(edges.columns) + 2 * LANES,
        8 * layout.n_blocks + len(layout.row_start) + 7,
        size * size,
        n_columns,
    )

    def job(chunk: int) -> None:
        cells, buffers, raw, per_node, full, sums = workspace(*rooms)
        run_groups_spread(
            W,
            edges.columns,
            edges.beta,
            edges.floor,
            ground,
            layout,
            pattern.first,
            pattern.second,
            size,
            cuts[chunk],
            cuts[chunk + 1],
            cells,
            buffers,
            raw,
            per_node,
            full,
            log_partition,
            in_range,
            sound,
            sums,
            totals[chunk],
        )

    run_in_threads([partial(job, chunk) for chunk in range(len(cuts) - 1)], threads)
    if not sound.all():
        networks.samples.check(np.flatnonzero(~np.repeat(sound, LANES)[: len(W)]))
        return None  # nothing wrong, only too large for this: leave it to the full pattern
    total[:] = totals.sum(axis=0)
    return in_range
