"""The package's own baselines."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from benchmarks.accuracy.methods import register
from spinney.models.baselines import (
    ChowLiu,
    GraphicalLasso,
    NeighbourhoodSelection,
    PartialCorrelation,
    Stars,
)
from spinney.pairs.copulas import PairCopulas

# Selection rule by name; a threshold of StARS is in huge's units.
SELECTIONS = {"stars-0.05": Stars(0.05), "stars-0.1": Stars(0.1), "ebic": "ebic", "cv": "cv"}
DEPENDENCE = {"glasso": "pearson", "nonparanormal": "shrinkage", "skeptic": "spearman"}


def _register_lasso(name: str, dependence: str, selection: Any) -> None:
    @register(name)
    def lasso(X: NDArray[Any], seed: int) -> GraphicalLasso:
        model = GraphicalLasso(selection=selection, dependence=dependence, random_state=seed)
        return model.fit(X)


for _family, _dependence in DEPENDENCE.items():
    for _rule, _selection in SELECTIONS.items():
        _register_lasso(f"{_family}-{_rule}", _dependence, _selection)


@register("neighbourhood-stars-0.1")
def neighbourhood(X: NDArray[Any], seed: int) -> NeighbourhoodSelection:
    """Neighbourhood selection."""
    return NeighbourhoodSelection(selection=Stars(0.1), random_state=seed).fit(X)


@register("chow-liu-gaussian")
def chow_liu(X: NDArray[Any], seed: int) -> ChowLiu:
    """Forest of largest Gaussian mutual information, cut by BIC."""
    return ChowLiu().fit(X)


@register("chow-liu-copulas")
def chow_liu_copulas(X: NDArray[Any], seed: int) -> ChowLiu:
    """Forest of the likeliest pair copulas, cut by BIC."""
    return ChowLiu(potentials=PairCopulas(random_state=seed)).fit(X)


@register("partial-correlation-fdr")
def partial_correlation(X: NDArray[Any], seed: int) -> PartialCorrelation:
    """Partial correlations that pass a false discovery rate of 5 %."""
    return PartialCorrelation().fit(X)
