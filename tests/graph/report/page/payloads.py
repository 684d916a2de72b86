"""Payloads made by code, of any size, for tests of the page."""

from __future__ import annotations

import base64
import copy
from collections.abc import Sequence
from functools import cache
from typing import Any

import networkx as nx
import numpy as np

from spinney.graph import LearnedGraph, learn
from spinney.graph.report.content import build
from spinney.graph.report.content.facts import label_names
from spinney.graph.words import verdicts
from spinney.models.baselines import ChowLiu

HOSTILE = (
    "<script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=2>",
    '<a href="javascript:window.pwned=3">click</a>',
    "</script><script>window.pwned=4</script>",
    "]]> <!-- -->",
    "${window.pwned=5} {{7*7}} %{x}",
    "=HYPERLINK(\"http://example.org\",\"click\")",
    "$\\frac{a}{b}$ <b>bold</b> &lt;i&gt;",
    "long " + "x" * 10_000,
    "ضغط الدم (mmHg)",
    "🧬 gene <br> 🐭",
    "血压, 收缩压",
    "quote \" ' ` and\nnew line",
    "@SUM(1,2)",
    "nul\x00 \u2028 \u202e override",
)  # fmt: skip
STRENGTHS = (
    '<svg class="strengths" width="300" height="40"><g class="name" data-pair="{}-{}">'
    '<text x="10" y="25">1 – 2</text></g></svg>'
)
"""A picture with one line."""
COLUMNS = ["i", "j", "score", "kept", "sign", "strength", "tau", "family", "rows", "fdr", "verdict"]
COLUMNS += ["low", "high", "means", "rank"]


