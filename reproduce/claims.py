"""The paper's claims about its simulations, each as a function of the results.

A claim is a list of *conditions*, each on a mean over repetitions at each number of rows: of one
method, or of the difference of two methods on the same tables. A condition is met if the mean is on
the right side of its bound, and *surely* so (or surely not) if by more than two standard errors.
The verdict:

- **holds** if every condition is met,
- **does not hold** if fewer than half are,
- **holds in part** otherwise.

The bounds stand beside the claims and, unless a claim says otherwise, were fixed before the run of
100 repetitions. Where the paper gives a number ("almost double"), the bound is that number less a
tenth; where it gives a word, the claim says how the word is read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd

from reproduce.experiments import METHODS
from reproduce.judging import FALSE_EDGES, edges_at_fdr

__all__ = ["CLAIMS", "RANKINGS", "Claim", "Finding", "Judgement", "judge_claims", "verdict_of"]

Verdict = Literal["holds", "holds in part", "does not hold", "not measured"]

RANKINGS = {"": "by strength", "_by_presence": "by presence"}
"""How figure 5 ranks the pairs of a path: suffix of the columns, and in words."""
RESAMPLES = 1000
_SAID = {
    "hamming": "Hamming distance",
    "precision": "precision",
    "recall": "recall",
    "false_positives": "false positives",
    "inter_component_false_positives": "inter-cluster false positives",
}


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
    measures : tuple of callable
        Each from the figure's table to findings.
    """

    figure: str
    sentence: str
    reading: str
    measures: tuple[Measure, ...]


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
        frame = tables.get(claim.figure, pd.DataFrame())
        measures = () if frame.empty else claim.measures
        findings = [found for measure in measures for found in measure(frame)]
        judged.append(
            Judgement(claim.figure, claim.sentence, claim.reading, findings, verdict_of(findings))
        )
    return judged


def verdict_of(findings: list[Finding]) -> Verdict:
    """Sum up findings by the rule of this module.

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


def _finding(
    n: int, said: str, mean: float, error: float, repetitions: int, side: str, bound: float
) -> Finding:
    """Compare a mean and its standard error with a bound."""
    room = bound - mean if side == "<" else mean - bound
    sure = bool(abs(room) > 2 * error)
    return Finding(n, f"{said} {side} {bound:g}", mean, error, repetitions, bool(room > 0), sure)


def _condition(
    said: str,
    values_of: Values,
    side: str,
    bound: float,
    sizes: Callable[[int], bool] = lambda n: True,
) -> Measure:
    """Measure one condition at every number of rows for which `sizes` is true."""

    def measure(frame: pd.DataFrame) -> list[Finding]:
        findings = []
        for n in filter(sizes, sorted(set(frame.n))):
            values = values_of(frame[frame.n == n]).dropna()
            if values.empty:
                continue
            error = float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else np.nan
            mean = float(values.mean())
            findings.append(_finding(int(n), said, mean, error, len(values), side, bound))
        return findings

    return measure


def _of(method: str, column: str) -> Values:
    """Take a column of one method."""
    return lambda part: part[part.method == method].set_index("seed")[column].astype(float)


def _ask(
    metric: str, *conditions: str, sizes: Callable[[int], bool] = lambda n: True
) -> tuple[Measure, ...]:
    """Read conditions on a metric: of a method (``"et > 0.95"``), or of a paired difference.

    A difference is written ``"ef-lambda - et < 2"``; seeds that one of the two lacks are left out.
    """
    measures = []
    for condition in conditions:
        compared, side, bound = condition.rsplit(maxsplit=2)
        methods = compared.split(" - ")
        said = f"{' − '.join(METHODS[name].label for name in methods)}, {_SAID[metric]}"
        first, *second = (_of(name, metric) for name in methods)
        values = _minus(first, *second) if second else first
        measures.append(_condition(said, values, side, float(bound), sizes))
    return tuple(measures)


def _minus(first: Values, second: Values) -> Values:
    return lambda part: first(part) - second(part)


def _share_between(part: pd.DataFrame) -> pd.Series[float]:
    """Share of ET's wrong pairs that are edges between clusters."""
    wrong = _of("et", "hamming")(part)
    return _of("et", "inter_component_false_positives")(part) / wrong.where(wrong > 0)


