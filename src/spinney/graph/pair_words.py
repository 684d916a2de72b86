"""What is known of one pair, in plain words."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from spinney._core.pairs import PairIndex, pair_index
from spinney._core.text import counted, probability_text, signed
from spinney.graph.comparisons import METHODS
from spinney.graph.words import fill
from spinney.judge.graph_learner import FEWEST_ROWS
from spinney.pairs.copulas.registry import family_class

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spinney.graph.learned import LearnedGraph

__all__ = ["fitted_sentence", "pair_sentences", "tell_why"]

NOMINAL = {
    "table": "a table of how often its values meet",
    "classes": "how the shares of one column's values change with the other column",
}
"""What is fitted to pairs with a nominal column."""


def tell_why(graph: LearnedGraph, i: int, j: int) -> str:
    """Tell what is known of one pair, then list its evidence channel by channel."""
    u, v, is_edge = graph.names[i], graph.names[j], graph.adjacency[i, j]
    lines = [f"{u} – {v}: {'an edge' if is_edge else 'no edge'}.", *pair_sentences(graph, i, j)]
    told = "\n".join(fill(line, rest="  ") for line in lines)
    d = len(graph.names)
    if pair_index(i, j, d) not in PairIndex.of_model(graph.learner, d):
        return told  # of pairs that were not judged nothing else was measured
    return f"{told}\n\n{_listed(graph.evidence.why(i, j))}"


def pair_sentences(
    graph: LearnedGraph, i: int, j: int, described: Mapping[str, Any] | None = None
) -> list[str]:
    """Tell of one pair how probable an edge is, what was fitted, and what other methods say.

    Parameters
    ----------
    graph : LearnedGraph
        The graph.
    i, j : int
        The columns, i < j.
    described : mapping, optional
        The pair's row of ``potentials_.describe()``, if it is at hand.
    """
    learner, pair = graph.learner, pair_index(i, j, len(graph.names))
    judged = float(learner.judged_probabilities_[pair])
    rows = int((~np.isnan(learner.table_.values[:, [i, j]])).all(axis=1).sum())
    lines = []
    if pair not in PairIndex.of_model(learner, len(graph.names)):
        screened = getattr(learner, "screened_", None)
        passed = screened is not None and pair in screened.pairs
        reason = (
            "It passed the screening, but no neighbourhood of stronger pairs has both its columns"
            if passed
            else "It did not pass the screening"
        )
        lines.append(f"{reason}, so it was not judged and counts as no edge.")
        return [*lines, *_said_by_others(graph, pair)]
    if pair in learner._required:
        lines.append(f"It was required; the judge alone gives it a probability {_of(judged)}.")
    elif pair in learner._forbidden:
        lines.append(f"It was forbidden; the judge alone gives it a probability {_of(judged)}.")
    elif rows < FEWEST_ROWS:
        verb = "has" if rows == 1 else "have"
        lines.append(f"Only {counted(rows, 'row')} {verb} both values: too few to say anything.")
    else:
        lines.append(f"The judge gives it a probability {_of(judged)}.")
    if described is None:
        described = learner.potentials_.describe(np.array([pair])).iloc[0].to_dict()
    lines.append(fitted_sentence(described, rows))
    strength = float(graph.strengths[i, j])
    if graph.adjacency[i, j] and not np.isnan(strength):
        lines.append(f"Given the neighbours, its strength is {signed(strength)}.")
    lines.extend(_said_by_others(graph, pair))
    return lines


def fitted_sentence(row: Mapping[str, Any], rows: int | None = None) -> str:
    """Say in a sentence what was fitted to a pair.

    Parameters
    ----------
    row : mapping
        The pair's row of ``potentials_.describe()``.
    rows : int, optional
        Rows that have both values.

    Examples
    --------
    >>> row = {"family": "student", "rotation": 0, "parameters": (0.74, 2.4), "tau": 0.53}
    >>> fitted_sentence(row, 853)  # doctest: +NORMALIZE_WHITESPACE
    "By itself, over 853 rows, the pair is best described by a Student copula (rho 0.74, 2.4
    degrees of freedom), with a Kendall's tau of +0.53."
    """
    start = "By itself" if rows is None else f"By itself, over {counted(rows, 'row')}"
    if row["family"] == "independence":
        return f"{start}, the pair looks independent."
    text = f"{start}, the pair is best described by {_name(row)}"
    if not np.isnan(row["tau"]):
        text += f", with a Kendall's tau of {signed(row['tau'])}"
    return f"{text}."


def _name(row: Mapping[str, Any]) -> str:
    """Name what was fitted, as people call it."""
    family = str(row["family"])
    if family in NOMINAL:
        return NOMINAL[family]
    found = family_class(family)
    turned = f", turned by {row['rotation']}°" if row["rotation"] else ""
    names = [field.name for field in fields(found) if field.name != "rotation"]
    told = [
        f"{value:.3g} degrees of freedom" if name == "df" else f"{name} {value:.3g}"
        for name, value in zip(names, row["parameters"], strict=False)
    ]
    return f"a {found.__name__} copula ({', '.join(told)}{turned})"


def _said_by_others(graph: LearnedGraph, pair: int) -> list[str]:
    lines = []
    said = graph.comparisons
    for name in said.kept:
        label = METHODS[name].split(" (")[0]
        kept = float(said.kept_of(name, [pair])[0])
        if np.isnan(kept):
            continue
        text = f"{label}: {'an edge' if kept else 'no edge'}"
        if name in said.shares:
            text += f", in {100 * float(said.shares_of(name, [pair])[0]):.0f} % of its forests"
        lines.append(f"{text}.")
    return lines


def _listed(table: pd.DataFrame) -> str:
    """Set the channels of a pair under each other: name, value, meaning."""
    width = max(len(str(name)) for name in table["channel"])
    lines = []
    for row in table.to_dict("records"):
        start = f"{row['channel']:<{width}} {row['value']:>8.3f}  "
        lines.append(fill(row["meaning"], indent=start, rest=" " * len(start)))
    return "\n".join(lines)


def _of(probability: float) -> str:
    text = probability_text(probability, in_words=True)
    return text if text.startswith(("above", "below")) else f"of {text}"
