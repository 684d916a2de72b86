"""The columns, and the components that edges join them to."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney.graph.report.content.encoding import number
from spinney.graph.report.content.facts import Facts

__all__ = ["nodes"]


def nodes(facts: Facts) -> dict[str, Any]:
    """Describe every column; list the components, the largest first."""
    view, listed = facts.view, facts.view.nodes
    places = {name: k for k, name in enumerate(view.names)}
    parts = [[places[name] for name in part] for part in view.components]
    component = np.empty(facts.d, dtype=np.int64)
    for label, part in enumerate(parts):
        component[part] = label
    degree = listed["degree"].to_numpy(dtype=np.int64)
    n_rows = listed["rows"].tolist() if "rows" in listed else [None] * facts.d
    kinds = listed["kind"].tolist() if "kind" in listed else ["continuous"] * facts.d
    x, y = np.clip(view.positions, 0.0, 1.0).T
    between, strength = (listed[name].tolist() for name in ("betweenness", "strength"))
    made = [
        {
            "name": view.names[k],
            "label": facts.labels[k],
            "kind": str(kinds[k]),
            "component": int(component[k]),
            "degree": int(degree[k]),
            "rows": n_rows[k],
            "x": number(x[k]),
            "y": number(y[k]),
            "betweenness": number(between[k]),
            "strength": number(strength[k]),
            "left": None,
        }
        for k in range(facts.d)
    ]
    return {
        "nodes": made,
        "components": [
            {"id": label, "nodes": part, "n_edges": int(degree[part].sum()) // 2}
            for label, part in enumerate(parts)
        ],
    }
