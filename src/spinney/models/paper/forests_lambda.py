"""EF-λ: maximal forests of the partition that the weights induce, along a path of penalties."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from sklearn.utils._param_validation import Interval

from spinney._core.arrays import Floats
from spinney._core.progress import progress_bar
from spinney.models._base import ForestEstimator
from spinney.models.objectives import L1, NegativeLogLikelihood
from spinney.models.paper import search
from spinney.models.selection import extended_bic
from spinney.models.solvers import spectral_projected_gradient
from spinney.models.unrooted import InducedTrees, Trees
from spinney.pairs.densities import PairDensities

DEFAULT_PENALTIES: tuple[float, ...] = tuple(float(np.exp(-k / 10)) for k in range(20, 51))
"""The paper's path: λ = exp(-ρ), ρ from 2 to 5 in steps of 0.1."""


@dataclass(eq=False, repr=False)
class ForestsLambda(ForestEstimator):
    r"""Mixture of maximal forests of a partition that is found along the way (EF-λ).

    .. math:: f(\beta) + \lambda \lVert \beta \rVert_1, \qquad
              Z(\beta) = \prod_{V \in \operatorname{components}(\beta)} \det Q(\beta_V)

    For each penalty, spectral projected gradients start from the convex initialiser of all trees,
    and the partition is that of the present iterate: where weights hit zero, components split, and
    they never join again. The penalty with the best extended BIC is chosen.

    Parameters
    ----------
    penalties : float or sequence of float, optional
        Values of λ, on the scale of the *mean* log-likelihood; by default exp(-2), exp(-2.1), …,
        exp(-5). One value skips the choice.
    gamma : float
        Extra cost of an edge in the extended BIC; zero gives BIC.
    potentials, edge_tolerance, marginals, kind, missing, ties, n_jobs, progress
        As in :class:`EnsembleOfTrees`.
    tol, max_iter : float, int
        When spectral projected gradients stop, for each penalty.

    Attributes
    ----------
    adjacency_, edge_weights_, edge_probabilities_, edge_ranking_, n_components_, labels_,
    edges_, graph_
        As in :class:`EnsembleOfTrees`.
    penalty_ : float
        The chosen penalty.
    path_ : pandas.DataFrame
        One row per penalty, largest first: penalty, n_edges, n_components, log_likelihood (mean per
        row), criterion, n_iterations, n_evaluations, stop_reason.
    path_weights_ : scipy.sparse.csr_array of shape (n_penalties, n_pairs)
        Edge weights of each penalty, in the order of ``np.triu_indices(d, 1)``.
    log_likelihood_, potentials_, marginals_, table_, start_, n_features_in_, feature_names_in_
        As in :class:`EnsembleOfTrees`.

    Notes
    -----
    Multiplying all weights of a component by a constant leaves f unchanged, so the penalised
    objective has no minimiser but zero, and the penalty acts through the path of the optimiser.
    Under strong penalties many weights reach zero in the first steps, while they are small compared
    with the rest, and components split; under weak penalties few do. So these rules are part of the
    model: start with the weights of the convex initialiser, which sum to d - 1; take the
    mean over samples; search monotonically (a split is a jump of the objective and has to pay for
    itself at once); stop after `max_iter` steps, or when the projected gradient is within
    `tol`, or when no step lowers the objective. Each penalty starts afresh: a warm start would
    hand the splits of one penalty on to the next.

    References
    ----------
    .. [1] E. Arvaniti and M. Claassen (2014). Markov network structure learning via
       ensemble-of-forests models. UAI.
    .. [2] R. Foygel and M. Drton (2010). Extended Bayesian information criteria for Gaussian
       graphical models. NeurIPS 23.

    Examples
    --------
    >>> from spinney.simulate import copula_forest
    >>> data = copula_forest(300, 8, components=2, random_state=0)
    >>> model = ForestsLambda().fit(data.X)
    >>> model.n_components_, len(model.path_)
    (2, 31)
    """

    penalties: float | Sequence[float] | None = None
    _: KW_ONLY
    gamma: float = 0.5
    tol: float = 1e-4
    max_iter: int = 60
    edge_tolerance: float = search.EDGE_TOLERANCE

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **ForestEstimator._parameter_constraints,
        "gamma": [Interval(Real, 0, 1e6, closed="both")],
    }

    def _check_parameters(self) -> None:
        self._read_penalties()

    def _read_penalties(self) -> Floats:
        return self._falling(DEFAULT_PENALTIES if self.penalties is None else self.penalties)

    def _learn(self, evidence: PairDensities) -> Floats:
        canonical = search.Canonical(evidence)
        evidence = canonical.evidence
        start = search.convex_start(Trees(evidence.n_nodes, threads=self._threads), evidence)
        self.start_ = canonical.solved(start)
        rows: list[dict[str, object]] = []
        weights: list[Floats] = []
        penalties = self._read_penalties()
        with progress_bar(len(penalties), "penalties", self.progress) as advance:
            for penalty in penalties:
                row, beta = self._solve(float(penalty), evidence, start.beta)
                rows.append(row)
                weights.append(canonical.to_table(beta))
                advance(1)
        self.path_ = pd.DataFrame(rows)
        self.path_weights_ = csr_array(np.array(weights))
        best = int(self.path_["criterion"].to_numpy().argmin())  # of equals the sparser
        self.penalty_ = float(self.path_["penalty"].iloc[best])
        return weights[best]

    def _solve(
        self, penalty: float, evidence: PairDensities, start: Floats
    ) -> tuple[dict[str, object], Floats]:
        """Follow one penalty from the common start."""
        ensemble = self._ensemble()
        likelihood = NegativeLogLikelihood(ensemble, evidence)
        result = spectral_projected_gradient(
            L1(likelihood, penalty), start, tol=self.tol, max_iter=self.max_iter
        )
        beta = search.keep_edges(result.beta, ensemble, self.edge_tolerance)
        value, _ = likelihood.evaluate(beta)
        n, d = evidence.n_samples, ensemble.n_nodes
        n_edges = int(np.count_nonzero(beta))
        cost = evidence.edge_cost(beta > 0)
        row: dict[str, object] = {
            "penalty": penalty,
            "n_edges": n_edges,
            "n_components": len(ensemble.blocks(beta)),
            "log_likelihood": -value,
            "criterion": extended_bic(-n * value, n_edges, n, d, self.gamma, parameter_cost=cost),
            "n_iterations": result.n_iterations,
            "n_evaluations": result.n_evaluations,
            "stop_reason": result.stop_reason,
        }
        return row, beta

    def _ensemble(self) -> InducedTrees:
        return InducedTrees(len(self.node_names_), self._threads)
