"""Where non-convex objectives start from, and which weights count as edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from spinney._pairs import to_matrix
from spinney.objectives import ConvexPart, Ensemble, Evidence, Trees
from spinney.solvers import SolverResult, accelerated_fixed_point

__all__ = ["EDGE_TOLERANCE", "VALUE_TOLERANCE", "convex_start", "keep_edges"]

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


def convex_start(ensemble: Trees, evidence: Evidence) -> SolverResult:
    """Minimise the convex part of the tree objective by accelerated EM, from equal weights."""
    n_edges = ensemble.n_nodes - len(ensemble.blocks)
    inside = ensemble.inside.astype(float)
    start = inside * (n_edges / max(inside.sum(), 1.0))
    problem = ConvexPart(ensemble, evidence, n_edges)
    return accelerated_fixed_point(problem, start, tol=START_TOLERANCE, max_iter=5000)


def keep_edges(
    beta: Floats, ensemble: Ensemble, tolerance: float, *, connected: bool = False
) -> Floats:
    """Set weights to zero whose edges are less probable than the tolerance.

    Parameters
    ----------
    connected : bool
        Whether what was connected must stay so: then the edges of a spanning forest of largest
        probability are kept in any case.
    """
    probability = ensemble.edge_probabilities(beta)
    kept = probability > tolerance
    if connected:
        # Cost zero means no edge to the routine, so costs start at one.
        cost = to_matrix(np.where(probability > 0, 2.0 - probability, 0.0))
        tree = csgraph.minimum_spanning_tree(cost).toarray()
        first, second = np.triu_indices(len(cost), 1)
        kept |= (tree + tree.T)[first, second] > 0
    return np.where(kept, beta, 0.0)
