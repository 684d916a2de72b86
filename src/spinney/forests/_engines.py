"""Evaluate networks in lanes of plain doubles or, out of their range, in wide numbers."""

from __future__ import annotations

from functools import partial

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.threads import run_in_threads
from spinney.exceptions import InputError
from spinney.forests._extended_range import WideNetwork, from_log, from_plain, run_wide
from spinney.forests._input import read_threads
from spinney.forests._lanes import solve_in_lanes
from spinney.forests.samples import Networks, Solution, Want

ENGINES = ("auto", "dense", "sparse", "log")
ROWS_PER_CHUNK = 8


def solve(
    networks: Networks, want: Want, engine: str = "auto", threads: int | None = None
) -> Solution:
    """Evaluate log-partitions, and ``w R`` summed over samples or of each one.

    Samples out of range are solved in numbers without bounds; `left` says which these were. The
    lanes read every weight anyway: they leave samples with invalid weights too, which are then
    reported by sample and column.

    Parameters
    ----------
    networks : Networks
    want : {"partition", "sum", "each"}
    engine : {"auto", "dense", "sparse", "log"}
        What does the work; "auto" takes the quickest, by known costs.
    threads : int, optional
        Most threads; by default all processors, or ``NUMBA_NUM_THREADS`` if that is less.
    """
    if engine not in ENGINES:
        raise InputError(f"engine must be one of {', '.join(ENGINES)}; it is {engine!r}.")
    threads = read_threads(threads)
    pattern, samples = networks
    n = len(samples)
    if n and pattern.in_range and engine != "log":
        found = solve_in_lanes(engine, networks, want, threads)
    else:
        n_edges = len(pattern.columns)
        nothing = np.zeros((n, n_edges) if want == "each" else n_edges)
        found = Solution(np.zeros(n), nothing, "log", np.arange(n))
    if len(found.left):
        others = _solve_rows(networks, found.left, want, threads, found.log_partition)
        if want == "each":
            found.resistance[found.left] = others
        elif want == "sum":
            np.add(found.resistance, others.sum(axis=0), out=found.resistance)
    return found


def _solve_rows(
    networks: Networks, rows: Ints, want: Want, threads: int | None, log_partition: Floats
) -> Floats:
    """Write the log-partitions of some samples; return ``w R`` of each unless only they count."""
    networks.samples.check(rows)
    pattern = networks.pattern
    weights = networks.samples.table[np.ix_(rows, pattern.columns)]
    weight, exponent = from_log(weights) if networks.samples.log else from_plain(weights)
    ground = from_plain(pattern.ground if pattern.grounded else np.empty(0))
    beta = from_plain(pattern.beta)
    network = WideNetwork(pattern.d, pattern.first, pattern.second, *beta, *ground)
    each = np.zeros(weights.shape if want != "partition" else (0, 0))

    def job(part: slice) -> None:
        run_wide(network, rows[part], weight[part], exponent[part], log_partition, each[part])

    parts = range(0, len(rows), ROWS_PER_CHUNK)
    run_in_threads([partial(job, slice(k, k + ROWS_PER_CHUNK)) for k in parts], threads)
    return each
