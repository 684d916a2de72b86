"""The graph on the page: its nodes and components, its pairs, the heat map, stability and groups.

The heat map has one byte per pair for its score, and an order of columns that shows blocks. With
more than :data:`MOST_COLUMNS` columns it holds only the best connected: all pairs would take
millions of bytes, and less than a pixel each.
"""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import squareform

from spinney._core.pairs import n_pairs, to_pairs
from spinney.graph.plots.strengths import draw_stability, strengths_svg
from spinney.graph.plots.style import figure_bytes
from spinney.graph.report.content.facts import MOST_PAIRS, Facts, label_names, pack

Floats = NDArray[np.float64]

STEPS = 250
UNKNOWN = 255
NODE = (
    *("name", "label", "kind", "component", "degree", "rows", "x", "y", "betweenness"),
    *("predictability", "up", "group"),
)
"""What the page has of each column."""
MOST_COLUMNS = 400
"""Most columns shown."""


def nodes(facts: Facts) -> dict[str, Any]:
    """Describe every column; list the components, the largest first."""
    graph = facts.graph
    places = {name: k for k, name in enumerate(graph.names)}
    parts = [[places[name] for name in part] for part in graph.components]
    told = graph.nodes.assign(label=facts.labels)
    for label, part in enumerate(parts):
        told.loc[part, "component"] = label
    low, high = graph.layout.corners
    span = max(float((high - low).max()), 1e-9)  # the longer side is 1
    at = np.clip((graph.layout.positions - (low + high) / 2) / span + 0.5, 0.0, 1.0)
    told["x"], told["y"] = at.T
    told["kind"] = told.get("kind", "continuous")
    for name in ("up", "group"):
        told[name] = [graph.as_drawn.nodes[k].get(name) for k in range(facts.d)]
    ends = [f"{name}_{end}" for name in ("degree", "betweenness") for end in ("low", "high")]
    told = told.reindex(columns=[*NODE, *(name for name in ends if name in told)])
    degree = told["degree"].to_numpy()
    return {
        "nodes": told.astype(object).to_dict("records"),
        "components": [{"nodes": part, "n_edges": degree[part].sum() // 2} for part in parts],
    }


def pairs(facts: Facts) -> dict[str, Any]:
    """List the pairs: all edges, then the next best."""
    shown, graph = facts.shown, facts.graph
    ends = zip(shown["i"], shown["j"], strict=True)
    edges = [facts.edges.get(pair, {}) for pair in ends]
    means = [edge.get("sign_means") for edge in edges]
    unknown: list[Any] = [None] * len(shown)
    columns = {
        "i": shown["i"],
        "j": shown["j"],
        "score": shown[graph.score],
        "kept": shown["edge"],
        "sign": shown["sign"],
        "strength": shown[graph.strength],
        "tau": [edge.get("tau") for edge in edges],
        "family": [edge.get("family") for edge in edges],
        "rows": shown.get("rows", unknown),
        "fdr": shown.get("expected_fdr", unknown),
        "verdict": shown.get("verdict", unknown),
        "low": shown.get("strength_low", unknown),
        "high": shown.get("strength_high", unknown),
        "rank": shown["rank"],
        "means": [facts.say(text) if text else None for text in means],
    }
    return {
        "pair_columns": list(columns),
        "pairs": list(zip(*columns.values(), strict=True)),
        "n_pairs": n_pairs(facts.d),
        "n_judged": None if graph.judged.numbers is None else len(facts.ranked),
    }


def strengths(facts: Facts) -> dict[str, Any]:
    """Draw the strengths of the edges as SVG, where they have intervals."""
    graph = facts.graph
    some = graph.is_probability and not np.isnan(graph.strengths[graph.joined]).all()
    return {"strengths": strengths_svg(graph) if some else ""}


def heat(facts: Facts) -> dict[str, Any]:
    """Pack the scores of pairs; order the columns, components together, the largest first."""
    graph = facts.graph
    chosen = np.sort(np.argsort(-graph.joined.sum(axis=1), kind="stable")[:MOST_COLUMNS])
    scores = np.abs(graph.scores[np.ix_(chosen, chosen)])
    size, labels = to_pairs(scores), graph.labels[chosen]
    largest = float(np.nanmax(size, initial=0.0))
    # Weights have no natural maximum.
    scale = largest if graph.score == "weight" and largest > 0.0 else 1.0
    steps = np.round(np.clip(np.nan_to_num(size / scale), 0.0, 1.0) * STEPS)
    near = np.nan_to_num(scores / scale)
    parts = [np.flatnonzero(labels == label) for label in dict.fromkeys(labels.tolist())]
    parts.sort(key=len, reverse=True)
    order = [k for part in parts for k in part[seriate(near[np.ix_(part, part)])].tolist()]
    values = pack(np.where(np.isnan(size), UNKNOWN, steps), "u1")
    return {"heat": {"nodes": chosen, "order": chosen[order], "values": values, "scale": scale}}


def seriate(near: Floats) -> NDArray[np.intp]:
    """Order items so that similar ones are neighbours, the better connected end first.

    A tree by average linkage, its leaves in the order that makes neighbours nearest [1]_.

    Parameters
    ----------
    near : array of shape (k, k)
        Similarity of any two, symmetric, between 0 and 1.

    References
    ----------
    .. [1] Z. Bar-Joseph, D. K. Gifford and T. S. Jaakkola (2001). Fast optimal leaf ordering for
       hierarchical clustering. Bioinformatics 17, S22-S29.

    Examples
    --------
    >>> near = np.eye(4)
    >>> for u, v in [(0, 2), (2, 1), (1, 3)]:
    ...     near[u, v] = near[v, u] = 0.9
    >>> seriate(near).tolist() in ([0, 2, 1, 3], [3, 1, 2, 0])
    True
    """
    k = len(near)
    if k < 3:
        return np.arange(k)
    far = 1.0 - np.clip((near + near.T) / 2, 0.0, 1.0)
    np.fill_diagonal(far, 0.0)
    distances = squareform(far, checks=False)
    tree = optimal_leaf_ordering(linkage(distances, "average"), distances)
    order = np.asarray(leaves_list(tree), dtype=np.intp)
    joined = near.sum(axis=1)[order]
    return order if joined[: k // 2].sum() >= joined[-(k // 2) :].sum() else order[::-1]


# Stability over samples of the rows, and groups of rows, if computed

PICTURES = (
    (
        "edges",
        "Intervals of strengths",
        "Dots are the strengths in all rows. Bars hold 95 % of the bootstrap samples, where the "
        "strength is 0 in samples without the edge. The number is the share of samples with it.",
    ),
    (
        "case_dropping",
        "How many cases can be dropped",
        "Mean correlation of centralities and strengths in subsets with those in all rows; bands "
        "hold 95 % of the subsets. The CS coefficient is the largest share that can be dropped so "
        "that the correlation is 0.7 or more (dashed) in 95 % of the subsets.",
    ),
    (
        "edge_differences",
        "Which edges differ in strength",
        "Black: 95 % of the bootstrap samples have a difference on the same side of 0. On the "
        "diagonal is the strength. The tests are not corrected for their number.",
    ),
    (
        "centrality_differences",
        "Which columns differ in strength",
        "The same for the sum of the strengths of a column's edges.",
    ),
)
"""What is drawn of bootstrap samples: its name, a title, and what it shows."""


def stability(facts: Facts) -> dict[str, Any]:
    """List how often each edge was found in fits to other rows, the least stable first."""
    found = facts.graph.stability
    if found is None:
        return {"stability": None}
    edges = facts.shown[facts.shown["edge"]]
    often = np.asarray(found.frequencies, dtype=float)[edges["i"], edges["j"]]
    edges = edges.assign(often=often).dropna(subset="often").sort_values("often", kind="stable")
    return {
        "stability": {
            "n_fits": found.n_fits,
            "edges": edges[["i", "j", facts.graph.score, "often"]].astype(object).to_numpy(),
            "sentences": [facts.say(line) for line in (*found.sentences(), *found.cautions())],
            "pictures": _pictures(found) if found.n_fits else [],
        }
    }


def _pictures(found: Any) -> list[list[str]]:
    """Draw the stability: for each picture a title, its description, and a PNG in base64."""
    drawn = {what: figure_bytes(draw_stability(found, what), "png") for what, *_ in PICTURES}
    return [[title, words, b64encode(drawn[what]).decode()] for what, title, words in PICTURES]


def groups(facts: Facts) -> dict[str, Any]:
    """List the probabilities of each pair in all groups, the most different pairs first."""
    found = facts.graph.groups
    if found is None:
        return {"groups": None}
    places = {name: k for k, name in enumerate(facts.graph.names)}
    listed = found.differences
    listed = listed[listed["source"].isin(places) & listed["target"].isin(places)].head(MOST_PAIRS)
    # In the order of the groups, whatever the headings.
    columns = [name for name in listed.columns if str(name).startswith("probability_")]
    rows = []
    for u, v, *values in listed[["source", "target", *columns, "differs"]].itertuples(index=False):
        i, j = sorted((places[u], places[v]))
        rows.append([i, j, *values])
    return {
        "groups": {
            "names": list(label_names(map(str, found.names))),
            "sizes": found.sizes,
            "pairs": rows,
            "sentences": [facts.say(line) for line in (*found.sentences(), *found.cautions())],
        }
    }
