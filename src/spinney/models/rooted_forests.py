"""RootedForests: all forests at once, with a penalty that has a minimiser."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import Interval

from spinney import forests
from spinney._core.arrays import Floats, Ints
from spinney._core.pairs import both_required_and_forbidden, read_pairs, to_pairs
from spinney._core.progress import progress_bar
from spinney.exceptions import InputError
from spinney.models._base import COUNT, NOT_NEGATIVE, POSITIVE, ForestEstimator, Screen
from spinney.models.objectives import Rooted
from spinney.models.selection import follow_path, largest_penalty, ranking_costs, refit_ranking
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.densities import PairDensities
from spinney.pairs.pair_fit import PairFit


@dataclass(frozen=True)
class Knowledge:
    """Knowledge about pairs.

    Attributes
    ----------
    penalty_factors : array of shape (n_pairs,)
        Factor of the penalty: zero for edges that are required, infinity for those forbidden.
    required : array of int
        Positions of the pairs that are always edges.
    n_candidates : int
        Pairs of the whole table that may be edges and need not.
    """

    penalty_factors: Floats
    required: Ints
    n_candidates: int

    def among(self, pairs: Ints | None) -> Knowledge:
        """Restrict it to listed pairs, all required ones among them; None: all pairs are listed.

        Others are no candidates for the model, but they were for the search: their number stays.
        """
        if pairs is None:
            return self
        required = np.searchsorted(pairs, self.required)
        return Knowledge(self.penalty_factors[pairs], required, self.n_candidates)


def read_knowledge(
    names: tuple[str, ...],
    required: Iterable[Sequence[Any]] | None,
    forbidden: Iterable[Sequence[Any]] | None,
    penalty_weights: ArrayLike | None,
) -> Knowledge:
    """Turn required and forbidden edges, and weights, into penalty factors."""
    d = len(names)
    penalty_factors = np.ones(d * (d - 1) // 2)
    if penalty_weights is not None:
        penalty_factors = _read_weights(penalty_weights, d)
    penalty_factors[read_pairs(forbidden, names, "forbidden")] = np.inf
    wanted = read_pairs(required, names, "required")
    for pair in wanted[np.isinf(penalty_factors[wanted])]:
        raise both_required_and_forbidden(int(pair), names)
    penalty_factors[wanted] = 0.0
    n_candidates = int(np.isfinite(penalty_factors).sum()) - len(wanted)
    return Knowledge(penalty_factors, wanted, n_candidates)


def _read_weights(penalty_weights: ArrayLike, d: int) -> Floats:
    matrix = np.asarray(penalty_weights, dtype=float)
    if matrix.shape != (d, d) or not np.array_equal(matrix, matrix.T):
        raise InputError(
            f"penalty_weights must be a symmetric matrix of shape ({d}, {d}); it has shape "
            f"{matrix.shape}."
        )
    weights = to_pairs(matrix)
    if np.isnan(weights).any() or (weights < 0).any():
        raise InputError("penalty_weights must not be negative or missing.")
    return weights


LARGEST_START = 5.0
"""No default path starts above this: a column and its copy would push it out of the others' reach.
Pairs with a correlation of 0.85 enter here."""

MOST_EDGES = 2.0
"""The path of a wide table ends when it has so many edges per column: a forest has fewer than
one, and the eliminations of what comes after take longer than all before."""

SMALLEST_REQUIRED = 1e-8
"""Weight of a required edge without support in the table, relative to a root."""


@dataclass(eq=False, repr=False)
class RootedForests(ForestEstimator):
    r"""Mixture of all forests, each tree with a root, along a path of L1 penalties.

    .. math:: f(\beta) + \lambda \sum_e \lambda_e \beta_e, \qquad
              Z(\beta) = \det(I + L(\beta))
              = \sum_F \prod_{e \in F} \beta_e \prod_{T \in F} |T|

    The sum over every forest, which is intractable when trees have no roots, is one determinant
    when they do. A root weighs one, so that the weights have an absolute scale and the penalty has
    a minimiser; and the number of components needs no search: forests of one tree and of many are
    all in the sum.

    Edges are ranked by their prior probability, averaged along the path; the first k of them are
    fitted without penalty, and the k with the best criterion is kept.

    Parameters
    ----------
    potentials : PairCopulas, PairFit or None
        As in :class:`EnsembleOfTrees`.
    gamma : float
        γ of the extended BIC that chooses the number of edges: log n for each parameter of their
        densities, and twice γ times the logarithm of the number of graphs with so many edges, for
        having searched among them; see :func:`spinney.models.selection.ranking_costs`.
    penalties : sequence of float, optional
        Values of λ, on the scale of the mean log-likelihood. By default `n_penalties` from where
        the first edge enters, :math:`\lambda_{\max} = 2 \max_e (\bar w_e - 1)`, or from 5 if that
        is less, down to `penalty_ratio` times that.
    n_penalties, penalty_ratio : int, float
        The default path.
    required, forbidden : list of pairs of columns, optional
        Pairs that are always edges, and pairs that never are.
    penalty_weights : array of shape (d, d), optional
        :math:`\lambda_e`, one by default: small for edges that are likely beforehand, ``inf`` for
        pairs that cannot be edges.
    tol : float
        Allowed violation of the optimality conditions, in units of λ.
    screen : {"auto", True, False}
        As in :class:`SharedForest`. Required edges are fitted however weak they are, and the
        criterion counts all pairs of the table, because screening searches among all of them.
    marginals, kind, missing, ties, n_jobs, progress
        As in :class:`EnsembleOfTrees`.

    Attributes
    ----------
    adjacency_, edge_weights_, edge_probabilities_, n_components_, labels_,
    edges_, graph_
        As in :class:`EnsembleOfTrees`, of the chosen edges, fitted without penalty.
    edge_ranking_ : array of shape (d, d)
        Prior probability of each edge, averaged along the path: what the edges were ranked by.
    path_ : pandas.DataFrame
        One row per penalty: penalty, n_edges, log_likelihood (mean per row), expected_trees,
        max_kkt_violation (in units of the penalty), n_evaluations.
    refits_ : pandas.DataFrame
        One row per number of edges that was fitted: n_edges, log_likelihood (mean per row),
        criterion (smaller is better), gap (nats of the whole table that the next step of the fit
        would gain). Numbers of edges that cannot be the best are not fitted.
    tree_count_distribution_ : array of shape (d + 1,)
        Prior probability that a random forest of the fitted model has 0, 1, …, d trees.
    log_likelihood_, potentials_, marginals_, table_, n_features_in_, feature_names_in_
        As in :class:`EnsembleOfTrees`.

    Notes
    -----
    A penalty is solved by spectral projected gradients on the pairs that have weight or violate the
    optimality conditions; then all pairs are checked, until none violates
    :math:`R_e(\beta) - \frac1n \sum_j w_e^j R_e(\beta \circ W^j) + \lambda \lambda_e \ge 0`.

    The path of a wide table ends early if it comes to more than two edges per column, and the
    number of edges is then found to within a 64th.

    Refits take Newton steps in the logarithms of the weights, until the next promises less than
    0.001 nats of the whole table; the likelihood is not concave, so the maximum is the one nearby.
    An edge whose weight goes to zero there is dropped.

    References
    ----------
    .. [1] P. Chebotarev and E. Shamis (1997). The matrix-forest theorem and measuring relations in
       small social groups. Automation and Remote Control 58, 1505-1514.

    Examples
    --------
    >>> from spinney.simulate import copula_forest
    >>> data = copula_forest(300, 8, components=2, random_state=0)
    >>> model = RootedForests().fit(data.X)
    >>> bool((model.adjacency_ == data.adjacency).all())
    True
    """

    potentials: PairCopulas | PairFit | None = None
    _: KW_ONLY
    gamma: float = 1.0
    penalties: Sequence[float] | None = None
    n_penalties: int = 20
    penalty_ratio: float = 0.01
    required: Iterable[Sequence[Any]] | None = None
    forbidden: Iterable[Sequence[Any]] | None = None
    penalty_weights: ArrayLike | None = None
    tol: float = 0.01
    screen: Screen = "auto"

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **ForestEstimator._parameter_constraints,
        "gamma": [NOT_NEGATIVE],
        "n_penalties": [COUNT],
        "penalty_ratio": [Interval(Real, 0, 1, closed="neither")],
        "tol": [POSITIVE],
    }

    def _check_parameters(self) -> None:
        if self.penalties is not None:
            self._falling(self.penalties)

    def _prepare(self) -> None:
        self._knowledge()

    def _knowledge(self) -> Knowledge:
        return read_knowledge(self.node_names_, self.required, self.forbidden, self.penalty_weights)

    def _always_listed(self) -> Ints:
        return self._knowledge().required

    def _learn(self, evidence: PairDensities) -> Floats:
        # From here on pairs are numbered as they are listed.
        listed, evidence = evidence, evidence.alone()
        knowledge = self._knowledge().among(listed.pairs)
        ensemble = self._forests(listed.pairs)
        ranking = self._follow(ensemble, evidence, knowledge)
        self.edge_ranking_ = listed.index.matrix(ranking)
        return self._choose(ensemble, evidence, knowledge, ranking)

    def _follow(self, ensemble: Rooted, evidence: PairDensities, knowledge: Knowledge) -> Floats:
        """Follow the path, and return the mean probabilities along it, which rank the pairs."""
        penalties = self._read_penalties(evidence, knowledge)
        total = np.zeros(ensemble.n_pairs)
        rows: list[dict[str, float]] = []
        points = follow_path(
            ensemble,
            evidence,
            penalties,
            knowledge.penalty_factors,
            tol=self.tol,
            most_edges=np.inf if ensemble.pairs is None else MOST_EDGES * ensemble.n_nodes,
        )
        with progress_bar(len(penalties), "penalties", self.progress) as advance:
            for point in points:
                probabilities = ensemble.edge_probabilities(point.beta)
                total += probabilities
                rows.append(
                    {
                        "penalty": point.penalty,
                        "n_edges": int(np.count_nonzero(point.beta)),
                        "log_likelihood": -point.value,
                        "expected_trees": ensemble.n_nodes - float(probabilities.sum()),
                        "max_kkt_violation": point.max_kkt_violation,
                        "n_evaluations": point.n_evaluations,
                    }
                )
                advance(1)
        self.path_ = pd.DataFrame(rows)
        violation = float(self.path_["max_kkt_violation"].max())
        if violation > self.tol:
            self._warn_of_early_stop(
                f"The path violates its optimality conditions by {violation:.2g} of the penalty "
                f"where {self.tol:g} is allowed. Raise tol or penalty_ratio."
            )
        return total / len(rows)

    def _read_penalties(self, evidence: PairDensities, knowledge: Knowledge) -> Floats:
        """Return the path's penalties, the largest first."""
        if self.penalties is not None:
            return self._falling(self.penalties)
        largest = largest_penalty(evidence, knowledge.penalty_factors)
        # Where no pair gains anything, any penalty shows that; the scale of gains is one.
        top = min(largest, LARGEST_START) if largest > 0 else 1.0
        return top * np.geomspace(1.0, self.penalty_ratio, self.n_penalties + 1)[1:]

    def _choose(
        self, ensemble: Rooted, evidence: PairDensities, knowledge: Knowledge, ranking: Floats
    ) -> Floats:
        """Refit the ranking's edges, choose how many, and return their weights."""
        required = knowledge.required
        # The required ones first, then by probability along the path.
        score = ranking.copy()
        score[required] = 0.0
        found = np.argsort(-score, kind="stable")
        order = np.concatenate([required, found[score[found] > 0]]).astype(np.int64)
        costs = ranking_costs(
            evidence,
            order,
            gamma=self.gamma,
            first=len(required),
            n_candidates=knowledge.n_candidates,
        )
        refits = refit_ranking(ensemble, evidence, order, costs, len(required))
        self.refits_ = refits.table
        if not refits.converged:
            self._warn_of_early_stop(
                "A refit ran out of steps, so that the number of edges may not be the best one."
            )
        beta = np.zeros(ensemble.n_pairs)
        beta[order[: len(refits.weights)]] = refits.weights
        # A required pair is an edge, however weak its evidence.
        beta[required] = np.maximum(beta[required], SMALLEST_REQUIRED)
        return beta

    @property
    def tree_count_distribution_(self) -> Floats:
        """Probability that a random forest of the fitted model has 0, 1, …, d trees."""
        return forests.tree_count_distribution(self.edge_weights_)

    def _ensemble(self) -> Rooted:
        return self._forests(self._listed)

    def _forests(self, pairs: Ints | None) -> Rooted:
        return Rooted(len(self.node_names_), pairs, self._threads)
