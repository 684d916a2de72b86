"""The package's estimators, with the default families or with the one that the truth has."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from benchmarks.accuracy.methods import register
from spinney._core.registry import REGISTRY
from spinney.pairs.copulas import PairCopulas

FAMILIES: dict[str, Any] = {"": "default", "-gaussian": ["gaussian"], "-student": ["student"]}


def _register(name: str, estimator: Any, families: Any) -> None:
    @register(name)
    def fit(X: NDArray[Any], seed: int) -> Any:
        return estimator(potentials=PairCopulas(families=families, random_state=seed)).fit(X)


for _entry in REGISTRY:
    for _suffix, _families in FAMILIES.items() if _entry.benchmarked else ():
        _register(_entry.key + _suffix, _entry.load(), _families)
