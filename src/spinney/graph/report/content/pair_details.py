r"""The pairs that are shown in full: their data, what was fitted to them, and why they are edges.

Columns are normal scores of numbers or codes of levels; fits are contours of a copula. Why a pair
is an edge is told by sentences, by the evidence, and by the strongest other path: the chain of
other edges that could carry the dependence. In a chain the correlations of neighbours multiply. So
a link counts

.. math:: \ell_{uv} = P_{uv} \cdot |\rho_{uv}|,

its score times its strength, and the strongest path is the one whose links have the largest
product; the edge between the two columns themselves does not count. Links are at most
:data:`LARGEST`, so that the shorter of two equal paths wins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import pair_numbers
from spinney._core.text import counted
from spinney.graph.columns import normal_scores
from spinney.graph.pair_words import (
    MOST_THIRDS,
    brought_out_by,
    leading_evidence,
    pair_sentences,
    thirds_of,
)
from spinney.graph.plots.pair import density_grid
from spinney.graph.report.content.facts import Facts, label_levels, pack
from spinney.pairs.copulas import FAMILIES
from spinney.tables import CONTINUOUS, Column

Floats = NDArray[np.float64]
Pair = tuple[int, int]

MOST_ROWS = 1000
MOST_COLUMNS = 400
"""Most columns of which all are packed."""
LARGEST_SCORE = 4.0
STEPS = 8191
GAP = 65535


def data(facts: Facts) -> dict[str, Any]:
    """Pack up to a thousand rows of the table; None if the model does not keep it.

    In a wide table, columns in none of the pairs shown in full are null.
    """
    if facts.graph.table is None:
        return {"data": None}
    table = facts.graph.table.once
    n = len(table)
    rows = spread_rows(n)
    best = {k for pair in facts.told for k in pair}
    wanted = best if facts.d > MOST_COLUMNS else range(facts.d)
    columns = zip(table.columns, table.values.T, strict=True)
    packed = [_packed(*each, rows) if k in wanted else None for k, each in enumerate(columns)]
    return {"data": {"n": n, "shown": len(rows), "columns": packed}}


def _packed(column: Column, values: Floats, rows: NDArray[np.int64]) -> dict[str, Any]:
    """Pack the values of some rows of a column, in 16 bits each."""
    missing = np.isnan(values)
    codes, levels, quantiles = values, None, None
    if column.kind != CONTINUOUS:
        levels = label_levels(column.levels)
    elif not missing.all():
        scores = np.clip(normal_scores(values), -LARGEST_SCORE, LARGEST_SCORE)
        codes = np.round((scores + LARGEST_SCORE) * STEPS)
        quantiles = np.quantile(values[~missing], [0.0, 0.25, 0.5, 0.75, 1.0])
    text = pack(np.where(missing, GAP, codes)[rows], "<u2")
    return {"kind": column.kind, "levels": levels, "values": text, "quantiles": quantiles}


def spread_rows(n: int, most: int = MOST_ROWS) -> NDArray[np.int64]:
    """Choose evenly spaced rows; all if they are few.

    Examples
    --------
    >>> spread_rows(4, 10), spread_rows(100, 4)
    (array([0, 1, 2, 3]), array([ 0, 33, 66, 99]))
    """
    return np.linspace(0, n - 1, min(n, most)).astype(np.int64)


GRID = 48
REACH = 3.0
"""Range of the picture, in normal scores."""


def fits(facts: Facts) -> dict[str, Any]:
    """Describe the fitted copulas of the pairs shown in full, by ``"i-j"``."""
    table = facts.graph.table
    if table is None:
        return {"fits": {}}
    found = {}
    for i, j in facts.told:
        family = FAMILIES.get(str(facts.edges.get((i, j), {}).get("family")))
        if family is not None and all(table.columns[k].kind == CONTINUOUS for k in (i, j)):
            found[f"{i}-{j}"] = _contours(family, facts.edges[i, j])
    return {"fits": found}


def _contours(family: Any, edge: Mapping[Any, Any]) -> dict[str, Any]:
    """Describe the density of the copula of an edge with normal margins."""
    turned = {} if family.rotations == (0,) else {"rotation": int(edge["rotation"])}
    copula = family(*edge["parameters"], **turned)
    grid = density_grid(copula, m=GRID, reach=REACH)
    # Lines stand for shares of the probability, not for equal steps of the density, as plotly's do.
    known = np.log([grid.levels[0] / 10.0, *grid.levels, grid.density.max()])  # smooth far out
    logs = np.log(np.maximum(grid.density, grid.levels[0] / 10.0))
    heights = np.interp(logs, known, np.linspace(0.0, 255.0, len(known)))
    return {"size": GRID, "grid": pack(np.round(heights), "u1"), "lines": len(grid.levels)}


# Why

SMALLEST, LARGEST = 1e-9, 1.0 - 1e-6


def why(facts: Facts) -> dict[str, Any]:
    """Give the evidence for and against an edge, for the pairs shown in full."""
    graph, links = facts.graph, links_of(facts)
    paths = strongest_paths(links, facts.told)
    first, second = np.array(facts.told, dtype=np.int64).reshape(-1, 2).T
    places = pair_numbers(first, second, facts.d).tolist()
    measured = graph.table is not None and facts.d <= MOST_THIRDS
    thirds = thirds_of(graph, facts.told) if measured else [None] * len(facts.told)
    found = {}
    for (i, j), path, place, third in zip(facts.told, paths, places, thirds, strict=True):
        evidence: list[dict[str, Any]] = []
        if graph.evidence is not None and place in graph.judged:
            evidence = leading_evidence(graph.judged.look_up(graph.evidence.values, [place])[0])
        weakest = links[path[:-1], path[1:]].min() if path else None
        found[f"{i}-{j}"] = {
            "sentences": [facts.say(line) for line in pair_sentences(graph, i, j, third)],
            "details": _told(facts, path, weakest),
            "third": None if third is None else brought_out_by(graph, i, j, third),
            "evidence": evidence,
            "path": {"nodes": path, "weakest": weakest} if path else None,
        }
    return {"why": found}


def _told(facts: Facts, path: list[int], weakest: float | None) -> str:
    if not path:
        return "No other path of edges connects the two."
    shown = [facts.labels[k] for k in path]
    if len(shown) > 8:
        shown = [*shown[:4], "…", *shown[-3:]]
    between = counted(len(path) - 2, "column")
    how = " (probability times strength)" if facts.graph.is_probability else ""
    return (
        f"The strongest other path runs through {between}: {' – '.join(shown)}; its weakest link "
        f"has a weight of {weakest:.2g}{how}."
    )


def links_of(facts: Facts) -> Floats:
    """Strength of every edge as a link of a path, between 0 and 1; 0 where there is no edge.

    An edge whose strength is unknown counts by its score alone. Weights count relative to the
    largest.
    """
    graph = facts.graph
    first, second = np.nonzero(np.triu(graph.joined, 1))
    links = np.nan_to_num(np.abs(graph.scores[first, second]))
    if graph.score == "weight":
        links = links / max(float(links.max(initial=0.0)), SMALLEST)
    elif graph.is_probability:
        links = links * np.nan_to_num(np.abs(graph.strengths[first, second]), nan=1.0)
    found = np.zeros((facts.d, facts.d))
    found[first, second] = found[second, first] = np.clip(links, SMALLEST, LARGEST)
    return found


def strongest_paths(links: Floats, pairs: Sequence[Pair]) -> list[list[int]]:
    """Find for each pair the path with the largest product of links, without its own edge.

    Parameters
    ----------
    links : array of shape (d, d)
        Symmetric, between 0 and 1; 0 where there is no edge.
    pairs : list of (int, int)
        The ends.

    Returns
    -------
    list of lists of int
        The columns of each path in order; empty where no other path joins the two.

    Examples
    --------
    >>> links = np.zeros((3, 3))
    >>> for u, v, size in [(0, 1, 0.9), (1, 2, 0.5), (0, 2, 0.8)]:
    ...     links[u, v] = links[v, u] = size
    >>> strongest_paths(links, [(0, 1), (0, 2)])
    [[0, 2, 1], [0, 1, 2]]
    """
    graph = nx.empty_graph(len(links))
    first, second = np.nonzero(np.triu(links))
    costs = -np.log(np.minimum(links[first, second], LARGEST))
    graph.add_weighted_edges_from(zip(first.tolist(), second.tolist(), costs, strict=True))
    found = []
    for i, j in pairs:
        own = graph.get_edge_data(i, j)
        if own:
            graph.remove_edge(i, j)
        try:
            found.append(nx.bidirectional_dijkstra(graph, i, j)[1])
        except nx.NetworkXNoPath:
            found.append([])
        if own:
            graph.add_edge(i, j, **own)
    return found
