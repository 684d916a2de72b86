"""The table behind the graph: normal scores of numbers, codes of levels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney.graph.plots.pair import normal_scores
from spinney.graph.report.content.encoding import numbers, pack
from spinney.graph.report.content.facts import Facts
from spinney.graph.report.content.labels import label_levels
from spinney.tables import CONTINUOUS

__all__ = ["MOST_ROWS", "data", "spread_rows"]

Floats = NDArray[np.float64]

MOST_ROWS = 1000
MOST_COLUMNS = 400
"""Columns up to which all are packed."""
MOST_VALUES = 1_500_000
"""Values of a wide table that are packed; in the page each takes three bytes."""
REACH = 4.0
STEPS = 8191
GAP = 65535
SEED = 20261115


def data(facts: Facts) -> dict[str, Any]:
    """Pack the table, at most a thousand of its rows; None if the model does not keep it.

    Of a wide table columns are null that are in none of the first pairs of the list.
    """
    table = facts.table
    if table is None:
        return {"data": None}
    n = len(table)
    rows = spread_rows(n)
    wanted = _wanted(facts, len(rows))
    columns: list[dict[str, Any] | None] = []
    for k, (column, values) in enumerate(zip(table.columns, table.values.T, strict=True)):
        if k not in wanted:
            columns.append(None)
            continue
        missing = np.isnan(values)
        if column.kind == CONTINUOUS:
            scores = np.clip(normal_scores(values), -REACH, REACH)
            codes = np.round((np.where(missing, 0.0, scores) + REACH) * STEPS)
            known = values[~missing]
            quantiles = np.quantile(known, [0.0, 0.25, 0.5, 0.75, 1.0]) if known.size else None
        else:
            codes, quantiles = np.where(missing, 0.0, values), None
        columns.append(
            {
                "kind": column.kind,
                "levels": None if column.kind == CONTINUOUS else label_levels(column.levels),
                "values": pack(np.where(missing, GAP, codes)[rows], "<u2"),
                "quantiles": None if quantiles is None else numbers(quantiles),
            }
        )
    note = None
    if len(rows) < n:
        note = (
            f"The picture shows {len(rows):,} of the {n:,} rows, spread evenly over the table; "
            "everything was learned from all of them."
        )
    return {"data": {"n": n, "shown": len(rows), "note": note, "columns": columns}}


def _wanted(facts: Facts, n_rows: int) -> set[int]:
    """Choose columns whose values are packed: of a wide table those of the best pairs."""
    if facts.d <= MOST_COLUMNS:
        return set(range(facts.d))
    wanted: set[int] = set()
    ends = facts.shown[["i", "j"]].to_numpy()[facts.shown["edge"].to_numpy(dtype=bool)]
    for i, j in [*facts.told, *map(tuple, ends.tolist())]:
        if (len(wanted) + 2) * n_rows > MOST_VALUES:
            break
        wanted |= {i, j}
    return wanted


def spread_rows(n: int, most: int = MOST_ROWS) -> NDArray[np.int64]:
    """Choose rows at even distances, from a start that a seed draws; all if they are few.

    Examples
    --------
    >>> spread_rows(4, 10), len(spread_rows(1001, 10))
    (array([0, 1, 2, 3]), 10)
    """
    if n <= most:
        return np.arange(n)
    start = np.random.default_rng(SEED).uniform()
    return np.floor((np.arange(most) + start) * (n / most)).astype(np.int64)
