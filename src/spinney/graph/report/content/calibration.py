"""How far probabilities can be trusted: what the judge's card says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from spinney._core.text import counted
from spinney.exceptions import InputError
from spinney.graph import LearnedGraph
from spinney.graph.report.content.encoding import number
from spinney.graph.report.content.facts import Facts
from spinney.judge import Judge
from spinney.judge.judge import find_judge, kept_apart, of_all_runs

__all__ = ["calibration", "card_of", "caution_of_size"]

CLEARLY_OFF = 0.05
"""Mean error of probabilities from which on it is among the first things to know."""

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
    reference, card = view.learned.learner.judge_, card_of(view.learned)
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


def card_of(graph: LearnedGraph) -> dict[str, Any]:
    """Return the card of the judge of a graph; empty if the judge is not at hand."""
    try:
        return find_judge(graph.learner.judge_).card
    except InputError:
        given = graph.learner.judge
        return given.card if isinstance(given, Judge) else {}


def caution_of_size(card: Mapping[str, Any], d: int) -> list[str]:
    """Say, where it is so, that probabilities were clearly off on tables of this many columns.

    Examples
    --------
    >>> card = {"validation": {"columns": {"2-7": {"ece": 0.0896, "tables": 640.0}}}}
    >>> caution_of_size(card, 5)
    ['On tables of 2 to 7 columns, as this one, probabilities are off by 0.09 on average.']
    >>> caution_of_size({"validation": {"columns": {"2-7": {"ece": 0.01}}}}, 5)
    []
    """
    found = _row_of_size(card, d)
    if found is None or found[2]["ece"] < CLEARLY_OFF:
        return []
    low, high, row = found
    return [
        f"On tables of {low} to {high} columns, as this one, probabilities are off by "
        f"{row['ece']:.2f} on average."
    ]


def _sentences(card: Mapping[str, Any], d: int) -> list[str]:
    told = [
        "A probability is meant as it stands: on tables like those of the judge's training, of all "
        "pairs with 0.8 about 80 in 100 are edges."
    ]
    after = kept_apart(card)
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
        told.append("The judge is not available here, so nothing more is known of its calibration.")
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
    found = _row_of_size(card, d)
    if found is not None:
        low, high, row = found
        tried = f" ({counted(int(row['tables']), 'table')})" if "tables" in row else ""
        return [f"With {low} to {high} columns, as here, they were off by {row['ece']:.3f}{tried}."]
    if 0 < max((high for _, high, _ in _sizes(card)), default=0) < d:
        return [f"No table that the judge was tried on had as many columns as this one, {d}."]
    return []


def _row_of_size(card: Mapping[str, Any], d: int) -> tuple[int, int, Mapping[str, Any]] | None:
    return next((row for row in _sizes(card) if row[0] <= d <= row[1]), None)


def _sizes(card: Mapping[str, Any]) -> Iterator[tuple[int, int, Mapping[str, Any]]]:
    """List what the card says of tables by their columns: from, to, and how well it did."""
    for words, row in ((card.get("validation") or {}).get("columns") or {}).items():
        low, _, high = str(words).partition("-")
        if low.isdigit() and high.isdigit() and "ece" in row:
            yield int(low), int(high), row


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
    after, tables = kept_apart(card), of_all_runs(card, "tables")
    lines = {
        "made": str(card.get("made", "")),
        "networks": str(len(card.get("runs") or ()) or ""),
        "trained on": f"{tables} simulated tables" if tables else "",
        "calibration error": f"{after['ece']:.4f}" if "ece" in after else "",
        "Brier score": f"{after['brier']:.4f}" if "brier" in after else "",
        "tables kept apart": f"{int(after['tables']):,}" if "tables" in after else "",
    }
    return {name: line for name, line in lines.items() if line}
