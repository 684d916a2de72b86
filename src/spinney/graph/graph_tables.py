"""The tables of a learned graph: its edges, all pairs, and the columns with their centralities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.graph import edge_share, edge_table
from spinney._core.pairs import pair_ends, pair_numbers
from spinney.graph.columns import bridges, centralities
from spinney.graph.words import verdicts

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph
    from spinney.tables import Table

Floats = NDArray[np.float64]

TOLD = ("strength_low", "strength_high", "sign_means")
"""Columns that tell more of the strength and sign of edges."""


def edges_of(graph: LearnedGraph) -> pd.DataFrame:
    """List the edges, best first, with the score under its name."""
    table = edge_table(graph.learner)
    share, names = edge_share(graph.learner), {"weight": graph.strength}
    if share is not None:
        names[share.column] = graph.score
    table = table.rename(columns=names)
    first = dict.fromkeys(["source", "target", graph.score, "sign", graph.strength, *TOLD])
    leading = [name for name in first if name in table]
    table = table[[*leading, *(name for name in table.columns if name not in first)]]
    place = {name: k for k, name in enumerate(graph.names)}
    u, v = ([place[name] for name in table[end]] for end in ("source", "target"))
    if graph.table is not None and graph.table.weighted:
        table["rows"] = _rows_once(graph.table)[u, v]
    if graph.is_probability:
        table["verdict"] = verdicts(table[graph.score], graph.learner.sure)
    return table


def pairs_of(graph: LearnedGraph) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    """List the judged pairs, best first, and the numbers of their columns."""
    numbers, judged = graph.judged.listed, graph.judged
    if judged.numbers is not None:
        u, v = np.nonzero(np.triu(graph.joined, 1))
        numbers = np.union1d(numbers, pair_numbers(u, v, judged.d))  # required edges, too
    first, second = pair_ends(numbers, judged.d)
    score, strength = graph.scores[first, second], graph.known_strengths[first, second]
    ranking = getattr(graph.learner, "edge_ranking_", None)
    ranking = score if ranking is None else np.asarray(ranking, dtype=float)[first, second]
    size = np.where(np.isnan(strength), -np.inf, strength)
    # In the order of the edges, unknown pairs last; stable, so that ties keep their order.
    order = np.lexsort((-size, -np.nan_to_num(ranking), np.isnan(score)))
    first, second, numbers = first[order], second[order], numbers[order]
    names = np.array(graph.names, dtype=object)
    columns: dict[str, Any] = {
        "rank": np.arange(1, order.size + 1),
        "source": names[first],
        "target": names[second],
        graph.score: score[order],
        "edge": graph.joined[first, second],
        "sign": graph.signs[first, second].astype(np.int64),
    }
    columns.setdefault(graph.strength, strength[order])
    u, v = graph.edge_positions.T
    known = graph.edges.set_index(pair_numbers(u, v, judged.d)).reindex(numbers)
    columns |= {name: known[name].to_numpy() for name in TOLD if name in known}
    rows = getattr(graph.potentials, "n_rows_", getattr(graph.evidence, "n_rows", None))
    if rows is not None and graph.table is not None and graph.table.weighted:
        columns["rows"] = _rows_once(graph.table)[first, second]
    elif rows is not None:
        columns["rows"] = judged.look_up(rows, numbers, missing=0).astype(np.int64)
    if graph.is_probability:
        columns["verdict"] = verdicts(score[order], graph.learner.sure)
        columns["expected_fdr"] = _expected_fdr(graph, score[order], numbers)
    return pd.DataFrame(columns), np.column_stack([first, second])


def _rows_once(table: Table) -> NDArray[np.int64]:
    """Rows that have both values of each two columns, those that weights repeat counted once."""
    there = table.once.present.astype(float)
    return (there.T @ there).astype(np.int64)


def _expected_fdr(graph: LearnedGraph, ranked: Floats, numbers: NDArray[Any]) -> Floats:
    """Return the expected share of false edges if the ranking is cut after each pair.

    The mean of 1 - P over this and all better pairs. Required and forbidden pairs do not count;
    unknown pairs have none.
    """
    judged = graph.judged.look_up(graph.learner.judged_probabilities_, numbers, missing=0.0)
    counted = ranked == judged
    false = np.cumsum(np.where(counted, 1.0 - judged, 0.0))
    return np.where(np.isnan(ranked), np.nan, false / np.maximum(np.cumsum(counted), 1))


def nodes_of(graph: LearnedGraph) -> pd.DataFrame:
    """Describe every column of the table."""
    table = graph.table
    columns: dict[str, Any] = {"name": list(graph.names)}
    if table is not None:
        columns["kind"] = list(table.kinds)
    columns |= {"component": graph.labels, "degree": graph.joined.sum(axis=1)}
    if table is not None:
        columns["rows"] = table.once.present.sum(axis=0)
    central = centralities(graph.joined, graph.known_strengths, graph.nominal)
    columns |= {name: central[name] for name in ("betweenness", "closeness", "strength")}
    if table is not None:
        columns["predictability"] = graph.predictability
    groups = [(graph.colour_by or {}).get(name, "") for name in graph.names]
    if graph.is_probability:
        columns |= {name: central[name] for name in central if name not in columns}
        if graph.colour_by:
            columns |= bridges(graph.joined, graph.known_strengths, graph.nominal, groups)
    found, stability = pd.DataFrame(columns), graph.stability
    if stability is None:
        return found
    found = found.join(stability.centralities)
    return found.join(stability.bridges(groups)) if graph.colour_by else found
