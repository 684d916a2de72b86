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

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from spinney.reproduce.conditions import (
    Finding,
    Measure,
    Values,
    Verdict,
    condition,
    every,
    gap,
    level,
    single,
    verdict_of,
)

__all__ = ["CLAIMS", "Claim", "Judgement", "judge_claims"]


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
    measure: Measure


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


def _share_between(part: pd.DataFrame) -> pd.Series[float]:
    """Share of ET's wrong pairs that are edges between clusters."""
    rows = part[part.method == "et"].set_index("seed")
    wrong = rows.hamming.astype(float)
    return (rows.inter_component_false_positives / wrong.where(wrong > 0)).dropna()


def _gain_over_glasso(suffix: str, factor: float) -> Values:
    """Edges of EF beyond `factor` times glasso's, so that a ratio of means has an error."""
    column = f"edges_before_fdr_1{suffix}"

    def values(part: pd.DataFrame) -> pd.Series[float]:
        ours, theirs = (single(column, method)(part) for method in ("ef-lambda", "glasso"))
        return (ours - factor * theirs).dropna()

    return values


def _large(n: int) -> bool:
    return n >= 500


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "figure2",
        "Connected GMRFs: EF-λ has similar accuracy as ET and glasso.",
        "no worse: mean Hamming distance of EF-λ less than 2 above that of either",
        every(
            gap("hamming", "ef-lambda", "et", "<", 2.0),
            gap("hamming", "ef-lambda", "glasso", "<", 2.0),
        ),
    ),
    Claim(
        "figure2",
        "Connected GMRFs: the number of EF-λ's false positives is zero in most cases.",
        "mean below 1",
        level("false_positives", "ef-lambda", "<", 1.0),
    ),
    Claim(
        "figure2",
        "Connected GMRFs: EF-λ's precision is always very close to one.",
        "mean above 0.95",
        level("precision", "ef-lambda", ">", 0.95),
    ),
    Claim(
        "figure2",
        "Connected GMRFs: EF-λ's recall is limited, and reaches that of ET and glasso at 500.",
        "below both for n < 500, within 0.05 of both at 500",
        every(
            gap("recall", "ef-lambda", "et", "<", sizes=lambda n: n < 500),
            gap("recall", "ef-lambda", "glasso", "<", sizes=lambda n: n < 500),
            gap("recall", "ef-lambda", "et", ">", -0.05, sizes=_large),
            gap("recall", "ef-lambda", "glasso", ">", -0.05, sizes=_large),
        ),
    ),
    Claim(
        "figure2",
        "Connected GMRFs: EF-cuts has higher Hamming distances than the other three.",
        "paired differences above 0",
        every(
            gap("hamming", "ef-cuts", "ef-lambda", ">"),
            gap("hamming", "ef-cuts", "et", ">"),
            gap("hamming", "ef-cuts", "glasso", ">"),
        ),
    ),
    Claim(
        "figure3",
        "Two components: EF-λ achieves the lowest Hamming distance of the paper's methods.",
        "paired differences below 0",
        every(
            gap("hamming", "ef-lambda", "et", "<"),
            gap("hamming", "ef-lambda", "ef-cuts", "<"),
            gap("hamming", "ef-lambda", "glasso", "<"),
        ),
    ),
    Claim(
        "figure3",
        "Two components: EF-λ predicts no inter-cluster edges.",
        "mean below 0.5",
        level("inter_component_false_positives", "ef-lambda", "<", 0.5),
    ),
    Claim(
        "figure3",
        "Two components: EF-λ's precision is always very close to one.",
        "mean above 0.95",
        level("precision", "ef-lambda", ">", 0.95),
    ),
    Claim(
        "figure3",
        "Two components: EF-cuts performs better than ET.",
        "paired difference of Hamming distances below 0",
        gap("hamming", "ef-cuts", "et", "<"),
    ),
    Claim(
        "figure4",
        "t-copula cliques: EF's Hamming distances are considerably smaller than all others'.",
        "paired differences below −3",
        every(
            gap("hamming", "ef-lambda", "et", "<", -3.0),
            gap("hamming", "ef-lambda", "glasso", "<", -3.0),
            gap("hamming", "ef-lambda", "nonparanormal", "<", -3.0),
        ),
    ),
    Claim(
        "figure4",
        "t-copula cliques: no false positive edges are predicted by EF.",
        "mean below 0.5",
        level("false_positives", "ef-lambda", "<", 0.5),
    ),
    Claim(
        "figure4",
        "t-copula cliques: EF's precision and recall are very high.",
        "precision above 0.95, recall above 0.8",
        every(
            level("precision", "ef-lambda", ">", 0.95),
            level("recall", "ef-lambda", ">", 0.8),
        ),
    ),
    Claim(
        "figure4",
        "t-copula cliques: glasso and nonparanormal achieve limited recall.",
        "at least 0.1 below EF's",
        every(
            gap("recall", "glasso", "ef-lambda", "<", -0.1),
            gap("recall", "nonparanormal", "ef-lambda", "<", -0.1),
        ),
    ),
    Claim(
        "figure4",
        "t-copula cliques: ET's Hamming distance is almost equal to its inter-cluster false edges.",
        "more than 80 % of its wrong pairs",
        condition("share of ET's wrong pairs between clusters", _share_between, ">", 0.8),
    ),
    Claim(
        "figure5",
        "80 nodes, 50 samples: EF recovers almost double the edges of glasso at 1 % FDR.",
        "more than 1.8 times as many; pairs ranked by strength along the path",
        condition(
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
        condition(
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
        every(
            *(
                condition(
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
        condition(
            "share of fits with two components or more",
            lambda part: (part.n_components > 1).astype(float),
            ">",
            0.5,
        ),
    ),
)
"""The paper's claims, in its order."""
