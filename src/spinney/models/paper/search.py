"""The paper's searches: the order of the columns, the start, and which weights are edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import csgraph

from spinney._core.arrays import Floats, Ints
from spinney._core.component_kernels import pair_component_labels
from spinney._core.pairs import pair_nodes, to_matrix, to_pairs
from spinney.models.objectives import ConvexPart, Ensemble, NegativeLogLikelihood
from spinney.models.solvers import SolverResult, accelerated_fixed_point
from spinney.models.unrooted import Trees
from spinney.pairs.densities import PairDensities

DIGITS = 9
"""Decimals of log-densities that are kept. The next ones differ between a column and its negative,
and carry no information."""


class Canonical:
    """Densities of pairs with the columns in an order that depends on what they hold.

    The paper's models are not minimisers of anything (EF-λ), or of something that is flat in many
    directions (trees, cuts): the last digits of a sum, which depend on the order of the columns,
    can tip a search to one side or the other. Here columns are sorted by what their pairs gain in
    all, so that the same table leads to the same search however its columns stand.

    Parameters
    ----------
    evidence : PairDensities
        In the order of the table.

    Attributes
    ----------
    evidence : PairDensities
        In the canonical order, log-densities rounded to nine decimals.
    nodes : array of shape (d,)
        The columns of the table in that order.

    Examples
    --------
    >>> evidence = PairDensities(np.array([[0.0, 2.0, 1.0]]))  # columns 0 and 2 gain most
    >>> canonical = Canonical(evidence)
    >>> canonical.nodes
    array([2, 0, 1])
    >>> canonical.evidence.log_density
    array([[2., 1., 0.]])
    >>> canonical.to_table(np.array([2.0, 1.0, 0.0]))
    array([0., 2., 1.])
    """

    def __init__(self, evidence: PairDensities) -> None:
        rounded = evidence.log_density.round(DIGITS)
        gains = to_matrix(rounded.sum(axis=0).round(DIGITS - 3), diagonal=-np.inf)
        self.nodes: Ints = np.lexsort(np.sort(-gains, axis=1).T[::-1]).astype(np.int64)
        positions = to_matrix(np.arange(evidence.n_pairs))[np.ix_(self.nodes, self.nodes)]
        self._pairs = to_pairs(positions).astype(np.int64)
        self.evidence = PairDensities(
            np.ascontiguousarray(rounded[:, self._pairs]),
            evidence.n_parameters[self._pairs],
            evidence.n_rows[self._pairs],
            n_nodes=evidence.n_nodes,
        )

    def to_table(self, values: Floats) -> Floats:
        """Put one number per pair back in the order of the table."""
        return values[np.argsort(self._pairs)]

    def solved(self, result: SolverResult) -> SolverResult:
        """Put a solver's weights back in the order of the table."""
        return replace(result, beta=self.to_table(result.beta))

    def places(self, blocks: Sequence[Sequence[int]]) -> list[Ints]:
        """Find sets of columns in the canonical order, sorted by their first columns."""
        place = np.empty_like(self.nodes)
        place[self.nodes] = np.arange(len(self.nodes))
        return sorted((np.sort(place[np.asarray(block)]) for block in blocks), key=lambda b: b[0])


EDGE_TOLERANCE = 0.1
"""Share of the largest weight at either of its nodes from which a weight is an edge.

The likelihood keeps small weights that a few samples ask for. Chosen on tuning seeds
(``python -m benchmarks.estimators tolerance``)."""

TIED = 1e-6
"""Difference up to which the probabilities of two edges are taken for the same."""

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
    r"""Set weights to zero that are small compared with others at both of their nodes.

    .. math:: \beta_{uv} \ge \tau \min(\max_w \beta_{uw}, \max_w \beta_{vw})

    The unit of the weights does not matter, and equal weights in a clique all pass. Where that
    leaves no forest to sum over, the edges that join what has come apart are put back, the most
    probable first, until it does: with trees all of them, with forests of two trees all but one.
    Edges that tie come back together; which of them came first would depend on the order of the
    columns.
    """
    d = ensemble.n_nodes
    largest = to_matrix(beta).max(axis=1)
    u, v = pair_nodes(d)
    kept = (beta > 0) & (beta >= tolerance * np.minimum(largest[u], largest[v]))
    probability = ensemble.edge_probabilities(beta)
    # Cost zero means no edge to the routine, so costs start at one.
    cost = to_matrix(np.where(probability > 0, 2.0 - probability, 0.0))
    tree = csgraph.minimum_spanning_tree(cost).toarray()
    bridges = np.flatnonzero((to_pairs(tree + tree.T) > 0) & ~kept)
    for bridge in bridges[np.argsort(-probability[bridges], kind="stable")]:
        if np.isfinite(ensemble.evaluate_prior(np.where(kept, beta, 0.0)).log_partition[0]):
            break
        part = pair_component_labels(kept, d)
        ends = np.sort([part[u], part[v]], axis=0)
        joining = (ends == ends[:, [bridge]]).all(axis=0)
        kept |= joining & (probability > probability[bridge] - TIED)
    return np.where(kept, beta, 0.0)


def drop_independent(beta: Floats, objective: NegativeLogLikelihood) -> Floats:
    """Set weights of pairs whose copula is independence to zero, if nothing is lost by it.

    A pair of density one adds nothing to a forest, so the likelihood often cannot decide whether it
    is an edge; then it is not kept.
    """
    evidence = objective.evidence
    independent = np.all((0.0 if evidence.log else 1.0) == evidence.W, axis=0)
    sparser = np.where(independent, 0.0, beta)
    lost = objective.evaluate(sparser)[0] - objective.evaluate(beta)[0]
    return sparser if lost <= VALUE_TOLERANCE else beta