def _share_of_several(part: pd.DataFrame) -> pd.Series[float]:
    """Share of the fits of each well that have several components.

    Subsamples of one well share most of their cells: its fits are not independent.
    """
    several = (part.n_components > 1).astype(float)
    return several.groupby([part.stimulus, part.cell_type]).mean()


def _gains(
    said: str,
    column: str,
    factor: float,
    count: Callable[[Any], float] = float,
    sizes: Callable[[int], bool] = lambda n: True,
) -> tuple[Measure, ...]:
    """Edges of EF beyond `factor` times glasso's, so that a ratio of means has an error."""

    def gain(column: str) -> Values:
        def values(part: pd.DataFrame) -> pd.Series[float]:
            counts = []
            for method in ("ef-lambda", "glasso"):
                rows = part[part.method == method].set_index("seed")
                known = rows[column].dropna() if column in rows else pd.Series(dtype=float)
                counts.append(known.map(count).astype(float))
            return counts[0] - factor * counts[1]

        return values

    return tuple(
        _condition(f"{said}, {words}", gain(column + suffix), ">", 0.0, sizes)
        for suffix, words in RANKINGS.items()
    )


def _gain_of_mean_curves(suffix: str, factor: float, n: int) -> Measure:
    """Compare where the mean curves of EF and glasso pass 1 % FDR; errors by the bootstrap."""
    column = f"true_edges_by_rank{suffix}"

    def measure(frame: pd.DataFrame) -> list[Finding]:
        rows = frame[frame.n == n]
        if column not in rows or not {"ef-lambda", "glasso"} <= set(rows.method):
            return []
        both = rows.pivot(index="seed", columns="method", values=column)
        both = both[["ef-lambda", "glasso"]].dropna()
        ours, theirs = (np.array(both[m].tolist(), dtype=float) for m in both)
        if not len(ours):
            return []

        def gain(chosen: Any) -> float:
            return edges_at_fdr(ours[chosen]) - factor * edges_at_fdr(theirs[chosen])

        rng = np.random.default_rng(0)
        again = [gain(rng.integers(len(ours), size=len(ours))) for _ in range(RESAMPLES)]
        error = float(np.std(again, ddof=1)) if len(ours) > 1 else np.nan
        said = f"EF-λ − {factor:g} glasso, true edges of the mean curve, {RANKINGS[suffix]}"
        return [_finding(n, said, gain(slice(None)), error, len(ours), ">", 0.0)]

    return measure


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "figure2",
        "Connected GMRFs: EF-λ has similar accuracy as ET and glasso.",
        "no worse: mean Hamming distance of EF-λ less than 2 above that of either",
        _ask("hamming", "ef-lambda - et < 2", "ef-lambda - glasso < 2"),
    ),
    Claim(
        "figure2",
        "Connected GMRFs: the number of EF-λ's false positives is zero in most cases.",
        "mean below 1",
        _ask("false_positives", "ef-lambda < 1"),
    ),
    Claim(
        "figure2",
        "Connected GMRFs: EF-λ's precision is always very close to one.",
        "mean above 0.95",
        _ask("precision", "ef-lambda > 0.95"),
    ),
    Claim(
        "figure2",
        "Connected GMRFs: EF-λ's recall is limited, and reaches that of ET and glasso at 500.",
        "below both for n < 500, within 0.05 of both at 500",
        (
            *_ask(
                "recall", "ef-lambda - et < 0", "ef-lambda - glasso < 0", sizes=lambda n: n < 500
            ),
            *_ask(
                *("recall", "ef-lambda - et > -0.05", "ef-lambda - glasso > -0.05"),
                sizes=lambda n: n >= 500,
            ),
        ),
    ),
    Claim(
        "figure2",
        "Connected GMRFs: EF-cuts has higher Hamming distances than the other three.",
        "paired differences above 0",
        _ask("hamming", "ef-cuts - ef-lambda > 0", "ef-cuts - et > 0", "ef-cuts - glasso > 0"),
    ),
    Claim(
        "figure3",
        "Two components: EF-λ achieves the lowest Hamming distance of the paper's methods.",
        "paired differences below 0",
        _ask("hamming", "ef-lambda - et < 0", "ef-lambda - ef-cuts < 0", "ef-lambda - glasso < 0"),
    ),
    Claim(
        "figure3",
        "Two components: EF-λ predicts no inter-cluster edges.",
        "mean below 0.5",
        _ask("inter_component_false_positives", "ef-lambda < 0.5"),
    ),
    Claim(
        "figure3",
        "Two components: EF-λ's precision is always very close to one.",
        "mean above 0.95",
        _ask("precision", "ef-lambda > 0.95"),
    ),
    Claim(
        "figure3",
        "Two components: EF-cuts performs better than ET.",
        "paired difference of Hamming distances below 0",
        _ask("hamming", "ef-cuts - et < 0"),
    ),
    Claim(
        "figure4",
        "t-copula cliques: EF's Hamming distances are considerably smaller than all others'.",
        "paired differences below −3",
        _ask("hamming", *(f"ef-lambda - {m} < -3" for m in ("et", "glasso", "nonparanormal"))),
    ),
    Claim(
        "figure4",
        "t-copula cliques: no false positive edges are predicted by EF.",
        "mean below 0.5",
        _ask("false_positives", "ef-lambda < 0.5"),
    ),
    Claim(
        "figure4",
        "t-copula cliques: EF's precision and recall are very high.",
        "precision above 0.95, recall above 0.8",
        (*_ask("precision", "ef-lambda > 0.95"), *_ask("recall", "ef-lambda > 0.8")),
    ),
    Claim(
        "figure4",
        "t-copula cliques: glasso and nonparanormal achieve limited recall.",
        "at least 0.1 below EF's",
        _ask("recall", "glasso - ef-lambda < -0.1", "nonparanormal - ef-lambda < -0.1"),
    ),
    Claim(
        "figure4",
        "t-copula cliques: ET's Hamming distance is almost equal to its inter-cluster false edges.",
        "more than 80 % of its wrong pairs",
        (_condition("share of ET's wrong pairs between clusters", _share_between, ">", 0.8),),
    ),
    Claim(
        "figure5",
        "80 nodes, 50 samples: EF recovers almost double the edges of glasso at 1 % FDR.",
        "on each table more than 1.8 times as many, before the share of false edges passes 1 %",
        _gains(
            "EF-λ − 1.8 glasso, true edges before 1 % FDR",
            *("edges_before_fdr_1", 1.8),
            sizes=lambda n: n == 50,
        ),
    ),
    Claim(
        "figure5",
        "The same, read off curves that are averaged first.",
        "more than 1.8 times as many where the mean curve over all tables passes 1 %; "
        f"errors by {RESAMPLES} bootstrap samples of tables (this reading was added after the run)",
        tuple(_gain_of_mean_curves(suffix, 1.8, 50) for suffix in RANKINGS),
    ),
    Claim(
        "figure5",
        "The same, for 1 % of the pairs that are not edges, which a ROC curve has on its axis.",
        f"more than 1.8 times as many with {FALSE_EDGES} false edges (this reading was added after "
        "the run)",
        _gains(
            f"EF-λ − 1.8 glasso, true edges with {FALSE_EDGES} false ones",
            *("true_edges_before_false", 1.8),
            count=lambda curve: float(curve[FALSE_EDGES]),
            sizes=lambda n: n == 50,
        ),
    ),
    Claim(
        "figure5",
        "Very low sample sizes: EF recovers more edges than glasso at 1 % FDR.",
        "paired differences above 0, both rankings",
        _gains("EF-λ − glasso, true edges before 1 % FDR", "edges_before_fdr_1", 1.0),
    ),
    Claim(
        "figure6",
        "Blood cells: for specific stimuli, graphs of several components are common.",
        "more than half of the fits have at least two components, over all stimuli; the mean of "
        "each well counts once",
        (_condition("share of fits with two components or more", _share_of_several, ">", 0.5),),
    ),
)
"""The paper's claims, in its order."""
