"""The estimators that the command line offers, by name, and which options each can use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spinney._core import registry as _registry
from spinney._core.choices import check_choice

__all__ = [
    *("DEFAULT", "JUDGE", "TAKES_GAPS", "TAKES_KINDS", "TAKES_KNOWLEDGE", "TAKES_PAIR_COPULAS"),
    *("check_estimator", "complete_estimator", "find", "make", "names"),
]

DEFAULT = _registry.registered()[_registry.DEFAULT].command
"""The estimator used by default."""
JUDGE = "graph-learner"
"""The judge's name among the estimators."""

# Listed here so that unusable options are refused before the estimators are imported; a test checks
# these lists against the estimators' parameters.
TAKES_PAIR_COPULAS = frozenset(
    {
        *("ensemble-of-trees", "exact-forests", "forests-cuts", "forests-lambda"),
        *("rooted-forests", "shared-forest", "chow-liu"),
    }
)
"""Estimators whose pair copulas can be chosen: ``--families``, ``--criterion``, ``--ties``."""
TAKES_KINDS = TAKES_PAIR_COPULAS | {JUDGE}
"""Estimators that handle kinds of columns and gaps."""
TAKES_GAPS = frozenset({"partial-correlation"})
"""Other estimators that take gaps and categories, as the rule for kinds reads them."""
ALSO_CALLED = {
    **dict.fromkeys(("ggm", "ebicglasso", "huge", "lasso"), "graphical-lasso"),
    **dict.fromkeys(("mb", "nodewise", "neighborhood-selection"), "neighbourhood-selection"),
    **dict.fromkeys(("pcor", "pearson", "correlation", "gaussian"), "partial-correlation"),
    **dict.fromkeys(("mst", "tree"), "chow-liu"),
    **dict.fromkeys(("judge", "spinney", "learn", "default"), JUDGE),
}
"""What others call the estimators, besides their labels in figures."""
TAKES_KNOWLEDGE = frozenset({"rooted-forests", JUDGE})
"""Estimators that accept known edges: ``--required``, ``--forbidden``."""


def names() -> list[str]:
    """List all names: the models over forests first, then the baselines."""
    return list(_registry.on_command_line())


def check_estimator(name: str) -> str:
    """Return the name of an estimator, or list the names and suggest the one that is meant.

    Examples
    --------
    >>> check_estimator("glasso")
    Traceback (most recent call last):
    spinney.exceptions.InputError: There is no estimator 'glasso'. Did you mean 'graphical-lasso'?
    Choose from: ...
    """
    keys = {entry.key: command for command, entry in _registry.on_command_line().items()}
    return check_choice(name, names(), "estimator", keys | ALSO_CALLED)


def find(name: str) -> type:
    """Find an estimator by name."""
    return _registry.on_command_line()[check_estimator(name)].load()


def make(estimator: type, options: Mapping[str, Any]) -> Any:
    """Make an estimator with those options that it has."""
    known = estimator().get_params(deep=False)
    return estimator(**{key: value for key, value in options.items() if key in known})


def complete_estimator(incomplete: str) -> list[str]:
    """Complete the name of an estimator.

    Examples
    --------
    >>> complete_estimator("graph")
    ['graphical-lasso', 'graph-learner']
    """
    return [name for name in names() if name.startswith(incomplete)]
