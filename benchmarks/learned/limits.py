"""How near the limit: ours beside networks that were trained on one kind of table alone.

Such a network knows what the truth looks like, so on that kind it comes near the best that can be
said from the evidence.
"""

from __future__ import annotations

from typing import Any

from benchmarks.learned import judges, scores
from benchmarks.learned.evidence import look
from benchmarks.learned.options import Options

REPETITIONS = 30
METRICS = ("hamming", "log_loss", "average_precision")


def run(options: Options) -> dict[str, Any]:
    """Score ours and each limit on the cells of its kind."""
    ours = judges.load(options.judge)
    limits = judges.need(judges.find(options.judges, list(judges.LIMITS)), options.judges)
    found: dict[str, Any] = {"judge": judges.identity(ours), "networks": {}, "kinds": {}}
    for name, limit in limits.items():
        found["networks"][name] = judges.training(limit)
        cells = judges.LIMITS[name]
        tables = look(cells, options.seeds(REPETITIONS), options.cache, options.workers)
        for cell in cells:
            frame = scores.frame({judges.OURS: ours, name: limit}, tables[cell])
            found["kinds"][cell] = {
                "limit": name,
                **{
                    metric: {
                        "ours": scores.mean_over_cells(frame[frame.method == judges.OURS], metric),
                        "limit": scores.mean_over_cells(frame[frame.method == name], metric),
                        "difference": scores.paired_over_cells(frame, judges.OURS, name, metric),
                    }
                    for metric in METRICS
                },
            }
            wrong = found["kinds"][cell]["hamming"]
            shown = " ".join(f"{key} {wrong[key]['mean']:.2f}" for key in ("ours", "limit"))
            print(f"  {cell}: {shown} wrong edges")
    return found
