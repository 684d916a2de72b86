"""Why a pair is an edge, or none: sentences, the evidence, and the strongest other path."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._core.text import counted
from spinney.graph.pair_words import fitted_sentence, pair_sentences
from spinney.graph.report.content.encoding import number
from spinney.graph.report.content.facts import Facts
from spinney.graph.report.content.paths import Way, links_of, strongest_paths
from spinney.graph.report.content.spoken import true_minus
from spinney.graph.report.content.telling import telling_evidence

__all__ = ["why"]


def why(facts: Facts) -> dict[str, Any]:
    """Tell of the pairs that are told in full what speaks for and against an edge."""
    ways = strongest_paths(links_of(facts), facts.told)
    places = facts.positions(facts.told)
    found = {}
    for (i, j), way, place in zip(facts.told, ways, places.tolist(), strict=True):
        learned = facts.view.learned
        if learned is not None:
            told = pair_sentences(learned, i, j, facts.description(i, j))
            sentences = [true_minus(sentence) for sentence in told]
            sentences.extend(_explained(facts, place))
        else:
            sentences = _by_score(facts, i, j)
        found[f"{i}-{j}"] = {
            "sentences": [*sentences, _told(facts, way)],
            "evidence": _evidence(facts, place),
            "path": None
            if way is None
            else {
                "nodes": way.nodes,
                "weakest": number(way.weakest, 4),
                "product": number(way.product, 4),
            },
        }
    return {"why": found}


def _evidence(facts: Facts, place: int) -> list[dict[str, Any]]:
    """Tell the evidence of a pair, by its number; nothing where none was kept."""
    evidence, judged = facts.view.evidence, facts.view.judged
    if evidence is None or place not in judged:
        return []
    return telling_evidence(judged.look_up(evidence.values, [place])[0])


def _explained(facts: Facts, place: int) -> list[str]:
    """Say through which column a pair depends, where its own evidence was set aside for it."""
    found = getattr(facts.view.potentials, "explained_", None)
    if found is None or not _look_up(facts, found.pairs, place):
        return []
    through = facts.labels[int(_look_up(facts, found.through, place))]
    return [
        f"The dependence goes through {through}, which shows only a part of itself (levels or "
        "gaps): it was not counted as evidence for an edge of its own."
    ]


def _look_up(facts: Facts, values: Any, place: int) -> Any:
    return facts.view.judged.look_up(values, [place], missing=0)[0]


def _by_score(facts: Facts, i: int, j: int) -> list[str]:
    """Tell of a pair what an estimator without the judge knows."""
    view = facts.view
    score, strength = float(view.scores[i, j]), float(view.strengths[i, j])
    lines = []
    if np.isnan(score):
        lines.append("Too few rows have both values to say anything.")
    elif view.score != "weight":
        label = view.score_label[:1].upper() + view.score_label[1:]
        lines.append(f"{label}: {score:.3f}. That is no probability that the edge is real.")
    if not np.isnan(strength):
        lines.append(true_minus(f"Its weight in the model is {strength:.3g}."))
    row = facts.description(i, j)
    if row is not None:
        lines.append(true_minus(fitted_sentence(row)))
    return lines


def _told(facts: Facts, way: Way | None) -> str:
    if way is None:
        return "No other path of edges joins the two."
    shown = [facts.labels[k] for k in way.nodes]
    if len(shown) > 8:
        shown = [*shown[:4], "…", *shown[-3:]]
    between = counted(len(way.nodes) - 2, "column")
    how = " (probability times strength)" if facts.view.is_probability else ""
    return (
        f"The strongest other path runs through {between}: {' – '.join(shown)}; its weakest link "
        f"has a weight of {way.weakest:.2g}{how}."
    )
