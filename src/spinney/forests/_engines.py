"""Which engine runs: dense or sparse lanes, and wide numbers for samples that are too wild."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from spinney.exceptions import InputError
from spinney.forests._input import check_weights
from spinney.forests._lanes import LARGEST, SMALLEST, run_groups, workspace
from spinney.forests._layout import Layout, plan, spread_cost
from spinney.forests._spread import run_groups_spread
from spinney.forests._threads import run_jobs
from spinney.forests._tiles import LANES
from spinney.forests._wide import from_log, from_plain, run_wide

__all__ = ["Networks", "Pattern", "check_engine", "no_tree", "solve"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ENGINES = ("auto", "dense", "sparse", "log")
DEVICES = ("cpu",)

# A thread is worth waking for this much work, in the units of `Layout.cost`.
COST_PER_CHUNK = 350_000.0
# Each chunk sums on its own, over all pairs: few chunks, unless the work is large.
FEW_CHUNKS, MANY_CHUNKS, LARGE_COST = 8, 32, 1e8
WIDE_ROWS_PER_CHUNK = 8

# Laying out a new pattern takes a millisecond or so: below this work it is not worth trying.
SPREAD_WORK = 4e6
SPREAD_DENSITY = 0.4
SPREAD_GAIN = 0.85


@dataclass(frozen=True)
class Pattern:
    """What networks share: their edges, the weights that samples are multiplied by, and roots.

    Edge e joins ``first[e] < second[e]`` of `d` nodes; its weight in sample j is
    ``beta[e] * W[j, columns[e]]``. What follows from these alone is found out once.
    """

    d: int
    first: Integers
    second: Integers
    columns: Integers
    beta: Floats
    ground: Floats

    @cached_property
    def grounded(self) -> bool:
        """Whether any node has a root weight."""
        return bool(self.ground.max(initial=0.0) > 0)

    @cached_property
    def calm(self) -> bool:
        """Whether root weights are in the safe range of the lanes."""
        if not self.grounded:
            return True
        lowest = self.ground.min()
        if lowest == 0:
            lowest = self.ground[self.ground > 0].min()
        return bool(lowest >= SMALLEST and self.ground.max() <= LARGEST)

    @cached_property
    def floor(self) -> float:
        """The smallest sample weight that no beta can make vanish."""
        least = self.beta.min(initial=1.0)
        if least == 0:
            least = self.beta[self.beta > 0].min(initial=1.0)
        return float(1e-300 / max(1e-300, least))

    @cached_property
    def support(self) -> Pattern:
        """The edges of positive weight alone; columns are counted within this pattern."""
        present = np.flatnonzero(self.beta)
        return Pattern(
            self.d,
            self.first[present],
            self.second[present],
            present,
            self.beta[present],
            self.ground,
        )


@dataclass(frozen=True)
class Networks:
    """Networks of one pattern, checked: what the engines work on.

    ``W[:, pattern.columns]`` are the sample weights of the pattern's edges, logarithms if `log`.
    """

    pattern: Pattern
    W: Floats
    log: bool = False


def no_tree(ground: Floats, which: str) -> str:
    """Say in words what a log-partition of -inf means."""
    if ground.any():
        return (
            f"In {which} some component holds no node with a positive root weight, so there is no "
            "rooted forest and the log-partition is -inf. Give every node a root weight."
        )
    return (
        f"In {which} the edges of positive weight do not connect all nodes, so there is no "
        "spanning tree and the log-partition is -inf. Use ground > 0, or a partition."
    )


def check_engine(engine: str, device: str) -> None:
    """Refuse engines and devices that do not exist."""
    for name, value, choices in (("engine", engine, ENGINES), ("device", device, DEVICES)):
        if value not in choices:
            raise InputError(f"{name} must be one of {', '.join(choices)}; it is {value!r}.")


def solve(
    networks: Networks,
    *,
    want: Literal["partition", "sum", "each"] = "sum",
    engine: str = "auto",
    threads: int | None = None,
) -> tuple[Floats, Floats, str, int]:
    """Run the engine that fits: log-partitions, and ``w R`` summed over samples or of each one.

    Returns the two, the engine's name, and how many samples took the wide path. Bad weights are
    found on the way (a kernel looks at each anyway) and reported by sample and column.
    """
    pattern = networks.pattern
    n, n_edges = len(networks.W), len(pattern.columns)
    log_partition = np.zeros(n)
    each = np.zeros((n, n_edges)) if want == "each" else np.empty((0, n_edges))
    total = np.zeros(n_edges)
    name = "log"
    wide_rows = np.arange(n)
    if engine != "log" and n and pattern.calm:
        layout = plan(pattern.d, pattern.first, pattern.second, pattern.grounded, engine)
        safe = None
        if want == "sum":
            name = "sparse"
            safe = _try_spread(networks, layout, engine, threads, log_partition, total)
        if safe is None:
            name = "sparse" if len(layout.row_start) else "dense"
            safe = _run_lanes(networks, layout, want, threads, log_partition, total, each)
        wide_rows = _empty if safe.all() else np.flatnonzero(~np.repeat(safe, LANES)[:n])
    if len(wide_rows):
        _check_rows(networks, wide_rows)
        wide = _run_wide(networks, wide_rows, want, threads, log_partition)
        if want == "each":
            each[wide_rows] = wide
        elif want == "sum":
            total += wide.sum(axis=0)
    return log_partition, each if want == "each" else total, name, len(wide_rows)


_empty = np.empty(0, dtype=np.int64)


def _plain_weights(networks: Networks) -> Floats:
    if not networks.log:
        return networks.W
    # Clipped, so that what would vanish is still seen to be out of bounds; infinity is anyway.
    with np.errstate(over="ignore"):
        return np.where(np.isneginf(networks.W), 0.0, np.exp(np.maximum(networks.W, -700.0)))


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
    W = _plain_weights(networks)
    n_groups = -(-len(W) // LANES)
    safe = np.zeros(n_groups, dtype=np.bool_)
    cuts = _cut(n_groups, layout.cost)
    n_chunks = len(cuts) - 1
    n_edges = len(pattern.columns)
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
            pattern.columns,
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
            safe,
            sums,
            each,
            totals[chunk],
        )

    run_jobs([partial(job, chunk) for chunk in range(n_chunks)], threads)
    if want == "sum":
        total += totals.sum(axis=0)
    return safe


def _try_spread(
    networks: Networks,
    full_layout: Layout,
    engine: str,
    threads: int | None,
    log_partition: Floats,
    total: Floats,
) -> NDArray[np.bool_] | None:
    """Eliminate the edges alone and spread the resistances, if that is cheaper."""
    pattern = networks.pattern
    n_columns = len(pattern.columns)
    work = -(-len(networks.W) // LANES) * full_layout.cost
    if engine != "sparse" and (engine != "auto" or work < SPREAD_WORK):
        return None
    few = np.count_nonzero(pattern.beta) < SPREAD_DENSITY * n_columns
    if not few or n_columns < networks.W.shape[1]:
        return None
    edges = pattern.support
    layout = plan(pattern.d, edges.first, edges.second, pattern.grounded, engine)
    if engine == "auto" and spread_cost(layout) > SPREAD_GAIN * full_layout.cost:
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
    W = _plain_weights(networks)
    n_groups = -(-len(W) // LANES)
    safe = np.zeros(n_groups, dtype=np.bool_)
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
            safe,
            sound,
            sums,
            totals[chunk],
        )

    run_jobs([partial(job, chunk) for chunk in range(len(cuts) - 1)], threads)
    if not sound.all():
        _check_rows(networks, np.flatnonzero(~np.repeat(sound, LANES)[: len(W)]))
        return None  # nothing wrong, only too large for this: leave it to the full pattern
    total += totals.sum(axis=0)
    return safe


def _run_wide(
    networks: Networks,
    rows: Integers,
    want: str,
    threads: int | None,
    log_partition: Floats,
) -> Floats:
    pattern = networks.pattern
    weights = networks.W[np.ix_(rows, pattern.columns)]
    weight, weight_exponent = from_log(weights) if networks.log else from_plain(weights)
    beta, beta_exponent = from_plain(pattern.beta)
    ground, ground_exponent = from_plain(pattern.ground if pattern.grounded else np.empty(0))
    each = np.zeros(weights.shape if want != "partition" else (0, 0))

    def job(part: slice) -> None:
        run_wide(
            pattern.d,
            pattern.first,
            pattern.second,
            rows[part],
            beta * weight[part],
            np.where(beta > 0, beta_exponent + weight_exponent[part], 0),
            weight[part],
            weight_exponent[part],
            ground,
            ground_exponent,
            log_partition,
            each[part],
        )

    parts = range(0, len(rows), WIDE_ROWS_PER_CHUNK)
    run_jobs([partial(job, slice(k, k + WIDE_ROWS_PER_CHUNK)) for k in parts], threads)
    return each


def _check_rows(networks: Networks, rows: Integers) -> None:
    """Tell weights that are merely wild from those that are wrong."""
    part = networks.W[rows]
    bad_row = np.isnan(part).any(axis=1) | (part == np.inf).any(axis=1)
    if not networks.log:
        bad_row |= (part < 0).any(axis=1)
    if bad_row.any():
        check_weights(networks.W, "W", log=networks.log)
