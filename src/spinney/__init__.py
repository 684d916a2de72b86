"""Structure of Markov random fields by averaging over forests of pair-copula trees.

The parts are loaded when they are first used, so that ``import spinney`` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spinney import (
        baselines,
        copulas,
        datasets,
        estimators,
        forests,
        io,
        marginals,
        metrics,
        plotting,
        posterior,
        simulate,
    )
    from spinney.copulas.pair_copulas import PairCopulas
    from spinney.estimators import (
        EnsembleOfTrees,
        ExactForests,
        ForestsCuts,
        ForestsLambda,
        RootedForests,
        SharedForest,
        StabilitySelection,
    )
    from spinney.exceptions import DataWarning, InputError, SpinneyError
    from spinney.io import load_model
    from spinney.marginals import Marginals, pseudo_observations

__version__ = "0.1.0.dev0"

__all__ = [
    "DataWarning",
    "EnsembleOfTrees",
    "ExactForests",
    "ForestsCuts",
    "ForestsLambda",
    "InputError",
    "Marginals",
    "PairCopulas",
    "RootedForests",
    "SharedForest",
    "SpinneyError",
    "StabilitySelection",
    "__version__",
    "baselines",
    "copulas",
    "datasets",
    "estimators",
    "forests",
    "io",
    "load_model",
    "marginals",
    "metrics",
    "plotting",
    "posterior",
    "pseudo_observations",
    "simulate",
]

_HOME = {
    "DataWarning": "spinney.exceptions",
    "InputError": "spinney.exceptions",
    "SpinneyError": "spinney.exceptions",
    "Marginals": "spinney.marginals",
    "pseudo_observations": "spinney.marginals",
    "PairCopulas": "spinney.copulas.pair_copulas",
    "EnsembleOfTrees": "spinney.estimators",
    "ExactForests": "spinney.estimators",
    "ForestsCuts": "spinney.estimators",
    "ForestsLambda": "spinney.estimators",
    "RootedForests": "spinney.estimators",
    "StabilitySelection": "spinney.estimators",
    "SharedForest": "spinney.estimators",
    "load_model": "spinney.io",
}
_PARTS = set(__all__) - set(_HOME) - {"__version__"}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    if name in _PARTS:
        return import_module(f"spinney.{name}")
    raise AttributeError(f"module 'spinney' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
