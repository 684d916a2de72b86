"""How to compute: threads and engine, chosen once and passed on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from spinney._core.arrays import Floats, Ints
from spinney._core.threads import run_in_threads
from spinney.exceptions import InputError
from spinney.forests._extended_range import WideNetwork, from_log, from_plain, run_wide
from spinney.forests._input import read_count
from spinney.forests._lanes import solve_in_lanes
from spinney.forests.samples import Networks, Solution, Want

ROWS_PER_CHUNK = 8


def solve_rows(
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


ENGINES = ("auto", "dense", "sparse", "log")


@dataclass(frozen=True)
class Context:
    """How sums over forests are computed; what they are does not depend on it.

    For many evaluations, make one and pass it to every call in place of the keywords `threads`
    and `engine`.

    Parameters
    ----------
    threads : int, optional
        Most threads to use; by default all processors, or ``NUMBA_NUM_THREADS`` if that is less.
    engine : {"auto", "dense", "sparse", "log"}
        What does the work; "auto" takes the quickest, by known costs.

    Raises
    ------
    InputError
        If there is no such engine, or `threads` is not a positive whole number.

    Examples
    --------
    >>> from spinney import forests
    >>> context = forests.Context(threads=1, engine="dense")
    >>> round(forests.log_partition([[0, 2], [2, 0]], context=context), 3)
    1.609
    """

    threads: int | None = None
    engine: str = "auto"

    def __post_init__(self) -> None:
        """Check the choices."""
        if self.engine not in ENGINES:
            raise InputError(f"engine must be one of {', '.join(ENGINES)}; it is {self.engine!r}.")
        if self.threads is not None:
            object.__setattr__(self, "threads", read_count(self.threads, "threads"))


_DEFAULT = Context()


def read_context(
    context: Context | None,
    threads: int | None = None,
    engine: str = "auto",
    default: Context = _DEFAULT,
) -> Context:
    """Make one context of the keywords of a function: `context`, or `threads` and `engine`.

    Examples
    --------
    >>> read_context(None, 2).threads, read_context(Context(engine="log")).engine
    (2, 'log')
    """
    if context is None:
        if threads is None and engine == "auto":
            return default
        return Context(
            default.threads if threads is None else threads,
            default.engine if engine == "auto" else engine,
        )
    if threads is not None or engine != "auto":
        raise InputError("Pass either context, or threads and engine; not both.")
    if not isinstance(context, Context):
        raise InputError(f"context must be a forests.Context; it is {context!r}.")
    return context


def solve(networks: Networks, want: Want, context: Context) -> Solution:
    """Evaluate log-partitions, and ``w R`` summed over samples or of each one.

    Samples out of range are solved in numbers without bounds; `left` says which these were. The
    lanes read every weight anyway: they leave samples with invalid weights too, which are then
    reported by sample and column.
    """
    pattern, samples = networks
    n = len(samples)
    if n and pattern.in_range and context.engine != "log":
        found = solve_in_lanes(context.engine, networks, want, context.threads)
    else:
        n_edges = len(pattern.columns)
        nothing = np.zeros((n, n_edges) if want == "each" else n_edges)
        found = Solution(np.zeros(n), nothing, "log", np.arange(n))
    if len(found.left):
        others = solve_rows(networks, found.left, want, context.threads, found.log_partition)
        if want == "each":
            found.resistance[found.left] = others
        elif want == "sum":
            np.add(found.resistance, others.sum(axis=0), out=found.resistance)
    return found
