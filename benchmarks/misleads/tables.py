"""How the tables are drawn: each function gives a data frame of named columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

Rng = np.random.Generator
Draw = Callable[[int, Rng], pd.DataFrame]


# x and z have one cause, y, which acts by a bend or a threshold: x-z is not an edge.


def square(n: int, rng: Rng) -> pd.DataFrame:
    return _of_cause(rng.normal(size=n), np.square, 1.0, rng)


def threshold(n: int, rng: Rng) -> pd.DataFrame:
    return _of_cause(rng.normal(size=n), lambda y: 3.0 * (y > 1), 1.0, rng)


def sine(n: int, rng: Rng) -> pd.DataFrame:
    return _of_cause(rng.normal(size=n), lambda y: np.sin(3 * y), 0.5, rng)


def _of_cause(y: Any, act: Callable[[Any], Any], noise: float, rng: Rng) -> pd.DataFrame:
    x, z = (act(y) + noise * rng.normal(size=len(y)) for _ in range(2))
    return pd.DataFrame({"x": x, "y": y, "z": z})


def season(n: int, rng: Rng) -> pd.DataFrame:
    """Give temperature (x) and ice cover (z) by the day of the year (y)."""
    day = rng.integers(1, 366, size=n)
    x = 9 - 10 * np.cos(2 * np.pi * (day - 20) / 365) + 3 * rng.normal(size=n)
    cover = special.expit(4 * np.cos(2 * np.pi * (day - 60) / 365) - 1)
    z = 100 * cover + 8 * rng.normal(size=n)
    return pd.DataFrame({"x": x, "y": day, "z": z})


# Rows that depend on each other; the columns are independent, or v0-v1 is the only edge.


def units(n_units: int, likeness: float, d: int = 6, edge: float = 0.0) -> Draw:
    """Draw rows of units; `likeness` is the intraclass correlation of every column."""

    def draw(n: int, rng: Rng) -> pd.DataFrame:
        unit = np.repeat(np.arange(n_units), n // n_units)
        between = rng.normal(size=(n_units, d))[unit]
        within = rng.normal(size=(len(unit), d))
        within[:, 1] = edge * within[:, 0] + np.sqrt(1 - edge**2) * within[:, 1]
        X = np.sqrt(likeness) * between + np.sqrt(1 - likeness) * within
        return _named(X).assign(unit=[f"unit{k}" for k in unit])

    return draw


def series(memory: float, d: int = 6) -> Draw:
    """Draw independent series of autocorrelation `memory`; 1 is a random walk."""

    def draw(n: int, rng: Rng) -> pd.DataFrame:
        X = rng.normal(size=(n, d))
        X[0] /= np.sqrt(1 - memory**2) if memory < 1 else 1.0
        for t in range(1, n):
            X[t] += memory * X[t - 1]
        return _named(X)

    return draw


# Independent columns with levels, some of them rare.


def nominal(n_levels: int, d: int = 6, slope: float = 0.0) -> Draw:
    """Draw independent columns of text; with a slope, level k has a share of k ** -slope."""
    shares = np.arange(1, n_levels + 1) ** -slope
    shares /= shares.sum()

    def draw(n: int, rng: Rng) -> pd.DataFrame:
        X = rng.choice(n_levels, size=(n, d), p=shares)
        return _named(np.array([f"level{k}" for k in range(n_levels)])[X])

    return draw


def nominal_and_numbers(n_levels: int) -> Draw:
    """Draw three independent columns of text and three of numbers."""

    def draw(n: int, rng: Rng) -> pd.DataFrame:
        frame = nominal(n_levels)(n, rng)
        return frame.assign(**{f"v{k}": rng.standard_exponential(n) for k in (3, 4, 5)})

    return draw


def rare_yes(share: float) -> Draw:
    return lambda n, rng: _named(np.where(rng.random((n, 6)) < share, "yes", "no"))


# Dependence that no pair of columns has by itself.


def exclusive_or(noise: float) -> Draw:
    """Draw fair x and y and z = x XOR y, with a share of errors, and an independent w."""

    def draw(n: int, rng: Rng) -> pd.DataFrame:
        x, y, w = rng.integers(0, 2, size=(3, n))
        z = (x ^ y) ^ (rng.random(n) < noise)
        return pd.DataFrame({"x": x, "y": y, "z": z, "w": w}).replace({0: "no", 1: "yes"})

    return draw


def sign_by_class(correlation: float) -> Draw:
    """Draw x and z whose correlation has another sign in each class (y), and an independent w."""

    def draw(n: int, rng: Rng) -> pd.DataFrame:
        x, noise, w = rng.normal(size=(3, n))
        first = rng.integers(0, 2, size=n)
        z = correlation * np.where(first, x, -x) + np.sqrt(1 - correlation**2) * noise
        return pd.DataFrame({"x": x, "y": np.where(first, "one", "two"), "z": z, "w": w})

    return draw


# One weak edge; copies; two columns.


def weak(errors: float, d: int) -> Draw:
    """Draw normal columns of which v0 and v1 are correlated by `errors` standard errors."""

    def draw(n: int, rng: Rng) -> pd.DataFrame:
        X = rng.normal(size=(n, d))
        rho = errors / np.sqrt(n)
        X[:, 1] = rho * X[:, 0] + np.sqrt(1 - rho**2) * X[:, 1]
        return _named(X)

    return draw


def near_copies(n: int, rng: Rng) -> pd.DataFrame:
    """Draw y, its copy with an error of 0.02, a neighbour x of y and a neighbour z of the copy."""
    y = rng.normal(size=n)
    copy = y + 0.02 * rng.normal(size=n)
    x, z = (one + rng.normal(size=n) for one in (y, copy))
    return pd.DataFrame({"x": x, "y": y, "copy": copy, "z": z})


def normal(d: int) -> Draw:
    return lambda n, rng: _named(rng.normal(size=(n, d)))


def _named(values: Any) -> pd.DataFrame:
    return pd.DataFrame(values).set_axis([f"v{k}" for k in range(values.shape[1])], axis=1)
