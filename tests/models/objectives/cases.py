"""Ensembles, each with the rule for the partitions of nodes that its forests may have."""

from itertools import combinations

import numpy as np

from spinney._core.components import component_labels
from spinney._core.pairs import to_matrix
from spinney.models.objectives import Rooted
from spinney.models.unrooted import CutTrees, FewTrees, InducedTrees, Trees
from tests.models.objectives.enumerated import acyclic_sets, forests_of, partition_of

DENSE = ["trees", "blocks", "few1", "few2", "few3", "few", "cuts", "all cuts"]


ALL = [*DENSE, "rooted"]


def rooted_forests(d):
    """Incidence of all forests, each as often as its trees can have roots."""
    incidence, trees = acyclic_sets(d)
    roots = [np.prod(np.unique(labels, return_counts=True)[1]) for labels in trees]
    return np.repeat(incidence, roots, axis=0)


def some_cuts(d):
    """The trivial cut, the first node alone, and the even nodes against the odd ones."""
    if d == 2:
        return np.array([[False, False], [True, False]])
    return np.array([np.zeros(d), np.arange(d) == 0, np.arange(d) % 2 == 1], dtype=bool)


def all_cuts(d):
    rest = [
        chosen for size in range(1, d) for chosen in combinations(range(1, d), size)
    ]  # sides without node 0
    sides = np.zeros((len(rest) + 1, d), dtype=bool)
    for k, chosen in enumerate(rest):
        sides[k + 1, list(chosen)] = True
    return sides


def two_blocks(d):
    """The first node with every third after it, and the others."""
    return [np.arange(0, d, 3), np.setdiff1d(np.arange(d), np.arange(0, d, 3))]


def build(name, d, beta=None):
    """An ensemble and the incidence matrix of its forests."""
    if name == "rooted":
        return Rooted(d), rooted_forests(d)
    if name == "trees":
        return Trees(d), forests_of(d, lambda sets: len(sets) == 1)
    if name == "blocks":
        blocks = two_blocks(d)
        wanted = frozenset(frozenset(block.tolist()) for block in blocks)
        return Trees(d, blocks), forests_of(d, lambda sets: sets == wanted)
    if name == "induced":
        wanted = partition_of(component_labels(to_matrix(beta)).tolist())
        return InducedTrees(d), forests_of(d, lambda sets: sets == wanted)
    if name.startswith("few"):
        most = int(name[3:] or d)
        ensemble = FewTrees(d, int(name[3:]) if name[3:] else None)
        return ensemble, forests_of(d, lambda sets: len(sets) <= most)
    sides = some_cuts(d) if name == "cuts" else all_cuts(d)
    wanted = {partition_of(side.tolist()) for side in sides}
    return CutTrees(sides), forests_of(d, lambda sets: sets in wanted)
