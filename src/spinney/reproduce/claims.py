"""The paper's claims about its simulations, each as a function of the results.

A claim is a list of *conditions*, each on a mean over repetitions at each number of rows: of one
method, or of the difference of two methods on the same tables. A condition is met if the mean is on
the right side of its bound, and *surely* so (or surely not) if by more than two standard errors.
The verdict:

- **holds** if every condition is met,
- **does not hold** if fewer than half are,
- **holds in part** otherwise.

The bounds stand beside the claims and were fixed before the run of 100 repetitions. Where the
paper gives a number ("almost double"), the bound is that number less a tenth; where it gives a
word, the reading of the word is said with the claim.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from spinney.reproduce.methods import METHODS

__all__ = ["CLAIMS", "Claim", "Finding", "Judgement", "judge_claims"]

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


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper and what it asks of the results.

    Attributes
    ----------
    figure : str
        Where its results are.
    sentence : str
        The claim, close to the paper's words.
    reading : str
        What is asked, in numbers.
    measure : callable
        From the figure's table to findings.
    """

    figure: str
    sentence: str
    reading: str
    measure: Callable[[pd.DataFrame], list[Finding]]


@dataclass(frozen=True)
class Judgement:
    """A claim with what was measured and the verdict."""

    figure: str
    sentence: str
    reading: str
    findings: list[Finding]
    verdict: Verdict

    def as_dict(self) -> dict[str, Any]:
        """Return plain numbers and text."""
        return asdict(self)


def judge_claims(tables: Mapping[str, pd.DataFrame]) -> list[Judgement]:
    """Judge every claim whose figure has a table."""
    judged = []
    for claim in CLAIMS:
        frame = tables.get(claim.figure)
        findings = [] if frame is None or frame.empty else claim.measure(frame)
        judged.append(
            Judgement(claim.figure, claim.sentence, claim.reading, findings, verdict_of(findings))
        )
    return judged


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
    share = np.mean([finding.met for finding in findings])
    if share == 1.0:
        return "holds"
    return "holds in part" if share >= 0.5 else "does not hold"


# Conditions


def _single(metric: str, method: str) -> Callable[[pd.DataFrame], pd.Series[float]]:
    return lambda part: part[part.method == method].set_index("seed")[metric].astype(float)


def _difference(metric: str, first: str, second: str) -> Callable[[pd.DataFrame], pd.Series[float]]:
    """Differences on the same tables; seeds that one of the two has not seen are left out."""
    one, two = _single(metric, first), _single(metric, second)
    return lambda part: (one(part) - two(part)).dropna()


def _condition(
    said: str,
    values_of: Callable[[pd.DataFrame], pd.Series[float]],
    side: Literal["<", ">"],
    bound: float,
    sizes: Callable[[int], bool] = lambda n: True,
) -> Callable[[pd.DataFrame], list[Finding]]:
    """Measure one condition at every number of rows for which `sizes` is true."""

    def measure(frame: pd.DataFrame) -> list[Finding]:
        findings = []
        for n in sorted(set(frame.n)):
            values = values_of(frame[frame.n == n]).dropna() if sizes(n) else pd.Series(dtype=float)
            if values.empty:
                continue
            mean = float(values.mean())
            error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan
            gap = bound - mean if side == "<" else mean - bound
            findings.append(
                Finding(
                    int(n),
                    f"{said} {side} {bound:g}",
                    mean,
                    error,
                    len(values),
                    bool(gap > 0),
                    bool(abs(gap) > 2 * error),
                )
            )
        return findings

    return measure


def _all(
    *measures: Callable[[pd.DataFrame], list[Finding]],
) -> Callable[[pd.DataFrame], list[Finding]]:
    return lambda frame: [finding for measure in measures for finding in measure(frame)]


_SAID = {
    "hamming": "Hamming distance",
    "precision": "precision",
    "recall": "recall",
    "false_positives": "false positives",
    "inter_component_false_positives": "inter-cluster false positives",
}


def _level(metric: str, method: str, side: Literal["<", ">"], bound: float, **options: Any) -> Any:
    said = f"{METHODS[method].label}, {_SAID[metric]}"
    return _condition(said, _single(metric, method), side, bound, **options)


def _gap(
    metric: str,
    first: str,
    second: str,
    side: Literal["<", ">"],
    bound: float = 0.0,
    **options: Any,
) -> Any:
    said = f"{METHODS[first].label} − {METHODS[second].label}, {_SAID[metric]}"
    return _condition(said, _difference(metric, first, second), side, bound, **options)


def _share_between(part: pd.DataFrame) -> pd.Series[float]:
    """Share of ET's wrong pairs that are edges between clusters."""
    rows = part[part.method == "et"].set_index("seed")
    wrong = rows.hamming.astype(float)
    return (rows.inter_component_false_positives / wrong.where(wrong > 0)).dropna()


def _gain_over_glasso(suffix: str, factor: float) -> Callable[[pd.DataFrame], pd.Series[float]]:
    """Edges of EF beyond `factor` times glasso's, so that a ratio of means has an error."""
    column = f"edges_before_fdr_1{suffix}"

    def values(part: pd.DataFrame) -> pd.Series[float]:
        ours, theirs = (_single(column, method)(part) for method in ("ef-lambda", "glasso"))
        return (ours - factor * theirs).dropna()

    return values