def sample_payload(
    d: int = 10,
    n_edges: int = 12,
    *,
    seed: int = 1,
    names: Sequence[str] | None = None,
    n: int = 120,
    extras: bool = True,
    probability: bool = True,
) -> dict[str, Any]:
    """Make the payload of a random graph over columns of all kinds."""
    rng = np.random.default_rng(seed)
    names = list(names or (f"gene {k + 1}" for k in range(d)))
    labels = label_names(names)
    kinds = [
        ("nominal" if k % 7 == 5 else "binary" if k % 7 == 6 else "continuous") for k in range(d)
    ]
    graph = nx.Graph()
    graph.add_nodes_from(range(d))
    joined = max(2, int(0.9 * d))
    while graph.number_of_edges() < n_edges:
        i, j = rng.integers(joined, size=2)
        if i != j and abs(i - j) < max(4, d // 6):
            graph.add_edge(int(min(i, j)), int(max(i, j)))
    rows, columns = np.triu_indices(d, 1)
    scores = rng.beta(0.4, 6, size=len(rows))
    kept = np.array([graph.has_edge(i, j) for i, j in zip(rows, columns, strict=True)])
    scores[kept] = 1 - 0.5 * rng.beta(0.5, 2.5, size=kept.sum())
    scores[~kept] = np.minimum(scores[~kept], 0.49)
    order = np.argsort(-scores, kind="stable")
    fdr = np.cumsum(1 - scores[order]) / np.arange(1, len(order) + 1)
    positions = nx.spring_layout(graph, seed=seed, k=1.8 / np.sqrt(d))
    places = np.array([positions[k] for k in range(d)])
    places = (places - places.min(0)) / np.ptp(places, axis=0)
    components = sorted(nx.connected_components(graph), key=lambda part: (-len(part), min(part)))
    member = {i: k for k, part in enumerate(components) for i in part}
    signs = rng.choice([1, 1, -1], size=len(rows))
    signs[[("nominal" in (kinds[i], kinds[j])) for i, j in zip(rows, columns, strict=True)]] = 0
    families = rng.choice(["Gaussian", "Student", "Clayton", "Gumbel", "Frank"], size=len(rows))
    listed = order[:4000]
    known = {int(e) for e in listed[:600]}
    tau = signs * (0.1 + 0.6 * rng.random(len(rows)))
    pairs = []
    for place, e in enumerate(listed):
        pair = [int(rows[e]), int(columns[e]), _round(scores[e]), bool(kept[e]), int(signs[e])]
        pair += [_round(tau[e]), _round(tau[e]) if signs[e] else None]
        pair += [
            str(families[e]) if signs[e] else None,
            n,
            _round(fdr[place]) if probability else None,
            str(verdicts(scores[e])) if probability else None,
            *((_round(tau[e] - 0.1), _round(tau[e] + 0.1)) if signs[e] else (None, None)),
            None,
            place + 1,
        ]
        pairs.append(pair)
    why: dict[str, Any] = {}
    fits: dict[str, Any] = {}
    for e in known:
        i, j = int(rows[e]), int(columns[e])
        if (fit := _fit(kinds, i, j, float(tau[e]), rng)) is not None:
            fits[f"{i}-{j}"] = fit
        path = _way_around(graph, i, j)
        why[f"{i}-{j}"] = {
            "sentences": [
                f"{names[i][:40]} and {names[j][:40]}: the judge gives {scores[e]:.2f}.",
                "Given all others, the dependence stays about half as strong.",
            ],
            "details": "By itself, the pair is best described by a Frank copula.",
            "third": None,
            "evidence": [
                {"name": "Partial correlation", "value": 0.41, "meaning": "strong for 120 rows"},
                {
                    "name": "Held-out gain",
                    "value": 0.083,
                    "meaning": "nats per row over independence",
                },
            ],
            "path": {"nodes": path, "weakest": 0.42} if path else None,
        }
    heat = base64.b64encode(np.round(scores * 250).astype(np.uint8).tobytes()).decode()
    probable = [[int(rows[e]), int(columns[e]), *_three(rng)] for e in order[: min(40, len(order))]]
    label = "probability" if probability else "share of trees"
    score = {"key": label.partition(" ")[0], "label": label, "is_probability": probability}
    return copy.deepcopy(_plain(probability)) | {
        "title": f"{d} variables",
        "score": {**score, "cut": 0.5 if probability else None},
        "nodes": [
            {
                "name": names[k],
                "label": labels[k],
                "kind": kinds[k],
                "component": member[k],
                "degree": graph.degree(k),
                "rows": n,
                "x": _round(places[k, 0]),
                "y": _round(places[k, 1]),
                "betweenness": 0.1,
                "predictability": 0.25,
                "up": None,
                "group": None,
            }
            for k in range(d)
        ],
        "components": [
            {"nodes": sorted(part), "n_edges": graph.subgraph(part).number_of_edges()}
            for part in components
        ],
        "pair_columns": COLUMNS,
        "pairs": pairs,
        "n_pairs": len(rows),
        "n_judged": None,
        "heat": {
            "nodes": list(range(d)),
            "order": [i for part in components for i in sorted(part)],
            "values": heat,
            "scale": 1.0,
        },
        "data": {"n": n, "shown": n, "columns": [_column(kind, n, rng) for kind in kinds]},
        "fits": fits,
        "why": why,
        "strengths": STRENGTHS.format(*pairs[0][:2]) if probability else "",
        "stability": {
            "n_fits": 50,
            "pictures": [],
            "edges": [
                [int(rows[e]), int(columns[e]), _round(scores[e]), 0.9] for e in order if kept[e]
            ],
            "sentences": ["In samples of the rows, 9 in 10 edges were found again."],
        }
        if extras
        else None,
        "groups": {
            "names": ["control", "treated"],
            "sizes": [70, 50],
            "pairs": probable,
            "sentences": ["The two groups are expected to differ in about 3 edges."],
        }
        if extras
        else None,
    }


@cache
def _plain(probability: bool) -> dict[str, Any]:
    """Build a payload of three columns, for what does not depend on the graph."""
    X = np.random.default_rng(0).normal(size=(40, 3)).cumsum(axis=1)
    learner = learn(X).learner if probability else ChowLiu().fit(X)
    run = {"command": ["spinney", "learn", "cells.csv", "--fdr", "0.1"], "seed": 1}
    view = LearnedGraph.of(learner, run=run, reading=("Decimal comma in 3 columns.",))
    return build(view)


def _round(value: float) -> float:
    return round(float(value), 4)


def _three(rng: np.random.Generator) -> list[float]:
    one, two = rng.random(2)
    return [_round(one), _round(two), _round(one * (1 - two) + two * (1 - one))]


def _way_around(graph: nx.Graph, i: int, j: int) -> list[int] | None:
    rest = graph.copy()
    rest.remove_edges_from([(i, j)])
    return [int(k) for k in nx.shortest_path(rest, i, j)] if nx.has_path(rest, i, j) else None


def _column(kind: str, n: int, rng: np.random.Generator) -> dict[str, Any]:
    if kind == "continuous":
        z = np.clip(rng.normal(size=n), -4, 4)
        values, levels, quantiles = np.round((z + 4) * 8191), None, [0.5, 2.5, 4.0, 6.25, 12.0]
    else:
        levels = ["no", "yes"] if kind == "binary" else ["A & B", "<b>C</b>", "D"]
        values, quantiles = rng.integers(len(levels), size=n), None
    values[0] = 65535
    text = base64.b64encode(values.astype("<u2").tobytes()).decode()
    return {"kind": kind, "levels": levels, "values": text, "quantiles": quantiles}


def _fit(
    kinds: list[str], i: int, j: int, tau: float, rng: np.random.Generator
) -> dict[str, Any] | None:
    if any(kinds[k] != "continuous" for k in (i, j)):
        return None
    size = 41
    x, y = np.meshgrid(*[np.linspace(-3, 3, size)] * 2)
    rho = np.sin(np.pi / 2 * tau)
    density = np.exp(-(x**2 - 2 * rho * x * y + y**2) / (2 * (1 - rho**2)))
    scaled = base64.b64encode(np.round(density * 255).astype(np.uint8).tobytes()).decode()
    return {"size": size, "grid": scaled, "lines": 5}
