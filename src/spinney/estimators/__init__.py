"""The estimators: from a table to a graph that is also a density.

What is exported is what :mod:`spinney._registry` lists; each is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spinney._registry import registered

if TYPE_CHECKING:  # for editors and type checkers, which do not run the lines below
    from spinney.estimators.ensemble_of_trees import EnsembleOfTrees as EnsembleOfTrees
    from spinney.estimators.exact_forests import ExactForests as ExactForests
    from spinney.estimators.forests_cuts import ForestsCuts as ForestsCuts
    from spinney.estimators.forests_lambda import ForestsLambda as ForestsLambda
    from spinney.estimators.rooted_forests import RootedForests as RootedForests
    from spinney.estimators.shared_forest import SharedForest as SharedForest
    from spinney.estimators.stability import StabilitySelection as StabilitySelection

_ESTIMATORS = registered(__name__)

__all__ = list(_ESTIMATORS)


def __getattr__(name: str) -> Any:
    if name in _ESTIMATORS:
        return _ESTIMATORS[name].load()
    raise AttributeError(f"module 'spinney.estimators' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
