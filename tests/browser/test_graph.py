"""The drawing: slider, search, clicks, drags and zooms, as a reader does them."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.graph.report.page.payloads import sample_payload

pytestmark = pytest.mark.slow

PAYLOAD = sample_payload(10, 12)
EDGES = [row for row in PAYLOAD["pairs"] if row[3]]


def shown_edges(report: Any) -> set[int]:
    return {place for place in report.traces("pairs")["customdata"] if place is not None}


def line_middle(report: Any, i: int, j: int) -> tuple[float, float]:
    nodes = report.traces("nodes")
    return report.pixels(
        *(0.5 * (np.array(nodes[axis])[i] + np.array(nodes[axis])[j]) for axis in "xy")
    )


def lonely_edge(report: Any) -> tuple[int, int]:
    """Choose an edge whose middle is far from all other lines and nodes."""
    trace = report.traces("pairs")
    nodes = report.traces("nodes")
    at = np.column_stack([nodes["x"], nodes["y"]])
    known = [k for k, place in enumerate(trace["customdata"]) if place is not None]
    points = np.column_stack([np.array(trace[axis], dtype=float)[known] for axis in "xy"])
    owners = np.array(trace["customdata"], dtype=float)[known].astype(int)

    def room(row: list[Any]) -> float:
        middle = at[row[:2]].mean(0)
        others = points[owners != PAYLOAD["pairs"].index(row)]
        return min(np.linalg.norm(x - middle, axis=1).min() for x in (others, at))

    best = max(EDGES, key=room)
    return best[0], best[1]


def test_dragging_the_slider_changes_the_count_and_the_edges(report: Any) -> None:
    page = report.page
    assert page.locator("#counted").inner_text().startswith("12 edges shown, about ")
    assert shown_edges(report) == set(range(12))
    box = page.locator("#threshold").bounding_box()
    x, y = report.centre("#threshold")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(box["x"] + 0.95 * box["width"], y, steps=8)
    page.mouse.up()
    report.settle()
    limit = float(page.locator("#threshold").input_value())
    assert limit > 0.85
    strict = [row for row in PAYLOAD["pairs"] if row[2] >= limit - 1e-9]
    assert shown_edges(report) == set(range(len(strict)))
    said = page.locator("#counted").inner_text()
    wrong = sum(1 - row[2] for row in strict)
    told = "hardly any" if wrong < 0.05 else f"about {wrong:.1f}"
    assert said == f"{len(strict)} edges shown, {told} of them expected to be false."
    page.wait_for_function(
        "() => document.getElementById('announce').textContent.includes('edges shown')"
    )
    page.get_by_role("button", name="As learned").click()
    report.settle()
    assert shown_edges(report) == set(range(12))


def test_the_slider_also_works_by_expected_false_share(report: Any) -> None:
    page = report.page
    page.locator("#threshold-kind").select_option("fdr")
    page.locator("#threshold").fill("0.005")
    report.settle()
    strict = [row for row in PAYLOAD["pairs"] if row[9] <= 0.005]
    assert 0 < len(strict) < 12
    assert shown_edges(report) == set(range(len(strict)))
    assert page.locator("#threshold-value").inner_text() == "0.5 %"


def test_clicking_a_line_shows_the_data_behind_it(report: Any) -> None:
    page = report.page
    i, j = lonely_edge(report)
    x, y = line_middle(report, i, j)
    page.mouse.move(x, y)
    page.wait_for_selector("#graph-plot .hovertext")
    names = [PAYLOAD["nodes"][k]["name"] for k in (i, j)]
    assert all(name in page.locator("#graph-plot .hovertext").text_content() for name in names)
    page.mouse.click(x, y)
    page.wait_for_selector("#pair-plot .main-svg")
    assert page.locator("#panel-title").inner_text() == " – ".join(names)
    words = page.locator("#panel-body").inner_text()
    assert PAYLOAD["why"][f"{i}-{j}"]["sentences"][0] in words
    assert "The evidence in numbers" in words
    assert "Measured" not in words  # until it is opened


def test_contours_strips_and_mosaics_are_drawn(report: Any) -> None:
    page = report.page
    types = {}
    for row in PAYLOAD["pairs"]:
        discrete = sum(PAYLOAD["nodes"][k]["kind"] != "continuous" for k in row[:2])
        if discrete or f"{row[0]}-{row[1]}" in PAYLOAD["fits"]:
            types.setdefault(discrete, row)
    page.locator("#which-pairs").select_option("all")
    for discrete, trace in enumerate(("contour", "box", "bar")):
        i, j = types[discrete][:2]
        first, second = (PAYLOAD["nodes"][k]["name"] for k in (i, j))
        page.get_by_role("button", name=f"{first} and {second}: show details", exact=True).click()
        found = page.evaluate("document.getElementById('pair-plot').data.map((one) => one.type)")
        assert trace in found
    codes = [
        np.frombuffer(base64.b64decode(PAYLOAD["data"]["columns"][k]["values"]), "<u2")
        for k in (i, j)
    ]
    counts = pd.crosstab(*(column[(codes[0] < 9) & (codes[1] < 9)] for column in codes))
    shares = page.evaluate("document.getElementById('pair-plot').data.map(({ y }) => y)")
    np.testing.assert_allclose(shares, counts / counts.sum())


def test_dragging_a_node_moves_it_and_its_lines(report: Any) -> None:
    page = report.page
    nodes = report.traces("nodes")
    x, y = report.pixels(nodes["x"][EDGES[0][0]], nodes["y"][EDGES[0][0]])
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 60, y + 40, steps=6)
    page.mouse.up()
    report.settle()
    after = report.traces("nodes")
    moved = report.pixels(after["x"][EDGES[0][0]], after["y"][EDGES[0][0]])
    np.testing.assert_allclose(moved, (x + 60, y + 40), atol=1.5)
    others = [k for k in range(10) if k != EDGES[0][0]]
    assert [after["x"][k] for k in others] == [nodes["x"][k] for k in others]
    lines = report.page.evaluate(
        """() => document.getElementById('graph-plot').data.filter((one) => !one.meta)
             .flatMap((one) => one.x)"""
    )
    assert after["x"][EDGES[0][0]] in lines
    assert page.locator("#panel-title").inner_text() == "Details"  # a drag is no click


def test_clicking_a_node_lists_its_neighbours_and_the_ground_clears(report: Any) -> None:
    page = report.page
    index = EDGES[0][0]
    nodes = report.traces("nodes")
    page.mouse.click(*report.pixels(nodes["x"][index], nodes["y"][index]))
    report.settle()
    assert page.locator("#panel-title").inner_text() == PAYLOAD["nodes"][index]["name"]
    near = {row[0] + row[1] - index for row in EDGES if index in row[:2]}
    listed = page.locator("#panel-body .link-row bdi").all_inner_texts()
    assert set(listed) == {PAYLOAD["nodes"][k]["name"] for k in near}
    box = page.locator("#graph-frame").bounding_box()
    page.mouse.click(box["x"] + 6, box["y"] + 6)
    page.wait_for_function("() => document.getElementById('panel-title').textContent === 'Details'")


def test_searching_centres_and_highlights(report: Any) -> None:
    page = report.page
    page.locator("#search").fill("gene 4")
    page.locator("#search").press("Enter")
    report.settle()
    assert page.locator("#panel-title").inner_text() == "gene 4"
    nodes = report.traces("nodes")
    x, y = report.pixels(nodes["x"][3], nodes["y"][3])
    np.testing.assert_allclose((x, y), report.centre("#graph-plot"), atol=2)
    page.locator("#search").fill("nothing of the kind")
    page.locator("#search").press("Enter")
    assert page.locator("#search").get_attribute("aria-invalid") == "true"


def axis_range(report: Any) -> list[float]:
    return report.page.evaluate("document.getElementById('graph-plot').layout.xaxis.range")


def test_zooming_by_buttons_and_keys(report: Any) -> None:
    page = report.page
    whole = axis_range(report)
    page.get_by_role("button", name="Zoom in").click()
    report.settle()
    near = axis_range(report)
    assert near[1] - near[0] < 0.8 * (whole[1] - whole[0])
    page.locator("#graph-frame").focus()
    page.keyboard.press("0")
    report.settle()
    np.testing.assert_allclose(axis_range(report), whole)
    page.keyboard.press("ArrowRight")
    report.settle()
    assert axis_range(report)[0] > whole[0]


def test_the_wheel_zooms_only_once_the_reader_has_turned_to_the_graph(report: Any) -> None:
    page = report.page
    whole = axis_range(report)
    page.locator("#graph-frame").scroll_into_view_if_needed()
    page.mouse.move(*report.centre("#graph-plot"))
    before = page.evaluate("window.scrollY")
    page.mouse.wheel(0, 60)
    page.wait_for_function("(before) => window.scrollY > before", arg=before)
    np.testing.assert_allclose(axis_range(report), whole)
    box = page.locator("#graph-frame").bounding_box()
    page.mouse.click(box["x"] + 8, box["y"] + 60)
    page.mouse.move(*report.centre("#graph-plot"))
    page.mouse.wheel(0, -120)
    page.wait_for_function(
        """(span) => { const [a, b] = document.getElementById('graph-plot').layout.xaxis.range;
             return b - a < span; }""",
        arg=0.95 * (whole[1] - whole[0]),
    )


def test_panning_by_dragging_the_ground_moves_the_view(report: Any) -> None:
    page = report.page
    whole = axis_range(report)
    page.locator("#graph-frame").scroll_into_view_if_needed()
    box = page.locator("#graph-frame").bounding_box()
    page.mouse.move(box["x"] + 12, box["y"] + 12)
    page.mouse.down()
    page.mouse.move(box["x"] + 92, box["y"] + 42, steps=5)
    page.mouse.up()
    page.wait_for_function(
        "(low) => document.getElementById('graph-plot').layout.xaxis.range[0] < low - 1e-6",
        arg=whole[0],
    )


COUNT_DRAWINGS = """
  let plotly;
  Object.defineProperty(window, 'Plotly', {
    get: () => plotly,
    set: (found) => {
      const { react } = found;
      found.react = (plot, ...rest) => {
        if (plot.id === 'graph-plot') window.drawings = (window.drawings ?? 0) + 1;
        return react(plot, ...rest);
      };
      plotly = found;
    },
  });
  const Observer = window.ResizeObserver;
  window.ResizeObserver = class extends Observer {
    constructor(call) {
      super((...found) => { call(...found); window.observed = true; });
    }
  };
