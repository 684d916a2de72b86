"""The tables of a learned graph: its edges, all pairs, and the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.graph import edge_share, edge_table
from spinney._core.pairs import pair_ends, pair_numbers
from spinney.graph.report.centrality import betweenness, closeness

if TYPE_CHECKING:
    from spinney.graph.report.view import GraphView

__all__ = ["edges_of", "nodes_of", "pairs_of"]

Floats = NDArray[np.float64]


def edges_of(view: GraphView) -> pd.DataFrame:
    """List the edges, best first, with the score by its right name."""
    if view.learned is not None:
        return view.learned.edges
    table = edge_table(view.model)
    share = edge_share(view.model)
    if share is not None:
        table = table.rename(columns={share.column: view.score})
    first = dict.fromkeys(["source", "target", view.score, "sign", view.strength])
    leading = [name for name in first if name in table]
    return table[[*leading, *(name for name in table.columns if name not in first)]]


def pairs_of(view: GraphView) -> tuple[pd.DataFrame, NDArray[np.intp]]:
    """List the pairs that were judged, best first; and which columns they are, by number."""
    numbers, first, second = _judged(view)
    score = view.scores[first, second]
    kept = view.adjacency[first, second]
    strength = view.strengths[first, second]
    ranking = getattr(view.model, "edge_ranking_", None)
    ranking = score if ranking is None else np.asarray(ranking, dtype=float)[first, second]
    size = np.where(np.isnan(strength), -np.inf, strength)
    # As edges are sorted, and what is not known last; stable, so that equals keep their order.
    order = np.lexsort((-size, -np.nan_to_num(ranking), np.isnan(score)))
    names = np.array(view.names, dtype=object)
    columns: dict[str, Any] = {
        "rank": np.arange(1, order.size + 1),
        "source": names[first[order]],
        "target": names[second[order]],
        view.score: score[order],
        "edge": kept[order],
        "sign": view.signs[first[order], second[order]].astype(np.int64),
    }
    if view.strength not in columns:
        columns[view.strength] = strength[order]
    numbers = numbers[order]
    rows = getattr(view.potentials, "n_rows_", None)
    if rows is not None:
        columns["rows"] = view.judged.look_up(rows, numbers, missing=0).astype(np.int64)
    if view.is_probability:
        columns["expected_fdr"] = _expected_fdr(view, score[order], numbers)
    columns.update(_comparisons(view, numbers))
    return pd.DataFrame(columns), np.column_stack([first[order], second[order]])


def _judged(view: GraphView) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Numbers and columns of the pairs that were judged: all, or the listed ones and the edges."""
    judged = view.judged
    if judged.numbers is None:
        return judged.listed, *judged.ends
    u, v = np.nonzero(np.triu(view.adjacency, 1))
    joined = pair_numbers(u, v, judged.d)
    numbers = np.union1d(judged.numbers, joined)  # a required edge need not be listed
    return numbers, *pair_ends(numbers, judged.d)


def _expected_fdr(view: GraphView, ranked: Floats, numbers: NDArray[Any]) -> Floats:
    """Return the expected share of false edges if the ranking is cut after each pair.

    The mean of 1 - P over this and all better pairs; those that were required or forbidden
    beforehand are not counted, and where nothing is known there is none.
    """
    judged = view.judged.look_up(view.model.judged_probabilities_, numbers, missing=0.0)
    counted = ranked == judged
    false = np.cumsum(np.where(counted, 1.0 - judged, 0.0))
    return np.where(np.isnan(ranked), np.nan, false / np.maximum(np.cumsum(counted), 1))


def _comparisons(view: GraphView, numbers: NDArray[Any]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    if view.learned is None:
        return columns
    said = view.learned.comparisons
    for name in said.kept:
        chosen = said.kept_of(name, numbers)
        unknown = np.isnan(chosen)
        columns[f"{name}_kept"] = pd.arrays.BooleanArray(chosen == 1.0, unknown)
        if name in said.shares:
            columns[f"{name}_share"] = said.shares_of(name, numbers)
    return columns


def nodes_of(view: GraphView) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Describe every column of the table; and say what of it is an estimate."""
    columns: dict[str, Any] = {"name": list(view.names)}
    table = view.table
    if table is not None:
        columns["kind"] = list(table.kinds)
    columns["component"] = view.labels
    columns["degree"] = view.adjacency.sum(axis=1)
    if table is not None:
        columns["rows"] = table.present.sum(axis=0)
    between, note = betweenness(view.graph)
    columns["betweenness"] = between
    columns["closeness"] = closeness(view.graph)
    columns["strength"] = _total_strengths(view)
    return pd.DataFrame(columns), (note,) if note else ()


def _total_strengths(view: GraphView) -> Floats:
    """Sum the strengths of each column's edges, signs left out."""
    known = np.isfinite(view.strengths)
    total = np.where(known, np.abs(view.strengths), 0.0).sum(axis=1)
    # Of edges whose strength is not known the sum is not known either.
    return np.where(view.adjacency.any(axis=1) & ~known.any(axis=1), np.nan, total)
