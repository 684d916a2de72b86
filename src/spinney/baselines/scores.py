"""How a baseline sees dependence: normal scores of a table, and the correlation matrix it uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from spinney._pairs import to_matrix
from spinney._validation import check_table
from spinney.copulas.kendall import kendall_tau
from spinney.exceptions import InputError
from spinney.marginals.ranks import EmpiricalRanks

__all__ = [
    "DEPENDENCE",
    "Dependence",
    "DependenceName",
    "FittedScores",
    "check_dependence",
    "fit_scores",
    "nonparanormal_scores",
    "rank_correlation",
]

Floats = NDArray[np.float64]
Scores = Literal["shrinkage", "truncation"]
DependenceName = Literal["pearson", "shrinkage", "truncation", "spearman", "kendall"]


def nonparanormal_scores(X: Any, method: Scores = "shrinkage") -> Any:
    r"""Turn every column into normal scores, as the R package huge makes them.

    With :math:`r_{ij}` the rank of a value in its column (ties share their mean rank),

    .. math::
        z_{ij} = \Phi^{-1}\!\left(\frac{r_{ij}}{n + 1}\right) \Big/ s
        \qquad\text{or}\qquad
        z_{ij} = \Phi^{-1}\!\left(\min\{\max(r_{ij}/n, \delta_n), 1 - \delta_n\}\right) \Big/ s,

    the shrunken and the truncated empirical distribution, with
    :math:`\delta_n = 1 / (4 n^{1/4} \sqrt{\pi \log n})`. As in huge, :math:`s` is the standard
    deviation of the *first* column; it matters to no correlation.

    Parameters
    ----------
    X : data frame or array of shape (n, d)
        The table.
    method : {"shrinkage", "truncation"}
        Which empirical distribution.

    Returns
    -------
    data frame or array of shape (n, d)
        A data frame if `X` was one.

    References
    ----------
    .. [1] H. Liu, J. Lafferty and L. Wasserman (2009). The nonparanormal: semiparametric
       estimation of high dimensional undirected graphs. JMLR 10, 2295-2328.

    Examples
    --------
    >>> nonparanormal_scores([[1.0], [10.0], [100.0], [1000.0]]).ravel().round(3)
    array([-1.173, -0.353,  0.353,  1.173])
    """
    if method not in ("shrinkage", "truncation"):
        raise InputError(f"method must be 'shrinkage' or 'truncation', got {method!r}.")
    table = check_table(X)
    scores = _shrunken(table.values) if method == "shrinkage" else _truncated(table.values)
    if isinstance(X, pd.DataFrame):
        return pd.DataFrame(scores, index=X.index, columns=X.columns)
    return scores


def rank_correlation(X: Floats, statistic: Literal["spearman", "kendall"]) -> Floats:
    r"""Correlation of the underlying normal scores, from ranks ("nonparanormal skeptic").

    :math:`2 \sin(\frac{\pi}{6} \hat\rho)` from Spearman's rho,
    :math:`\sin(\frac{\pi}{2} \hat\tau)` from Kendall's tau-b. Either matrix may have negative
    eigenvalues; they are then raised to zero and the diagonal scaled back to one, because the
    graphical lasso has a solution at every penalty only from there on.

    References
    ----------
    .. [1] H. Liu, F. Han, M. Yuan, J. Lafferty and L. Wasserman (2012). High-dimensional
       semiparametric Gaussian copula graphical models. Annals of Statistics 40, 2293-2326.

    Examples
    --------
    >>> X = np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 2.0], [4.0, 4.0]])
    >>> rank_correlation(X, "kendall")[0, 1].round(3)
    np.float64(0.866)
    """
    if statistic == "spearman":
        ranks = stats.rankdata(X, axis=0)
        S = 2.0 * np.sin(np.pi / 6.0 * _pearson(ranks))
    else:
        # A column that is constant in a subsample has no untied pairs, and tau-b is 0 / 0.
        with np.errstate(invalid="ignore", divide="ignore"):
            S = to_matrix(np.sin(np.pi / 2.0 * np.nan_to_num(kendall_tau(X))))
    np.fill_diagonal(S, 1.0)
    return _raise_to_semidefinite(S)


@dataclass(frozen=True)
class Dependence:
    """A way to see dependence: scores that rows are drawn from, and their correlation matrix.

    Attributes
    ----------
    scores : callable
        (n, d) → (n, d), applied once to the whole table.
    correlation : callable
        (m, d) → (d, d), applied to all rows of the scores or to some.
    """

    scores: Callable[[Floats], Floats]
    correlation: Callable[[Floats], Floats]


def _pearson(X: Floats) -> Floats:
    """Sample correlation; a column that is constant (in a subsample) is correlated with none."""
    centred = X - X.mean(axis=0)
    length = np.sqrt((centred**2).sum(axis=0))
    unit = np.divide(centred, length, out=np.zeros_like(centred), where=length > 0.0)
    S = unit.T @ unit
    np.fill_diagonal(S, 1.0)
    return 0.5 * (S + S.T)


def _shrunken(X: Floats) -> Floats:
    scores = stats.norm.ppf(stats.rankdata(X, axis=0) / (len(X) + 1))
    return scores / scores[:, 0].std(ddof=1)


def _truncated(X: Floats) -> Floats:
    delta = _truncation(len(X))
    scores = stats.norm.ppf(np.clip(stats.rankdata(X, axis=0) / len(X), delta, 1.0 - delta))
    return scores / scores[:, 0].std(ddof=1)


def _truncation(n: int) -> float:
    return float(1.0 / (4.0 * n**0.25 * np.sqrt(np.pi * np.log(n))))


def _unchanged(X: Floats) -> Floats:
    return X


def _spearman(X: Floats) -> Floats:
    return rank_correlation(X, "spearman")


def _kendall(X: Floats) -> Floats:
    return rank_correlation(X, "kendall")


def _raise_to_semidefinite(S: Floats) -> Floats:
    values, vectors = np.linalg.eigh(S)
    if values[0] >= 0.0:
        return S
    raised = (vectors * np.maximum(values, 0.0)) @ vectors.T
    scale = np.sqrt(np.diag(raised))
    raised /= scale[:, None] * scale
    np.fill_diagonal(raised, 1.0)
    return 0.5 * (raised + raised.T)


DEPENDENCE: dict[str, Dependence] = {
    "pearson": Dependence(_unchanged, _pearson),
    "shrinkage": Dependence(_shrunken, _pearson),
    "truncation": Dependence(_truncated, _pearson),
    "spearman": Dependence(_unchanged, _spearman),
    "kendall": Dependence(_unchanged, _kendall),
}
"""Pearson's correlation; the nonparanormal by shrunken or truncated scores; and by ranks."""


