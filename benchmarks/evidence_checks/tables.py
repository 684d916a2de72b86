"""Independent columns of every kind, and the tables that checks are made of."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

Rng = np.random.Generator
Draw = Callable[[int, int, Rng], pd.DataFrame]


def named(values: object) -> pd.DataFrame:
    """Give columns names."""
    frame = pd.DataFrame(values)
    return frame.set_axis([f"v{k}" for k in range(frame.shape[1])], axis=1)


def normal(n: int, d: int, rng: Rng) -> pd.DataFrame:
    return named(rng.normal(size=(n, d)))


def yes_no(share: float) -> Draw:
    return lambda n, d, rng: named((rng.random((n, d)) < share).astype(int))


def likert(n: int, d: int, rng: Rng) -> pd.DataFrame:
    return named(rng.integers(1, 6, size=(n, d)))


def mostly_zero(n: int, d: int, rng: Rng) -> pd.DataFrame:
    return named(np.where(rng.random((n, d)) < 0.95, 0, rng.poisson(3, size=(n, d)) + 1))


def gaps(share: float) -> Draw:
    def draw(n: int, d: int, rng: Rng) -> pd.DataFrame:
        return normal(n, d, rng).mask(rng.random((n, d)) < share)

    return draw


def few_values(count: int, columns: int) -> Draw:
    """Leave `count` values in each of the first `columns` columns."""

    def draw(n: int, d: int, rng: Rng) -> pd.DataFrame:
        frame = normal(n, d, rng)
        for k in range(columns):
            frame.iloc[rng.permutation(n)[count:], k] = np.nan
        return frame

    return draw


def series(memory: float) -> Draw:
    def draw(n: int, d: int, rng: Rng) -> pd.DataFrame:
        X = rng.normal(size=(n + 100, d))
        for t in range(1, len(X)):
            X[t] += memory * X[t - 1]
        return named(X[100:])

    return draw


def with_classes(n: int, d: int, rng: Rng) -> pd.DataFrame:
    frame = normal(n, d, rng)
    return frame.assign(v0=rng.choice(list("abcd"), size=n))


KINDS: dict[str, tuple[Draw, int, int]] = {
    "normal, 50 x 10": (normal, 50, 10),
    "normal, 30 x 25": (normal, 30, 25),
    "normal, 500 x 25": (normal, 500, 25),
    "normal, 20 x 3": (normal, 20, 3),
    "yes 1 %, 500 x 10": (yes_no(0.01), 500, 10),
    "yes 5 %, 500 x 10": (yes_no(0.05), 500, 10),
    "yes 50 %, 200 x 10": (yes_no(0.5), 200, 10),
    "five levels, 200 x 10": (likert, 200, 10),
    "95 % zeros, 400 x 10": (mostly_zero, 400, 10),
    "30 % gaps, 200 x 10": (gaps(0.3), 200, 10),
    "70 % gaps, 400 x 10": (gaps(0.7), 400, 10),
    "five with 25 values, 400 x 10": (few_values(25, 5), 400, 10),
    "one with 15 values, 2000 x 20": (few_values(15, 1), 2000, 20),
    "series, memory 0.8, 200 x 10": (series(0.8), 200, 10),
    "a nominal column, 200 x 8": (with_classes, 200, 8),
}
"""Independent columns: how they are drawn, rows, columns."""


def real(name: str) -> pd.DataFrame | None:
    """Read a real table, ``package__dataset``; None if it is not there."""
    given = os.environ.get("SPINNEY_REAL_TABLES")
    folder = Path(given) if given else Path(__file__).parents[2] / "build" / "real-tables"
    path = folder / f"{name}.csv"
    return pd.read_csv(path) if path.exists() else None
