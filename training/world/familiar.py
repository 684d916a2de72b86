"""The package's own simulators, with random parameters: where most users and comparisons are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spinney.exceptions import InputError
from spinney.simulate.cliques import t_cliques
from spinney.simulate.discrete import ising_forest, potts_forest
from spinney.simulate.forest import copula_forest
from spinney.simulate.gaussian import gaussian, gaussian_mrf
from spinney.simulate.graphs import grid_graph, hub_graph, scale_free_graph
from spinney.simulate.result import Simulated
from training.world.source import between, log_between, pick

__all__ = ["CONTINUOUS_SHARES", "DISCRETE_SHARES", "Familiar", "draw_familiar", "draw_levels"]

Rng = np.random.Generator


class Familiar(NamedTuple):
    """A table of one of the package's simulators."""

    data: Simulated
    kind: str
    law: str
    gaussian: bool
    parts: tuple[str, ...]


CONTINUOUS_SHARES = {
    "sparse": 0.27,
    "loopy": 0.16,
    "t-cliques": 0.13,
    "grid": 0.09,
    "hubs": 0.08,
    "scale-free": 0.04,
    "copula tree": 0.12,
    "copula forest": 0.11,
}
"""Kinds of continuous tables and their shares."""
DISCRETE_SHARES = {"ising": 0.3, "potts": 0.2, "threshold": 0.5}
"""Kinds of tables with levels: exact forests, or a continuous table that is cut."""


def _seed(rng: Rng) -> int:
    return int(rng.integers(2**62))


def _precision(rng: Rng) -> dict[str, Any]:
    """Options of the precision matrix: as they are in half of the tables."""
    if rng.uniform() < 0.55:
        return {}
    if rng.uniform() < 0.2:
        return {"method": "huge", "v": between(rng, 0.2, 0.5), "u": between(rng, 0.05, 0.3)}
    low = between(rng, 0.2, 0.8)
    return {"strength": (low, between(rng, low, 1.2)), "smallest": log_between(rng, 0.03, 0.5)}


