"""Keywords that a function does not have: suggest the one that was meant."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from functools import wraps
from typing import ParamSpec, TypeVar

__all__ = ["suggests_keywords"]

IN_PYTHON = {
    "fdr": "target_fdr",
    "jobs": "n_jobs",
    "kind": "kinds",
    "seed": "random_state",
    "unit": "units",
}
"""Options of the command line that have another name in Python."""
ELSEWHERE = {
    "check": "use graph.check() afterwards",
    "columns": "pass these columns of the data frame",
    "drop": "pass the other columns of the data frame",
    "estimator": "use a class of spinney.models",
    "group": "use spinney.learn_groups(table, by)",
    "out": "use graph.report(path) or graph.save(path) afterwards",
    "stability": "use spinney.learn_stability(graph)",
}
"""Options of the command line that another function or method takes the place of."""


P = ParamSpec("P")
R = TypeVar("R")


def suggests_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function name the keyword that was meant, where it is called with one it lacks.

    Examples
    --------
    >>> @suggests_keywords
    ... def learn(table, *, target_fdr=None): ...
    >>> learn([], fdr=0.1)
    Traceback (most recent call last):
        ...
    TypeError: learn() has no parameter 'fdr': in Python its name is target_fdr.
    """
    known = list(inspect.signature(function).parameters)

    @wraps(function)
    def checked(*args: P.args, **keywords: P.kwargs) -> R:
        for name in keywords:
            if name not in known:
                hint = _hint(name, known)
                raise TypeError(f"{function.__name__}() has no parameter {name!r}{hint}.")
        return function(*args, **keywords)

    return checked


def _hint(name: str, known: Sequence[str]) -> str:
    if IN_PYTHON.get(name) in known:
        return f": in Python its name is {IN_PYTHON[name]}"
    if name in ELSEWHERE:
        return f": {ELSEWHERE[name]}"
    near = get_close_matches(name, known, n=1, cutoff=0.8)
    return f"; the nearest is {near[0]}" if near else ""
