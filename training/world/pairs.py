"""Forests with any pair copulas on their edges."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import networkx as nx
import numpy as np
from scipy import special

from spinney.pairs.copulas import BB1, Copula, family_class
from spinney.pairs.copulas.rectangles import SMALLEST
from spinney.simulate.forest import _parameter
from training.world.source import Bools, Floats, Source, Values, between, log_between, pick

__all__ = ["FAMILIES", "TAU", "copula_values", "draw_copula"]

Rng = np.random.Generator

FAMILIES = {"gaussian": 0.24, "student": 0.21, "clayton": 0.21, "gumbel": 0.18, "frank": 0.16}
"""Families of pair copulas and their shares among the edges of a forest."""
FURTHER = {**FAMILIES, "joe": 0.15, "bb1": 0.15}
"""The same in one copula forest of eight: Joe and BB1 take a while to draw."""
FURTHER_SHARE = 0.125
MOST_ROWS_OF_FURTHER = 2000
TAU = (0.05, 0.95)
"""Range of the absolute value of Kendall's tau; each table has a range of its own within."""
MIXED = 0.25
"""Share of the tables in which every fourth edge is a mixture of two copulas."""
ONE_FAMILY = 0.3
"""Share of the tables all of whose edges have the same family."""
STUDENT_DF = (1.5, 10.0)


def draw_copula(
    rng: Rng, tau: tuple[float, float], families: Mapping[str, float] = FAMILIES
) -> Copula:
    """Draw family, sign or rotation, and strength of a pair copula.

    Examples
    --------
    >>> abs(draw_copula(np.random.default_rng(0), (0.5, 0.5), {"frank": 1}).tau) > 0.49
    True
    """
    name = pick(rng, families)
    strength = round(between(rng, *tau), 2)
    rotation = int(rng.choice((0, 90, 180, 270)))
    sign = 1.0 if rng.integers(2) else -1.0
    if name == "bb1":
        # tau = 1 - 2 / (δ (θ + 2)): δ is drawn, θ follows; neither may pass ten.
        strength = min(strength, 0.8)
        delta = between(rng, 1.0, min(1 / (1 - strength), 5.0))
        theta = float(np.clip(2 / (delta * (1 - strength)) - 2, 1e-3, 9.0))
        return BB1(theta, delta, rotation=rotation)
    first = _first(name, max(strength, 0.02))
    cls: Any = family_class(name)
    copula: Copula
    if name == "student":
        copula = cls(sign * first, log_between(rng, *STUDENT_DF))
    elif name in ("gaussian", "frank"):
        copula = cls(sign * first)
    else:
        copula = cls(first, rotation=rotation)
    return copula


@cache
def _first(name: str, tau: float) -> float:
    """Parameter by tau; few values are asked for, and finding one takes a while."""
    cls = family_class(name)
    most = {"frank": 0.9, "joe": 0.85, "clayton": 0.9, "gumbel": 0.9}.get(name, tau)
    return _parameter(cls, min(tau, most))


def copula_values(source: Source, adjacency: Bools) -> Values:
    """Draw a forest of random pair copulas from the roots down; marginally normal."""
    rng = source.rng
    low, high = np.sort(rng.uniform(*TAU, 2)).tolist()
    families, law = FAMILIES, "copulas"
    if rng.uniform() < ONE_FAMILY:
        family = pick(rng, FAMILIES)
        families, law = {family: 1.0}, f"copulas ({family})"
    elif rng.uniform() < FURTHER_SHARE / (1 - ONE_FAMILY) and source.n <= MOST_ROWS_OF_FURTHER:
        families = FURTHER
    mixed = 0.25 if rng.uniform() < MIXED else 0.0
    P = np.clip(special.ndtr(source.normals(len(adjacency))), SMALLEST, 1 - SMALLEST)
    U = P.copy()
    forest = nx.from_numpy_array(adjacency)
    for tree in nx.connected_components(forest):
        for parent, child in nx.bfs_edges(forest, min(tree)):
            step = _down(rng, U[:, parent], P[:, child], (low, high), families)
            if rng.uniform() < mixed:
                other = _down(rng, U[:, parent], P[:, child], (low, high), families)
                step = np.where(rng.uniform(size=source.n) < between(rng, 0.2, 0.8), step, other)
            U[:, child] = step
    X = np.asarray(special.ndtri(U), dtype=float)
    gaussian = law == "copulas (gaussian)" and not mixed
    return Values(X, adjacency, law, gaussian, details={"tau": [low, high], "mixed": mixed > 0})


def _down(
    rng: Rng,
    parent: Floats,
    uniform: Floats,
    tau: tuple[float, float],
    families: Mapping[str, float],
) -> Floats:
    copula = draw_copula(rng, tau, families)
    child = copula.hinv(parent, uniform, given="u")
    return np.clip(np.asarray(child, dtype=float), SMALLEST, 1 - SMALLEST)
