"""A learned graph in plain words: sentences for whoever sets them, and texts set for a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from spinney._pairs import pair_index, to_pairs
from spinney.learner.comparisons import METHODS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spinney.learner.learned import LearnedGraph

__all__ = [
    "cautions",
    "decrees",
    "disagreements",
    "pair_sentences",
    "probability_text",
    "summarise",
    "tell_why",
]

WIDTH = 96
MOST_EDGES = 8
"""Edges that are told one by one."""
MOST_DISAGREEMENTS = 5
SURE = 0.9
"""Share of forests from which on they are said to hold an edge firmly."""
FORESTS = ("ef_lambda", "shared_forest")


def summarise(graph: LearnedGraph) -> str:
    """Tell what was found: how much, how sure, what is strongest, what to be careful about."""
    otherwise = disagreements(graph)
    parts = [
        _counts(graph),
        _components(graph),
        _strongest(graph),
        "\n".join(_fill(line, indent="  " if k else "") for k, line in enumerate(otherwise)),
        "\n".join(["Be careful:", *(_fill(note, "  - ", "    ") for note in cautions(graph))]),
    ]
    return "\n\n".join(part for part in parts if part)


def _counts(graph: LearnedGraph) -> str:
    learner, d = graph.learner, len(graph.names)
    n_edges = int(to_pairs(graph.adjacency).sum())
    total = d * (d - 1) // 2
    rule = (
        f"with a probability above {learner.cut:g}"
        if learner.target_fdr is None
        else f"the most probable, so that at most {learner.target_fdr:g} of them should be false"
    )
    text = (
        f"{_count(n_edges, 'edge')} among {_count(total, 'pair')} of {d} columns "
        f"({len(learner.table_):,} rows): those {rule}. Of the edges "
        f"{graph.n_expected_false:.1f} are expected to be false; of the other pairs "
        f"{graph.n_expected_missed:.1f} are expected to be edges that were missed."
    )
    told = [text, decrees(graph), "" if n_edges else learner.why_no_edges_]
    return _fill(" ".join(part for part in told if part))


def decrees(graph: LearnedGraph) -> str:
    """Say how many pairs were required or forbidden; nothing if none was."""
    required, forbidden = len(graph.learner._required), len(graph.learner._forbidden)
    if not required and not forbidden:
        return ""
    return (
        f"{_count(required, 'pair')} required and {forbidden} forbidden beforehand do not count in "
        "these numbers."
    )


def _components(graph: LearnedGraph) -> str:
    parts = graph.components
    alone = [part[0] for part in parts if len(part) == 1]
    joined = [part for part in parts if len(part) > 1]
    if not joined:
        return ""
    sizes = ", ".join(str(len(part)) for part in joined[:10])
    more = " and smaller ones" if len(joined) > 10 else ""
    text = f"{_count(len(joined), 'component')} of {sizes} columns{more}"
    if alone:
        shown = ", ".join(alone[:10]) + (", …" if len(alone) > 10 else "")
        text += f"; without any edge: {shown}"
    return _fill(text + ".")


def _strongest(graph: LearnedGraph) -> str:
    edges = graph.edges
    if edges.empty:
        return ""
    order = np.argsort(
        -np.nan_to_num(np.abs(edges["strength"].to_numpy(dtype=float))), kind="stable"
    )
    shown = edges.iloc[order[:MOST_EDGES]]
    title = "The edges" if len(edges) <= MOST_EDGES else f"The {MOST_EDGES} strongest edges"
    lines = [_edge(row) for row in shown.to_dict("records")]
    return "\n".join([f"{title}, by strength given the neighbours:", *lines])


def _edge(row: dict[Any, Any]) -> str:
    if np.isnan(row["strength"]):
        strength = "a column without order, so no strength"
    else:
        how = {1: "rise together", -1: "one falls as the other rises", 0: "neither rises"}
        strength = f"strength {row['strength']:+.2f} ({how[int(row['sign'])]})"
    text = f"{row['source']} – {row['target']}: probability "
    text += f"{probability_text(row['probability'])}, {strength}, {row['family']}"
    if not np.isnan(row["tau"]):
        text += f" with tau {row['tau']:+.2f}"
    return _fill(text, indent="  ")


def disagreements(graph: LearnedGraph) -> list[str]:
    """Tell the edges that the forests do not have, and pairs that they are sure of without an edge.

    Returns
    -------
    list of str
        A heading, then a line for either kind; one sentence if there are none, and nothing if the
        forests were not asked.
    """
    known = [name for name in FORESTS if name in graph.comparisons.kept]
    known = [name for name in known if not np.isnan(graph.comparisons.kept[name]).any()]
    if not known:
        return []
    pairs = graph.pairs
    kept = np.column_stack([graph.comparisons.kept[name] > 0 for name in known])
    edge = pairs["edge"].to_numpy()
    alone = edge & ~kept.any(axis=1)
    firm = kept.all(axis=1)
    for name in known:
        firm = firm & (graph.comparisons.shares[name] >= SURE)
    dropped = ~edge & firm
    names = " and ".join(METHODS[name].split(" (")[0] for name in known)
    if not alone.any() and not dropped.any():
        verb, who = ("agree", "they are") if len(known) > 1 else ("agrees", "it is")
        if not edge.any():
            return [f"{names} {verb}: {who} sure of no edge either."]
        return [f"{names} {verb}: each edge is found there, too, and {who} sure of no other."]
    lines = [f"Where {names} see it otherwise:"]
    for chosen, noun, words in (
        (alone, "edge", "here that they do not have"),
        (dropped, "pair", "that they are sure of, but no edge here"),
    ):
        if chosen.any():
            listed = pairs[chosen].sort_values("probability", ascending=False, kind="stable")
            told = [
                f"{row['source']} – {row['target']} ({probability_text(row['probability'])})"
                for row in listed.head(MOST_DISAGREEMENTS).to_dict("records")
            ]
            more = len(listed) - len(told)
            tail = f", and {more} more" if more else ""
            counted = _count(len(listed), noun)
            lines.append(f"{counted} {words}: {', '.join(told)}{tail}")
    return lines


def cautions(graph: LearnedGraph) -> list[str]:
    """Say what to be careful about, a sentence or two each, what holds of every graph last."""
    notes = [*graph.warnings]
    unknown = len(graph.learner.unknown_pairs_)
    if unknown:
        notes.append(
            f"{_count(unknown, 'pair')} with fewer than 10 rows in common could not be judged: "
            "that they are no edges says nothing."
        )
    for name, note in graph.comparisons.notes.items():
        notes.append(f"{METHODS[name].split(' (')[0]}: {note}")
    nominal = [column.name for column in graph.learner.table_.columns if column.kind == "nominal"]
    if nominal:
        notes.append(
            f"Columns without order ({', '.join(nominal[:5])}{', …' if len(nominal) > 5 else ''}) "
            "have no strengths and signs, and strengths of other edges do not reckon with them."
        )
    notes.append(
        "Edges have no direction; a common cause that is not in the table joins what it drives; "
        "and probabilities are too sure where rows depend on each other (time series, repeats)."
    )
    return notes


def tell_why(graph: LearnedGraph, i: int, j: int) -> str:
    """Tell what is known of one pair, then list its evidence channel by channel."""
    u, v, is_edge = graph.names[i], graph.names[j], graph.adjacency[i, j]
    lines = [f"{u} – {v}: {'an edge' if is_edge else 'no edge'}.", *pair_sentences(graph, i, j)]
    told = "\n".join(_fill(line, rest="  ") for line in lines)
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
    rows = int(np.asarray(learner.potentials_.n_rows_)[pair])
    lines = []
    if pair in learner._required:
        lines.append(f"It was required; the judge alone says {probability_text(judged)}.")
    elif pair in learner._forbidden:
        lines.append(f"It was forbidden; the judge alone says {probability_text(judged)}.")
    elif learner._unknown[pair]:
        lines.append(f"Only {_count(rows, 'row')} have both values: too few to say anything.")
    else:
        lines.append(f"The judge gives it a probability of {probability_text(judged)}.")
    if described is None:
        described = learner.potentials_.describe(np.array([pair])).iloc[0].to_dict()
    lines.append(_copula(described, rows))
    strength = float(graph.strengths[i, j])
    if graph.adjacency[i, j] and not np.isnan(strength):
        lines.append(f"Given the neighbours its strength is {strength:+.2f}.")
    lines.extend(_said_by_others(graph, pair))
    return lines


def _copula(row: Mapping[str, Any], rows: int) -> str:
    start = f"By itself, over {_count(rows, 'row')}, the pair is best described as"
    if row["family"] == "independence":
        return f"{start} independent."
    text = f"{start} {row['family']}"
    if 1 <= len(row["parameters"]) <= 2:
        text += f" ({', '.join(f'{value:.3g}' for value in row['parameters'])})"
    if not np.isnan(row["tau"]):
        text += f", Kendall's tau {row['tau']:+.2f}"
    return text + "."


def _said_by_others(graph: LearnedGraph, pair: int) -> list[str]:
    lines = []
    for name, kept in graph.comparisons.kept.items():
        label = METHODS[name].split(" (")[0]
        if np.isnan(kept[pair]):
            continue
        text = f"{label}: {'an edge' if kept[pair] else 'no edge'}"
        shares = graph.comparisons.shares.get(name)
        if shares is not None:
            text += f", in {100 * shares[pair]:.0f} % of its forests"
        lines.append(f"{text}.")
    return lines


def _listed(table: pd.DataFrame) -> str:
    """Set the channels of a pair under each other: name, value, meaning."""
    width = max(len(str(name)) for name in table["channel"])
    lines = []
    for row in table.to_dict("records"):
        start = f"{row['channel']:<{width}} {row['value']:>8.3f}  "
        lines.append(_fill(row["meaning"], indent=start, rest=" " * len(start)))
    return "\n".join(lines)


def probability_text(value: float) -> str:
    """Write a probability so that neither end is rounded to certainty.

    Examples
    --------
    >>> probability_text(0.99961), probability_text(0.5), probability_text(0.0001)
    ('> 0.999', '0.500', '< 0.001')
    """
    if np.isnan(value):
        return "unknown"
    if value in (0.0, 1.0):
        return f"{value:.0f}"
    if value > 0.9994:
        return "> 0.999"
    return "< 0.001" if value < 0.0005 else f"{value:.3f}"


_probability = probability_text  # as other files of the package call it


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _fill(text: str, indent: str = "", rest: str | None = None) -> str:
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=rest if rest is not None else indent + "  " if indent else "",
        break_on_hyphens=False,
    )
