"""The exact ensemble of forests, for a dozen variables."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from spinney._core.arrays import Floats
from spinney._core.progress import progress_bar
from spinney.models._base import COUNT, ForestEstimator
from spinney.models.log_newton import log_newton
from spinney.models.objectives import NegativeLogLikelihood
from spinney.models.paper import search
from spinney.models.unrooted import FewTrees, Trees
from spinney.pairs.densities import PairDensities


@dataclass(eq=False, repr=False)
class ExactForests(ForestEstimator):
    r"""Mixture of all forests of at most k trees (EF), exactly.

    .. math:: Z(\beta) = \sum_{\mathbf V} \prod_{V \in \mathbf V} \det Q(\beta_V)

    over all partitions of the variables into at most k sets [1]_. The sum visits every subset, so
    it is meant for up to 12 variables; :class:`ForestsCuts` and :class:`ForestsLambda` are the
    paper's approximations for more.

    Parameters
    ----------
    max_trees : int, optional
        Most trees k; any number by default. One gives the ensemble of trees.
    potentials, edge_tolerance, marginals, kind, missing, ties, n_jobs, progress
        As in :class:`EnsembleOfTrees`.
    tol : float
        The solver stops when its next step would raise the log-likelihood of the whole table by at
        most this, in nats.
    max_iter : int
        Most steps.

    Attributes
    ----------
    adjacency_, edge_weights_, edge_probabilities_, edge_ranking_, n_components_, labels_,
    edges_, graph_
        As in :class:`EnsembleOfTrees`; with `max_trees` above one the weights have an absolute
        scale, and probabilities along a component may sum to less than its size.
    log_likelihood_, potentials_, marginals_, table_, start_, result_, n_features_in_,
    feature_names_in_
        As in :class:`EnsembleOfTrees`.

    References
    ----------
    .. [1] E. Arvaniti and M. Claassen (2014). Markov network structure learning via
       ensemble-of-forests models. UAI.

    Examples
    --------
    >>> from spinney.simulate import copula_forest
    >>> data = copula_forest(300, 6, components=2, random_state=0)
    >>> model = ExactForests(max_trees=2).fit(data.X)
    >>> model.result_.stop_reason, round(model.result_.value, 2)
    ('converged', -1.64)
    """

    max_trees: int | None = None
    _: KW_ONLY
    tol: float = 1e-5
    max_iter: int = 2000
    edge_tolerance: float = search.EDGE_TOLERANCE

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **ForestEstimator._parameter_constraints,
        "max_trees": [COUNT, None],
    }

    def _prepare(self) -> None:
        self._ensemble()  # refuses a table that is too wide

    def _learn(self, evidence: PairDensities) -> Floats:
        ensemble = self._ensemble()
        self.start_ = search.convex_start(Trees(ensemble.n_nodes, threads=self._threads), evidence)
        with progress_bar(0, "sums over all forests", self.progress) as advance:
            objective = NegativeLogLikelihood(ensemble, evidence, advance=advance)
            self.result_ = log_newton(
                objective,
                self.start_.beta,
                tol=self.tol / evidence.n_samples,
                max_iter=self.max_iter,
            )
            beta = search.keep_edges(self.result_.beta, ensemble, self.edge_tolerance)
            beta = search.drop_independent(beta, objective)
        self._warn_if_stopped_early(self.result_)
        return beta

    def _ensemble(self) -> FewTrees:
        return FewTrees(len(self.node_names_), self.max_trees, self._threads)