def check_dependence(name: Any) -> Dependence:
    """Look a way to see dependence up by its name."""
    if name not in DEPENDENCE:
        names = ", ".join(repr(known) for known in DEPENDENCE)
        raise InputError(f"dependence must be one of {names}, got {name!r}.")
    return DEPENDENCE[name]


@dataclass(frozen=True, eq=False)
class FittedScores:
    """Map of new rows to scores of mean 0 and variance 1, learned from a table.

    For Pearson's correlation each column is shifted and scaled. For all others it goes through
    its empirical distribution (shrunken; truncated where asked for) to the normal quantile.
    """

    ranks: tuple[EmpiricalRanks, ...]
    truncation: float
    centre: Floats
    scale: Floats

    def transform(self, X: Floats) -> Floats:
        """Scores of rows, shape (m, d)."""
        raw = _raw_scores(X, self.ranks, self.truncation)
        return (raw - self.centre) / self.scale


def fit_scores(X: Floats, name: str) -> FittedScores:
    """Learn the map from rows to standard scores that goes with a way to see dependence."""
    ranks = () if name == "pearson" else tuple(EmpiricalRanks.fit(x) for x in X.T)
    truncation = _truncation(len(X)) if name == "truncation" else 0.0
    raw = _raw_scores(X, ranks, truncation)
    return FittedScores(ranks, truncation, raw.mean(axis=0), raw.std(axis=0))


def _raw_scores(X: Floats, ranks: tuple[EmpiricalRanks, ...], truncation: float) -> Floats:
    if not ranks:
        return X
    U = np.column_stack([rank.transform(x) for rank, x in zip(ranks, X.T, strict=True)])
    if truncation > 0.0:
        n = int(ranks[0].counts.sum())
        U = np.clip(U * (n + 1) / n, truncation, 1.0 - truncation)
    return stats.norm.ppf(U)
