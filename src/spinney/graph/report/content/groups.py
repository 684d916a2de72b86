"""The graphs of groups of rows side by side, where they were learned."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.graph.report.content.encoding import share
from spinney.graph.report.content.facts import MOST_PAIRS, Facts
from spinney.graph.report.content.labels import label_names
from spinney.graph.report.content.stability import paragraphs

__all__ = ["groups"]


def groups(facts: Facts) -> dict[str, Any]:
    """List the probabilities of each pair in all groups, the most different pairs first."""
    found = facts.view.groups
    if found is None:
        return {"groups": None}
    names = [str(name) for name in found.names]
    own = [k for k, name in enumerate(found.names) if found.graphs[name] is facts.view.learned]
    places = {name: k for k, name in enumerate(facts.view.names)}
    listed = found.differences
    known = np.array(
        [
            u in places and v in places
            for u, v in zip(listed["source"], listed["target"], strict=True)
        ],
        dtype=bool,
    )
    listed = listed[known].head(MOST_PAIRS)
    # In the order of the groups, whatever their names became in the headings.
    columns = [name for name in listed.columns if str(name).startswith("probability_")]
    rows = []
    for u, v, *values in listed[["source", "target", *columns, "differs"]].itertuples(index=False):
        i, j = sorted((places[u], places[v]))
        rows.append([i, j, *(share(value) for value in values)])
    return {
        "groups": {
            "names": list(label_names(names)),
            "sizes": [int(size) for size in _sizes(found)],
            "own": own[0] if own else None,
            "pairs": rows,
            "sentences": [facts.say(line) for line in paragraphs(found.summary())],
        }
    }


def _sizes(found: Any) -> list[int]:
    """Rows of each group, in their order, whether they come as a list or by name."""
    sizes = found.sizes
    return [sizes[name] for name in found.names] if hasattr(sizes, "keys") else list(sizes)
