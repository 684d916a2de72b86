"""Stability over halves of the rows, and groups of rows, if computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.graph.report.content.facts import MOST_PAIRS, Facts, label_names, share

__all__ = ["groups", "stability"]


def stability(facts: Facts) -> dict[str, Any]:
    """List how often each pair was an edge in fits to halves of the rows, most often first."""
    found = facts.graph.stability
    if found is None:
        return {"stability": None}
    frequencies = np.asarray(found.frequencies, dtype=float)
    # Pairs that never were an edge are listed only if they are one here.
    told = (np.nan_to_num(frequencies) > 0.0) | facts.graph.joined
    first, second = np.nonzero(np.triu(told, 1))
    values = frequencies[first, second]
    order = np.argsort(-np.nan_to_num(values), kind="stable")
    chosen = order[: max(MOST_PAIRS, facts.graph.n_edges)]
    return {
        "stability": {
            "n_fits": int(found.n_fits),
            "frequencies": [
                [int(first[k]), int(second[k]), share(values[k])] for k in chosen.tolist()
            ],
            "sentences": [facts.say(line) for line in (*found.sentences(), *found.cautions())],
        }
    }


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
        rows.append([i, j, *map(share, values)])
    return {
        "groups": {
            "names": list(label_names(map(str, found.names))),
            "sizes": [int(size) for size in found.sizes],
            "pairs": rows,
            "sentences": [facts.say(line) for line in (*found.sentences(), *found.cautions())],
        }
    }
