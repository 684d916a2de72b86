"""Stability and groups, where they were computed."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd

from spinney.graph.report.content import build, network
from tests.graph.report.content.cases import learned, view
from tests.graph.report.content.schema import check_payload


def test_edges_are_listed_the_least_stable_first(monkeypatch):
    monkeypatch.setattr(network, "_pictures", lambda found: [])
    frequencies = np.zeros((5, 5))
    for (i, j), value in {(0, 1): 1.0, (0, 4): 0.25, (2, 3): np.nan}.items():
        frequencies[i, j] = frequencies[j, i] = value
    found = SimpleNamespace(
        frequencies=frequencies,
        n_fits=20,
        subsets=[],
        sentences=lambda: ["Twenty fits."],
        cautions=lambda: ["Be careful."],
        centralities=pd.DataFrame({"degree_low": [0.0] * 5, "degree_high": [2.0] * 5}),
    )
    payload = build(replace(view("chain"), stability=found))
    check_payload(payload)
    told = payload["stability"]
    assert told["n_fits"] == 20
    scores = {tuple(row[:2]): row[2] for row in payload["pairs"] if row[3]}
    listed = {(i, j): score for i, j, score, _ in told["edges"]}
    assert listed == {pair: score for pair, score in scores.items() if pair != (2, 3)}
    assert told["edges"][-1][::3] == [0, 1.0]
    assert [often for *_, often in told["edges"]] == sorted(often for *_, often in told["edges"])
    assert told["sentences"] == ["Twenty fits.", "Be careful."]


def test_groups_are_listed_most_different_first():
    differences = pd.DataFrame(
        {
            "source": ["c1", "gone", "c0"],
            "target": ["c0", "c1", "c2"],
            "probability_ctrl": [0.9, 0.5, np.nan],
            "probability_<b>": [0.1, 0.5, 0.2],
            "strength_ctrl": [0.5, 0.1, np.nan],
            "differs_ctrl_<b>": [0.82, 0.5, 0.1],
            "differs": [0.82, 0.5, 0.1],
        }
    )
    found = SimpleNamespace(
        names=("ctrl", "<b>"),
        sizes=(70, 80),
        graphs={"ctrl": learned("two"), "<b>": learned("chain")},
        differences=differences,
        sentences=lambda: ["They differ."],
        cautions=lambda: [],
    )
    payload = build(replace(view("chain"), groups=found))
    check_payload(payload)
    assert payload["groups"] == {
        "names": ["ctrl", "<b>"],
        "sizes": [70, 80],
        "pairs": [[0, 1, 0.9, 0.1, 0.82], [0, 2, None, 0.2, 0.1]],
        "sentences": ["They differ."],
    }
