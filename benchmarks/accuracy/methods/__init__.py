"""The methods by name.

A method takes a table (an array; on the cells of the group ``tables`` a data frame) and a seed and
returns something fitted: it must have ``adjacency_`` (d × d) and may have ``edge_ranking_``,
``edge_probabilities_`` or ``edge_weights_``, by the first of which its pairs are ranked (in
absolute value). To add one, put a file into this folder; every module in it is imported when
methods are looked up::

    from benchmarks.accuracy.methods import register

    @register("my-method")
    def my_method(X, seed):
        return MyEstimator(random_state=seed).fit(X)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from numpy.typing import NDArray

from spinney.exceptions import InputError

Method = Callable[[NDArray[Any], int], Any]

_METHODS: dict[str, Method] = {}


def register(name: str) -> Callable[[Method], Method]:
    """Enter a method under a name."""

    def enter(method: Method) -> Method:
        if name in _METHODS:
            raise InputError(f"There are two methods called '{name}'. Rename one.")
        _METHODS[name] = method
        return method

    return enter


@cache
def _load() -> None:
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")


def methods() -> dict[str, Method]:
    """All methods by name."""
    _load()
    return _METHODS
