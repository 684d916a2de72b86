"""Tables of a thousand columns whose edges are known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from spinney import simulate

Floats = NDArray[np.float64]
Table = tuple[Floats, NDArray[np.bool_]]

NOISE = {"bend": 0.25, "ring": 0.25, "cross": 0.6, "wave": 0.5}
"""Standard deviation of what is added to a shape; see :func:`shapes`."""


def shapes(n: int, d: int, seed: int) -> Table:
    """Draw a tree along which columns rise and fall: bends, rings, crosses and waves in turn.

    A child is a function of its parent's uniform score, plus normal noise: a parabola; half a
    circle above or below; a line up or down; a sine of one and a half to two periods. None of
    them has a correlation with its parent that a large table would show, but waves of other than
    whole numbers of periods.
    """
    rng = np.random.default_rng([seed, 7])
    graph = simulate.forest_graph(d, 1, seed)
    X = np.empty((n, d))
    seen = np.zeros(d, dtype=bool)
    kinds = list(NOISE)
    todo = [0]
    X[:, 0], seen[0] = rng.normal(size=n), True
    while todo:
        parent = todo.pop()
        x = 2.0 * stats.rankdata(X[:, parent]) / (n + 1) - 1.0
        for child in np.flatnonzero(graph[parent] & ~seen):
            kind = kinds[int(rng.integers(len(kinds)))]
            sign = rng.choice([-1.0, 1.0], n)
            if kind == "bend":
                y = x**2
            elif kind == "ring":
                y = sign * np.cos(0.5 * np.pi * x)
            elif kind == "cross":
                y = sign * special.ndtri((x + 1.0) / 2.0)
            else:
                y = np.sin(np.pi * rng.uniform(1.5, 2.0) * x)
            X[:, child] = y + NOISE[kind] * rng.normal(size=n)
            seen[child] = True
            todo.append(int(child))
    return X, graph


def _forest(*families: str) -> Callable[[int, int, int], Table]:
    def draw(n: int, d: int, seed: int) -> Table:
        data = simulate.copula_forest(n, d, random_state=seed, families=families)
        return data.X, data.adjacency

    return draw


def _weak(n: int, d: int, seed: int) -> Table:
    data = simulate.gaussian_mrf(n, d, degree=2.0, random_state=seed)
    return data.X, data.adjacency


def _cliques(n: int, d: int, seed: int) -> Table:
    data = simulate.t_cliques(n, d, random_state=seed)
    return data.X, data.adjacency


TRUTHS: dict[str, Callable[[int, int, int], Table]] = {
    "Gaussian forest": _forest("gaussian"),
    "Student forest": _forest("student"),
    "Clayton forest": _forest("clayton"),
    "forest of all families": _forest("gaussian", "student", "clayton", "gumbel", "frank"),
    "Student cliques": _cliques,
    "bends, rings, crosses, waves": shapes,
    "weak Gaussian graph": _weak,
}
"""Trees have Kendall's tau from 0.3 to 0.7; cliques have one degree of freedom and any correlation,
often none. The last is a graph of two neighbours each, one component, whose edges get the weaker
the larger it is: correlations of 0.2 to 0.5 at a thousand columns."""
