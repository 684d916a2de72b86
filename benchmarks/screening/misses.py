"""Share of true edges that do not pass, at a thousand columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from benchmarks.screening.truths import TRUTHS
from spinney._core.pairs import to_pairs
from spinney.scale.score_tests import threshold
from spinney.scale.screening import LEVEL, PARTNERS, screen
from spinney.tables import read_table

N_COLUMNS, N_ROWS = 1000, (100, 200, 500)


def by_scores_alone(X: NDArray[np.float64], level: float, partners: int) -> NDArray[np.int64]:
    """Pairs that pass by the correlation of normal scores alone, under the same rule."""
    n, d = X.shape
    Z = stats.zscore(special.ndtri(stats.rankdata(X, axis=0) / (n + 1)))
    T = np.abs(Z.T @ Z) * np.sqrt(n - 1.0) / n
    np.fill_diagonal(T, 0.0)
    passed = -special.ndtri(level / 2.0) < T
    best = np.argpartition(T, d - partners, axis=1)[:, d - partners :]
    np.put_along_axis(passed, best, True, axis=1)
    return np.flatnonzero(to_pairs((passed | passed.T).astype(float)))


def _mean(values: list[float]) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def run(seed: int, quick: bool) -> dict[str, Any]:
    """Draw tables, screen them, and look which edges are gone."""
    seeds = [seed + k for k in range(2 if quick else 5)]
    cells: list[dict[str, Any]] = []
    print(f"  {len(seeds)} tables each; lost edges and passing pairs in percent, ± standard error")
    for name, draw in TRUTHS.items():
        for n in N_ROWS:
            lost: dict[str, list[float]] = {"all": [], "level": [], "scores": []}
            passed = []
            for each in seeds:
                X, graph = draw(n, N_COLUMNS, each)
                edges = np.flatnonzero(to_pairs(graph.astype(float)))
                found = screen(read_table(X))
                strong = found.pairs[found.strength > threshold(LEVEL)]
                alone = by_scores_alone(X, LEVEL, PARTNERS)
                for key, pairs in zip(lost, (found.pairs, strong, alone), strict=True):
                    lost[key].append(float(100.0 * (~np.isin(edges, pairs)).mean()))
                passed.append(100.0 * len(found) / (N_COLUMNS * (N_COLUMNS - 1) // 2))
            cell = {"truth": name, "n": n, "passed": _mean(passed)}
            cells.append({**cell, **{key: _mean(values) for key, values in lost.items()}})
            words = ", ".join(
                f"{key} {value[0]:.2f} ± {value[1]:.2f}"
                for key, value in cells[-1].items()
                if key not in ("truth", "n")
            )
            print(f"  {name}, {n} rows: {words}", flush=True)
    return {
        "seeds": seeds,
        "n_columns": N_COLUMNS,
        "level": LEVEL,
        "partners": PARTNERS,
        "meaning": {
            "all": "lost edges by the whole rule, in percent: mean and standard error",
            "level": "lost by the level alone",
            "scores": "lost by the whole rule on correlations of normal scores alone",
            "passed": "pairs that pass by the whole rule, in percent",
        },
        "cells": cells,
    }
