"""The first paragraph: what was found, how sure it is, and what to be careful about."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from spinney._core.text import counted, listed, probability_text
from spinney.graph.report.content.calibration import card_of, caution_of_size
from spinney.graph.report.content.facts import Facts
from spinney.graph.report.content.spoken import about, signed, true_minus
from spinney.graph.words import cautions, decrees, disagreements, screening

__all__ = ["summary"]

MOST_TOLD = 3
"""Edges that are named, by probability and by strength."""
HIDDEN_CAUSES = (
    "Edges have no direction, and are no causes; a common cause that is not in the table joins "
    "what it drives; and rows that depend on each other (time series, repeats) tell less than they "
    "seem to."
)


def summary(facts: Facts) -> dict[str, Any]:
    """Tell what was found, and what to be careful about."""
    sentences = [*_found(facts), *_parts(facts), *_first(facts), *_strongest(facts)]
    if facts.view.learned is not None:
        sentences.extend(_otherwise(facts))
    return {
        "summary": {
            "sentences": [facts.say(text) for text in sentences],
            "cautions": [facts.say(text) for text in _careful(facts)],
        }
    }


def _found(facts: Facts) -> list[str]:
    view, n_edges = facts.view, facts.n_edges
    rows = "" if facts.table is None else f" ({counted(len(facts.table), 'row')})"
    verb = "joins" if n_edges == 1 else "join"
    start = f"{counted(n_edges, 'edge')} {verb} the {facts.d:,} columns{rows}"
    if not n_edges:
        start = f"No edge joins the {facts.d:,} columns{rows}"
    if view.learned is None:
        what = "it was" if n_edges == 1 else "they were"
        told = [f"{start}; {what} learned with {view.estimator}." if n_edges else f"{start}."]
        if view.score != "weight":
            told.append(
                f"Pairs are ranked by {view.score_label}, which is no probability of being right."
            )
        return told if n_edges else [*told, *_why_none(facts)]
    learner = view.learned.learner
    rule = (
        f"those of {counted(facts.n_pairs, 'pair')} with a probability above {learner.cut:g}"
        if learner.target_fdr is None
        else f"the most probable of {counted(facts.n_pairs, 'pair')}, so many that at most "
        f"{learner.target_fdr:g} of them should be false"
    )
    told = [f"{start}: {rule}."] if n_edges else [f"{start}.", *_why_none(facts)]
    told.append(_expected(facts))
    return [*told, *filter(None, [screening(view.learned), decrees(view.learned)])]


def _why_none(facts: Facts) -> list[str]:
    reason = str(getattr(facts.view.model, "why_no_edges_", "") or "")
    reason = reason.removeprefix("No edge was kept. ")  # that has been said
    return [reason] if reason else []


def _expected(facts: Facts) -> str:
    """Say how many edges are expected to be false, and how many to be missed."""
    false, missed = facts.view.n_expected_false, facts.view.n_expected_missed
    assert false is not None
    assert missed is not None
    lost, wrong = about(missed), about(false)
    if not facts.n_edges:
        noun = "edge is" if lost == "about one" else "edges are"
        return f"{_capital(lost)} {noun} expected to be missed."
    text = f"{_capital(wrong)} of them {_is(wrong)} expected to be false"
    return f"{text}, and {lost} {_is(lost)} expected to be missed."


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"


def _is(number: str) -> str:
    return "is" if number == "about one" else "are"


def _parts(facts: Facts) -> list[str]:
    """Say into how many components the columns fall, and which stand alone."""
    parts = facts.view.components
    joined = [len(part) for part in parts if len(part) > 1]
    alone = [part[0] for part in parts if len(part) == 1]
    if not joined:
        return []
    if len(parts) == 1:
        return [f"All {facts.d:,} columns are connected."]
    sizes = listed([f"{size:,}" for size in joined], most=6)
    noun = "component" if len(joined) == 1 else "components"
    number = "one" if len(joined) == 1 else f"{len(joined):,}"
    text = f"The edges form {number} {noun} of {sizes} columns"
    if alone:
        verb = "has" if len(alone) == 1 else "have"
        text += f"; {counted(len(alone), 'column')} {verb} no edge ({listed(alone, most=6)})"
    return [f"{text}."]


def _first(facts: Facts) -> list[str]:
    """Name the first edges of the ranking."""
    edges = facts.view.edges
    if edges.empty:
        return []
    told = [
        f"{row['source']} – {row['target']} ({_score(facts, float(row[facts.view.score]))})"
        for row in edges.head(MOST_TOLD).to_dict("records")
    ]
    which = "most probable" if facts.view.is_probability else f"first by {facts.view.score_label}"
    if len(edges) == 1:
        return [f"It is {told[0]}."]
    return [f"The {which} {'is' if len(told) == 1 else 'are'} {listed(told)}."]


def _score(facts: Facts, value: float) -> str:
    if facts.view.is_probability:
        return probability_text(value)
    return true_minus(f"{value:.2g}")


def _strongest(facts: Facts) -> list[str]:
    """Name the strongest edges, with their signs in words."""
    if facts.view.learned is None or facts.view.edges.empty:
        return []
    edges = facts.view.edges
    size = np.abs(edges["strength"].to_numpy(dtype=float))
    if np.isnan(size).all():
        return []
    order = np.argsort(-np.nan_to_num(size, nan=-1.0), kind="stable")[:MOST_TOLD]
    chosen = edges.iloc[order[~np.isnan(size[order])]]
    told = [_edge(row) for _, row in chosen.iterrows()]
    if len(edges) == 1:
        return [f"Its strength is {told[0].partition(' (')[2].rstrip(')')}."]
    return [
        f"The strongest, given the neighbours, {'is' if len(told) == 1 else 'are'} {listed(told)}."
    ]


def _edge(row: pd.Series[Any]) -> str:
    how = {1: "they rise together", -1: "one falls as the other rises"}
    words = how.get(int(row["sign"]), "without direction")
    return f"{row['source']} – {row['target']} ({signed(row['strength'])}, {words})"


def _otherwise(facts: Facts) -> list[str]:
    """Say where the forests disagree, in one sentence."""
    assert facts.view.learned is not None
    lines = disagreements(facts.view.learned)
    if len(lines) < 2:
        return lines
    return [f"{lines[0]} {'; '.join(lines[1:])}."]


def _careful(facts: Facts) -> list[str]:
    """Say what to be careful about: what was warned of first, what holds of every graph last."""
    view = facts.view
    warned = [check["text"] for check in facts.checks if check["level"] == "warning"]
    if view.learned is None:
        return list(dict.fromkeys([*view.warnings, *warned, HIDDEN_CAUSES]))
    own, of_size = cautions(view.learned), caution_of_size(card_of(view.learned), facts.d)
    return list(dict.fromkeys([*view.warnings, *warned, *of_size, *own]))
