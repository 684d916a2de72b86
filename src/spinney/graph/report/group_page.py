"""The page above the reports of all groups: differences in words, a picture and a table."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import numpy as np

from spinney import __version__
from spinney._core.pairs import pair_nodes
from spinney.graph.grouped import GroupedGraphs
from spinney.graph.report.page import fill_template, joined, policy

__all__ = ["render_groups"]

STYLES = ("base.css", "layout.css", "tables.css", "print.css")
MOST_ROWS = 500
"""Most pairs in the table; groups.csv has all."""
SMALLEST = 0.01
"""Least probability of a difference for a pair that is an edge in no group to be listed."""
MOST_GROUPS = 6
"""Most groups with their own column of probabilities."""


def render_groups(
    grouped: GroupedGraphs,
    *,
    picture: bytes,
    links: Mapping[str, str],
    run: Mapping[str, Any] | None = None,
) -> str:
    """Make the page: one self-contained file that links to the reports of the groups.

    Parameters
    ----------
    grouped : GroupedGraphs
        The groups.
    picture : bytes
        The differences as PNG.
    links : mapping
        Path of the report of each group, relative to the page; may be empty.
    run : mapping, optional
        How it was made; its ``made`` is the date of the page.
    """
    script = joined(("groups.js",))
    return fill_template(
        "groups.html.j2",
        title=f"What differs by {grouped.by}",
        sentences=grouped.sentences(),
        cautions=grouped.cautions(),
        picture=base64.b64encode(picture).decode("ascii"),
        picture_words=_picture_words(grouped),
        groups=_groups(grouped, links),
        table=_table(grouped),
        two=len(grouped.names) == 2,
        names=grouped.names,
        version=__version__,
        made=str((run or {}).get("made", datetime.now(UTC).isoformat(timespec="seconds"))),
        style=joined(STYLES),
        script=script,
        policy=policy(script),
    )


def _groups(grouped: GroupedGraphs, links: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "link": quote(links[name]) if name in links else None,
            "rows": size,
            "edges": graph.n_edges,
            "false": graph.expected_false,
            "missed": graph.expected_missed,
        }
        for (name, graph), size in zip(grouped.graphs.items(), grouped.sizes, strict=True)
    ]


def _table(grouped: GroupedGraphs) -> dict[str, Any]:
    """List the pairs that may differ or are edges in some group, the most different first."""
    differs = grouped.differs
    ranked = np.nan_to_num(differs, nan=-1.0)
    probabilities = list(grouped.probabilities.values())
    strengths = np.array([two.strength_z for two in grouped.couplings.values()])
    known = np.any([np.nan_to_num(values) > 0.5 for values in probabilities], axis=0)
    order = np.argsort(-ranked, kind="stable")
    chosen = [int(k) for k in order if ranked[k] >= SMALLEST or (known[k] and ranked[k] >= 0.0)]
    first, second = pair_nodes(len(grouped.columns))
    rows = []
    for k in chosen[:MOST_ROWS]:
        between, owner = _between(grouped, k)
        rows.append(
            {
                "source": grouped.columns[int(first[k])],
                "target": grouped.columns[int(second[k])],
                "differs": _plain(differs[k]),
                "between": between,
                "owner": owner,
                "probabilities": [_plain(values[k]) for values in probabilities[:MOST_GROUPS]],
                "z": _largest(strengths[:, k]),
            }
        )
    return {
        "rows": rows,
        "n_listed": len(chosen),
        "n_pairs": len(differs),
        "groups": grouped.names[:MOST_GROUPS],
    }


def _between(grouped: GroupedGraphs, pair: int) -> tuple[tuple[str, str], str]:
    """Find the two groups that most probably differ in a pair, and the one with the edge."""
    two = max(
        grouped.couplings, key=lambda names: np.nan_to_num(grouped.couplings[names].differs[pair])
    )
    posterior = np.nan_to_num(grouped.couplings[two].coupling.posterior[pair])
    return two, two[0] if posterior[1] > posterior[2] else two[1]


def _largest(values: Any) -> float | None:
    known = values[~np.isnan(values)]
    return float(known[np.argmax(np.abs(known))]) if known.size else None


def _plain(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _picture_words(grouped: GroupedGraphs) -> str:
    """Describe the picture for those who cannot see it."""
    counts = [
        f"{first} and {second}: {int((np.nan_to_num(two.differs) > 0.5).sum())}"
        for (first, second), two in grouped.couplings.items()
    ]
    listed = "; ".join(counts[:12]) + ("; …" if len(counts) > 12 else "")
    return (
        f"Graph of {len(grouped.columns)} columns with edges that both or only one of two groups "
        f"have. Probable differences: {listed}. The table below lists them."
    )
