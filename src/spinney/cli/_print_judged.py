"""``spinney learn`` with the judge: its graph in print, with the forests beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from spinney._core.text import counted, probability_text, signed
from spinney.cli._print import Row, family, print_edges

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import Console

    from spinney.graph import LearnedGraph

__all__ = ["DIGITS", "print_judged"]

FORESTS = {"ef_lambda": "EF-λ", "shared_forest": "SharedForest"}
"""Whose word stands beside each edge: names in a learned graph's tables, and in print."""
MOST_EDGES = 25
"""Edges that are printed; edges.csv has all."""
DIGITS = 2
"""Digits of a probability in print."""


def print_judged(console: Console, graph: LearnedGraph) -> None:
    """Say how sure the graph is, then edge by edge what judge and forests say."""
    from rich.text import Text

    from spinney.cli._shell import in_options
    from spinney.graph.words import screening

    learner = graph.learner
    console.print(Text(_expected(graph)), soft_wrap=True)
    if screened := screening(graph):
        console.print(Text(screened), soft_wrap=True)
    edges = graph.to_frame()
    if edges.empty:
        console.print()
        console.print(Text(in_options(str(learner.why_no_edges_))), soft_wrap=True)
    else:
        few = len(edges) <= MOST_EDGES
        title = "edges" if few else f"{MOST_EDGES} most probable edges"
        columns: dict[str, Callable[[Row], str]] = {
            "probability": lambda row: probability_text(row["probability"], DIGITS),
            "strength": lambda row: signed(row["strength"]),
            "tau": lambda row: signed(row["tau"]),
            "family": family,
        }
        for name, label in _compared(graph).items():
            columns[label] = partial(_word, name)
        first = edges.head(MOST_EDGES)
        shown = print_edges(console, title, first, columns, ("family", "tau", "strength"))
        for line in _legend(graph, shown):
            console.print(Text(line, style="dim"), soft_wrap=True)
    others = list(_others(graph))
    if others:
        console.print()
        console.print(Text("\n".join(others)), soft_wrap=True)


def _expected(graph: LearnedGraph) -> str:
    """Say how many edges are expected to be wrong, and by which rule they were kept."""
    learner = graph.learner
    rule = (
        f"probability above {learner.cut:g}"
        if learner.target_fdr is None
        else f"expected share of false ones at most {learner.target_fdr:g}"
    )
    missed = f"{graph.n_expected_missed:.1f}"
    if not graph.adjacency.any():
        return f"expected: {missed} edges missed ({rule})"
    return f"expected: {graph.n_expected_false:.1f} of them false, {missed} others missed ({rule})"


def _compared(graph: LearnedGraph) -> dict[str, str]:
    return {name: FORESTS[name] for name in FORESTS if name in graph.comparisons.shares}


def _word(name: str, row: Row) -> str:
    """Say what a model over forests makes of an edge."""
    return f"{'kept ' if row[f'{name}_kept'] else ''}{row[f'{name}_share']:.2f}"


def _legend(graph: LearnedGraph, shown: Sequence[str]) -> Iterator[str]:
    """Say what the columns are that are shown."""
    more = int(graph.adjacency.sum()) // 2 - MOST_EDGES
    if more > 0:
        yield f"and {more} more in edges.csv"
    yield ""
    alone = ", ".join(name for name in ("tau", "family") if name in shown)
    parts = ["strength: given the neighbours"] if "strength" in shown else []
    parts += [f"{alone}: of the two columns alone"] if alone else []
    if parts:
        yield "; ".join(parts)
    compared = _compared(graph)
    if compared:
        names = ", ".join(compared.values())
        yield f"{names}: share of their forests with the edge; kept: theirs, too"


def _others(graph: LearnedGraph) -> Iterator[str]:
    """Say what else the forests keep, or why they say nothing."""
    compared = _compared(graph)
    pairs, any_kept = graph.pairs, bool(graph.adjacency.any())
    for name, label in compared.items():
        only = pairs[~pairs["edge"] & pairs[f"{name}_kept"].astype(bool)]
        yield f"{label} keeps {_told(only, name, any_kept)}"
    for name, label in FORESTS.items():
        if name in graph.comparisons.kept and name not in compared:
            yield f"{label}: {graph.comparisons.notes.get(name, 'It has nothing to say.')}"


def _told(only: pd.DataFrame, name: str, any_kept: bool) -> str:
    """Count pairs that a model keeps and the judge does not, and name the first."""
    if only.empty:
        return "no other pair." if any_kept else "no pair either."
    first: Any = only.sort_values(f"{name}_share", ascending=False, kind="stable").iloc[0]
    beyond = " more" if any_kept else ""
    pairs = (
        f"{counted(len(only), 'pair')}{beyond}, first" if len(only) > 1 else f"one pair{beyond},"
    )
    probability = probability_text(first["probability"], DIGITS)
    return (
        f"{pairs} {first['source']} – {first['target']} "
        f"(share {first[f'{name}_share']:.2f}, probability {probability})."
    )
