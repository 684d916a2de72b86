"""The estimators that the command line offers, by name, and which options each can use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spinney._core import registry as _registry
from spinney._core.choices import check_choice

__all__ = [
    "DEFAULT",
    "JUDGE",
    "TAKES_KINDS",
    "TAKES_KNOWLEDGE",
    "TAKES_PAIR_COPULAS",
    "default",
    "find",
    "make",
    "names",
]

JUDGE = "graph-learner"
"""The judge's name among the estimators."""

# Which options an estimator can use is known here without importing it, so that what it cannot use
# is refused at once; a test holds these lines to the estimators' parameters.
TAKES_PAIR_COPULAS = frozenset(
    {
        *("ensemble-of-trees", "exact-forests", "forests-cuts", "forests-lambda"),
        *("rooted-forests", "shared-forest", "chow-liu"),
    }
)
"""Estimators whose pair copulas can be chosen: ``--families``, ``--criterion``."""
TAKES_KINDS = TAKES_PAIR_COPULAS | {JUDGE}
"""Estimators that know kinds of columns, gaps and ties."""
TAKES_KNOWLEDGE = frozenset({"rooted-forests", JUDGE})
"""Estimators that can be told edges beforehand: ``--required``, ``--forbidden``."""


def default() -> str:
    """Name the estimator that is taken unless another is asked for."""
    return _registry.registered()[_registry.DEFAULT].command


DEFAULT = default()
"""What help texts, which are made once, call it."""


def names() -> list[str]:
    """List all names: the models over forests first, then the baselines."""
    return list(_registry.on_command_line())


def find(name: str) -> type:
    """Find an estimator by its name, or say which there are and which was meant."""
    return _registry.on_command_line()[check_choice(name, names(), "estimator")].load()


def make(estimator: type, options: Mapping[str, Any]) -> Any:
    """Make an estimator with those of the options that it knows."""
    known = estimator().get_params(deep=False)
    return estimator(**{key: value for key, value in options.items() if key in known})
