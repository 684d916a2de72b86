"""What people do with tables that have levels and gaps.

The forest methods take such tables as they are (:mod:`benchmarks.accuracy.methods.forests`). These
first make a table that any method takes: by dropping rows, by filling gaps, or by codes.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.accuracy.filling import codes, fill_gaps
from benchmarks.accuracy.methods import register
from benchmarks.accuracy.polychoric import FEWEST_ROWS, latent_correlation
from spinney.models import RootedForests
from spinney.models.baselines import GraphicalLasso, Stars, glasso_path, penalty_path
from spinney.models.baselines.rules import EBIC, PathProblem, SelectionRule
from spinney.pairs.copulas import PairCopulas

Floats = NDArray[np.float64]


@register("complete-cases")
def complete_cases(X: Any, seed: int) -> Any:
    """RootedForests on the rows without gaps; with fewer than ten of them, a graph of no edge."""
    table = codes(X)
    whole = ~np.isnan(table).any(axis=1)
    if whole.sum() < FEWEST_ROWS:
        nothing = np.zeros((table.shape[1],) * 2)
        return SimpleNamespace(adjacency_=nothing > 0, edge_ranking_=nothing)
    return RootedForests(PairCopulas(random_state=seed), missing="drop").fit(X)


@register("mean-imputation")
def mean_imputation(X: Any, seed: int) -> RootedForests:
    """RootedForests after gaps were filled by means (of nominal columns, the mode)."""
    filled = fill_gaps(X) if isinstance(X, pd.DataFrame) else X
    return RootedForests(PairCopulas(random_state=seed)).fit(filled)


def _register_lasso(name: str, dependence: str, selection: Any) -> None:
    @register(name)
    def lasso(X: Any, seed: int) -> GraphicalLasso:
        filled = codes(fill_gaps(X)) if isinstance(X, pd.DataFrame) else X
        model = GraphicalLasso(selection=selection, dependence=dependence, random_state=seed)
        return model.fit(filled)


# Gaps by means, levels by their codes: those of nominal columns as if they had an order.
_register_lasso("filled-glasso-ebic", "pearson", "ebic")
_register_lasso("filled-glasso-stars-0.1", "pearson", Stars(0.1))
_register_lasso("filled-nonparanormal-stars-0.1", "shrinkage", Stars(0.1))


def _register_polychoric(name: str, rule: SelectionRule) -> None:
    @register(name)
    def polychoric(X: Any, seed: int) -> SimpleNamespace:
        """Graphical lasso on polychoric, polyserial and normal-score correlations.

        Each pair is fitted on the rows that have both its values; eBIC's n is the mean number of
        these rows over all pairs. Nominal levels are ordered by their codes.
        """
        table = codes(X)
        d = table.shape[1]
        has_levels = np.zeros(d, dtype=bool)
        if isinstance(X, pd.DataFrame):
            has_levels = np.array([not pd.api.types.is_float_dtype(t) for t in X.dtypes])
        S = latent_correlation(table, has_levels)
        path = glasso_path(S, penalty_path(S))

        def correlation(rows: Floats) -> Floats:
            return S if isinstance(rule, EBIC) else latent_correlation(rows, has_levels)

        if isinstance(rule, EBIC):  # it asks for no rows but their number
            present = (~np.isnan(table)).astype(float)
            common = (present.T @ present)[np.triu_indices(d, 1)].mean()
            table = table[: round(common)]
        rng = np.random.default_rng(seed)
        problem = PathProblem(table, table, correlation, glasso_path, path, rng)
        chosen = int(np.argmin(np.abs(path.penalties - rule.choose(problem).penalty)))
        return SimpleNamespace(adjacency_=path.adjacency[chosen], edge_ranking_=path.mean_strength)


_register_polychoric("glasso-polychoric-ebic", EBIC())
_register_polychoric("glasso-polychoric-stars-0.1", Stars(0.1))
