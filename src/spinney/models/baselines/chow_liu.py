"""The best single tree or forest: Chow and Liu's algorithm, on Gaussian or copula pairs."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from spinney._core.arrays import Bools, Floats
from spinney._core.component_kernels import join_greedily
from spinney._core.pairs import n_nodes, pair_ends, to_matrix, to_pairs
from spinney.models._base import Screen, check_parameters, pairs_to_fit
from spinney.models.baselines.scores import (
    DEPENDENCE,
    DensityBaseline,
    DependenceName,
    correlation_of,
    scores_of,
)
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.margins import Margins, Ties, check_ties
from spinney.pairs.pair_fit import PairFit
from spinney.tables import Kinds, Missing, ReadsKindsMixin, Table

CLOSEST_TO_ONE = 1e-12
"""Smallest 1 - r² that is believed, so that a column and its copy have a finite gain."""


def best_forest(gains: ArrayLike, *, spanning: bool = False) -> Bools:
    """Forest with the largest sum of gains, among all forests or all spanning trees.

    Parameters
    ----------
    gains : array of shape (n_pairs,)
        Gain of each pair, in the order of ``np.triu_indices(d, 1)``.
    spanning : bool
        Whether the forest must be one tree. If not, only positive gains are used.

    Returns
    -------
    boolean array of shape (d, d)

    References
    ----------
    .. [1] J. B. Kruskal (1956). On the shortest spanning subtree of a graph and the traveling
       salesman problem. Proceedings of the AMS 7, 48-50.

    Examples
    --------
    >>> best_forest([3.0, 2.0, -1.0]).astype(int)
    array([[0, 1, 1],
           [1, 0, 0],
           [1, 0, 0]])
    """
    values = np.asarray(gains, dtype=float)
    d = n_nodes(len(values))
    pairs = np.arange(len(values)) if spanning else np.flatnonzero(values > 0.0)
    # Stable, so that of equal gains the earlier pair goes first.
    pairs = pairs[np.argsort(-values[pairs], kind="stable")]
    first, second = pair_ends(pairs, d)
    taken = join_greedily(first, second, d)
    adjacency = np.zeros((d, d), dtype=bool)
    adjacency[first[taken], second[taken]] = adjacency[second[taken], first[taken]] = True
    return adjacency


@dataclass(eq=False, repr=False)
class ChowLiu(ReadsKindsMixin, DensityBaseline):
    r"""Maximum-likelihood tree, or the forest with the best information criterion.

    The log-likelihood of a forest is the sum of its edges' :math:`\sum_j \log w_e(x^j)` (relative
    to independence), so the best one is a maximum-weight forest of those sums, each less the
    cost of its parameters.

    Parameters
    ----------
    criterion : {"bic", "aic", None}
        Cost of a parameter: ½ log n, 1, or none. With a cost the result is a forest; with none
        it is a spanning tree, as in Chow and Liu.
    potentials : "gaussian", PairCopulas or PairFit
        Pair densities. Gaussian ones are computed from the correlation that `dependence` names,
        :math:`-\frac n2 \log(1 - r^2)`; a :class:`spinney.PairCopulas` is cloned and fitted to
        the table's pseudo-observations. With it, or with a
        :class:`spinney.pairs.PairFit`, columns may be of any kind and have gaps.
    dependence : {"pearson", "shrinkage", "spearman", "kendall"}
        Correlation for Gaussian potentials; see :class:`GraphicalLasso`.
    screen : {"auto", True, False}
        Whether copulas are fitted only to the strongest pairs of each column, as in
        :class:`spinney.SharedForest`; all others gain nothing.
    kind, missing, ties
        How the table is read, as in :class:`spinney.RootedForests`; not with Gaussian potentials,
        which take all columns as numbers.

    Attributes
    ----------
    adjacency_, n_components_, labels_, edges_, graph_
        As in :class:`GraphicalLasso`.
    edge_weights_ : array of shape (d, d)
        Mean log-density of a row under each kept pair: an estimate of its mutual information, in
        nats. Never negative for Gaussian pairs, and without the sign of the dependence.
    edge_signs_ : int array of shape (d, d)
        Signs of the correlations, or of Kendall's tau of the copulas; zero off the graph.
    edge_ranking_ : array of shape (d, d)
        `gains_` above the smallest, those of the forest above all others. Only the order is
        meaningful.
    gains_ : array of shape (n_pairs,)
        Log-likelihood of each pair less the cost of its parameters.
    potentials_ : PairCopulas or PairFit
        The fitted potentials, unless they are Gaussian: copulas of plain columns, else a PairFit.
    table_ : spinney.tables.Table
        The table as it was read, with the kinds of its columns; likewise.
    correlation_ : array of shape (d, d)
        For Gaussian potentials.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    .. [1] C. K. Chow and C. N. Liu (1968). Approximating discrete probability distributions with
       dependence trees. IEEE Transactions on Information Theory 14, 462-467.
    .. [2] D. Edwards, G. C. G. de Abreu and R. Labouriau (2010). Selecting high-dimensional mixed
       graphical models using minimal AIC or BIC forests. BMC Bioinformatics 11, 18.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> X[:, 1] += X[:, 0]
    >>> ChowLiu().fit(X).graph_.edges
    EdgeView([('x0', 'x1')])
    >>> ChowLiu(criterion=None).fit(X).graph_.number_of_edges()
    3
    """

    criterion: Literal["bic", "aic"] | None = "bic"
    _: KW_ONLY
    potentials: Literal["gaussian"] | PairCopulas | PairFit = "gaussian"
    dependence: DependenceName = "pearson"
    screen: Screen = "auto"
    kind: Kinds | None = None
    missing: Missing = "pairwise"
    ties: Ties = "auto"

    pair_fit_: PairFit | None = field(init=False)

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "criterion": [StrOptions({"bic", "aic"}), None],
        "potentials": [StrOptions({"gaussian"}), PairCopulas, PairFit],
        "dependence": [StrOptions(set(DEPENDENCE))],
        "screen": ["boolean", StrOptions({"auto"})],
    }

    def fit(self, X: ArrayLike | pd.DataFrame, y: object = None) -> Self:
        """Learn the tree or forest of a table.

        Parameters
        ----------
        X : data frame or array of shape (n, d)
            The table.
        y : ignored
        """
        self._forget("correlation_", "edge_weights_")
        check_parameters(self)
        gaussian = isinstance(self.potentials, str)
        log_likelihood, n_parameters, signs, n = (
            self._fit_correlations(X) if gaussian else self._fit_pairs(X)
        )
        cost = {"bic": 0.5 * np.log(n), "aic": 1.0, None: 0.0}[self.criterion]
        self.gains_ = log_likelihood - cost * n_parameters
        adjacency = best_forest(self.gains_, spanning=self.criterion is None)
        # The edges of the forest rank above all others.
        ranking = to_matrix(self.gains_ - self.gains_.min(initial=0.0))
        ranking[adjacency] += np.ptp(self.gains_) + 1.0
        weights, signs = to_matrix(log_likelihood / n), to_matrix(signs)
        self._keep_graph(adjacency, weights, signs, ranking)
        return self

    def _fit_correlations(self, X: Any) -> tuple[Floats, Any, Floats, Any]:
        """Log-likelihood, number of parameters, sign and number of rows of each Gaussian pair."""
        table = self._read(X)
        self.pair_fit_ = None
        self._keep_margins(table, normal=self.dependence == "pearson")
        scores = scores_of(table.values, self.dependence)
        self.correlation_ = correlation_of(scores, self.dependence)
        r = to_pairs(self.correlation_)
        left = np.maximum((1.0 - r) * (1.0 + r), CLOSEST_TO_ONE)
        n = len(table.values)
        return -0.5 * n * np.log(left), 1, r, n

    def _fit_pairs(self, X: Any) -> tuple[Floats, Any, Floats, Any]:
        """Log-likelihood, number of parameters, sign and number of rows of each pair."""
        check_ties(self.ties)
        table = self._read_to_learn(X)
        self.node_names_ = table.names
        given = clone(self.potentials)
        fit = given if isinstance(given, PairFit) else PairFit(given)
        if fit.margins is None:
            fit.margins = Margins(ties=self.ties)
        self.pair_fit_ = fit.fit(table, pairs=pairs_to_fit(self, table))
        evidence = self.pair_fit_.densities_
        tau = np.nan_to_num(self.pair_fit_.describe()["tau"].to_numpy(dtype=float))
        likelihood, signs = map(evidence.index.spread, (evidence.listed.sum(axis=0), tau))
        return likelihood, evidence.n_parameters, signs, np.maximum(evidence.n_rows, 1.0)

    @property
    def potentials_(self) -> Any:
        """The fitted densities of pairs; there are none with Gaussian potentials."""
        return self._fitted_pairs().potentials

    @property
    def table_(self) -> Table:
        """The table as it was read; not with Gaussian potentials, which take it as numbers."""
        return self._fitted_pairs().table_

    def _fitted_pairs(self) -> PairFit:
        check_is_fitted(self)
        if self.pair_fit_ is None:
            raise AttributeError("A ChowLiu with Gaussian potentials has no kinds of columns.")
        return self.pair_fit_

    def log_likelihood_ratio(self, X: ArrayLike | pd.DataFrame) -> Floats:
        r"""Log-density of each row relative to independent columns with the same margins.

        .. math:: \sum_{e \in F} \log w_e(x)

        It has no units. Where a value is missing, its edges count as :math:`w_e = 1`.
        """
        check_is_fitted(self)
        if self.pair_fit_ is None:
            return super().log_likelihood_ratio(X)
        rows = self._read_to_score(X, self.pair_fit_.table_)
        kept = np.flatnonzero(to_pairs(self.adjacency_))
        return np.asarray(self.pair_fit_.log_density(rows, kept).sum(axis=1))

    def _log_copula(self, rows: Floats) -> Floats:
        r"""Sum of the Gaussian :math:`\log w_e` over the edges."""
        Z = self._scores(rows)
        first, second = np.nonzero(np.triu(self.adjacency_, 1))
        r = self.correlation_[first, second]
        left = np.maximum((1.0 - r) * (1.0 + r), CLOSEST_TO_ONE)
        a, b = Z[:, first], Z[:, second]
        log_density = -0.5 * np.log(left) - (r**2 * (a**2 + b**2) - 2.0 * r * a * b) / (2.0 * left)
        return np.asarray(log_density.sum(axis=1))

    def _log_margins(self, X: Any) -> Floats:
        check_is_fitted(self)
        if self.pair_fit_ is None:
            return super()._log_margins(X)
        return self.pair_fit_.log_margins(self._read_to_score(X, self.pair_fit_.table_))
