"""What each part is worth: networks without it, larger and smaller, on the 28 cells.

All were trained for the same number of steps; the yardstick is ``short``, the whole network
trained for as long. Where it is missing, the judge that is shipped stands in, and the stored
results say so.
"""

from __future__ import annotations

from typing import Any

from benchmarks.accuracy.cells import CELLS
from benchmarks.learned import judges, scores
from benchmarks.learned.evidence import look
from benchmarks.learned.options import Options

REPETITIONS = 12
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
            **{metric: scores.mean_over_cells(part, metric) for metric in METRICS},
            "difference": {
                metric: scores.paired_over_cells(frame, name, base, metric) for metric in METRICS
            },
            "by_cell": part.groupby("cell").hamming.mean().to_dict(),
        }
        print(f"  {name:14s} {found['networks'][name]['hamming']['mean']:.2f} wrong edges")
    return found
