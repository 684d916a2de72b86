"""How far probabilities can be trusted: what the judge's card says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spinney.exceptions import InputError
from spinney.judge import Judge
from spinney.learner.judges import find_judge
from spinney.report.content.encoding import number
from spinney.report.content.facts import Facts
from spinney.report.content.spoken import counted

__all__ = ["calibration"]

NO_PROBABILITY = {
    "share": "The share of forests says how many of the model's forests hold the edge. It is no "
    "probability that the edge is real: a forest has no loops, so the edges of a loop must share.",
    "frequency": "The frequency says in how many fits to parts of the table the pair was an edge. "
    "It is no probability that the edge is real.",
    "weight": "The weight ranks the edges of this model. It is no probability, and weights of "
    "different tables or models cannot be compared.",
}


def calibration(facts: Facts) -> dict[str, Any]:
    """Say how far the numbers can be trusted; of other scores, what they are not."""
    view = facts.view
    if view.learned is None:
        sentence = NO_PROBABILITY.get(view.score)
        told = [] if sentence is None else [sentence]
        return {"calibration": {"sentences": told, "reliability": None, "card": {}}}
    reference = view.learned.learner.judge_
    try:
        judge = find_judge(reference)
    except InputError:
        judge = _given(view.learned.learner.judge)
    card = {} if judge is None else judge.card
    return {
        "calibration": {
            "sentences": _sentences(card, facts.d),
            "reliability": _reliability(card),
            "card": {
                "judge": reference.name or "without a name",
                "fingerprint": reference.fingerprint,
                **_short(card),
            },
        }
    }


def _given(judge: Any) -> Judge | None:
    """Return a judge that a user gave, if it is at hand."""
    return judge if isinstance(judge, Judge) else None


def _sentences(card: Mapping[str, Any], d: int) -> list[str]:
    told = [
        "A probability is meant as it stands: on tables like those of the judge's training, of all "
        "pairs with 0.8 about 80 in 100 are edges."
    ]
    after = (card.get("calibration") or {}).get("after") or {}
    if "ece" in after:
        tables = counted(int(after["tables"]), "simulated table") if "tables" in after else "tables"
        told.append(
            f"On {tables} kept apart they were off by {after['ece']:.3f} on average (expected "
            f"calibration error)."
        )
    told.extend(_of_this_size(card, d))
    if card.get("limits"):
        told.append(str(card["limits"]))
    if not card:
        told.append("The judge is not at hand, so nothing more is known of its calibration.")
    return told


def _of_this_size(card: Mapping[str, Any], d: int) -> list[str]:
    """Say how far off probabilities are on tables with as many columns as this one.

    Examples
    --------
    >>> card = {"validation": {"columns": {"8-15": {"ece": 0.0321, "tables": 789.0}}}}
    >>> _of_this_size(card, 11)
    ['With 8 to 15 columns, as here, they were off by 0.032 (789 tables).']
    >>> _of_this_size(card, 300)
    ['No table that the judge was tried on had as many columns as this one, 300.']
    """
    sizes = (card.get("validation") or {}).get("columns") or {}
    largest = 0
    for words, row in sizes.items():
        low, _, high = str(words).partition("-")
        if not (low.isdigit() and high.isdigit()):
            continue
        largest = max(largest, int(high))
        if int(low) <= d <= int(high) and "ece" in row:
            tried = f" ({counted(int(row['tables']), 'table')})" if "tables" in row else ""
            return [
                f"With {low} to {high} columns, as here, they were off by {row['ece']:.3f}{tried}."
            ]
    if 0 < largest < d:
        return [f"No table that the judge was tried on had as many columns as this one, {d}."]
    return []


def _reliability(card: Mapping[str, Any]) -> list[list[float | None]] | None:
    """Return predicted and observed shares of edges, bin by bin, if the card has them."""
    bins = (card.get("calibration") or {}).get("reliability")
    if not bins:
        return None
    return [[number(predicted), number(observed), int(n)] for predicted, observed, n in bins]


def _short(card: Mapping[str, Any]) -> dict[str, str]:
    """Write the card in a few lines.

    Examples
    --------
    >>> _short({"made": "2026-01-31", "runs": [{"tables": 1000, "steps": 50}] * 2})
    {'made': '2026-01-31', 'networks': '2', 'trained on': '1,000 simulated tables'}
    """
    runs = card.get("runs") or []
    after = (card.get("calibration") or {}).get("after") or {}
    tables = dict.fromkeys(f"{run['tables']:,}" for run in runs if "tables" in run)
    lines = {
        "made": str(card.get("made", "")),
        "networks": str(len(runs) or ""),
        "trained on": f"{' and '.join(tables)} simulated tables" if tables else "",
        "calibration error": f"{after['ece']:.4f}" if "ece" in after else "",
        "Brier score": f"{after['brier']:.4f}" if "brier" in after else "",
        "tables kept apart": f"{int(after['tables']):,}" if "tables" in after else "",
    }
    return {name: line for name, line in lines.items() if line}