"""
# A timer set later, for longer, rings after the one that waits for the end of a change of size.
LATER = "() => new Promise((done) => setTimeout(() => done(window.drawings), 250))"


def test_the_graph_is_drawn_anew_only_if_its_size_changes(browser: Any, written: Any) -> None:
    """Plotly drops a drag if a drawing comes between pressing the button and the first move."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.add_init_script(COUNT_DRAWINGS)
    page.goto(written(PAYLOAD, "drawings").as_uri())
    page.wait_for_selector("html[data-ready]")
    page.wait_for_function("() => window.observed")
    assert page.evaluate(LATER) == 1
    page.set_viewport_size({"width": 700, "height": 900})
    page.wait_for_function("() => window.drawings > 1")
    page.close()


def test_colours_follow_the_choice(report: Any) -> None:
    page = report.page

    def colours() -> set[str]:
        return set(
            page.evaluate(
                """() => document.getElementById('graph-plot').data
                     .filter((one) => !one.meta).map((one) => one.line.color)"""
            )
        )

    by_sign = colours()
    assert by_sign <= {"#0072b2", "#c44f00", "#6b7478"}
    page.locator("#colour").select_option("family")
    report.settle()
    assert colours() != by_sign
    assert "Gaussian" in page.locator("#legend").inner_text()
    page.locator("#colour").select_option("component")
    report.settle()
    assert "component 1" in page.locator("#legend").inner_text()


