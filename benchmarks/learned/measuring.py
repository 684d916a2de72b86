"""Tables whose evidence is measured a second, on one core, over the mix of tables of training.

The mix is half the world, half grafts on real tables, and a share of any other source that
training has. Drawing a table is timed by itself, since training pays for both. Seconds are those
of the process, so that what else the machine does hardly counts.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits
from training.grafts import find_folder
from training.sources import LIMITS, SOURCES, as_read, draw

from benchmarks.learned.options import Options
from spinney.evidence import measure

TABLES = 60
"""Of each source."""
FIRST_SEED = 8_000_000
"""Of tables that are neither trained on nor reported."""
ASIDE = ("rows", *LIMITS)


def mix() -> list[str]:
    """Name the sources that training draws from here."""
    known = [name for name in SOURCES if not name.endswith("-tune") and name not in ASIDE]
    return [name for name in known if name != "grafts" or find_folder() is not None]


def run(options: Options) -> dict[str, Any]:
    """Draw and measure tables of every source, and count those a second."""
    found: dict[str, Any] = {"tables of each": (count := options.seeds(TABLES))}
    seconds: dict[str, list[tuple[float, float]]] = {}
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        for source in mix():
            for k in range(1, 9):  # imports and, where there is any, compilation
                _time(source, FIRST_SEED - k)
            seconds[source] = [_time(source, FIRST_SEED + k) for k in range(count)]
    for source, times in [*seconds.items(), ("all", [t for x in seconds.values() for t in x])]:
        drawing, measuring = np.array(times).T
        found[source] = {
            "measured a second": float(1 / measuring.mean()),
            "drawn and measured a second": float(1 / (drawing + measuring).mean()),
            "median milliseconds to measure": float(1000 * np.median(measuring)),
            "most seconds to measure": float(measuring.max()),
        }
        print(f"  {source:10}" + ", ".join(f"{k} {v:.2f}" for k, v in found[source].items()))
    return found


def _time(source: str, seed: int) -> tuple[float, float]:
    start = time.process_time()
    table = as_read(draw(source, seed))
    drawn = time.process_time()
    measure(table)
    return drawn - start, time.process_time() - drawn
