"""What is lost on tables unlike any in training: a group of the world left out of it.

A network trained without a group looks at the cells of that group and at fresh tables that the
world draws in it, beside the yardstick (``short``: all groups, trained for as long) and the best
forest. And does the warning about foreign tables see it coming?
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.learned import judges, scores
from benchmarks.learned.evidence import FORESTS, Seen, look
from benchmarks.learned.options import Options
from reproduce.runner import Store
from spinney.judge import Judge

REPETITIONS = 30
WORLD_REPETITIONS = 60
KINDS = {
    "trees": ("connected", "two-components", "mixed-trees", "mixed-forests"),
    "loops": ("loopy", "grid"),
    "cliques": ("t-cliques",),
    "hubs": ("hubs",),
    "non-gaussian": ("t-cliques", "mixed-trees", "mixed-forests"),
    "noise": (),
}
"""Kinds of cells that a group covers; measurement noise and rounding are in no cell."""
ROWS = (50, 100, 500)


def run(options: Options) -> dict[str, Any]:
    """Score each network on what it has not seen."""
    foreign = judges.need(judges.find(options.judges, list(judges.WITHOUT)), options.judges)
    yardstick = judges.find(options.judges, [judges.SHORT]) or {
        judges.OURS: judges.load(options.judge)
    }
    (base,), results = yardstick, options.results
    found: dict[str, Any] = {"yardstick": base, "groups": {}}
    for name, judge in foreign.items():
        group = judges.WITHOUT[name]
        cells = [f"{kind}-{n}" for kind in KINDS[group] for n in ROWS]
        on_cells = look(cells, options.seeds(REPETITIONS), options.cache, options.workers)
        on_world = look(
            [f"world-{group}"], options.seeds(WORLD_REPETITIONS), options.cache, options.workers
        )
        wanted = yardstick | {name: judge}
        found["groups"][group] = {
            place: compare(
                wanted, [s for some in tables.values() for s in some], base, name, results
            )
            for place, tables in (("cells", on_cells), ("world", on_world))
            if tables
        }
        for place, part in found["groups"][group].items():
            wrong = part["hamming"]
            shown = ", ".join(f"{key} {value['mean']:.2f}" for key, value in wrong.items())
            print(f"  {group}, {place}: {shown}; warned {part['warned']}")
    return found


def compare(
    wanted: dict[str, Judge], tables: list[Seen], base: str, name: str, results: Path
) -> dict[str, Any]:
    """Compare the network without the group with the yardstick and with forests."""
    frame = pd.concat(
        [scores.frame(wanted, tables), forests(tables, results)], ignore_index=True, join="outer"
    )
    methods = [base, name, *FORESTS]
    means = {
        method: scores.mean_over_cells(frame[frame.method == method], "hamming")
        for method in methods
        if (frame.method == method).any()
    }
    best = min((m for m in FORESTS if m in means), key=lambda m: means[m]["mean"], default=None)
    found: dict[str, Any] = {
        "hamming": means,
        "lost": scores.paired_over_cells(frame, name, base, "hamming"),
        "log_loss": {
            m: scores.mean_over_cells(frame[frame.method == m], "log_loss") for m in (base, name)
        },
        "best_forest": best,
        "warned": warned(wanted[name], tables),
        "warned_by_yardstick": warned(wanted[base], tables),
        "tables": len(tables),
    }
    if best is not None:
        found["against_forest"] = scores.paired_over_cells(frame, name, best, "hamming")
    return found


def forests(tables: list[Seen], results: Path) -> pd.DataFrame:
    """Wrong edges of forests: fitted beside the evidence, or from the accuracy benchmark."""
    rows = [
        {
            "cell": seen.name,
            "method": name,
            "seed": seen.seed,
            "hamming": int((edges != seen.truth).sum()),
        }
        for seen in tables
        for name, edges in seen.forests.items()
    ]
    stored = Store(results / "accuracy" / "reporting").results()
    for seen in tables:
        for name in FORESTS:
            record = stored.get((seen.name, name, seen.seed), {})
            if "hamming" in record and name not in seen.forests:
                row = {"cell": seen.name, "method": name, "seed": seen.seed}
                rows.append(row | {"hamming": record["hamming"]})
    return pd.DataFrame(rows, columns=["cell", "method", "seed", "hamming"])


def warned(judge: Judge, tables: list[Seen]) -> dict[str, Any] | None:
    """Share of tables that the judge's cloud calls foreign, and why most often."""
    cloud = judges.cloud(judge)
    if cloud is None:
        return None
    said = [cloud.outside(seen.summary) for seen in tables]
    first = pd.Series([str(notices[0]) for notices in said if notices], dtype=object)
    return {
        "share": float(np.mean([bool(sentences) for sentences in said])),
        "most_often": None if first.empty else str(first.mode()[0]),
    }
