"""A learned graph in plain words: sentences for whoever sets them, and a text for a terminal."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import PairIndex, n_pairs
from spinney._core.text import counted, listed, probability_text, signed
from spinney.graph.comparisons import METHODS
from spinney.tables import Drawn

if TYPE_CHECKING:
    from spinney.graph.learned import LearnedGraph

__all__ = [
    "cautions",
    "decrees",
    "disagreements",
    "fill",
    "rows_in_words",
    "screening",
    "summarise",
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
        "\n".join(fill(line, indent="  " if k else "") for k, line in enumerate(otherwise)),
        "\n".join(["Be careful:", *(fill(note, "  - ", "    ") for note in cautions(graph))]),
    ]
    return "\n\n".join(part for part in parts if part)


def _counts(graph: LearnedGraph) -> str:
    learner, d = graph.learner, len(graph.names)
    n_edges = int(np.count_nonzero(graph.adjacency)) // 2
    total = n_pairs(d)
    rule = (
        f"with a probability above {learner.cut:g}"
        if learner.target_fdr is None
        else f"the most probable, so that at most {learner.target_fdr:g} of them should be false"
    )
    text = (
        f"{counted(n_edges, 'edge')} among {counted(total, 'pair')} of {d} columns "
        f"({_rows(graph)}): those {rule}. Of the edges "
        f"{graph.n_expected_false:.1f} are expected to be false; of the other pairs "
        f"{graph.n_expected_missed:.1f} are expected to be edges that were missed."
    )
    drawn = learner.table_.drawn
    told = [
        text,
        "" if drawn is None else drawn.sentence(),
        screening(graph),
        decrees(graph),
        "" if n_edges else str(learner.why_no_edges_),
    ]
    return fill(" ".join(part for part in told if part))


def _rows(graph: LearnedGraph) -> str:
    table = graph.learner.table_
    return rows_in_words(len(table), table.drawn)


def rows_in_words(n: int, drawn: Drawn | None) -> str:
    """Count rows, and those that they were drawn from.

    Examples
    --------
    >>> rows_in_words(853, None), rows_in_words(500, Drawn(500, 3000, 0))
    ('853 rows', '500 of 3,000 rows')
    """
    return f"{n:,} rows" if drawn is None else f"{n:,} of {drawn.n_whole:,} rows"


def screening(graph: LearnedGraph) -> str:
    """Say how many pairs were looked at, where that is not all of them."""
    screened = getattr(graph.learner, "screened_", None)
    if screened is None:
        return ""
    judged = PairIndex.of_model(graph.learner, len(graph.names))
    told = [screened.sentence()]
    if len(judged) < len(screened):
        told.append(f"{len(judged):,} of these lie within a neighbourhood, and were judged.")
    return " ".join([*told, "The others have not been judged, and count as no edges."])


def decrees(graph: LearnedGraph) -> str:
    """Say how many pairs were required or forbidden; nothing if none was."""
    required, forbidden = len(graph.learner._required), len(graph.learner._forbidden)
    if not required and not forbidden:
        return ""
    return (
        f"{counted(required, 'pair')} required and {forbidden} forbidden beforehand do not count "
        "in these numbers."
    )


def _components(graph: LearnedGraph) -> str:
    parts = graph.components
    alone = [part[0] for part in parts if len(part) == 1]
    joined = [part for part in parts if len(part) > 1]
    if not joined:
        return ""
    sizes = ", ".join(str(len(part)) for part in joined[:10])
    more = " and smaller ones" if len(joined) > 10 else ""
    text = f"{counted(len(joined), 'component')} of {sizes} columns{more}"
    if alone:
        shown = ", ".join(alone[:10]) + (", …" if len(alone) > 10 else "")
        text += f"; without any edge: {shown}"
    return fill(text + ".")


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
        strength = f"strength {signed(row['strength'])} ({how[int(row['sign'])]})"
    text = f"{row['source']} – {row['target']}: probability "
    text += f"{probability_text(row['probability'])}, {strength}, {row['family']}"
    if not np.isnan(row["tau"]):
        text += f" with tau {signed(row['tau'])}"
    return fill(text, indent="  ")


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
    first, second, kept, sure = _said(graph, known)
    edge = graph.adjacency[first, second]
    alone = edge & ~kept.any(axis=1)
    dropped = ~edge & kept.all(axis=1) & sure
    names = " and ".join(METHODS[name].split(" (")[0] for name in known)
    several = len(known) > 1
    verb, has, who = ("agree", "they do", "they are") if several else ("agrees", "it does", "it is")
    if not alone.any() and not dropped.any():
        if not edge.any():
            return [f"{names} {verb}: {who} sure of no edge either."]
        return [f"{names} {verb}: each edge is found there, too, and {who} sure of no other."]
    lines = [f"Where {names} dis{verb}:"]
    for chosen, noun, words in (
        (alone, "edge", f"here that {has} not have"),
        (dropped, "pair", f"that {who} sure of, but no edge here"),
    ):
        if chosen.any():
            u, v = first[chosen], second[chosen]
            probability = graph.probabilities[u, v]
            best = np.argsort(-probability, kind="stable")[:MOST_DISAGREEMENTS]
            told = [
                f"{graph.names[u[k]]} – {graph.names[v[k]]} ({probability_text(probability[k])})"
                for k in best.tolist()
            ]
            more = len(u) - len(told)
            tail = f", and {more} more" if more else ""
            lines.append(f"{counted(len(u), noun)} {words}: {', '.join(told)}{tail}")
    return lines


def _said(
    graph: LearnedGraph, methods: list[str]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.bool_], NDArray[np.bool_]]:
    """List pairs that were judged: their columns, what methods keep, and which all are sure of."""
    judged = PairIndex.of_model(graph.learner, len(graph.names))
    numbers = judged.listed
    said = graph.comparisons
    kept = np.column_stack([said.kept_of(name, numbers) > 0 for name in methods])
    sure = np.all([said.shares_of(name, numbers) >= SURE for name in methods], axis=0)
    return *judged.ends, kept, sure


def cautions(graph: LearnedGraph) -> list[str]:
    """Say what to be careful about, a sentence or two each, what holds of every graph last."""
    notes = [*graph.warnings]
    unknown = len(graph.learner.unknown_pairs_)
    if unknown:
        notes.append(
            f"{counted(unknown, 'pair')} with fewer than 10 rows in common could not be judged: "
            "their absence from the graph says nothing."
        )
    for name, note in graph.comparisons.notes.items():
        notes.append(f"{METHODS[name].split(' (')[0]}: {note}")
    nominal = [column.name for column in graph.learner.table_.columns if column.kind == "nominal"]
    if nominal:
        notes.append(
            f"Columns without order ({listed(nominal, most=5)}) have no strengths and signs, and "
            "strengths of other edges do not take them into account."
        )
    notes.append(
        "Edges have no direction; a common cause that is not in the table joins what it drives; "
        "and probabilities are too sure where rows depend on each other (time series, repeats)."
    )
    return notes


def fill(text: str, indent: str = "", rest: str | None = None) -> str:
    """Break a text into lines; those after the first are indented by `rest`."""
    return textwrap.fill(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=rest if rest is not None else indent + "  " if indent else "",
        break_on_hyphens=False,
    )
