"""Stability over samples of the rows, and groups of rows, if computed."""

from __future__ import annotations

import base64
from io import BytesIO
from typing import Any

import numpy as np

from spinney.graph.report.content.facts import MOST_PAIRS, Facts, label_names

__all__ = ["groups", "stability"]

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
    from spinney.graph.plots.stability import draw_stability
    from spinney.graph.plots.style import save_figure

    told = []
    for what, title, words in PICTURES:
        drawn = BytesIO()
        save_figure(draw_stability(found, what), drawn, "png")
        told.append([title, words, base64.b64encode(drawn.getvalue()).decode("ascii")])
    return told


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
