"""The exact ensemble of forests, for a dozen variables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from spinney._core.progress import progress_bar
from spinney.models._base import ForestEstimator, choice, number
from spinney.models.objectives import FewTrees, NegativeLogLikelihood, Trees
from spinney.models.paper.search import (
    EDGE_TOLERANCE,
    convex_start,
    drop_independent,
    keep_edges,
)
from spinney.models.solvers import (
    SolverResult,
    accelerated_fixed_point,
    log_newton,
    spectral_projected_gradient,
)
from spinney.pairs.densities import PairDensities

__all__ = ["ExactForests"]

Floats = NDArray[np.float64]


@dataclass(eq=False, repr=False)
class ExactForests(ForestEstimator):
    r"""Mixture of all forests of at most k trees (EF), exactly.

    .. math:: Z(\beta) = \sum_{\mathbf V} \prod_{V \in \mathbf V} \det Q(\beta_V)

    over all partitions of the variables into at most k sets. The sum visits every subset, so it is
    meant for 12 variables; :class:`ForestsCuts` and :class:`ForestsLambda` are the paper's ways
    past that.

    Parameters
    ----------
    max_trees : int, optional
        Most trees k; any number by default. One gives the ensemble of trees.
    potentials, edge_tolerance, marginals, kinds, missing, ties, n_jobs, progress
        As in :class:`EnsembleOfTrees`.
    solver : {"newton", "mm", "spg"}
        Newton steps in the logarithms of the weights, majorise-minimise, or spectral projected
        gradients on weights at least zero. The last two need many more evaluations, since weights
        that grow for ever take them ever smaller steps.
    tol : float
        When the solver stops: nats of the whole table that the next Newton step would gain, or the
        other solvers' own measures of stationarity.
    max_iter : int
        Most steps, or evaluations of the majorise-minimise map.

    Attributes
    ----------
    adjacency_, edge_weights_, edge_probabilities_, edge_ranking_, n_components_, labels_,
    edges_, graph_
        As in :class:`EnsembleOfTrees`; with `max_trees` above one the weights have an absolute
        scale, and probabilities along a component may sum to less than its size.
    log_likelihood_, potentials_, marginals_, table_, start_, result_, n_features_in_,
    feature_names_in_
        As in :class:`EnsembleOfTrees`.

    Examples
    --------
    >>> from spinney.simulate import copula_forest
    >>> data = copula_forest(300, 6, components=2, random_state=0)
    >>> model = ExactForests(max_trees=2).fit(data.X)
    >>> model.result_.stop_reason, round(model.log_likelihood_, 2)
    ('converged', 1.64)
    """

    max_trees: int | None = number(None, 1, whole=True)
    _: KW_ONLY
    solver: Literal["newton", "mm", "spg"] = choice("newton", "mm", "spg")
    tol: float = number(1e-3, 0)
    max_iter: int = number(2000, 1, whole=True)
    edge_tolerance: float = number(EDGE_TOLERANCE, 0, 1)

    _stored: ClassVar[tuple[str, ...]] = (*ForestEstimator._stored, "start_", "result_")

    def _prepare(self) -> None:
        self._ensemble()  # refuses a table that is too wide

    def _learn(self, evidence: PairDensities) -> Floats:
        ensemble = self._ensemble()
        self.start_ = convex_start(Trees(ensemble.n_nodes, context=self._context), evidence)
        with progress_bar(0, "sums over all forests", self.progress) as advance:
            objective = _Counted(ensemble, evidence, advance)
            self.result_ = self._solve(objective)
        self._warn_if_stopped_early(self.result_, "Raise max_iter or tol.")
        beta = keep_edges(self.result_.beta, ensemble, self.edge_tolerance)
        return drop_independent(beta, NegativeLogLikelihood(ensemble, evidence))

    def _solve(self, objective: _Counted) -> SolverResult:
        start, tol, limit = self.start_.beta, self.tol, self.max_iter
        if self.solver == "newton":
            n = objective.evidence.n_samples
            return log_newton(objective, start, tol=tol / n, max_iter=limit)
        if self.solver == "mm":
            return accelerated_fixed_point(objective, start, tol=tol, max_iter=limit)
        return spectral_projected_gradient(objective, start, tol=tol, max_iter=limit, scale=None)

    def _ensemble(self) -> FewTrees:
        return FewTrees(len(self.node_names_), self.max_trees, self._context)


class _Counted(NegativeLogLikelihood):
    """An objective that counts its evaluations, each of which may take seconds."""

    def __init__(
        self, ensemble: FewTrees, evidence: PairDensities, advance: Callable[[int], None]
    ) -> None:
        super().__init__(ensemble, evidence)
        self._advance = advance

    def _parts(self, beta: Floats) -> tuple[float, Floats, Floats]:
        found = super()._parts(beta)
        self._advance(1)
        return found