def _parts(rng: Rng, d: int) -> int:
    """One component in most tables, two in many, sometimes more."""
    k = 1 + int(pick(rng, {0: 0.5, 1: 0.35, 2: 0.1, 3: 0.05}))
    return min(k, max(1, d // 3))


def _sparse(rng: Rng, n: int, d: int) -> Familiar:
    """As many edges as nodes, give or take: the founding paper's first settings."""
    k = _parts(rng, d)
    most = sum(s * (s - 1) // 2 for s in [d // k + (j < d % k) for j in range(k)])
    edges = d if rng.uniform() < 0.5 else round(d * between(rng, 0.95, 1.6))
    edges = min(max(edges, d - k), most)
    data = gaussian_mrf(n, d, 2 * edges / d, k, _seed(rng), **_precision(rng))
    kind = "forest" if edges == d - k else "near-tree"
    if edges > 1.25 * d:
        kind = "loopy"
    return Familiar(data, kind, "gaussian", True, (kind,))


def _loopy(rng: Rng, n: int, d: int) -> Familiar:
    edges = 2 * d if rng.uniform() < 0.4 else round(d * between(rng, 1.3, 2.5))
    edges = min(max(edges, d - 1), d * (d - 1) // 2)
    data = gaussian_mrf(n, d, 2 * edges / d, 1, _seed(rng), **_precision(rng))
    return Familiar(data, "loopy", "gaussian", True, ("loopy",))


def _cliques(rng: Rng, n: int, d: int) -> Familiar:
    df = 1.0 if rng.uniform() < 0.5 else log_between(rng, 1.0, 8.0)
    sizes = (3, 4) if rng.uniform() < 0.6 else (1, 2, 3, int(rng.integers(3, 7)))
    if d in (1, 2, 5):
        sizes = (2, 3)
    data = t_cliques(n, d, df, _seed(rng), sizes=sizes)
    return Familiar(data, "cliques", "student cliques", False, ("cliques",))


def _grid(rng: Rng, n: int, d: int) -> Familiar:
    rows = int(rng.integers(2, int(np.sqrt(d)) + 1)) if rng.uniform() < 0.5 else round(np.sqrt(d))
    # Filled column by column; the last one need not be full.
    graph = grid_graph(-(-d // max(2, rows)), max(2, rows))[:d, :d]
    place = rng.permutation(d)
    data = gaussian(n, graph[np.ix_(place, place)], _seed(rng), **_precision(rng))
    return Familiar(data, "grid", "gaussian", True, ("grid",))


def _hubs(rng: Rng, n: int, d: int) -> Familiar:
    k = 3 if rng.uniform() < 0.4 else int(rng.integers(1, 7))
    graph = hub_graph(d, min(k, d // 3), _seed(rng), joined=rng.uniform() < 0.3)
    data = gaussian(n, graph, _seed(rng), **_precision(rng))
    return Familiar(data, "hubs", "gaussian", True, ("hubs",))


def _scale_free(rng: Rng, n: int, d: int) -> Familiar:
    m = int(rng.integers(1, 3))
    graph = scale_free_graph(d, m, _seed(rng))
    data = gaussian(n, graph, _seed(rng), **_precision(rng))
    kind = "scale-free" if m > 1 else "preferential tree"
    return Familiar(data, kind, "gaussian", True, (kind,))


def _copulas(rng: Rng, n: int, d: int, k: int) -> Familiar:
    low, high = 0.3, 0.7
    if rng.uniform() < 0.5:
        low, high = np.sort(rng.uniform(0.1, 0.85, 2)).tolist()
    data = copula_forest(n, d, k, _seed(rng), tau=(low, high))
    kind = "tree" if k == 1 else "forest"
    return Familiar(data, kind, "copulas", False, (kind,))


def _copula_tree(rng: Rng, n: int, d: int) -> Familiar:
    return _copulas(rng, n, d, 1)


def _copula_forest(rng: Rng, n: int, d: int) -> Familiar:
    return _copulas(rng, n, d, 2 if rng.uniform() < 0.6 else int(rng.integers(2, max(3, d // 3))))


def _potts(
    n: int, d: int, k: int, levels: tuple[int, int], seed: int, strength: tuple[float, float]
) -> Simulated:
    """Draw Potts forests, with less strength if the margins of some pair do not allow it."""
    try:
        return potts_forest(n, d, k, levels, seed, strength=strength)
    except InputError:
        low, high = strength
        return _potts(n, d, k, levels, seed, (low / 2, high / 2))


_DRAW: dict[str, Callable[[Rng, int, int], Familiar]] = {
    "sparse": _sparse,
    "loopy": _loopy,
    "t-cliques": _cliques,
    "grid": _grid,
    "hubs": _hubs,
    "scale-free": _scale_free,
    "copula tree": _copula_tree,
    "copula forest": _copula_forest,
}


def draw_familiar(rng: Rng, n: int, d: int) -> Familiar:
    """Draw a continuous table of at least six columns."""
    return _DRAW[pick(rng, CONTINUOUS_SHARES)](rng, n, d)


def draw_levels(rng: Rng, n: int, d: int, nominal: bool) -> Familiar:
    """Draw a forest of discrete columns: nominal ones (Potts) or binary ones (Ising)."""
    k = _parts(rng, d)
    kind = "tree" if k == 1 else "forest"
    if nominal:
        most = int(min(8, max(3, n // 12)))
        levels = (3, 5) if rng.uniform() < 0.5 and most >= 5 else (3, most)
        low = log_between(rng, 0.02, 0.1)
        strength = (0.06, 0.25) if rng.uniform() < 0.5 else (low, between(rng, low, 0.3))
        data = _potts(n, d, k, levels, _seed(rng), strength)
        return Familiar(data, kind, "potts", False, (kind,))
    ends = (0.2, 0.5)
    if rng.uniform() < 0.5:
        ends = tuple(np.sort(rng.uniform(0.1, 0.85, 2)).tolist())
    data = ising_forest(n, d, k, _seed(rng), strength=ends)
    return Familiar(data, kind, "ising", False, (kind,))
