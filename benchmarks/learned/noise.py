"""Edges found where there are none: independent columns, d = 25, 60, 150."""

from __future__ import annotations

from typing import Any

from benchmarks.learned import judges, scores
from benchmarks.learned.evidence import look
from benchmarks.learned.options import Options
from benchmarks.learned.tables import NOISE

REPETITIONS = 30


def run(options: Options, names: tuple[str, ...] = tuple(NOISE)) -> dict[str, Any]:
    """Count edges, table by table."""
    judge = judges.load(options.judge)
    found = {}
    for name, tables in look(
        names, options.seeds(REPETITIONS), options.cache, options.workers
    ).items():
        frame = scores.frame({judges.OURS: judge}, tables)
        d, n = NOISE[name]
        found[name] = {
            "d": d,
            "n": n,
            "tables": len(frame),
            "edges": frame.edges.mean(),
            "error": frame.edges.sem(),
            "most": frame.edges.max(),
            "expected_edges": frame.expected_edges.mean(),
        }
        print(f"  d = {d:4d}, n = {n:4d}: {found[name]['edges']:.2f} edges")
    return {"judge": judges.identity(judge), "tables": found}
