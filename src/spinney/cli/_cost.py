r"""What a run will cost, told before it is done: seconds and memory, roughly.

The seconds of each part of the work on one thread are

.. math:: c_0 + c_1 d + c_2 d^3 + c_3 n + c_4 n p + c_5 n d^3, \qquad p = d (d - 1) / 2

for :math:`n` rows and :math:`d` columns, with constants that ``scripts/measure_cost.py`` measured
and fitted. Beyond `WIDE` columns pairs are screened, and what passes is judged in neighbourhoods of
about so many columns: then the seconds are

.. math:: c_0 + c_1 d + c_6 d^2 + c_7 n d + c_8 n d^2.

On a machine like the one measured they are within a factor of about two; others are
compared with it by some twenty milliseconds of arithmetic. Of the work of all parts but writing,
`SHARED` is divided among threads.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter

from spinney.cli._estimators import JUDGE
from spinney.cli._inputs import Inputs
from spinney.cli._settings import Job, Settings
from spinney.cli._shell import say
from spinney.cli._time_limit import in_words
from spinney.exceptions import DataWarning, InputError

__all__ = ["FEATURES", "Cost", "estimate", "probe", "say_cost"]

FEATURES: dict[str, Callable[[int, int], float]] = {
    "once": lambda n, d: 1.0,
    "columns": lambda n, d: float(d),
    "columns cubed": lambda n, d: float(d**3),
    "rows": lambda n, d: float(n),
    "rows and pairs": lambda n, d: n * d * (d - 1) / 2,
    "rows and columns cubed": lambda n, d: float(n * d**3),
    "columns squared": lambda n, d: float(d**2),
    "rows and columns": lambda n, d: float(n * d),
    "rows and columns squared": lambda n, d: float(n * d**2),
}
"""What seconds are sums of."""
PARTS: dict[str, dict[str, float]] = {
    "graph": {
        "once": 0.031,
        "columns": 0.00089,
        "columns cubed": 3e-07,
        "rows": 1.3e-05,
        "rows and pairs": 6e-07,
    },
    "levels": {"once": 0.013, "columns": 0.0024, "rows": 2.5e-05, "rows and pairs": 8.9e-08},
    "ef_lambda": {
        "columns": 0.023,
        "rows": 0.0002,
        "rows and pairs": 3.4e-06,
        "rows and columns cubed": 1.5e-08,
    },
    "shared_forest": {"rows": 0.0001, "rows and columns cubed": 4.1e-10},
    "gaussian": {"once": 0.002, "rows": 3.9e-06, "rows and pairs": 7e-09},
    "chow_liu": {
        "columns": 1.6e-05,
        "columns cubed": 2.1e-09,
        "rows": 1.3e-07,
        "rows and pairs": 1.3e-09,
    },
    "writing": {"once": 0.1, "columns": 0.019, "rows": 1.5e-05},
    "wide": {"columns": 0.05, "rows and columns": 0.0003, "rows and columns squared": 1e-08},
    # Pairs that pass by chance join nearly all columns, and forests over them fill in.
    "wide others": {"columns cubed": 2.5e-08},
    "wide writing": {"once": 2.0, "columns": 0.0045},
    "ensemble-of-trees": {
        "columns": 0.002,
        "columns cubed": 1.1e-06,
        "rows and pairs": 6.2e-07,
        "rows and columns cubed": 1.3e-08,
    },
    "forests-cuts": {"columns cubed": 0.0015, "rows and columns cubed": 1.9e-06},
    "forests-lambda": {
        "columns": 0.029,
        "columns cubed": 5.7e-06,
        "rows and pairs": 2.7e-06,
        "rows and columns cubed": 2.8e-08,
    },
    "rooted-forests": {
        "once": 0.018,
        "columns": 0.0052,
        "rows": 5.4e-06,
        "rows and pairs": 6.2e-07,
    },
    "shared-forest": {"once": 0.01, "columns": 0.00042, "rows": 3.7e-05, "rows and pairs": 6e-07},
    "graphical-lasso": {
        "columns": 0.0035,
        "columns cubed": 1e-06,
        "rows": 5.2e-06,
        "rows and columns cubed": 3.2e-10,
    },
    "neighbourhood-selection": {"once": 0.0063, "columns": 0.00037, "rows": 1.8e-06},
    "partial-correlation": {
        "once": 0.00058,
        "columns": 3.1e-05,
        "rows": 9.5e-07,
        "rows and pairs": 3.6e-09,
    },
    "chow-liu": {"once": 0.013, "columns": 0.00056, "rows": 1.3e-05, "rows and pairs": 4.2e-07},
}
"""Constants of each part; of estimators under their names, pair copulas included."""
PROBE_S = 0.0039
"""Seconds of :func:`probe` on the machine that was measured."""
BYTES_PER_ROW_AND_PAIR = 31
"""Memory of a run, besides what programs take in any case."""
MOST_HELD = 1 << 27
"""Log-densities that are held; those of longer tables are summed up (spinney.pairs.chunked,
which takes too long to load for this)."""
BYTES_PER_CELL, BYTES_PER_ROW = 32, 2300
"""Memory of a run whose densities are summed up: the table, and coordinates of four columns."""
BYTES_PER_JUDGED_PAIR = 2500
"""Memory of a run whose densities are summed up, for each pair: fits, and the judge's state."""
WIDE = 300
"""Columns beyond which pairs are screened, unless it is said otherwise."""
BYTES_PER_WIDE_PAIR = 100
"""Memory of a screened run for each pair of the table, whether it passes or not."""
MOST_EF_LAMBDA, MOST_SHARED_FOREST = 100, 2000
"""Columns beyond which EF-λ and SharedForest are not asked for comparison."""
HOPELESS = 2.0
"""Times the memory of the machine from which on a run is refused: by so much estimates are off."""
SHARED = 0.8
WORTH_SAYING_S = 10.0
START_S = 2.0
"""Seconds in which libraries are loaded and results told."""


