"""EF-cuts: trees, and forests of two trees along the smallest cuts."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from spinney._core.arrays import Floats
from spinney._core.progress import progress_bar
from spinney.models._base import COUNT, ForestEstimator
from spinney.models.log_newton import log_newton
from spinney.models.objectives import NegativeLogLikelihood
from spinney.models.paper import search
from spinney.models.unrooted import CutTrees, Trees, smallest_cut_sides
from spinney.pairs.densities import PairDensities

FAINTEST = 1e-12
"""Least weight that a solution starts from, relative to the largest."""
LARGEST_WEIGHT = 1e6
"""Edges that are in every forest stop growing here: along the cut that takes away such an edge
there is one forest in a million."""


@dataclass(eq=False, repr=False)
class ForestsCuts(ForestEstimator):
    r"""Mixture of trees and of forests of two trees along the smallest cuts (EF-cuts).

    .. math:: Z(\beta) = \sum_{(A, B) \in \mathcal C} \det Q(\beta_A) \det Q(\beta_B)

    :math:`\mathcal C` holds the trivial cut, which stands for the trees, and the `n_cuts` cuts of
    smallest weight [1]_. The smallest cuts change with the weights: they are listed again at the
    end of each solution, and this is repeated until the list no longer changes.

    Parameters
    ----------
    n_cuts : int
        Number of cuts besides the trivial one.
    max_renewals : int
        How often the cuts are listed again at most.
    potentials, edge_tolerance, marginals, kind, missing, ties, n_jobs, progress
        As in :class:`EnsembleOfTrees`.
    tol : float
        The solver stops, for each set of cuts, when its next step would raise the log-likelihood of
        the whole table by at most this, in nats.
    max_iter : int
        Most steps for each set of cuts.

    Attributes
    ----------
    adjacency_, edge_weights_, edge_probabilities_, edge_ranking_, n_components_, labels_,
    edges_, graph_
        As in :class:`EnsembleOfTrees`; there are two components at most.
    cuts_ : bool array of shape (n_cuts + 1, d)
        The cuts of the fitted model: True for the nodes that are cut off from the first.
    cut_probabilities_ : array of shape (n_cuts + 1,)
        Their prior probabilities.
    n_renewals_ : int
        How often the cuts were listed again.
    cuts_stable_ : bool
        Whether they stayed the same in the end.
    log_likelihood_, potentials_, marginals_, table_, start_, result_, n_features_in_,
    feature_names_in_
        As in :class:`EnsembleOfTrees`.

    References
    ----------
    .. [1] V. V. Vazirani and M. Yannakakis (1992). Suboptimal cuts: their enumeration, weight and
       number. ICALP.

    Examples
    --------
    >>> from spinney.simulate import copula_forest
    >>> data = copula_forest(200, 6, components=2, random_state=0)
    >>> model = ForestsCuts(n_cuts=10).fit(data.X)
    >>> model.cuts_stable_, len(model.cuts_)
    (True, 11)
    """

    n_cuts: int = 100
    _: KW_ONLY
    max_renewals: int = 5
    tol: float = 1e-5
    max_iter: int = 500
    edge_tolerance: float = search.EDGE_TOLERANCE

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **ForestEstimator._parameter_constraints,
        "n_cuts": [COUNT],
        "max_renewals": [Interval(Integral, 0, None, closed="left")],
    }

    def _learn(self, evidence: PairDensities) -> Floats:
        canonical = search.Canonical(evidence)
        evidence = canonical.evidence
        start = search.convex_start(Trees(evidence.n_nodes, threads=self._threads), evidence)
        beta = start.beta
        ensemble = CutTrees(smallest_cut_sides(beta, self.n_cuts), self._threads)
        self.cuts_stable_ = False
        shown = f"cuts, at most {self.max_renewals + 1} rounds"
        with progress_bar(self.max_renewals + 1, shown, self.progress) as advance:
            for renewal in range(self.max_renewals + 1):
                self.n_renewals_ = renewal
                objective = NegativeLogLikelihood(ensemble, evidence)
                result = log_newton(
                    objective,
                    # Pairs that were no edges before may be some along other cuts.
                    np.maximum(beta, FAINTEST * beta.max()),
                    tol=self.tol / evidence.n_samples,
                    max_iter=self.max_iter,
                    largest_weight=LARGEST_WEIGHT,
                )
                beta = result.beta
                advance(1)
                renewed = CutTrees(smallest_cut_sides(beta, self.n_cuts), self._threads)
                if np.array_equal(renewed.sides, ensemble.sides):
                    self.cuts_stable_ = True
                    break
                if renewal < self.max_renewals:
                    ensemble = renewed
        self._warn_if_stopped_early(result)
        self.start_, self.result_ = canonical.solved(start), canonical.solved(result)
        sides = np.empty_like(ensemble.sides)
        sides[:, canonical.nodes] = ensemble.sides
        self.cuts_ = CutTrees(sides).sides
        beta = search.keep_edges(beta, ensemble, self.edge_tolerance)
        return canonical.to_table(search.drop_independent(beta, objective))

    @property
    def cut_probabilities_(self) -> Floats:
        """Prior probability of each cut."""
        return self._ensemble().cut_probabilities(self._beta)

    def _ensemble(self) -> CutTrees:
        return CutTrees(self.cuts_, self._threads)
