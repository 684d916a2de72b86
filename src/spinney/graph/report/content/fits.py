"""What was fitted to each pair: contours of its copula, or the counts of its levels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from spinney.graph.plots import density_grid, mosaic_table
from spinney.graph.plots.pair import copula_of, level_quantiles
from spinney.graph.report.content.encoding import number, numbers, pack
from spinney.graph.report.content.facts import Facts
from spinney.graph.report.content.labels import label_levels
from spinney.tables import CONTINUOUS, Table

__all__ = ["GRID", "fits"]

Floats = NDArray[np.float64]

GRID = 48
REACH = 3.0
"""The picture goes so far on the scale of normal scores."""
DECADES = 4.0
"""Heights are told down to this many powers of ten below the top."""


def fits(facts: Facts) -> dict[str, Any]:
    """Tell what was fitted to the pairs that are told in full, by ``"i-j"``."""
    table = facts.table
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
            fit = {
                "type": "strips",
                "levels": levels[discrete],
                "of": discrete,
                "quartiles": _quartiles(table, i, j, discrete, facts.description(i, j)),
            }
        else:
            fit = _mosaic(table, i, j, levels)
        found[f"{i}-{j}"] = fit
    return {"fits": found}


def _contours(row: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Describe the copula of two continuous columns, and its density with normal margins."""
    copula = None if row is None else copula_of(row)
    if row is None or copula is None:
        return None
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
    """Map shares of the highest density to [0, 1] by their logarithm.

    The outer contours run at a hundredth of the top and less, where equal steps of the density
    itself would be too coarse to draw a smooth line.
    """
    low = 10.0**-DECADES
    return 1.0 + np.log10(np.maximum(density, low)) / DECADES


def _quartiles(
    table: Table, i: int, j: int, discrete: int, row: Mapping[str, Any] | None
) -> list[list[float | None]] | None:
    """Return the fitted quartiles of normal scores in each level; None without a copula."""
    copula = None if row is None else copula_of(row, exchanged=discrete == j)
    codes = table.values[table.present[:, [i, j]].all(axis=1), discrete].astype(np.int64)
    if copula is None or not codes.size:
        return None
    masses = np.bincount(codes, minlength=len(table.columns[discrete].levels)) / codes.size
    found = special.ndtri(level_quantiles(copula, masses))
    return [numbers(level, 4) for level in found]


def _mosaic(table: Table, i: int, j: int, levels: list[list[str]]) -> dict[str, Any]:
    """Count the rows with each two levels, and say what independence would give."""
    x, y = table.values[:, i], table.values[:, j]
    counted = mosaic_table(x, y, len(levels[i]), len(levels[j]))
    return {
        "type": "mosaic",
        "rows": levels[i],
        "columns": levels[j],
        "counts": counted.counts.tolist(),
        "expected": [numbers(row, 5) for row in counted.expected],
    }
