"""The package's estimators, with the default families or with the one that the truth has."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from benchmarks.accuracy.methods import register
from spinney.copulas import PairCopulas
from spinney.estimators import (
    EnsembleOfTrees,
    ForestsCuts,
    ForestsLambda,
    RootedForests,
    SharedForest,
)

FAMILIES: dict[str, Any] = {"": "default", "-gaussian": ["gaussian"], "-student": ["student"]}
ESTIMATORS: dict[str, Any] = {
    "ef-lambda": ForestsLambda,
    "et": EnsembleOfTrees,
    "ef-cuts": ForestsCuts,
    "rooted-forests": RootedForests,
    "shared-forest": SharedForest,
}


def _register(name: str, estimator: Any, families: Any) -> None:
    @register(name)
    def fit(X: NDArray[Any], seed: int) -> Any:
        return estimator(potentials=PairCopulas(families=families, random_state=seed)).fit(X)


for _name, _estimator in ESTIMATORS.items():
    for _suffix, _families in FAMILIES.items():
        _register(_name + _suffix, _estimator, _families)
