"""How often "present" and "absent" are right, and how many pairs stay undecided, by rows."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.real.methods import JUDGE
from benchmarks.real.sections import Settings, graft_cases
from spinney.graph.words import ABSENT, PRESENT, UNDECIDED
from spinney.graph.words import verdicts as verdicts_of

ROWS = (0, 50, 100, 250, 1000, 10**9)


def verdicts(settings: Settings) -> dict[str, Any]:
    """Compare verdicts with the truth of grafts, by the number of rows."""
    cases = graft_cases(settings._replace(methods=(JUDGE,)))
    found: dict[str, Any] = {"tables": len(cases)}
    for low, high in [(0, 10**9), *pairwise(ROWS)]:
        some = [case for case in cases if low < case["n"] <= high]
        if some:
            found[_name(low, high)] = _scores(some)
    return found


def _name(low: int, high: int) -> str:
    if high < 10**9:
        return f"{low + 1}-{high} rows"
    return f"more than {low} rows" if low else "all"


def _scores(cases: list[dict[str, Any]]) -> dict[str, Any]:
    told = verdicts_of(np.concatenate([case[JUDGE].probabilities for case in cases]))
    truth = np.concatenate([case["truth"] for case in cases])
    scores: dict[str, Any] = {"tables": len(cases), "pairs": len(truth)}
    for verdict, right in ((PRESENT, truth), (ABSENT, ~truth)):
        own = told == verdict
        scores[verdict] = int(own.sum())
        scores[f"{verdict}_right"] = float(right[own].mean()) if own.any() else None
        # Pairs of one table are alike, so tables are drawn again for the error.
        scores[f"{verdict}_error"] = _error(cases, verdict)
    scores["undecided"] = int((told == UNDECIDED).sum())
    scores["undecided_share"] = float((told == UNDECIDED).mean())
    scores["undecided_edges"] = float(truth[told == UNDECIDED].mean())
    return scores


def _error(cases: list[dict[str, Any]], verdict: str) -> float:
    """Compute the standard error of the share that is right, over tables (that of a ratio)."""
    counts = []
    for case in cases:
        own = verdicts_of(case[JUDGE].probabilities) == verdict
        right = case["truth"] if verdict == PRESENT else ~case["truth"]
        counts.append((float((own & right).sum()), float(own.sum())))
    both, all_ = np.array(counts).T
    ratio = both.sum() / max(all_.sum(), 1.0)
    return float((both - ratio * all_).std() * len(cases) ** 0.5 / max(all_.sum(), 1.0))
