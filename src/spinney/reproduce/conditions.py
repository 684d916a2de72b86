"""Conditions on means over repetitions: what claims are made of, and how they add up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from spinney.reproduce.methods import METHODS

__all__ = [
    "Finding",
    "Measure",
    "Values",
    "Verdict",
    "condition",
    "difference",
    "every",
    "finding",
    "gap",
    "level",
    "single",
    "verdict_of",
]

Verdict = Literal["holds", "holds in part", "does not hold", "not measured"]


@dataclass(frozen=True)
class Finding:
    """One condition, measured at one number of rows.

    Attributes
    ----------
    n : int
        Rows.
    said : str
        The condition in words, such as ``"EF-λ − ET, Hamming distance < 2"``.
    mean, standard_error : float
        Over repetitions; paired if two methods are compared.
    repetitions : int
        How many.
    met, sure : bool
        Whether the mean is on the right side of the bound, and whether by two standard errors.
    """

    n: int
    said: str
    mean: float
    standard_error: float
    repetitions: int
    met: bool
    sure: bool


Measure = Callable[[pd.DataFrame], list[Finding]]
"""From a figure's table to findings."""
Values = Callable[[pd.DataFrame], "pd.Series[float]"]
"""From the rows of one size to a number per seed."""


def verdict_of(findings: list[Finding]) -> Verdict:
    """Sum up: see the module for the rule.

    Examples
    --------
    >>> met = Finding(50, "recall > 0.5", 0.9, 0.01, 100, True, True)
    >>> missed = Finding(25, "recall > 0.5", 0.2, 0.01, 100, False, True)
    >>> verdict_of([met, met]), verdict_of([met, missed]), verdict_of([missed])
    ('holds', 'holds in part', 'does not hold')
    """
    if not findings:
        return "not measured"
    share = np.mean([found.met for found in findings])
    if share == 1.0:
        return "holds"
    return "holds in part" if share >= 0.5 else "does not hold"


def single(metric: str, method: str) -> Values:
    """Take a metric of one method."""
    return lambda part: part[part.method == method].set_index("seed")[metric].astype(float)


def difference(metric: str, first: str, second: str) -> Values:
    """Differences on the same tables; seeds that one of the two has not seen are left out."""
    one, two = single(metric, first), single(metric, second)
    return lambda part: (one(part) - two(part)).dropna()


def finding(
    n: int,
    said: str,
    mean: float,
    error: float,
    repetitions: int,
    side: Literal["<", ">"],
    bound: float,
) -> Finding:
    """Hold a mean and its standard error against a bound."""
    room = bound - mean if side == "<" else mean - bound
    sure = bool(abs(room) > 2 * error)
    return Finding(n, f"{said} {side} {bound:g}", mean, error, repetitions, bool(room > 0), sure)


def condition(
    said: str,
    values_of: Values,
    side: Literal["<", ">"],
    bound: float,
    sizes: Callable[[int], bool] = lambda n: True,
) -> Measure:
    """Measure one condition at every number of rows for which `sizes` is true."""

    def measure(frame: pd.DataFrame) -> list[Finding]:
        findings = []
        for n in sorted(set(frame.n)):
            values = values_of(frame[frame.n == n]).dropna() if sizes(n) else pd.Series(dtype=float)
            if values.empty:
                continue
            error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan
            findings.append(
                finding(int(n), said, float(values.mean()), error, len(values), side, bound)
            )
        return findings

    return measure


def every(*measures: Measure) -> Measure:
    """Gather what several measures find."""
    return lambda frame: [found for measure in measures for found in measure(frame)]


_SAID = {
    "hamming": "Hamming distance",
    "precision": "precision",
    "recall": "recall",
    "false_positives": "false positives",
    "inter_component_false_positives": "inter-cluster false positives",
}


def level(
    metric: str, method: str, side: Literal["<", ">"], bound: float, **options: Any
) -> Measure:
    """Compare the mean of a method's metric with a bound."""
    said = f"{METHODS[method].label}, {_SAID[metric]}"
    return condition(said, single(metric, method), side, bound, **options)


def gap(
    metric: str,
    first: str,
    second: str,
    side: Literal["<", ">"],
    bound: float = 0.0,
    **options: Any,
) -> Measure:
    """Compare the mean difference of two methods with a bound."""
    said = f"{METHODS[first].label} − {METHODS[second].label}, {_SAID[metric]}"
    return condition(said, difference(metric, first, second), side, bound, **options)
