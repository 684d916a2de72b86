"""The page of a wide table: what is in view is drawn, and every variable can be found."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from spinney import LearnedGraph
from spinney.graph.report.content import build
from tests.graph.report.wide import wide_graph

pytestmark = pytest.mark.slow

D = 900


@pytest.fixture(scope="module")
def payload() -> dict[str, Any]:
    return build(LearnedGraph.of(wide_graph(D), title="wide"))


def test_the_best_connected_are_drawn_and_all_are_found(opened: Any, payload: Any) -> None:
    report = opened(payload, name="wide")
    page = report.page
    degrees = np.array([node["degree"] for node in payload["nodes"]])
    drawn = report.traces("nodes")["customdata"]
    assert len(drawn) == 400
    assert degrees[drawn].min() >= np.sort(degrees)[-400]
    # The others are specks, and the lines of all edges are there: in a few elements.
    paths = page.evaluate(
        "() => document.getElementById('graph-plot').layout.shapes.map((s) => s.path)"
    )
    lines = sum(path.count("M") for path in paths)
    assert lines == sum(row[3] for row in payload["pairs"]) + D - 400
    assert len(paths) < 20
    assert "the others are specks" in page.locator("#graph-words").inner_text()

    lonely = next(k for k in range(D) if k not in drawn and degrees[k] == 1)
    page.fill("#search", payload["nodes"][lonely]["name"])
    page.press("#search", "Enter")
    report.settle()
    now = report.traces("nodes")["customdata"]
    assert lonely in now
    assert len(now) < 400  # those in view
    assert page.locator("#panel-title").inner_text() == payload["nodes"][lonely]["label"]


def test_the_heat_map_names_the_pair_under_the_pointer(opened: Any, payload: Any) -> None:
    report = opened(payload, name="wide-heat")
    order = payload["heat"]["order"]
    z = report.page.evaluate("() => document.getElementById('heat-plot').data[0].z")
    scores = {(row[0], row[1]): row[2] for row in payload["pairs"]}
    known = [
        (a, b)
        for a in range(400)
        for b in range(a)
        if tuple(sorted((order[a], order[b]))) in scores
    ]
    assert len(known) > 100
    for a, b in known:
        wanted = scores[tuple(sorted((order[a], order[b])))]
        assert abs(z[a][b] - wanted) <= 0.5 / 250 + 1e-9
