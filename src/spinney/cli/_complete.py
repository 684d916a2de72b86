"""What the shell may complete: names that are known without a look at any file."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["complete_estimator", "complete_methods", "complete_simulator"]


def complete_estimator(incomplete: str) -> list[str]:
    """Complete the name of an estimator.

    Examples
    --------
    >>> complete_estimator("graph")
    ['graphical-lasso', 'graph-learner']
    """
    from spinney.cli._estimators import names

    return [name for name in names() if name.startswith(incomplete)]


def complete_methods(incomplete: str) -> list[str]:
    """Complete the last of several names with commas between them.

    Examples
    --------
    >>> complete_methods("chow-liu,graph-")
    ['chow-liu,graph-learner']
    """
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in complete_estimator(last) if name not in before]


def complete_simulator(incomplete: str) -> Iterator[tuple[str, str]]:
    """Complete a kind of simulated table, with what it is."""
    from spinney.cli._simulators import SIMULATORS

    for name, simulator in SIMULATORS.items():
        if name.startswith(incomplete):
            yield name, simulator.meaning
