"""The data behind pairs, and what was fitted to them.

Columns are normal scores of numbers or codes of levels; fits are contours of a copula, or counts of
levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney.graph.columns import normal_scores
from spinney.graph.plots.contours import density_grid
from spinney.graph.plots.pair import count_levels
from spinney.graph.report.content.facts import Facts, label_levels, number, numbers, pack
from spinney.pairs.copulas import FAMILIES
from spinney.tables import CONTINUOUS, Table

__all__ = ["data", "fits", "spread_rows"]

Floats = NDArray[np.float64]

MOST_ROWS = 1000
MOST_COLUMNS = 400
"""Most columns of which all are packed."""
MOST_VALUES = 1_500_000
"""Most values packed of a wide table; each takes three bytes in the page."""
LARGEST_SCORE = 4.0
STEPS = 8191
GAP = 65535
SEED = 20261115


def data(facts: Facts) -> dict[str, Any]:
    """Pack up to a thousand rows of the table; None if the model does not keep it.

    In a wide table, columns in none of the first pairs of the list are null.
    """
    if facts.graph.table is None:
        return {"data": None}
    table = facts.graph.table.once
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
            scores = np.clip(normal_scores(values), -LARGEST_SCORE, LARGEST_SCORE)
            codes = np.round((np.where(missing, 0.0, scores) + LARGEST_SCORE) * STEPS)
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
    """Choose the columns to pack: in a wide table, those of the best pairs."""
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
    """Choose evenly spaced rows, from a random start; all if they are few.

    Examples
    --------
    >>> spread_rows(4, 10), len(spread_rows(1001, 10))
    (array([0, 1, 2, 3]), 10)
    """
    if n <= most:
        return np.arange(n)
    start = np.random.default_rng(SEED).uniform()
    return np.floor((np.arange(most) + start) * (n / most)).astype(np.int64)


GRID = 48
REACH = 3.0
"""Range of the picture, in normal scores."""
DECADES = 4.0
"""Powers of ten below the top that heights cover."""


def fits(facts: Facts) -> dict[str, Any]:
    """Describe the fits of the pairs shown in full, by ``"i-j"``."""
    table = facts.graph.table
    if table is None:
        return {"fits": {}}
    levels = [label_levels(column.levels) for column in table.columns]
    found: dict[str, Any] = {}
    for i, j in facts.told:
        numeric = [table.columns[k].kind == CONTINUOUS for k in (i, j)]
        if all(numeric):
            fit = _contours(facts.description(i, j))
            if fit is None:
                continue
        elif any(numeric):
            discrete = j if numeric[0] else i
            fit = {"type": "strips", "levels": levels[discrete], "of": discrete}
        else:
            fit = _mosaic(table, i, j, levels)
        found[f"{i}-{j}"] = fit
    return {"fits": found}


def _contours(row: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Describe the copula of two continuous columns, and its density with normal margins."""
    family: Any = FAMILIES.get("" if row is None else str(row["family"]))
    if row is None or family is None:
        return None
    turned = {} if family.rotations == (0,) else {"rotation": int(row["rotation"])}
    copula = family(*row["parameters"], **turned)
    grid = density_grid(copula, m=GRID, reach=REACH)
    top = float(grid.density.max())
    return {
        "type": "contours",
        "family": copula.family,
        "rotation": int(copula.rotation),
        "parameters": numbers(copula.parameters),
        "tau": number(row["tau"], 4),
        "tails": [number(row["lower_tail"], 4), number(row["upper_tail"], 4)],
        "size": GRID,
        "grid": pack(np.round(255.0 * _height(grid.density / top)), "u1"),
        "decades": DECADES,
        "max": number(top),
        "levels": numbers(_height(grid.levels / top), 4),
        "masses": list(grid.masses),
    }


def _height(density: Floats) -> Floats:
    """Map densities relative to the highest to [0, 1], by their logarithm.

    Outer contours run at a hundredth of the top and below, where equal steps of the density would
    be too coarse for a smooth line.
    """
    low = 10.0**-DECADES
    return 1.0 + np.log10(np.maximum(density, low)) / DECADES


def _mosaic(table: Table, i: int, j: int, levels: list[list[str]]) -> dict[str, Any]:
    """Count the rows of each combination of levels, and those expected under independence."""
    x, y = table.values[table.present[:, [i, j]].all(axis=1)][:, [i, j]].T
    counts, expected = count_levels(x, y, len(levels[i]), len(levels[j]))
    return {
        "type": "mosaic",
        "rows": levels[i],
        "columns": levels[j],
        "counts": counts.tolist(),
        "expected": [numbers(row, 5) for row in expected],
    }
