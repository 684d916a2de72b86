"""Forty tables, made once by `store` and kept in its file, so that simulators may change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from spinney import datasets, simulate

LETTERS = list("abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True)
class Table:
    """Values of single precision, which a small file can hold, and what the columns are.

    Levels are codes; NaN is a gap.
    """

    values: np.ndarray
    kinds: tuple[str, ...]

    @property
    def frame(self) -> pd.DataFrame:
        columns = zip(self.values.T.astype(float), self.kinds, strict=True)
        return pd.DataFrame({f"x{k}": _column(x, kind) for k, (x, kind) in enumerate(columns)})

    @property
    def plain(self) -> bool:
        return set(self.kinds) == {"continuous"} and not np.isnan(self.values).any()


def _column(x: np.ndarray, kind: str) -> Any:
    if kind == "continuous":
        return x
    codes = np.where(np.isnan(x), -1, x).astype(int)
    if kind == "nominal":
        return pd.Categorical.from_codes(codes, LETTERS[: codes.max() + 1])
    levels = pd.array(np.maximum(codes, 0), dtype="Int64")
    levels[codes < 0] = pd.NA
    return levels


def make() -> dict[str, Table]:
    """Draw all tables."""
    return {name: _as_table(draw()) for name, draw in DRAWS.items()}


def _as_table(data: Any) -> Table:
    if isinstance(data, pd.DataFrame):
        data = [_codes(data[name]) for name in data]
        return Table(np.column_stack([x for x, _ in data]), tuple(kind for _, kind in data))
    return Table(data.X.astype(np.float32), tuple(data.kinds))


def _codes(column: pd.Series) -> tuple[np.ndarray, str]:
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return column.to_numpy(dtype=np.float32), "continuous"
    codes = column.cat.remove_unused_categories().cat.codes.to_numpy().astype(np.float32)
    kind = "ordinal" if column.cat.ordered else "nominal"
    return np.where(codes < 0, np.float32(np.nan), codes), kind


def _with(data: simulate.Simulated, X: np.ndarray) -> simulate.Simulated:
    return simulate.Simulated(X, data.adjacency, data.name, {}, data.seed, kinds=data.kinds)


def _ties() -> simulate.Simulated:
    data = simulate.gaussian_mrf(100, 6, random_state=12)
    return _with(data, data.X.round(1))


def _collinear() -> simulate.Simulated:
    data = simulate.gaussian_mrf(80, 6, random_state=18)
    X = data.X.copy()
    X[:, 1] = X[:, 0] + 0.01 * X[:, 1]
    X[:, 3] = -np.exp(X[:, 2])
    return _with(data, X)


def _never_together() -> simulate.Simulated:
    """Two columns have no rows in common, and two others only seven."""
    data = simulate.copula_forest(100, 6, random_state=31)
    X = data.X.copy()
    X[:50, 0] = X[50:, 1] = np.nan
    X[:60, 2] = X[67:, 3] = np.nan
    return _with(data, X)


def _mixed_all(n: int, seed: int) -> simulate.Simulated:
    """Columns of every kind."""
    kinds = ["continuous", "ordinal", "continuous", "binary", "continuous"]
    left = simulate.threshold(simulate.gaussian_mrf(n, 5, random_state=seed), kinds, levels=4)
    right = simulate.potts_forest(n, 3, random_state=seed)
    X, kinds = np.hstack([left.X, right.X]), (*left.kinds, *right.kinds)
    # One nominal column moves a continuous one.
    X[:, 4] += X[:, 6]
    graph = np.zeros((8, 8), dtype=bool)
    return simulate.Simulated(X, graph, "mixed", {}, seed, kinds=tuple(kinds))


def _margins() -> simulate.Simulated:
    """Normal columns, some rounded, skewed, or with heavy tails."""
    data = simulate.gaussian_mrf(90, 7, random_state=13)
    X = data.X
    X[:, :3], X[:, 3:5] = np.round(2 * X[:, :3]) / 2, np.exp(X[:, 3:5])
    X[:, 6] = stats.t(2).ppf(stats.norm.cdf(X[:, 6]))
    return data


def _wide_mixed() -> simulate.Simulated:
    data = simulate.threshold(simulate.gaussian_mrf(80, 36, random_state=37), "mixed", levels=4)
    nominal = simulate.potts_forest(80, 6, random_state=37)
    graph = np.zeros((42, 42), dtype=bool)
    kinds = (*data.kinds, *nominal.kinds)
    whole = simulate.Simulated(np.hstack([data.X, nominal.X]), graph, "wide", {}, 37, kinds=kinds)
    return simulate.with_gaps(whole, 0.05, random_state=37)


def _gaussian(*shape: int, **options: Any) -> Callable[[], simulate.Simulated]:
    return lambda: simulate.gaussian_mrf(*shape, **options)


def _forest(*shape: int, **options: Any) -> Callable[[], simulate.Simulated]:
    return lambda: simulate.copula_forest(*shape, **options)


def _on(n: int, graph: np.ndarray, seed: int) -> simulate.Simulated:
    return simulate.gaussian(n, graph, random_state=seed)


DRAWS: dict[str, Callable[[], Any]] = {
    # Plain
    "gaussian": _gaussian(100, 8, random_state=1),
    "few_rows": _gaussian(40, 10, random_state=2),
    "dense": _gaussian(150, 7, degree=4.0, random_state=3),
    "t_cliques": lambda: simulate.t_cliques(120, 7, random_state=4),
    "t_cliques_3": lambda: simulate.t_cliques(80, 7, df=3.0, random_state=5),
    "forest": _forest(120, 8, random_state=6),
    "forest_parts": _forest(100, 9, components=3, random_state=7),
    "hubs": lambda: _on(100, simulate.hub_graph(9, 2, random_state=8), 8),
    "grid": lambda: _on(120, simulate.grid_graph(3, 3), 9),
    "independent": lambda: simulate.independent(60, 6, random_state=11),
    "ties": _ties,
    "margins": _margins,
    "tiny": _gaussian(12, 4, random_state=14),
    "two_columns": _forest(50, 2, random_state=15),
    "three_columns": _forest(60, 3, random_state=16),
    "sachs": lambda: pd.DataFrame(datasets.load_sachs().X).iloc[::8],
    "collinear": _collinear,
    # Levels
    "binary": lambda: simulate.ising_forest(150, 7, random_state=19),
    "binary_two": lambda: simulate.ising_forest(60, 2, random_state=20),
    "ordinal": lambda: simulate.threshold(simulate.gaussian_mrf(120, 7, random_state=21)),
    "ordinal_three": lambda: simulate.threshold(
        simulate.gaussian_mrf(80, 5, random_state=22), levels=3
    ),
    "nominal": lambda: simulate.potts_forest(150, 6, random_state=23),
    "mixed": lambda: simulate.threshold(simulate.gaussian_mrf(120, 8, random_state=24), "mixed"),
    "mixed_forest": lambda: simulate.threshold(
        simulate.gaussian(100, simulate.forest_graph(7, random_state=25), random_state=25), "mixed"
    ),
    "mixed_all": lambda: _mixed_all(120, 26),
    "mixed_few_rows": lambda: _mixed_all(30, 27),
    "voters": lambda: datasets.load_anes96().iloc[::10],
    # Gaps
    "gaps": lambda: simulate.with_gaps(simulate.gaussian_mrf(100, 7, random_state=29), 0.1),
    "gaps_forest": lambda: simulate.with_gaps(simulate.copula_forest(120, 6, random_state=30), 0.2),
    "gaps_pairwise": _never_together,
    "gaps_ordinal": lambda: simulate.with_gaps(
        simulate.threshold(simulate.gaussian_mrf(100, 5, random_state=32), levels=4), 0.1
    ),
    "gaps_mixed": lambda: simulate.with_gaps(_mixed_all(100, 33), 0.1),
    "gaps_nominal": lambda: simulate.with_gaps(
        simulate.potts_forest(120, 5, random_state=34), 0.15
    ),
    "penguins": lambda: datasets.load_penguins().iloc[::3],
    # Wide
    "wide": _gaussian(60, 40, random_state=36),
    "wide_mixed": _wide_mixed,
    "wide_forest": _forest(80, 60, components=6, random_state=38),
    "wide_parts": _gaussian(24, 110, components=10, random_state=10),
    "wide_auto": _gaussian(16, 301, components=40, random_state=39),
    # Long, of which some rows are drawn
    "long": _gaussian(1000, 4, random_state=40),
}
