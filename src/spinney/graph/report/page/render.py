"""From a payload to the page: templates filled in, scripts and style packed into one file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from spinney._core.text import counted
from spinney.graph.report.page.script import SCRIPTS, STYLES, joined, plotly_script, policy
from spinney.graph.report.page.words import number, sentence, shorten, shown, whole

__all__ = ["render"]

ROWS_WITHOUT_SCRIPT = 200  # of the table of pairs; edges that were kept are all there, to
EDGES_WITHOUT_SCRIPT = 1500  # this many
HUBS = 8

# Inside <script> these could end the element or, in old browsers, a line of code.
_ESCAPES = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}


def render(payload: Mapping[str, Any]) -> str:
    """Make the page of a graph from what `spinney.graph.report.content` says about it.

    Parameters
    ----------
    payload : mapping
        Plain JSON types only.

    Returns
    -------
    str
        One HTML file that needs nothing else: no network, no server, no other file. The same
        payload gives the same page.

    Raises
    ------
    ValueError
        If the payload holds a number that JSON does not know (infinite, or not a number).

    Examples
    --------
    >>> page = render({"title": "<b>cells</b>"})
    >>> "<title>&lt;b&gt;cells&lt;/b&gt;" in page, "<b>cells" in page
    (True, False)
    """
    full = _EMPTY | dict(payload)
    plotly = plotly_script()
    first, main = joined(("first.js",)), _main_script()
    page = (
        _templates()
        .get_template("page.html.j2")
        .render(
            page=full,
            pairs=_pairs(full),
            figures=_figures(full),
            loose=[
                i for part in full["components"] if len(part["nodes"]) == 1 for i in part["nodes"]
            ],
            hubs=_hubs(full),
            stable=_stable(full),
            json=_embedded(full),
            plotly=plotly.packed,
            policy=policy(first, main, packed=plotly),
            first=first,
            main=main,
            style=joined(STYLES),
        )
    )
    # Half of a pair of surrogates cannot be written to a file.
    return page.encode("utf-8", "replace").decode("utf-8")


# What a payload may leave out.
_EMPTY: dict[str, Any] = {
    "title": "Graph",
    "estimator": "",
    "made": "",
    "version": "",
    "score": {"key": "probability", "label": "probability", "is_probability": True}
    | {"cut": None, "fdr": None},
    "summary": {"sentences": [], "cautions": []},
    "nodes": [],
    "components": [],
    "pair_columns": ["i", "j", "score", "kept", "sign", "strength", "tau", "family", "rows", "fdr"],
    "pairs": [],
    "n_pairs": 0,
    "n_judged": None,
    "methods": [],
    "heat": {"order": [], "values": ""},
    "data": {"n": 0, "shown": 0, "columns": []},
    "fits": {},
    "why": {},
    "stability": None,
    "groups": None,
    "calibration": None,
    "checks": [],
    "reading": [],
    "cite": {"text": "", "bibtex": ""},
    "command": None,
    "run": {},
}


@cache
def _templates() -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("spinney.graph.report.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"shown": shown, "shorten": shorten, "number": number}
    made.filters |= {"sentence": sentence, "whole": whole}
    made.globals |= {"count": counted}
    return made


def _main_script() -> str:
    return f"(() => {{\n'use strict';\n{joined(SCRIPTS)}\n}})();"


def _embedded(payload: Mapping[str, Any]) -> str:
    """Give JSON that may stand inside a script element."""
    text = json.dumps(payload, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def _pairs(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give the pairs that stand in the page without its script, parts by name."""
    named = _named(payload)
    kept = sum(bool(pair["kept"]) for pair in named)
    return named[: max(ROWS_WITHOUT_SCRIPT, min(kept, EDGES_WITHOUT_SCRIPT))]


def _named(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    columns = payload["pair_columns"]
    named = [dict(zip(columns, row, strict=True)) for row in payload["pairs"]]
    # Edges stand first in the list, but a pair that was left out may rank above one that was kept.
    for rank, pair in enumerate(sorted(named, key=lambda pair: -abs(pair["score"] or 0)), start=1):
        pair["rank"] = rank
    return named


def _figures(payload: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Give the few numbers that say most, each with its words."""
    kept_at, score_at = (payload["pair_columns"].index(key) for key in ("kept", "score"))
    kept = [row[score_at] for row in payload["pairs"] if row[kept_at]]
    figures = [(f"{len(kept):,}", "edge" if len(kept) == 1 else "edges")]
    if payload["score"]["is_probability"] and kept:
        wrong = sum(1 - score for score in kept)
        figures.append(("<0.1" if wrong < 0.05 else f"{wrong:.1f}", "expected false"))
    joined = sum(part["n_edges"] > 0 for part in payload["components"])
    figures.append((f"{joined:,}", "component" if joined == 1 else "components"))
    d, n = len(payload["nodes"]), (payload["data"] or {"n": None})["n"]
    size = (f"{d:,}", "variables") if n is None else (f"{d:,} × {n:,}", "variables × rows")
    return [*figures, size]


def _hubs(payload: Mapping[str, Any]) -> list[int]:
    """Give the variables with most edges, best connected first."""
    nodes = payload["nodes"]
    joined = [index for index, node in enumerate(nodes) if node["degree"] > 0]
    joined.sort(key=lambda index: (-nodes[index]["degree"], -(nodes[index]["betweenness"] or 0)))
    return joined[:HUBS]


def _stable(payload: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Give the edges with how often they were found again, the most doubtful first."""
    if not payload["stability"]:
        return []
    found = {(i, j): share for i, j, share in payload["stability"]["frequencies"]}
    kept = [
        pair | {"frequency": found.get((pair["i"], pair["j"]))}
        for pair in _named(payload)
        if pair["kept"]
    ]
    known = [pair for pair in kept if pair["frequency"] is not None]
    return sorted(known, key=lambda pair: pair["frequency"])
