"""Evaluate networks in lanes of plain doubles or, out of their range, in wide numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.threads import run_in_threads
from spinney.exceptions import InputError
from spinney.forests._extended_range import WideNetwork, from_log, from_plain, run_wide
from spinney.forests._input import read_threads
from spinney.forests._lanes import solve_in_lanes
from spinney.forests.samples import Pattern, Samples, Want

ENGINES = ("auto", "dense", "sparse", "log")
ROWS_PER_CHUNK = 8


@dataclass(frozen=True)
class Evaluation:
    r"""What :func:`spinney.forests.evaluate` returns.

    Attributes
    ----------
    log_partition : array of shape (n,)
        :math:`\log Z(\beta \circ W^j)` of each sample.
    weighted_resistance : array of shape (n_pairs,) or (n, n_pairs)
        :math:`\sum_j w_e^j R_e(\beta \circ W^j)`, the gradient of their sum in :math:`\beta_e`;
        with ``per_sample`` the terms of that sum.
    engine : str
        What did the work: "dense", "sparse", or "log"; "mixed" if sets of nodes differ.
    n_wide : int
        Samples whose weights were out of the range of plain numbers (for all that an elimination
        makes of them: 1e-140 to 1e140) and went through the log engine.
    """

    log_partition: Floats
    weighted_resistance: Floats
    engine: str
    n_wide: int


def solve(
    patterns: Sequence[Pattern],
    samples: Samples,
    want: Want,
    engine: str = "auto",
    threads: int | None = None,
) -> Evaluation:
    """Evaluate log-partitions, and ``w R`` summed over samples or of each one.

    Samples out of range are solved in numbers without bounds. Wrong weights are among them: the
    lanes look at every weight anyway.

    Parameters
    ----------
    patterns : sequence of Pattern
        Networks that share no node: what they say is added up. Columns of none of them get zero.
    samples : Samples
    want : {"partition", "sum", "each"}
    engine : {"auto", "dense", "sparse", "log"}
        What does the work; "auto" takes the quickest, by known costs.
    threads : int, optional
        Most threads; by default all processors, or ``NUMBA_NUM_THREADS`` if that is less.
    """
    if engine not in ENGINES:
        raise InputError(f"engine must be one of {', '.join(ENGINES)}; it is {engine!r}.")
    threads = read_threads(threads)
    n, n_columns = samples.table.shape
    log_partition = np.zeros(n)
    shapes = {"partition": (n, 0), "sum": (n_columns,), "each": (n, n_columns)}
    # Columns stand in their order in every pattern.
    whole = want != "partition" and [len(pattern.columns) for pattern in patterns] == [n_columns]
    resistance = np.empty(0) if whole else np.zeros(shapes[want])
    names, n_wide = set(), 0
    for pattern in patterns:
        if n and pattern.in_range and engine != "log":
            own, found, name, left = solve_in_lanes(engine, pattern, samples, want, threads)
        else:
            own, name, left = np.zeros(n), "log", np.arange(n)
            found = np.zeros((n, len(pattern.columns)) if want == "each" else len(pattern.columns))
        if len(left):
            samples.check()
            others = _solve_rows(pattern, samples, left, want, threads, own)
            if want == "each":
                found[left] = others
            elif want == "sum":
                found = found + others.sum(axis=0)
        log_partition += own
        if whole:
            resistance = found
        elif want != "partition":
            resistance[..., pattern.columns] = found
        names.add(name)
        n_wide = max(n_wide, len(left))
    name = "mixed" if len(names) > 1 else next(iter(names), "dense")
    return Evaluation(log_partition, resistance, name, n_wide)


def _solve_rows(
    pattern: Pattern,
    samples: Samples,
    rows: Ints,
    want: Want,
    threads: int | None,
    log_partition: Floats,
) -> Floats:
    """Write the log-partitions of some samples; return ``w R`` of each unless only they count."""
    weights = samples.table[np.ix_(rows, pattern.columns)]
    weight, exponent = from_log(weights) if samples.log else from_plain(weights)
    ground = from_plain(pattern.ground if pattern.grounded else np.empty(0))
    beta = from_plain(pattern.beta)
    network = WideNetwork(pattern.d, pattern.first, pattern.second, *beta, *ground)
    each = np.zeros(weights.shape if want != "partition" else (0, 0))

    def job(part: slice) -> None:
        run_wide(network, rows[part], weight[part], exponent[part], log_partition, each[part])

    parts = range(0, len(rows), ROWS_PER_CHUNK)
    run_in_threads([partial(job, slice(k, k + ROWS_PER_CHUNK)) for k in parts], threads)
    return each
