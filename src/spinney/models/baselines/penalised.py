"""Graphical lasso and neighbourhood selection: correlation → path → choice → graph."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils._param_validation import StrOptions

from spinney._core.arrays import Floats
from spinney._core.choices import read_random_state
from spinney._core.graph import EdgeShare
from spinney._core.threads import limited_threads
from spinney.models._base import POSITIVE, check_parameters
from spinney.models.baselines import paths
from spinney.models.baselines.paths import GlassoPath, GraphPath
from spinney.models.baselines.rules import RULES, PathProblem, SelectionRule, read_rule
from spinney.models.baselines.scores import (
    DEPENDENCE,
    DensityBaseline,
    DependenceName,
    GraphBaseline,
    correlation_of,
    normal_scores,
    scores_of,
)
from spinney.tables import Table

Selection = Literal["stars", "ebic", "cv", "ric"] | float | SelectionRule


@dataclass(eq=False, repr=False)
class _PenalisedGraph(GraphBaseline):
    """A graph chosen from a path of penalties; a subclass says what makes the path."""

    selection: Selection = "stars"
    dependence: DependenceName = "pearson"
    _: KW_ONLY
    n_penalties: int = 10
    penalty_ratio: float = 0.1
    penalties: ArrayLike | None = None
    random_state: int | np.random.Generator | None = 0
    n_jobs: int | None = None

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "selection": [StrOptions(set(RULES)), POSITIVE, SelectionRule],
        "dependence": [StrOptions(set(DEPENDENCE))],
        "rule": [StrOptions({"or", "and"})],
    }
    _edge_share: ClassVar[EdgeShare | None] = EdgeShare(
        "edge_frequencies_", "frequency", "share of subsamples"
    )

    @abstractmethod
    def _solve(self, S: Floats, penalties: Floats) -> GraphPath:
        """Make the path for a correlation matrix."""

    def fit(self, X: ArrayLike | pd.DataFrame, y: object = None) -> Self:
        """Learn the graph of a table.

        Parameters
        ----------
        X : data frame or array of shape (n, d)
            The table.
        y : ignored
        """
        check_parameters(self)
        rule = read_rule(self.selection)
        correlation = partial(correlation_of, dependence=self.dependence)
        table = self._read(X)
        with limited_threads(self.n_jobs):
            scores = scores_of(table.values, self.dependence)
            S = correlation(scores)
            levels = self.penalties
            if levels is None:
                levels = paths.penalty_path(S, self.n_penalties, self.penalty_ratio)
            path = self._solve(S, np.atleast_1d(np.asarray(levels, dtype=float)))
            problem = PathProblem(
                scores,
                normal_scores(table.values, self.dependence),
                correlation,
                self._solve,
                path,
                read_random_state(self.random_state),
                self.n_jobs,
            )
            choice = rule.choose(problem)
            self.correlation_, self.path_ = S, path
            self.penalty_, self.criterion_ = choice.penalty, choice.criterion
            final, index = self._at(choice.penalty)
        self._forget("path_frequencies_", "edge_frequencies_")
        if choice.frequencies is not None:
            self.path_frequencies_ = choice.frequencies
            self.edge_frequencies_ = choice.frequencies[index]
        self._keep_model(table, final, index)
        weights = final.weights[index]
        self._keep_graph(final.adjacency[index], weights, weights, path.mean_strength)
        return self

    def _at(self, penalty: float) -> tuple[GraphPath, int]:
        """Find the penalty on the path, or go there from the penalties above it."""
        here = np.flatnonzero(self.path_.penalties == penalty)
        if here.size:
            return self.path_, int(here[0])
        above = self.path_.penalties[self.path_.penalties > penalty]
        return self._solve(self.correlation_, np.append(above, penalty)), len(above)

    def _keep_model(self, table: Table, final: GraphPath, index: int) -> None:
        """Keep what the solver gives beyond the graph."""


@dataclass(eq=False, repr=False)
class GraphicalLasso(_PenalisedGraph, DensityBaseline):
    r"""Gaussian or nonparanormal graph by the graphical lasso [1]_, [2]_.

    .. math:: \hat\Theta = \operatorname*{arg\,min}_{\Theta \succ 0} \; -\log\det\Theta
              + \operatorname{tr}(S \Theta) + \lambda \|\Theta\|_1

    with a correlation matrix S. An edge is a non-zero entry of :math:`\hat\Theta` at the penalty
    :math:`\lambda` that `selection` chooses.

    Parameters
    ----------
    selection : {"stars", "ebic", "cv", "ric"}, float or rule
        How the penalty is chosen: by a rule with its defaults (StARS at 0.1 with 20 subsamples,
        extended BIC with γ = ½, 5-fold likelihood, rotation information), by an object such as
        ``Stars(0.05)``, or not at all (a number is the penalty).
    dependence : {"pearson", "shrinkage", "spearman", "kendall"}
        Correlation matrix. ``"pearson"``: of the table itself, so the model is Gaussian. All
        others are the nonparanormal (Gaussian copula): Pearson's correlation of shrunken normal
        scores, or a sine of a rank correlation ("skeptic").
    n_penalties, penalty_ratio : int, float
        Length of the path, and its smallest penalty as part of the largest, evenly in logs. The
        defaults are huge's.
    penalties : array, optional
        The path itself, decreasing.
    penalise_diagonal : bool
        Whether the penalty is on variances too, as in huge.
    tol : float
        Largest violation of the optimality conditions.
    random_state : int or Generator
        Seed of subsamples, folds and rotations.
    n_jobs : int, optional
        Threads for subsamples and folds, -1 for all cores. Linear algebra then keeps to one thread
        of its own. By default subsamples come one after another, and linear algebra takes as many
        threads as its library does. The numbers do not depend on it.

    Attributes
    ----------
    adjacency_ : boolean array of shape (d, d)
        The graph.
    edge_weights_ : array of shape (d, d)
        Partial correlations, with their signs, on the graph; zero elsewhere.
    edge_signs_ : int array of shape (d, d)
        Signs of the edges, 1 or -1; zero off the graph.
    edge_ranking_ : array of shape (d, d)
        Absolute partial correlation of all pairs, averaged along the path. Larger is more likely
        an edge; only the order means something.
    edge_frequencies_ : array of shape (d, d)
        With StARS only: share of subsamples in which each edge appears at the chosen penalty. A
        measure of stability, not a probability.
    path_frequencies_ : array of shape (m, d, d)
        With StARS only: the same at each penalty of the path.
    precision_, correlation_ : array of shape (d, d)
        The penalised precision matrix, and the correlation matrix it was learned from.
    partial_correlations_ : array of shape (d, d)
        The same as `edge_weights_`.
    penalty_ : float
        The chosen penalty.
    criterion_ : array
        What the rule compared along the path.
    path_ : GlassoPath
        All graphs.
    n_components_, labels_ : int, array of shape (d,)
        Connected components, and the one of each variable.
    edges_ : pandas.DataFrame
        One row per edge, the first in the ranking first.
    graph_ : networkx.Graph
        Nodes named after columns; edges with the numbers of `edges_`.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    With penalised variances those of `precision_` are :math:`1 + \lambda`; for scores the model is
    brought back to variances of one.

    See Also
    --------
    spinney.models.baselines.glasso_path : The solver.
    spinney.models.baselines.rules : The rules that choose the penalty.

    References
    ----------
    .. [1] J. Friedman, T. Hastie and R. Tibshirani (2008). Sparse inverse covariance estimation
       with the graphical lasso. Biostatistics 9, 432-441.
    .. [2] H. Liu, J. Lafferty and L. Wasserman (2009). The nonparanormal: semiparametric
       estimation of high dimensional undirected graphs. JMLR 10, 2295-2328.

    Examples
    --------
    >>> from spinney.models.baselines import GraphicalLasso, Stars
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> X[:, 1] += X[:, 0]
    >>> GraphicalLasso(selection="ebic", dependence="shrinkage").fit(X).graph_.edges
    EdgeView([('x0', 'x1')])
    >>> GraphicalLasso(selection=Stars(0.2)).fit(X).edge_frequencies_[0].round(2)
    array([0. , 1. , 0.1, 0. ])
    """

    _: KW_ONLY
    penalise_diagonal: bool = True
    tol: float = 1e-9

    def _solve(self, S: Floats, penalties: Floats) -> GlassoPath:
        return paths.glasso_path(
            S, penalties, penalise_diagonal=self.penalise_diagonal, tol=self.tol
        )

    def _keep_model(self, table: Table, final: GraphPath, index: int) -> None:
        assert isinstance(final, GlassoPath)  # `_solve` made it
        self.precision_ = final.precisions[index]
        self.partial_correlations_ = final.weights[index]
        self._keep_margins(table, normal=self.dependence == "pearson")

    def _log_copula(self, rows: Floats) -> Floats:
        r"""Gaussian copula: :math:`\frac12 (\log\det\Theta - z^\top \Theta z + z^\top z)`.

        With :math:`\Theta` scaled to variances of one, and :math:`z` the row's normal scores.
        """
        Z = self._scores(rows)
        precision = paths.unit_variances(self.precision_)
        log_determinant = np.linalg.slogdet(precision)[1]
        quadratic = ((Z @ (precision - np.eye(Z.shape[1]))) * Z).sum(axis=1)
        return np.asarray(0.5 * (log_determinant - quadratic))


@dataclass(eq=False, repr=False)
class NeighbourhoodSelection(_PenalisedGraph):
    """Graph by a lasso of each variable on all others [1]_.

    Parameters
    ----------
    selection : {"stars", "ric"}, float or rule
        How the penalty is chosen. There is no likelihood, so "ebic" and "cv" are refused.
    dependence, n_penalties, penalty_ratio, penalties, random_state, n_jobs
        As in :class:`GraphicalLasso`.
    rule : {"or", "and"}
        Whether an edge needs one of its two coefficients, or both.

    Attributes
    ----------
    adjacency_, edge_signs_, edge_ranking_, edge_frequencies_, path_frequencies_
        As in :class:`GraphicalLasso`, the ranking by absolute coefficients.
    n_components_, labels_, edges_, graph_
        As in :class:`GraphicalLasso`.
    edge_weights_ : array of shape (d, d)
        Mean of the two coefficients of standardised columns, with its sign.
    penalty_, criterion_, path_, correlation_
        As in :class:`GraphicalLasso`.

    References
    ----------
    .. [1] N. Meinshausen and P. Bühlmann (2006). High-dimensional graphs and variable selection
       with the lasso. Annals of Statistics 34, 1436-1462.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4)).cumsum(axis=1)  # a chain
    >>> sorted(NeighbourhoodSelection(selection=0.3, rule="and").fit(X).graph_.edges)
    [('x0', 'x1'), ('x1', 'x2'), ('x2', 'x3')]
    """

    _: KW_ONLY
    rule: Literal["or", "and"] = "or"

    def _solve(self, S: Floats, penalties: Floats) -> GraphPath:
        return paths.neighbourhood_path(S, penalties, rule=self.rule)
