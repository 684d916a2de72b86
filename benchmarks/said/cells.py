"""Tables whose strengths are known: what a cell draws, its graph, and the true strengths."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import norm

__all__ = ["Cell", "Drawn", "all_cells"]

Floats = NDArray[np.float64]

MODELS = 8
"""Models of a cell whose truth takes a very long table."""
LONG = 300_000
ROWS = (150, 500, 2000)
LETTERS = "abcdefgh"


class Drawn(NamedTuple):
    """A table, its edges with their true strengths, and the column with its units."""

    frame: pd.DataFrame
    strengths: dict[tuple[str, str], float]
    units: str | None = None


@dataclass(frozen=True)
class Cell:
    """A kind of tables, by name, and how one of n rows is drawn."""

    name: str
    draw: Callable[[int, np.random.Generator], Drawn]


def all_cells() -> Iterator[Cell]:
    """List the cells."""
    yield Cell("latent Gaussian", gaussian)
    for classes in (2, 3, 4):
        for shift in (0.0, 1.0, 2.0, 3.0):
            name = f"{classes} classes, shift {shift:g}"
            yield Cell(name, lambda n, rng, c=classes, s=shift: in_classes(n, rng, c, s))
    yield Cell("a yes/no neighbour, shift 2.5", yes_no)
    yield Cell("nominal neighbours", nominal)
    for levels in (2, 3, 5):
        yield Cell(f"{levels} levels", lambda n, rng, k=levels: ordinal(n, rng, k))
    for size in (3, 10):
        yield Cell(f"units of {size} rows", lambda n, rng, k=size: in_units(n, rng, k))
    yield Cell("a fifth of the values missing", with_gaps)


def _model(rng: np.random.Generator, d: int) -> tuple[Floats, Floats]:
    """Draw a covariance, and its partial correlations: about a third of the pairs have one."""
    joined = np.triu(rng.random((d, d)) < 0.35, 1)
    joined[0, 1] = True
    W = joined * rng.uniform(0.15, 0.5, (d, d)) * rng.choice([-1.0, 1.0], (d, d))
    W = W + W.T
    K = W + np.diag(np.abs(W).sum(axis=1) + rng.uniform(0.05, 0.3, d))
    scale = np.sqrt(np.diag(K))
    return np.linalg.inv(K), np.where(W != 0.0, -K / np.outer(scale, scale), 0.0)


def _named(partial: Floats) -> dict[tuple[str, str], float]:
    u, v = np.nonzero(np.triu(partial, 1))
    ends = zip(u, v, strict=True)
    return {(LETTERS[i], LETTERS[j]): float(partial[i, j]) for i, j in ends}


def _frame(X: Any) -> pd.DataFrame:
    return pd.DataFrame(X, columns=list(LETTERS[: np.shape(X)[1]]))


def gaussian(n: int, rng: np.random.Generator) -> Drawn:
    """Margins are bent, which ranks do not see."""
    covariance, partial = _model(rng, 7)
    X = rng.multivariate_normal(np.zeros(7), covariance, n)
    return Drawn(_frame(np.sinh(X / np.sqrt(np.diag(covariance)))), _named(partial))


def in_classes(n: int, rng: np.random.Generator, classes: int, shift: float) -> Drawn:
    """Two columns with a correlation within classes that lie up to `shift` apart."""
    rho = float(rng.uniform(0.2, 0.7) * rng.choice([-1.0, 1.0]))
    group = rng.integers(classes, size=n)
    at = np.linspace(0.0, shift, classes)
    Z = rng.multivariate_normal([0.0, 0.0], [[1.0, rho], [rho, 1.0]], n) + at[group][:, None]
    frame = _frame(Z).assign(c=np.array(list("pqrs"))[group])
    return Drawn(frame, {("a", "b"): rho, ("a", "c"): np.nan, ("b", "c"): np.nan})


def yes_no(n: int, rng: np.random.Generator) -> Drawn:
    """As with two classes, written as 0 and 1, and a third column with a partial correlation."""
    drawn = in_classes(n, rng, 2, 2.5)
    rho = drawn.strengths["a", "b"]
    frame = drawn.frame.assign(c=(drawn.frame["c"] == "q").astype(int))
    frame["d"] = frame["b"] + 2.0 * rng.normal(size=n)
    more = (1.0 - rho**2) / 4.0  # that d adds to the precision of b
    known = {("a", "b"): rho / (1.0 + more) ** 0.5, ("b", "d"): (more / (1.0 + more)) ** 0.5}
    return Drawn(frame, {**drawn.strengths, **known})


def nominal(n: int, rng: np.random.Generator) -> Drawn:
    """Draw a Gaussian graph whose columns two nominal ones move, joined to all of them."""
    covariance, partial = _model(rng, 5)
    X = rng.multivariate_normal(np.zeros(5), covariance, n) / np.sqrt(np.diag(covariance))
    strengths = _named(partial)
    frame = _frame(X)
    for name, classes in (("f", 3), ("g", 4)):
        group = rng.integers(classes, size=n)
        frame[name] = np.array(list("wxyz"))[group]
        for column in "abcde":
            frame[column] += rng.uniform(-1.0, 1.0, classes)[group]
            strengths[(column, name)] = np.nan
    return Drawn(frame, strengths)


@cache
def _cut(
    levels: int, model: int
) -> tuple[Floats, tuple[Floats, ...], dict[tuple[str, str], float]]:
    """Covariance, cuts, and strengths of columns cut into levels: those of a very long table."""
    rng = np.random.default_rng([levels, model])
    covariance, partial = _model(rng, 6)
    covariance = covariance / np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))
    cuts = tuple(np.sort(rng.uniform(-1.1, 1.1, levels - 1)) for _ in range(6))
    Z = rng.multivariate_normal(np.zeros(6), covariance, LONG)
    codes = [np.digitize(z, own) for z, own in zip(Z.T, cuts, strict=True)]
    scores = np.array([_scores(own) for own in codes])
    found = {}
    joined = partial != 0.0
    for u, v in np.argwhere(np.triu(joined, 1)):
        near = [k for k in np.flatnonzero(joined[u] | joined[v]) if k not in (u, v)]
        given = [np.ones(LONG)]
        given += [(codes[k] == level).astype(float) for k in near for level in range(1, levels)]
        X = np.column_stack(given)
        Y = scores[[u, v]].T
        rest = Y - X @ np.linalg.lstsq(X, Y, rcond=None)[0]
        found[LETTERS[u], LETTERS[v]] = float(np.corrcoef(rest.T)[0, 1])
    return covariance, cuts, found


def _scores(codes: NDArray[np.int64]) -> Floats:
    """Means of a normal variable within levels of these shares."""
    shares = np.bincount(codes) / len(codes)
    at = norm.ppf(np.clip(np.append(0.0, np.cumsum(shares)), 0.0, 1.0))
    return (-np.diff(norm.pdf(at)) / np.maximum(shares, 1e-12))[codes]


def ordinal(n: int, rng: np.random.Generator, levels: int) -> Drawn:
    """Columns cut into levels; the strength is that of the scores of levels, given the levels."""
    covariance, cuts, strengths = _cut(levels, int(rng.integers(MODELS)))
    Z = rng.multivariate_normal(np.zeros(6), covariance, n)
    codes = [np.digitize(z, own) for z, own in zip(Z.T, cuts, strict=True)]
    return Drawn(_frame(np.column_stack(codes)), strengths)


def in_units(n: int, rng: np.random.Generator, size: int) -> Drawn:
    """Rows of units, of which 10 to 80 % of the variance is the units' own."""
    covariance, partial = _model(rng, 6)
    own = float(rng.uniform(0.1, 0.8))
    units = np.arange(n) // size
    effects = rng.multivariate_normal(np.zeros(6), covariance, int(units[-1]) + 1)[units]
    X = np.sqrt(own) * effects
    X += np.sqrt(1.0 - own) * rng.multivariate_normal(np.zeros(6), covariance, n)
    frame = _frame(X).assign(unit=[f"u{k}" for k in units])
    return Drawn(frame, _named(partial), "unit")


def with_gaps(n: int, rng: np.random.Generator) -> Drawn:
    """Draw a Gaussian graph with values missing at random."""
    drawn = gaussian(n, rng)
    return Drawn(drawn.frame.mask(rng.random(drawn.frame.shape) < 0.2), drawn.strengths)
