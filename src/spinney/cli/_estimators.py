"""The estimators that the command line offers, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spinney._choices import check_choice

__all__ = ["DEFAULT", "available", "find", "make"]

DEFAULT = "rooted-forests"


def available() -> dict[str, type]:
    """Every estimator by its name: the models over forests first, then the baselines."""
    from spinney import baselines, estimators  # late: `spinney --help` must not load them

    return {
        **estimators.ESTIMATORS,
        "chow-liu": baselines.ChowLiu,
        "graphical-lasso": baselines.GraphicalLasso,
        "neighbourhood-selection": baselines.NeighbourhoodSelection,
        "partial-correlation": baselines.PartialCorrelation,
    }


def find(name: str) -> type:
    """Find an estimator by its name, or say which there are and which was meant."""
    known = available()
    return known[check_choice(name, known, "estimator")]


def make(estimator: type, options: Mapping[str, Any]) -> Any:
    """Make an estimator with those of the options that it knows."""
    known = estimator().get_params(deep=False)
    return estimator(**{key: value for key, value in options.items() if key in known})
