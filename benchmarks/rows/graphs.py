"""What more rows change in the graph: wrong edges against the truth, and differing ones.

Five tables of 40 columns (three with ``--quick``), seeds apart from those of anything tuned; each
is learned from 1,000, 5,000, 20,000 and 50,000 rows. All rows of a million are the section "all".
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

from benchmarks.rows import tables
from spinney import learn

SIZES = (1_000, 5_000, 20_000, 50_000)


def run(seed: int, quick: bool) -> dict[str, Any]:
    """Learn each table from more and more rows."""
    sizes, repetitions = (SIZES[:3], 3) if quick else (SIZES, 5)
    results: dict[str, Any] = {"n": 100_000, "d": 40, "repetitions": repetitions}
    for kinds in (False, True):
        for m in sizes:
            results[_label(m, kinds)] = []
    for k in range(repetitions):
        frame, truth = tables.draw(100_000, seed + 10 * k)
        for kinds in (False, True):
            table = tables.with_kinds(frame, seed + k) if kinds else frame
            for m in sizes:
                results[_label(m, kinds)].append(_learn(table, truth, m, k))
    for label, found in results.items():
        if isinstance(found, list):
            wrong = [one["false"] + one["missed"] for one in found]
            print(
                f"  {label}: {np.mean(wrong):.1f} wrong of {found[0]['edges']} edges (standard "
                f"error {np.std(wrong) / np.sqrt(len(wrong)):.1f}), expected "
                f"{np.mean([one['expected_wrong'] for one in found]):.1f}, "
                f"{np.median([one['seconds'] for one in found]):.0f} s",
                flush=True,
            )
    return results


def _label(m: int, kinds: bool) -> str:
    return f"{m:,} rows, {'kinds and gaps' if kinds else 'numbers'}"


def _learn(table: Any, truth: Any, m: int, seed: int) -> dict[str, Any]:
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graph = learn(table, rows=m, random_state=seed)
    found = graph.joined
    return {
        "edges": int(truth.sum()) // 2,
        "false": int((found & ~truth).sum()) // 2,
        "missed": int((~found & truth).sum()) // 2,
        "expected_wrong": graph.expected_false + graph.expected_missed,
        "seconds": time.perf_counter() - start,
    }
