"""Structure of Markov random fields by averaging over forests of pair-copula trees.

The parts are loaded when they are first used, so that ``import spinney`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from spinney._registry import registered

if TYPE_CHECKING:  # for editors and type checkers, which do not run the lines below
    from spinney import baselines as baselines
    from spinney import contingency as contingency
    from spinney import copulas as copulas
    from spinney import datasets as datasets
    from spinney import estimators as estimators
    from spinney import evidence as evidence
    from spinney import forests as forests
    from spinney import io as io
    from spinney import judge as judge
    from spinney import learner as learner
    from spinney import marginals as marginals
    from spinney import metrics as metrics
    from spinney import plotting as plotting
    from spinney import posterior as posterior
    from spinney import potentials as potentials
    from spinney import screening as screening
    from spinney import simulate as simulate
    from spinney import tables as tables
    from spinney.copulas.pair_copulas import PairCopulas as PairCopulas
    from spinney.estimators import EnsembleOfTrees as EnsembleOfTrees
    from spinney.estimators import ExactForests as ExactForests
    from spinney.estimators import ForestsCuts as ForestsCuts
    from spinney.estimators import ForestsLambda as ForestsLambda
    from spinney.estimators import RootedForests as RootedForests
    from spinney.estimators import SharedForest as SharedForest
    from spinney.estimators import StabilitySelection as StabilitySelection
    from spinney.exceptions import DataWarning as DataWarning
    from spinney.exceptions import InputError as InputError
    from spinney.exceptions import SpinneyError as SpinneyError
    from spinney.io import load_model as load_model
    from spinney.learner import GraphLearner as GraphLearner
    from spinney.learner import LearnedGraph as LearnedGraph
    from spinney.learner import learn as learn
    from spinney.learner import learn_groups as learn_groups
    from spinney.learner import learn_stability as learn_stability
    from spinney.marginals import Marginals as Marginals
    from spinney.marginals import pseudo_observations as pseudo_observations
    from spinney.potentials import PairPotentials as PairPotentials

__version__ = "0.1.0.dev0"

_HOME = {
    "DataWarning": "spinney.exceptions",
    "InputError": "spinney.exceptions",
    "SpinneyError": "spinney.exceptions",
    "Marginals": "spinney.marginals",
    "pseudo_observations": "spinney.marginals",
    "PairCopulas": "spinney.copulas.pair_copulas",
    "PairPotentials": "spinney.potentials",
    **{name: entry.module for name, entry in registered("spinney.estimators").items()},
    **dict.fromkeys(("GraphLearner", "LearnedGraph", "learn"), "spinney.learner"),
    **dict.fromkeys(("learn_groups", "learn_stability"), "spinney.learner"),
    "load_model": "spinney.io",
}
_PARTS = (
    *("baselines", "contingency", "copulas", "datasets", "estimators", "evidence", "forests"),
    *("io", "judge", "learner", "marginals", "metrics", "plotting", "posterior", "potentials"),
    *("screening", "simulate", "tables"),
)

__all__ = sorted([*_HOME, *_PARTS, "__version__"])


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in _PARTS:
        return import_module(f"spinney.{name}")
    raise AttributeError(f"module 'spinney' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
