"""The estimators: from a table to a graph that is also a density.

:mod:`spinney._core.registry` lists what is exported; each is imported at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spinney._core.registry import lazy_exports, registered

if TYPE_CHECKING:  # for editors and type checkers, which do not run the lines below
    from spinney.models.paper.ensemble_of_trees import EnsembleOfTrees as EnsembleOfTrees
    from spinney.models.paper.exact_forests import ExactForests as ExactForests
    from spinney.models.paper.forests_cuts import ForestsCuts as ForestsCuts
    from spinney.models.paper.forests_lambda import ForestsLambda as ForestsLambda
    from spinney.models.rooted_forests import RootedForests as RootedForests
    from spinney.models.shared_forest import SharedForest as SharedForest
    from spinney.models.stability import StabilitySelection as StabilitySelection

__getattr__, __dir__, __all__ = lazy_exports(
    __name__,
    {name: entry.module for name, entry in registered(__name__).items()},
    ("baselines", "log_newton", "objectives", "selection", "solvers", "unrooted"),
)
