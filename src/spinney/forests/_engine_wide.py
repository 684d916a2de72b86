"""Numbers whose exponents have no bounds, a sample at a time: right at any range, but slow."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from spinney._core.threads import run_in_threads
from spinney.forests._networks import Networks, Solution, Want
from spinney.forests._wide import from_log, from_plain, run_wide

__all__ = ["Wide", "solve_rows"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ROWS_PER_CHUNK = 8


@dataclass(frozen=True)
class Wide:
    """The engine for samples out of range, and for whoever wants no other."""

    name: Literal["log"] = "log"
    device: Literal["cpu"] = "cpu"

    def solve(self, networks: Networks, want: Want, threads: int | None) -> Solution:
        """Leave everything: what engines leave is solved by :func:`solve_rows`."""
        n, n_edges = len(networks.samples), len(networks.pattern.columns)
        resistance = np.zeros((n, n_edges) if want == "each" else n_edges)
        return Solution(np.zeros(n), resistance, self.name, np.arange(n))


def solve_rows(
    networks: Networks,
    rows: Integers,
    want: Want,
    threads: int | None,
    log_partition: Floats,
) -> Floats:
    """Write the log-partitions of some samples; return ``w R`` of each unless only they count."""
    networks.samples.check(rows)
    pattern = networks.pattern
    weights = networks.samples.table[np.ix_(rows, networks.columns)]
    weight, weight_exponent = from_log(weights) if networks.samples.log else from_plain(weights)
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

    parts = range(0, len(rows), ROWS_PER_CHUNK)
    run_in_threads([partial(job, slice(k, k + ROWS_PER_CHUNK)) for k in parts], threads)
    return each
