"""Whether 95 % intervals of strengths hold the truth, and whether signs are right."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from benchmarks.said.cells import ROWS, Cell, all_cells
from benchmarks.said.rows import Asked, Row, held, mean

__all__ = ["rows"]

TABLES = 200


def rows(asked: Asked) -> Iterator[Row]:
    """Measure every cell with its true graph given: coverage, and wrong signs."""
    for cell in all_cells():
        for n in ROWS:
            name = f"{cell.name}, {n:,} rows"
            if asked.wants(name):
                inside, wrong = _cell(cell, n, asked)
                yield mean(f"{name}: intervals that hold the truth", ".93 to .99", ".95", inside)
                yield mean(f"{name}: wrong signs", "", "< .01", wrong)


def _cell(cell: Cell, n: int, asked: Asked) -> tuple[list[float], list[float]]:
    inside, wrong = [], []
    for rng in asked.generators(TABLES):
        drawn = cell.draw(n, rng)
        found = held(drawn.frame, list(drawn.strengths), drawn.units)
        known = {pair: r for pair, r in drawn.strengths.items() if not np.isnan(r)}
        own = found.loc[list(known)]
        truth = np.array(list(known.values()))
        low, high, sign = (own[key].to_numpy() for key in ("low", "high", "sign"))
        inside.append(float(((low <= truth) & (truth <= high)).mean()))
        wrong.append(float(((low * high > 0.0) & (sign == -np.sign(truth))).mean()))
    return inside, wrong
