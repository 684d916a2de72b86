"""What happens to values between the truth and the table; none of it changes the truth."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spinney.simulate.world.source import Floats, between, log_between, spread

__all__ = ["MARGIN_MAPS", "SPOILS", "apply_spoils", "choose_spoils"]

Rng = np.random.Generator

SPOILS = {
    "common influence": 0.05,
    "noise": 0.2,
    "batches": 0.06,
    "outliers": 0.07,
    "rounding": 0.12,
    "margins": 0.15,
    "negation": 0.25,
}
"""Chance of each spoil in a continuous table of the wide part, independently, in this order."""
FAMILIAR_SPOILED = 0.15
"""Share of the continuous tables of the package's own simulators that are spoiled at all."""
MARGIN_MAPS: dict[str, Callable[[Floats], Floats]] = {
    "cube": lambda x: x**3,
    "root": np.cbrt,
    "logarithm": np.arcsinh,
    "growth": lambda x: np.exp(np.clip(x, -30, 30)) + x,
}
"""Strictly growing maps of columns with a spread of one."""


def choose_spoils(rng: Rng) -> list[str]:
    """Draw which spoils a table has."""
    return [name for name, chance in SPOILS.items() if rng.uniform() < chance]


def apply_spoils(rng: Rng, X: Floats, spoils: list[str]) -> Floats:
    """Spoil continuous columns; each spoil draws from a stream of its own."""
    spoiled = X - np.median(X, axis=0)
    spoiled /= spread(spoiled)
    streams = dict(zip(SPOILS, rng.spawn(len(SPOILS)), strict=True))
    for name in SPOILS:
        if name in spoils:
            spoiled = _APPLY[name](streams[name], spoiled)
    return spoiled


def _some(rng: Rng, d: int, least: float = 0.2) -> list[int]:
    """Draw a share of the columns, or all of them in two tables of five."""
    if rng.uniform() < 0.4:
        return list(range(d))
    k = max(1, round(d * rng.uniform(least, 1.0)))
    return sorted(rng.choice(d, k, replace=False).tolist())


def common_influence(rng: Rng, X: Floats) -> Floats:
    """Add one hidden series to all columns, with loadings up to 0.1 … 0.5 (log-uniform)."""
    most = log_between(rng, 0.1, 0.5)
    loadings = rng.uniform(0, most, X.shape[1])
    if rng.uniform() < 0.5:
        loadings *= 2.0 * rng.integers(2, size=X.shape[1]) - 1.0
    return X + np.outer(rng.standard_normal(len(X)), loadings)


def noise(rng: Rng, X: Floats) -> Floats:
    """Add independent noise of 0.1 … 1 (log-uniform) of a column's spread to some columns."""
    columns = _some(rng, X.shape[1])
    size = log_between(rng, 0.1, 1.0)
    X = X.copy()
    X[:, columns] += size * rng.standard_normal((len(X), len(columns)))
    return X


def batches(rng: Rng, X: Floats) -> Floats:
    """Shift groups of rows by normal amounts of 0.1 … 0.6 (log-uniform), in some columns."""
    k = int(rng.integers(2, 7))
    columns = _some(rng, X.shape[1])
    batch = rng.integers(k, size=len(X))
    shifts = log_between(rng, 0.1, 0.6) * rng.standard_normal((k, len(columns)))
    X = X.copy()
    X[:, columns] += shifts[batch]
    return X


def outliers(rng: Rng, X: Floats) -> Floats:
    """Put gross errors of 4 … 15 spreads in 0.5 … 5 % of the cells, or of whole rows."""
    share, size = log_between(rng, 0.005, 0.05), between(rng, 4.0, 15.0)
    if rng.uniform() < 0.35:
        hit = np.broadcast_to(rng.uniform(size=(len(X), 1)) < share, X.shape)
    else:
        hit = rng.uniform(size=X.shape) < share
    return np.where(hit, X + size * rng.standard_normal(X.shape), X)


def rounding(rng: Rng, X: Floats) -> Floats:
    """Round some columns to multiples of 0.03 … 0.7 of the spread, or level their lowest values.

    Steps are no whole numbers, or a column could look like numbered rows.
    """
    columns = _some(rng, X.shape[1])
    X = X.copy()
    if rng.uniform() < 0.3:  # nothing can be measured below a limit
        floors = np.quantile(X[:, columns], between(rng, 0.05, 0.5), axis=0)
        X[:, columns] = np.maximum(X[:, columns], floors)
    else:
        step = log_between(rng, 0.03, 0.7)
        X[:, columns] = step * np.round(X[:, columns] / step)
    return X


def margins(rng: Rng, X: Floats) -> Floats:
    """Bend columns by growing maps, which no rank notices."""
    names = list(MARGIN_MAPS)
    columns = X.T.copy()
    for k in range(len(columns)):
        choice = int(rng.integers(len(names) + 1))
        if choice < len(names):
            columns[k] = MARGIN_MAPS[names[choice]](columns[k])
    return np.ascontiguousarray(columns.T)


def negation(rng: Rng, X: Floats) -> Floats:
    """Turn the sign of each column with probability one half."""
    return X * (2.0 * rng.integers(2, size=X.shape[1]) - 1.0)


_APPLY: dict[str, Callable[[Rng, Floats], Floats]] = {
    "common influence": common_influence,
    "noise": noise,
    "batches": batches,
    "outliers": outliers,
    "rounding": rounding,
    "margins": margins,
    "negation": negation,
}
