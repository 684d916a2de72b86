"""Share of independent pairs that pass by level alone, over the level: 1 is what it should be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import n_pairs
from spinney.scale.score_tests import threshold
from spinney.scale.screening import screen
from spinney.tables import Column, Table

Floats = NDArray[np.float64]
LEVELS, N_ROWS = (0.05, 0.01, 0.001), (20, 50, 200, 1000)


def _continuous(X: Floats) -> Table:
    return Table(X, tuple(Column(f"x{k}", "continuous") for k in range(X.shape[1])))


def _levels(X: Floats, edges: list[float], kind: Any) -> Table:
    codes = np.digitize(X, edges).astype(float)
    levels = tuple(range(len(edges) + 1))
    return Table(codes, tuple(Column(f"x{k}", kind, levels) for k in range(X.shape[1])))


def _gaps(X: Floats, rng: np.random.Generator) -> Floats:
    return np.where(rng.uniform(size=X.shape) < 0.2, np.nan, X)


def _everything(X: Floats, rng: np.random.Generator) -> Table:
    """Make a quarter each numbers, scales of five, yes or no, and four classes; some missing."""
    parts = [_continuous(X), _levels(X, [-1.0, -0.3, 0.3, 1.0], "ordinal")]
    parts += [_levels(X, [0.3], "binary"), _levels(X, [-0.7, 0.0, 0.7], "nominal")]
    chosen = np.arange(X.shape[1]) % 4
    values = np.choose(chosen[None, :], [part.values for part in parts])
    columns = tuple(parts[c].columns[k] for k, c in enumerate(chosen))
    return Table(np.where(rng.uniform(size=X.shape) < 0.1, np.nan, values), columns)


TABLES: dict[str, Callable[[Floats, np.random.Generator], Table]] = {
    "continuous": lambda X, rng: _continuous(X),
    "rounded to a tenth": lambda X, rng: _continuous(np.round(X, 1)),
    "rounded to a half": lambda X, rng: _continuous(np.round(2.0 * X) / 2.0),
    "three fifths piled up at one end": lambda X, rng: _continuous(np.maximum(X, 0.3)),
    "a fifth missing": lambda X, rng: _continuous(_gaps(X, rng)),
    "scales of five": lambda X, rng: _levels(X, [-1.0, -0.3, 0.3, 1.0], "ordinal"),
    "skewed scales of four": lambda X, rng: _levels(X, [0.5, 1.2, 1.8], "ordinal"),
    "yes and no, half each": lambda X, rng: _levels(X, [0.0], "binary"),
    "yes and no, one in twenty": lambda X, rng: _levels(X, [1.645], "binary"),
    "four classes": lambda X, rng: _levels(X, [-0.7, 0.0, 0.7], "nominal"),
    "a quarter of each kind, a tenth missing": _everything,
}


def run(seed: int, quick: bool) -> dict[str, Any]:
    """Screen tables of independent columns."""
    d, repetitions = 300, 2 if quick else 5
    cells = []
    print(f"  {repetitions} tables of {d} columns each; passing share over the level, ± its error")
    for name, make in TABLES.items():
        for n in N_ROWS:
            counts = np.zeros((repetitions, len(LEVELS)))
            for r in range(repetitions):
                rng = np.random.default_rng([seed, n, r])
                found = screen(make(rng.normal(size=(n, d)), rng), level=max(LEVELS), partners=0)
                counts[r] = [(found.strength > threshold(level)).sum() for level in LEVELS]
            ratios = counts / (n_pairs(d) * np.array(LEVELS))
            mean, error = ratios.mean(axis=0), ratios.std(axis=0, ddof=1) / np.sqrt(repetitions)
            cells.append({"table": name, "n": n, "ratio": mean.tolist(), "error": error.tolist()})
            words = ", ".join(
                f"{level:g}: {m:.2f} ± {e:.2f}"
                for level, m, e in zip(LEVELS, mean, error, strict=True)
            )
            print(f"  {name}, {n} rows: {words}", flush=True)
    return {"n_columns": d, "repetitions": repetitions, "levels": LEVELS, "cells": cells}