def test_negative_lines_are_dashed(report: Any) -> None:
    looks = report.page.evaluate(
        """() => document.getElementById('graph-plot').data
             .filter((one) => !one.meta).map((one) => [one.line.color, one.line.dash])"""
    )
    assert all((dash != "solid") == (colour == "#c44f00") for colour, dash in looks)
    assert "one falls as the other rises" in report.page.locator("#legend").inner_text()


def test_the_other_slider_leaves_out_what_may_be_weak(report: Any) -> None:
    page = report.page
    payload = page.evaluate("() => JSON.parse(document.getElementById('payload').textContent)")
    place = {name: k for k, name in enumerate(payload["pair_columns"])}
    kept = [row for row in payload["pairs"] if row[place["kept"]]]
    ends = [(row[place["low"]], row[place["high"]]) for row in kept]
    strong = [low is None or max(low, -high) >= 0.3 for low, high in ends]
    assert 0 < sum(strong) < len(kept)
    page.locator("#least-strength").fill("0.3")
    report.settle()
    assert page.locator("#counted").inner_text().startswith(f"{sum(strong)} edge")
    page.locator("#as-learned").click()
    report.settle()
    assert page.locator("#counted").inner_text().startswith(f"{len(kept)} edges shown")


def test_the_graph_is_above_the_fold_and_the_legend_tells_the_path(opened: Any) -> None:
    report = opened(sample_payload(10, 16), viewport={"width": 1280, "height": 800})
    box = report.page.locator("#graph-frame").bounding_box()
    assert box["y"] + box["height"] < 800
    for name in ("chosen pair", "strongest path around it"):
        assert name not in report.page.locator("#legend").inner_text()
    report.page.locator("#strengths-plot [data-pair] text").first.click()
    report.settle()
    words = report.page.locator("#legend").inner_text()
    assert "chosen pair" in words
    assert ("strongest path around it" in words) == (report.page.locator(".path").count() > 0)


def test_the_picture_can_be_saved(report: Any) -> None:
    with report.page.expect_download() as download:
        report.page.get_by_role("button", name="Save the picture as SVG").click()
    assert download.value.path().read_text(encoding="utf-8").startswith("<svg")