@dataclass(frozen=True)
class Cost:
    """What a run will cost.

    Attributes
    ----------
    graph_s, compare_s, stability_s, writing_s : float
        Seconds of the graph itself, of other methods, of fits to halves, and of writing results.
    memory : float
        Bytes.
    """

    graph_s: float
    compare_s: float
    stability_s: float
    writing_s: float
    memory: float

    @property
    def total_s(self) -> float:
        """Seconds in all."""
        return START_S + self.graph_s + self.compare_s + self.stability_s + self.writing_s


def probe() -> float:
    """Time a little arithmetic of the kind that the work is made of, in seconds."""
    import numpy as np

    values = np.linspace(-3.0, 3.0, 60_000)
    start = perf_counter()
    for _ in range(4):
        np.sort(np.log1p(np.exp(np.sin(values * 7.0))))
    return perf_counter() - start


def estimate(
    sizes: Sequence[int],
    d: int,
    settings: Settings,
    *,
    share_of_levels: float = 0.0,
    threads: int = 1,
    slowness: float = 1.0,
) -> Cost:
    """Estimate what learning costs.

    Parameters
    ----------
    sizes : list of int
        Rows of each group; one number if there are none.
    d : int
        Columns.
    settings : Settings
        What is asked for.
    share_of_levels : float
        Share of the pairs in which a column has levels.
    threads : int
        Threads.
    slowness : float
        How much slower the machine is than the one measured.

    Examples
    --------
    >>> settings = Settings(estimator="graph-learner", compare=False)
    >>> one, two = (estimate([n], 50, settings) for n in (10_000, 20_000))
    >>> 1.5 < two.graph_s / one.graph_s <= 2.0
    True
    """
    pace = slowness * (1.0 - SHARED + SHARED / threads)
    wide = _is_wide(settings, d)

    def graph(n: int) -> float:
        if settings.estimator != JUDGE:
            return _seconds(settings.estimator, n, d)
        if wide:
            return _seconds("wide", n, d)
        plain, levels = (_seconds(part, n, d) for part in ("graph", "levels"))
        return (1.0 - share_of_levels) * plain + share_of_levels * levels

    def others(n: int) -> float:
        if wide:
            return _seconds("wide others", n, d) if d <= MOST_SHARED_FOREST else 0.0
        asked = ["chow_liu", "gaussian"]
        if not _is_summed(n, d, settings):  # forests hold all densities, or are not asked
            asked += ["shared_forest", "ef_lambda"] if d <= MOST_EF_LAMBDA else ["shared_forest"]
        return sum(_seconds(method, n, d) for method in asked)

    compared = settings.estimator == JUDGE and settings.compare
    writing = "wide writing" if d > WIDE else "writing"
    return Cost(
        graph_s=pace * sum(map(graph, sizes)),
        compare_s=pace * sum(map(others, sizes)) if compared else 0.0,
        stability_s=pace * 2 * (settings.stability or 0) * sum(graph(n // 2) for n in sizes),
        writing_s=slowness * sum(_seconds(writing, n, d) for n in sizes),
        memory=max(_memory(n, d, settings, threads) for n in sizes),
    )


def _is_wide(settings: Settings, d: int) -> bool:
    """Whether the judge looks at screened pairs only."""
    asked = d > WIDE if settings.screen == "auto" else settings.screen != "off"
    return settings.estimator == JUDGE and asked


def _is_summed(n: int, d: int, settings: Settings) -> bool:
    """Whether the densities of so many rows are summed up and not held."""
    return settings.estimator == JUDGE and n * d * (d - 1) // 2 > MOST_HELD


def _memory(n: int, d: int, settings: Settings, threads: int) -> float:
    """Bytes that the numbers of pairs take: of all, or of the neighbourhoods under way."""
    if _is_wide(settings, d):
        near = min(d, WIDE)
        under_way = threads * BYTES_PER_ROW_AND_PAIR * n * near * (near - 1) / 2
        return under_way + BYTES_PER_WIDE_PAIR * d * (d - 1) / 2
    if _is_summed(n, d, settings):
        of_pairs = BYTES_PER_JUDGED_PAIR * d * (d - 1) / 2
        return float(n * (BYTES_PER_CELL * d + BYTES_PER_ROW)) + of_pairs
    return BYTES_PER_ROW_AND_PAIR * n * d * (d - 1) / 2


def _seconds(part: str, n: int, d: int) -> float:
    constants: Mapping[str, float] = PARTS.get(part, {})
    return sum(constant * FEATURES[name](n, d) for name, constant in constants.items())


def say_cost(inputs: Inputs, settings: Settings, job: Job) -> Cost:
    """Estimate what a run costs, and say it if it is much."""
    n, d = inputs.shape
    sizes = [n if inputs.keep is None or inputs.by is not None else len(inputs.keep)]
    if inputs.by is not None:
        from spinney.tables import rows_to_use

        asked = settings.n_rows, settings.precision
        sizes = [rows_to_use(int(size), *asked) for size in inputs.by.value_counts()]
    continuous = d if inputs.table is None else int((inputs.table.n_levels == 0).sum())
    slowness = min(max(min(probe() for _ in range(3)) / PROBE_S, 0.25), 8.0)
    cores = os.cpu_count() or 1
    cost = estimate(
        sizes,
        d,
        settings,
        share_of_levels=1.0 - (continuous / max(d, 1)) ** 2,
        threads=min(cores if job.jobs < 0 else job.jobs, cores),
        slowness=slowness,
    )
    if cost.total_s > WORTH_SAYING_S and not job.quiet:
        say(_in_words(cost, settings))
    _check_memory(cost, d, settings)
    return cost


def _check_memory(cost: Cost, d: int, settings: Settings) -> None:
    """Warn of a run that may not find its memory, and refuse one that cannot."""
    free, whole = _free_memory(), _whole_memory()
    advice = "Choose fewer columns with --columns, or take a part of the rows."
    if settings.estimator == JUDGE and d > WIDE and not _is_wide(settings, d):
        advice = "Leave --screen off out: then only pairs that pass a screening are fitted."
    needs = f"This needs about {cost.memory / 1e9:.1f} GB of memory, and"
    if whole is not None and cost.memory > HOPELESS * whole:
        raise InputError(f"{needs} this machine has {whole / 1e9:.1f} GB. {advice}")
    if free is not None and cost.memory > free:
        told = f"{needs} {free / 1e9:.1f} GB are free here. {advice}"
        warnings.warn(told, DataWarning, stacklevel=3)


def _in_words(cost: Cost, settings: Settings) -> str:
    parts = {
        "the graph": cost.graph_s,
        "other methods (--no-compare leaves them out)": cost.compare_s,
        f"stability over {settings.stability} splits": cost.stability_s,
    }
    longest = max(parts, key=lambda name: parts[name])
    return (
        f"This will take about {in_words(cost.total_s)}, give or take a factor of two; most of it "
        f"for {longest}."
    )


def _whole_memory() -> float | None:
    """Find the memory that the machine has, in bytes, where the system tells."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (OSError, ValueError, AttributeError):
        return None


def _free_memory() -> float | None:
    """Find the memory that is free, in bytes, where the system tells."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return 1024.0 * float(line.split()[1])
    except (OSError, ValueError):
        pass
    return _whole_memory()
