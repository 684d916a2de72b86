"""Partial correlations, tested one by one: the plainest way to a Gaussian graph."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.special import chdtrc, ndtr, ndtri
from scipy.stats import false_discovery_control
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions

from spinney._core.arrays import Bools, Floats
from spinney._core.pairs import to_matrix, to_pairs
from spinney.exceptions import InputError, NotPlainError
from spinney.models._base import check_parameters
from spinney.models.baselines.paths import partial_correlations
from spinney.models.baselines.scores import (
    DEPENDENCE,
    ColumnScales,
    DependenceName,
    GraphBaseline,
    correlation_of,
    normal_scores,
    scores_of,
)
from spinney.tables import Table, check_features, read_table, warn_of_table

ENOUGH_ROWS = 1.5
"""Rows per column from which the sample correlation matrix is inverted without shrinkage."""


def shrinkage_intensity(Z: ArrayLike) -> float:
    r"""Share of the identity that makes a correlation matrix closest to the truth on average.

    .. math:: \hat\lambda = \min\!\left(1,\;
              \frac{\sum_{i<j} \widehat{\operatorname{Var}}(r_{ij})}{\sum_{i<j} r_{ij}^2}\right)

    Parameters
    ----------
    Z : array of shape (n, d)
        Scores; columns are standardised here.

    References
    ----------
    .. [1] J. Schäfer and K. Strimmer (2005). A shrinkage approach to large-scale covariance matrix
       estimation and implications for functional genomics. Statistical Applications in Genetics
       and Molecular Biology 4, 32. (Equations 8 and 10.)

    Examples
    --------
    >>> Z = np.random.default_rng(0).normal(size=(50, 10))  # nothing to be kept
    >>> round(shrinkage_intensity(Z), 2)
    0.99
    """
    scores = np.asarray(Z, dtype=float)
    n = len(scores)
    unit = ColumnScales.fit(scores).apply(scores) * np.sqrt((n - 1) / n)
    mean = unit.T @ unit / n
    square = (unit**2).T @ unit**2 / n
    # n/(n-1)³ Σ_k (w_k - mean)², with w_k the product of two columns in row k.
    variance = to_pairs(n**2 / (n - 1) ** 3 * (square - mean**2))
    r = to_pairs(mean * n / (n - 1))
    total = float((r**2).sum())
    return 1.0 if total == 0.0 else float(np.clip(variance.sum() / total, 0.0, 1.0))


@dataclass(eq=False, repr=False)
class PartialCorrelation(GraphBaseline):
    r"""Graph of the partial correlations that are larger than chance, or than a threshold.

    With :math:`\hat\rho_{ij}` from the inverse of the correlation matrix, Fisher's
    :math:`z = \sqrt{n - d - 1}\, \operatorname{artanh} \hat\rho` is approximately standard normal
    where there is no edge [1]_, [2]_.

    Parameters
    ----------
    threshold : {"fdr", "bonferroni", "none"} or float
        Which pairs become edges: tested at `level` with Benjamini and Hochberg's, Bonferroni's or
        no correction for the number of pairs; or all beyond an absolute partial correlation.
    level : float
        Level of the tests.
    dependence : {"pearson", "shrinkage", "spearman", "kendall"}
        Correlation matrix; see :class:`GraphicalLasso`.
    shrink : "auto" or bool
        Whether the correlation matrix is shrunk towards the identity before it is inverted
        (:func:`shrinkage_intensity`). By default where there are fewer than 1.5 rows per column.

    Attributes
    ----------
    adjacency_, edge_signs_, n_components_, labels_, edges_, graph_
        As in :class:`GraphicalLasso`.
    edge_weights_ : array of shape (d, d)
        Partial correlations, with their signs, on the graph; zero elsewhere.
    edge_ranking_ : array of shape (d, d)
        Absolute z of all pairs. Only the order means something.
    p_values_ : array of shape (d, d)
        Two-sided; 1 on the diagonal.
    partial_correlations_ : array of shape (d, d)
        Of all pairs.
    shrinkage_ : float
        Share of the identity.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    **Gaps and categories.** A table with missing values or text is read by the kinds of its columns
    (:mod:`spinney.tables`). Every pair then has the rows that both columns share; columns with
    levels go by normal scores, and so do all unless ``dependence="pearson"``. Correlations are
    drawn towards 0 as by 0.1 d rows more, d where it is shrunk, and z is divided by its spread for
    independent columns (:func:`spinney.evidence.matrices.null_spread`). A nominal column has a
    score for each class but one, and the squared partial correlations of two columns, summed over
    their scores, are compared with a chi-squared distribution: such a pair has no sign.

    After shrinkage the formula for z no longer holds. Its scale is then taken from the pairs
    themselves (median absolute z over the normal's), which assumes that most pairs are not
    edges. The model is not a density, so it has no ``score_samples``.

    References
    ----------
    .. [1] R. A. Fisher (1924). The distribution of the partial correlation coefficient. Metron 3,
       329-332.
    .. [2] M. Drton and M. D. Perlman (2007). Multiple testing and error control in Gaussian
       graphical model selection. Statistical Science 22, 430-449.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4)).cumsum(axis=1)  # a chain
    >>> sorted(PartialCorrelation().fit(X).graph_.edges)
    [('x0', 'x1'), ('x1', 'x2'), ('x2', 'x3')]
    """

    threshold: Literal["fdr", "bonferroni", "none"] | float = "fdr"
    _: KW_ONLY
    level: float = 0.05
    dependence: DependenceName = "pearson"
    shrink: Literal["auto"] | bool = "auto"

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "threshold": [
            StrOptions({"fdr", "bonferroni", "none"}),
            Interval(Real, 0, 1, closed="left"),
        ],
        "level": [Interval(Real, 0, 1, closed="neither")],
        "dependence": [StrOptions(set(DEPENDENCE))],
        "shrink": ["boolean", StrOptions({"auto"})],
    }

    def fit(self, X: ArrayLike | pd.DataFrame, y: object = None) -> Self:
        """Learn the graph of a table.

        Parameters
        ----------
        X : data frame or array of shape (n, d)
            The table.
        y : ignored
        """
        check_parameters(self)
        table = self._read(X)
        if not table.is_plain:
            return self._fit_mixed(table)
        n, d = table.values.shape
        shrink = n < ENOUGH_ROWS * d if self.shrink == "auto" else self.shrink
        if not shrink and n <= d + 1:
            raise InputError(
                f"{n} rows are too few to invert the correlations of {d} columns. "
                "Use shrink=True, or GraphicalLasso."
            )
        S = correlation_of(scores_of(table.values, self.dependence), self.dependence)
        scores = normal_scores(table.values, self.dependence)
        self.shrinkage_ = shrinkage_intensity(scores) if shrink else 0.0
        S = (1.0 - self.shrinkage_) * S + self.shrinkage_ * np.eye(d)
        # A pseudo-inverse, because a column may repeat others.
        precision = np.asarray(np.linalg.pinv(S, hermitian=True), dtype=float)
        partial = to_pairs(partial_correlations(precision))
        z = np.arctanh(np.clip(partial, -1.0 + 1e-15, 1.0 - 1e-15))
        # Shrunken ones in units of the bulk of them about zero.
        spread = float(np.median(np.abs(z))) / float(ndtri(0.75)) or 1.0
        z = z / spread if shrink else z * np.sqrt(n - d - 1)
        return self._keep(partial, z, 2.0 * ndtr(-np.abs(z)))

    def _fit_mixed(self, table: Table) -> Self:
        """Learn from columns of any kind, each pair from the rows that it has."""
        from spinney.evidence import matrices
        from spinney.scores import read_scores

        scores = read_scores(table, degree=1)
        owners, starts, values = scores.owners, scores.starts, scores.values
        if self.dependence == "pearson":
            plain = np.flatnonzero(table.n_levels == 0)
            values = values.copy()
            values[:, starts[plain]] = np.nan_to_num(table.values[:, plain])
        R = matrices.pairwise_correlation(values, scores.present[:, owners])
        R[np.equal.outer(owners, owners)] = 0.0
        here = scores.present.astype(float)
        common = here.T @ here
        rows, q, apart = to_pairs(common), len(owners), 1.0 - float(here.mean())
        enough = float(np.median(rows)) >= ENOUGH_ROWS * q
        shrink = not enough if self.shrink == "auto" else self.shrink
        worth = ((1.0 if shrink else 0.1) + apart) * q
        self.shrinkage_ = worth / (float(np.median(rows)) + worth)
        inverse = matrices.shrunk_inverse(R, common[np.ix_(owners, owners)], worth)
        sizes, counts = matrices.block_sizes(inverse, starts), scores.counts
        whole = matrices.partial_correlation(inverse)[np.ix_(starts, starts)]
        whole[scores.nominal] = whole[:, scores.nominal] = 0.0
        z = matrices.normal_deviate(to_pairs(whole), rows, worth, q, apart)
        p_values = 2.0 * ndtr(-np.abs(z))
        several = to_pairs((scores.nominal[:, None] | scores.nominal).astype(float)) > 0.0
        spread = matrices.null_spread(rows, worth, q, apart)
        squared = rows * (to_pairs(sizes) / spread) ** 2
        by_classes = chdtrc(to_pairs(np.multiply.outer(counts, counts)), squared)
        p_values = np.where(several, by_classes, p_values)
        z = np.where(several, -ndtri(np.maximum(p_values, 1e-300) / 2.0), z)
        return self._keep(np.where(several, to_pairs(sizes), to_pairs(whole)), z, p_values, several)

    def _keep(
        self, partial: Floats, z: Floats, p_values: Floats, several: Bools | Literal[False] = False
    ) -> Self:
        """Decide which pairs are edges; those with `several` numbers have no sign."""
        kept = self._decide(partial, p_values)
        self.partial_correlations_ = to_matrix(partial)
        self.p_values_ = to_matrix(p_values, diagonal=1.0)
        signs = to_matrix(np.where(several, 0.0, partial))
        weights = self.partial_correlations_
        self._keep_graph(to_matrix(kept) > 0.0, weights, signs, to_matrix(np.abs(z)))
        return self

    def _read(self, X: Any) -> Table:
        try:
            return super()._read(X)
        except NotPlainError:
            pass
        table = read_table(X)
        self._forget("edge_weights_")
        check_features(self, X, reset=True)
        self.node_names_ = table.names
        if not isinstance(X, Table):
            warn_of_table(table, X)
        return table

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.allow_nan = True
        return tags

    def _decide(self, partial: Floats, p_values: Floats) -> Bools:
        if self.threshold == "fdr":
            return false_discovery_control(p_values) <= self.level
        if self.threshold == "bonferroni":
            return p_values <= self.level / p_values.size
        if self.threshold == "none":
            return p_values <= self.level
        return np.abs(partial) > float(self.threshold)