def _large(n: int) -> bool:
    return n >= 500


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "figure2",
        "Connected GMRFs: EF-λ has similar accuracy as ET and glasso.",
        "no worse: mean Hamming distance of EF-λ less than 2 above that of either",
        _all(
            _gap("hamming", "ef-lambda", "et", "<", 2.0),
            _gap("hamming", "ef-lambda", "glasso", "<", 2.0),
        ),
    ),
    Claim(
        "figure2",
        "Connected GMRFs: the number of EF-λ's false positives is zero in most cases.",
        "mean below 1",
        _level("false_positives", "ef-lambda", "<", 1.0),
    ),
    Claim(
        "figure2",
        "Connected GMRFs: EF-λ's precision is always very close to one.",
        "mean above 0.95",
        _level("precision", "ef-lambda", ">", 0.95),
    ),
    Claim(
        "figure2",
        "Connected GMRFs: EF-λ's recall is limited, and reaches that of ET and glasso at 500.",
        "below both for n < 500, within 0.05 of both at 500",
        _all(
            _gap("recall", "ef-lambda", "et", "<", sizes=lambda n: n < 500),
            _gap("recall", "ef-lambda", "glasso", "<", sizes=lambda n: n < 500),
            _gap("recall", "ef-lambda", "et", ">", -0.05, sizes=_large),
            _gap("recall", "ef-lambda", "glasso", ">", -0.05, sizes=_large),
        ),
    ),
    Claim(
        "figure2",
        "Connected GMRFs: EF-cuts has higher Hamming distances than the other three.",
        "paired differences above 0",
        _all(
            _gap("hamming", "ef-cuts", "ef-lambda", ">"),
            _gap("hamming", "ef-cuts", "et", ">"),
            _gap("hamming", "ef-cuts", "glasso", ">"),
        ),
    ),
    Claim(
        "figure3",
        "Two components: EF-λ achieves the lowest Hamming distance of the paper's methods.",
        "paired differences below 0",
        _all(
            _gap("hamming", "ef-lambda", "et", "<"),
            _gap("hamming", "ef-lambda", "ef-cuts", "<"),
            _gap("hamming", "ef-lambda", "glasso", "<"),
        ),
    ),
    Claim(
        "figure3",
        "Two components: EF-λ predicts no inter-cluster edges.",
        "mean below 0.5",
        _level("inter_component_false_positives", "ef-lambda", "<", 0.5),
    ),
    Claim(
        "figure3",
        "Two components: EF-λ's precision is always very close to one.",
        "mean above 0.95",
        _level("precision", "ef-lambda", ">", 0.95),
    ),
    Claim(
        "figure3",
        "Two components: EF-cuts performs better than ET.",
        "paired difference of Hamming distances below 0",
        _gap("hamming", "ef-cuts", "et", "<"),
    ),
    Claim(
        "figure4",
        "t-copula cliques: EF's Hamming distances are considerably smaller than all others'.",
        "paired differences below −3",
        _all(
            _gap("hamming", "ef-lambda", "et", "<", -3.0),
            _gap("hamming", "ef-lambda", "glasso", "<", -3.0),
            _gap("hamming", "ef-lambda", "nonparanormal", "<", -3.0),
        ),
    ),
    Claim(
        "figure4",
        "t-copula cliques: no false positive edges are predicted by EF.",
        "mean below 0.5",
        _level("false_positives", "ef-lambda", "<", 0.5),
    ),
    Claim(
        "figure4",
        "t-copula cliques: EF's precision and recall are very high.",
        "precision above 0.95, recall above 0.8",
        _all(
            _level("precision", "ef-lambda", ">", 0.95),
            _level("recall", "ef-lambda", ">", 0.8),
        ),
    ),
    Claim(
        "figure4",
        "t-copula cliques: glasso and nonparanormal achieve limited recall.",
        "at least 0.1 below EF's",
        _all(
            _gap("recall", "glasso", "ef-lambda", "<", -0.1),
            _gap("recall", "nonparanormal", "ef-lambda", "<", -0.1),
        ),
    ),
    Claim(
        "figure4",
        "t-copula cliques: ET's Hamming distance is almost equal to its inter-cluster false edges.",
        "more than 80 % of its wrong pairs",
        _condition("share of ET's wrong pairs between clusters", _share_between, ">", 0.8),
    ),
    Claim(
        "figure5",
        "80 nodes, 50 samples: EF recovers almost double the edges of glasso at 1 % FDR.",
        "more than 1.8 times as many; pairs ranked by strength along the path",
        _condition(
            "EF-λ − 1.8 glasso, true edges before 1 % FDR",
            _gain_over_glasso("", 1.8),
            ">",
            0.0,
            sizes=lambda n: n == 50,
        ),
    ),
    Claim(
        "figure5",
        "The same, with pairs ranked by their presence along the path.",
        "more than 1.8 times as many",
        _condition(
            "EF-λ − 1.8 glasso, true edges before 1 % FDR",
            _gain_over_glasso("_by_presence", 1.8),
            ">",
            0.0,
            sizes=lambda n: n == 50,
        ),
    ),
    Claim(
        "figure5",
        "Very low sample sizes: EF recovers more edges than glasso at 1 % FDR.",
        "paired differences above 0, both rankings",
        _all(
            *(
                _condition(
                    f"EF-λ − glasso, true edges before 1 % FDR, {said}",
                    _gain_over_glasso(suffix, 1.0),
                    ">",
                    0.0,
                )
                for suffix, said in (("", "by strength"), ("_by_presence", "by presence"))
            )
        ),
    ),
    Claim(
        "figure6",
        "Blood cells: for specific stimuli, graphs of several components are common.",
        "more than half of the fits have at least two components, over all stimuli",
        _condition(
            "share of fits with two components or more",
            lambda part: (part.n_components > 1).astype(float),
            ">",
            0.5,
        ),
    ),
)
"""The paper's claims, in its order."""
