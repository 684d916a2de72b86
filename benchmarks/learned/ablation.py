"""What each part is worth: networks without it, larger and smaller, on the 28 cells.

All were trained for the same number of steps; the yardstick is ``short``, the whole network
trained for as long. Where it is missing, the judge that is shipped stands in, and the stored
results say so. What is the same on simulated tables need not be so on real ones: wrong edges there
are beside.
"""

from __future__ import annotations

from typing import Any

from benchmarks.accuracy.cells import CELLS
from benchmarks.learned import judges, real_tables, scores
from benchmarks.learned.evidence import look
from benchmarks.learned.options import Options
from spinney._core.pairs import to_pairs
from spinney.evidence import measure
from spinney.exceptions import InputError
from spinney.judge import Judge

REPETITIONS = 12
REAL = ("sachs-853", "sachs-7466", "dream4-1", "dream4-2", "dream4-3", "netsim-4")
METRICS = ("hamming", "log_loss", "average_precision", "calibration_error")


def run(options: Options, cells: tuple[str, ...] = tuple(CELLS)) -> dict[str, Any]:
    """Score the yardstick and all variants."""
    variants = judges.need(judges.find(options.judges, list(judges.ABLATIONS)), options.judges)
    yardstick = judges.find(options.judges, [judges.SHORT]) or {
        judges.OURS: judges.load(options.judge)
    }
    (base,) = yardstick
    wanted = yardstick | variants
    tables = look(cells, options.seeds(REPETITIONS), options.cache, options.workers)
    frame = scores.frame(wanted, [seen for some in tables.values() for seen in some])
    found: dict[str, Any] = {"yardstick": base, "networks": {}}
    for name, judge in wanted.items():
        part = frame[frame.method == name]
        found["networks"][name] = {
            "judge": judges.identity(judge),
            "training": judges.training(judge),
            **{metric: scores.mean_over_cells(part, metric) for metric in METRICS},
            "difference": {
                metric: scores.paired_over_cells(frame, name, base, metric) for metric in METRICS
            },
            "by_cell": part.groupby("cell").hamming.mean().to_dict(),
        }
        print(f"  {name:14s} {found['networks'][name]['hamming']['mean']:.2f} wrong edges")
    return found | {"real": on_real_tables(wanted, options)}


def on_real_tables(wanted: dict[str, Judge], options: Options) -> dict[str, dict[str, int]]:
    """Count wrong edges on real tables, against the first graph that is held to be true."""
    found: dict[str, dict[str, int]] = {}
    readers = real_tables.tables()
    for name in REAL:
        try:
            table = readers[name](options.data)
        except InputError:  # it is not in the package, and no folder was given
            continue
        truth = to_pairs(next(iter(table.truths.values()))) > 0.5
        evidence = measure(table.X)
        found[name] = {
            label: int(((judge.logits(*judge.reads(evidence)) > 0) != truth).sum())
            for label, judge in wanted.items()
        }
    return found
