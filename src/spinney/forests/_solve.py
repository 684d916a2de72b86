"""Networks to sums: the engine of a context runs, and what it leaves is solved all the same."""

from __future__ import annotations

import numpy as np

from spinney.forests._engine_wide import solve_rows
from spinney.forests._engines import find_engine
from spinney.forests._networks import Networks, Solution, Want
from spinney.forests.context import Context

__all__ = ["solve"]


def solve(networks: Networks, want: Want, context: Context) -> Solution:
    """Evaluate log-partitions, and ``w R`` summed over samples or of each one.

    What the engine leaves is solved in numbers without bounds; `left` says which samples these
    were. Wrong weights are found on the way, since engines look at each anyway and leave their
    samples, and are reported by sample and column.
    """
    threads = context.threads
    found = find_engine(context.engine, context.device).solve(networks, want, threads)
    if len(found.left):
        others = solve_rows(networks, found.left, want, threads, found.log_partition)
        if want == "each":
            found.resistance[found.left] = others
        elif want == "sum":
            np.add(found.resistance, others.sum(axis=0), out=found.resistance)
    return found
