"""Laws of values on a graph, and which of them a graph gets."""

from __future__ import annotations

import numpy as np

from spinney._core.components import component_labels
from training.world.directed import directed_values
from training.world.elliptical import (
    gaussian_values,
    hidden_causes,
    scaled_values,
    uniform_cliques,
)
from training.world.pairs import copula_values
from training.world.shapes import Shape
from training.world.source import Bools, Source, Values, pick

__all__ = ["CLIQUE_LAWS", "FOREST_LAWS", "GRAPH_LAWS", "draw_values", "independent_values"]

FOREST_LAWS = {
    "gaussian": 0.34,
    "student": 0.08,
    "copulas": 0.3,
    "linear causes": 0.06,
    "curved causes": 0.17,
    "hidden causes": 0.05,
}
"""Laws of values on trees and forests."""
GRAPH_LAWS = {
    "gaussian": 0.58,
    "student": 0.12,
    "linear causes": 0.1,
    "curved causes": 0.13,
    "hidden causes": 0.07,
}
"""Laws of values on other graphs."""
CLIQUE_LAWS = {"uniform cliques": 0.6, "gaussian": 0.3, "student": 0.1}
"""Laws of values on cliques apart from each other."""
TWO_LAWS = 0.5
"""Share of the disjoint unions whose components have two different laws."""


def independent_values(source: Source, d: int) -> Values:
    """Draw independent normal columns."""
    none = np.zeros((d, d), dtype=bool)
    return Values(source.normals(d), none, "independent", True, precision=np.eye(d))


def draw_values(source: Source, shape: Shape) -> Values:
    """Draw values on a graph by one law, or by two on the components of a union."""
    adjacency = shape.adjacency
    labels = component_labels(adjacency)
    apart = shape.kind == "union" and int(labels.max()) > 0
    if not apart or source.rng.uniform() >= TWO_LAWS:
        return _one_law(source, adjacency, cliques=shape.parts == ("cliques",))
    first = source.rng.integers(2, size=int(labels.max()) + 1)[labels] == 0
    if first.all() or not first.any():
        first = labels == 0
    truth, X = np.zeros_like(adjacency), np.empty((source.n, len(adjacency)))
    parts = []
    for here in (np.flatnonzero(first), np.flatnonzero(~first)):
        part = _one_law(source, adjacency[np.ix_(here, here)], cliques=False)
        truth[np.ix_(here, here)], X[:, here] = part.adjacency, part.X
        parts.append(part)
    law = " and ".join(sorted(part.law for part in parts))
    return Values(X, truth, law, all(part.gaussian for part in parts))


def _one_law(source: Source, adjacency: Bools, *, cliques: bool) -> Values:
    n_components = int(component_labels(adjacency).max()) + 1
    is_forest = int(adjacency.sum()) // 2 == len(adjacency) - n_components
    laws = CLIQUE_LAWS if cliques else FOREST_LAWS if is_forest else GRAPH_LAWS
    law = pick(source.rng, laws)
    if law == "student":
        return scaled_values(source, adjacency)
    if law == "uniform cliques":
        return uniform_cliques(source, adjacency)
    if law == "copulas":
        return copula_values(source, adjacency)
    if law == "hidden causes" and len(adjacency) >= 4:
        return hidden_causes(source, adjacency)
    if law in ("linear causes", "curved causes"):
        outward = source.rng.uniform() < (0.7 if is_forest else 0.2)
        return directed_values(source, adjacency, curved=law == "curved causes", outward=outward)
    return gaussian_values(source, adjacency)
