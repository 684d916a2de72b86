"""The best single tree or forest: Chow and Liu's algorithm, on Gaussian or copula pairs."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import minimum_spanning_tree
from sklearn.base import clone

from spinney._pairs import pair_nodes, to_matrix, to_pairs
from spinney.baselines._base import GraphBaseline
from spinney.baselines.scores import DependenceName, check_dependence, fit_scores
from spinney.copulas import PairCopulas
from spinney.exceptions import InputError
from spinney.marginals import Marginals

__all__ = ["ChowLiu", "best_forest"]

Floats = NDArray[np.float64]

CLOSEST_TO_ONE = 1e-12
"""Smallest 1 - r² that is believed, so that a column and its copy have a finite gain."""


def best_forest(gains: ArrayLike, *, spanning: bool = False) -> NDArray[np.bool_]:
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
    matrix = to_matrix(values)
    d = len(matrix)
    first, second = pair_nodes(d)
    used = np.ones(values.size, dtype=bool) if spanning else values > 0.0
    # The routine minimises, and reads a stored cost of zero as no edge at all: costs start at 1.
    costs = 1.0 + values.max(initial=0.0) - values[used]
    stored = coo_array((costs, (first[used], second[used])), shape=(d, d))
    tree = minimum_spanning_tree(stored.tocsr()).toarray() > 0.0
    return np.asarray(tree | tree.T)


class ChowLiu(GraphBaseline):
    r"""Maximum-likelihood tree, or the forest with the best information criterion.

    The log-likelihood of a forest is the sum of its edges' :math:`\sum_j \log w_e(x^j)` (relative
    to independence), so the best one is a maximum-weight forest of those sums, each less its
    price in the criterion.

    Parameters
    ----------
    criterion : {"bic", "aic", None}
        Price of a parameter: ½ log n, 1, or none. With a price the result is a forest; with none
        it is a spanning tree, as in Chow and Liu.
    potentials : "gaussian" or PairCopulas
        Pair densities. Gaussian ones are computed from the correlation that `dependence` names,
        :math:`-\frac n2 \log(1 - r^2)`; a :class:`spinney.PairCopulas` is cloned and fitted to
        the table's pseudo-observations.
    dependence : {"pearson", "shrinkage", "truncation", "spearman", "kendall"}
        Correlation for Gaussian potentials; see :class:`GraphicalLasso`.

    Attributes
    ----------
    adjacency_, n_components_, labels_, graph_
        As in :class:`GraphicalLasso`.
    edge_weights_ : array of shape (d, d)
        Mean log-density of a row under each kept pair: an estimate of its mutual information, in
        nats.
    edge_ranking_ : array of shape (d, d)
        Gains after their price, those of the forest above all others. Only the order means
        something; a single forest has no edge probabilities.
    gains_ : array of shape (n_pairs,)
        Log-likelihood of each pair less its price.
    potentials_ : PairCopulas
        The fitted copulas, if there are any.
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

    def __init__(
        self,
        criterion: Literal["bic", "aic"] | None = "bic",
        *,
        potentials: Literal["gaussian"] | PairCopulas = "gaussian",
        dependence: DependenceName = "pearson",
    ) -> None:
        self.criterion = criterion
        self.potentials = potentials
        self.dependence = dependence

    def fit(self, X: ArrayLike | pd.DataFrame, y: object = None) -> Self:
        """Learn the tree or forest of a table.

        Parameters
        ----------
        X : data frame or array of shape (n, d)
            The table.
        y : ignored
        """
        if self.criterion not in ("bic", "aic", None):
            raise InputError(f"criterion must be 'bic', 'aic' or None, got {self.criterion!r}.")
        table = self._read(X)
        n = len(table.values)
        log_likelihood, n_parameters = self._fit_pairs(table.values)
        price = {"bic": 0.5 * float(np.log(n)), "aic": 1.0, None: 0.0}[self.criterion]
        self.gains_ = log_likelihood - price * n_parameters
        adjacency = best_forest(self.gains_, spanning=self.criterion is None)
        self._keep_graph(
            table, adjacency, to_matrix(log_likelihood / n), _rank(self.gains_, adjacency)
        )
        return self

    def score_samples(self, X: ArrayLike | pd.DataFrame) -> Floats:
        r"""Log-density of each row relative to independent columns: sum of log w over the edges.

        New rows pass through the columns' means and deviations (``dependence="pearson"``) or
        their empirical distributions.
        """
        rows = self._read_rows(X)
        kept = np.flatnonzero(to_pairs(self.adjacency_))
        if isinstance(self.potentials, PairCopulas):
            U = self._marginals.transform(rows)
            return np.asarray(self.potentials_.log_density(U, pairs=kept).sum(axis=1))
        Z = self._fitted_scores.transform(rows)
        first, second = (nodes[kept] for nodes in pair_nodes(Z.shape[1]))
        r = self.correlation_[first, second]
        one = np.maximum(1.0 - r**2, CLOSEST_TO_ONE)
        a, b = Z[:, first], Z[:, second]
        log_density = -0.5 * np.log(one) - (r**2 * (a**2 + b**2) - 2.0 * r * a * b) / (2.0 * one)
        return np.asarray(log_density.sum(axis=1))

    def score(self, X: ArrayLike | pd.DataFrame, y: object = None) -> float:
        """Mean of `score_samples` over rows."""
        return float(self.score_samples(X).mean())

    def _fit_pairs(self, values: Floats) -> tuple[Floats, Any]:
        """Log-likelihood and number of parameters of each pair."""
        self._forget("potentials_", "correlation_", "_fitted_scores", "_marginals")
        if isinstance(self.potentials, PairCopulas):
            self._marginals = Marginals(smooth=None).fit(values)
            self.potentials_ = clone(self.potentials).fit(self._marginals.transform(values))
            likelihood = self.potentials_.table_["log_likelihood"].to_numpy()
            return likelihood, self.potentials_.n_parameters_
        if self.potentials != "gaussian":
            raise InputError(
                f"potentials must be 'gaussian' or a PairCopulas(), got {self.potentials!r}."
            )
        dependence = check_dependence(self.dependence)
        self.correlation_ = dependence.correlation(dependence.scores(values))
        self._fitted_scores = fit_scores(values, self.dependence)
        r = to_pairs(self.correlation_)
        gains = -0.5 * len(values) * np.log(np.maximum(1.0 - r**2, CLOSEST_TO_ONE))
        return gains, 1


def _rank(gains: Floats, adjacency: NDArray[np.bool_]) -> Floats:
    spread = float(np.ptp(gains)) if gains.size else 0.0
    lowest = float(gains.min(initial=0.0))
    ranking = to_matrix(gains - lowest)
    return np.where(adjacency, ranking + spread + 1.0, ranking)
