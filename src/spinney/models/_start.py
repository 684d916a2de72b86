"""Where non-convex objectives start from, and which weights count as edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from spinney._core.pairs import to_matrix, to_pairs
from spinney.models.objectives import ConvexPart, Ensemble, NegativeLogLikelihood, Trees
from spinney.models.solvers import SolverResult, accelerated_fixed_point
from spinney.pairs.densities import PairDensities

__all__ = [
    "EDGE_TOLERANCE",
    "VALUE_TOLERANCE",
    "convex_start",
    "drop_independent",
    "keep_edges",
]

Floats = NDArray[np.float64]

EDGE_TOLERANCE = 0.03
"""Prior probability up to which an edge of the solution counts as none.

The likelihood keeps edges that a few samples ask for: at n = 500 the false ones have probabilities
of 0.001 to 0.1 and the true ones of 0.3 to 1. Weights themselves tell nothing, as the weight of
the only edge between two parts is arbitrary. Chosen on tuning seeds."""

VALUE_TOLERANCE = 1e-5
"""Nats per sample that ten steps must gain to be worth going on."""

START_TOLERANCE = 1e-2
"""How far above its minimum, in nats, the convex initialiser may stop."""


def convex_start(ensemble: Trees, evidence: PairDensities) -> SolverResult:
    """Minimise the convex part of the tree objective by accelerated EM, from equal weights."""
    n_edges = ensemble.n_nodes - len(ensemble.blocks)
    inside = ensemble.inside.astype(float)
    start = inside * (n_edges / max(inside.sum(), 1.0))
    problem = ConvexPart(ensemble, evidence, n_edges)
    return accelerated_fixed_point(problem, start, tol=START_TOLERANCE, max_iter=5000)


def keep_edges(beta: Floats, ensemble: Ensemble, tolerance: float) -> Floats:
    """Set weights to zero whose edges are no more probable than the tolerance.

    Where that leaves no forest to sum over, the edges that join what has come apart are put back,
    the most probable first, until it does: with trees all of them, with forests of two trees all
    but one.
    """
    probability = ensemble.edge_probabilities(beta)
    kept = probability > tolerance
    # Cost zero means no edge to the routine, so costs start at one.
    cost = to_matrix(np.where(probability > 0, 2.0 - probability, 0.0))
    tree = csgraph.minimum_spanning_tree(cost).toarray()
    bridges = np.flatnonzero((to_pairs(tree + tree.T) > 0) & ~kept)
    for bridge in bridges[np.argsort(-probability[bridges], kind="stable")]:
        if np.isfinite(ensemble.evaluate_prior(np.where(kept, beta, 0.0)).log_partition[0]):
            break
        kept[bridge] = True
    return np.where(kept, beta, 0.0)


def drop_independent(beta: Floats, objective: NegativeLogLikelihood) -> Floats:
    """Set weights of pairs whose copula is independence to zero, if nothing is lost by it.

    A pair of density one adds nothing to a forest, so the likelihood often cannot tell whether it
    is an edge; then it is none.
    """
    evidence = objective.evidence
    independent = np.all((0.0 if evidence.log else 1.0) == evidence.W, axis=0)
    sparser = np.where(independent, 0.0, beta)
    lost = objective.evaluate(sparser)[0] - objective.evaluate(beta)[0]
    return sparser if lost <= VALUE_TOLERANCE else beta
