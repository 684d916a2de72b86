"""The evidence of real tables, summarised."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from benchmarks.world.real import Real
from spinney.evidence import measure
from spinney.evidence.summaries import SUMMARY_NAMES, table_summary


def measured(tables: Iterable[Real]) -> dict[str, Any]:
    """Summarise real tables, one record each."""
    found = []
    for group, part, table in tables:
        summary = table_summary(measure(table))
        n, d = table.shape
        values = [round(float(value), 6) for value in summary.values]
        found.append({"group": group, "part": part, "d": d, "n": n, "values": values})
        print(f"  {group}, {part}: {n} x {d}", flush=True)
    return {"names": list(SUMMARY_NAMES), "tables": found}
