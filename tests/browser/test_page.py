"""The page as a whole: themes, keyboard, screen readers, paper, hostile names, large graphs."""

from __future__ import annotations

import json
import statistics
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from spinney.graph.report.page import render
from tests.graph.report.page.payloads import HOSTILE, sample_payload

pytestmark = pytest.mark.slow

Axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="pip install 'spinney[browser]'"
).Axe
EVERYTHING = {"resultTypes": ["violations"], "rules": {}}


def violations(page: Any) -> list[str]:
    found = Axe().run(page, options=EVERYTHING).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
        for rule in found
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_violation(opened: Any, theme: str, width: int) -> None:
    report = opened(
        sample_payload(10, 12), viewport={"width": width, "height": 850}, color_scheme=theme
    )
    page = report.page
    assert violations(page) == []
    page.locator("#edge-table tbody tr").first.get_by_role("button").click()
    page.wait_for_selector("#pair-plot .main-svg")
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    page.locator("#which-pairs").select_option("all")
    page.locator("#threshold").fill("0.9")
    assert violations(page) == []
    page.locator("#search").fill("gene 2")
    page.locator("#search").press("Enter")
    page.wait_for_timeout(500)
    assert violations(page) == []


def test_the_theme_is_toggled_and_remembered(opened: Any) -> None:
    report = opened(sample_payload(10, 12), color_scheme="light")
    page = report.page
    background = "getComputedStyle(document.body).backgroundColor"
    names = "document.querySelector('#graph-plot .textpoint text').style.fill"
    before = page.evaluate(background), page.evaluate(names)
    page.get_by_role("button", name="Dark colours").click()
    report.settle()
    after = page.evaluate(background), page.evaluate(names)
    assert all(one != two for one, two in zip(before, after, strict=True))
    assert page.locator("#theme").get_attribute("aria-pressed") == "true"
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert (page.evaluate(background), page.evaluate(names)) == after


def test_all_can_be_done_by_keyboard(report: Any) -> None:
    page = report.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the report"
    page.keyboard.press("Enter")
    seen: list[str] = []
    while True:
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement === document.body"):
            break
        seen.append(
            page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()")
        )
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", seen[-1]
        if seen[-1] == "threshold":
            before = page.locator("#counted").inner_text()
            for _ in range(30):
                page.keyboard.press("ArrowRight")
            assert page.locator("#counted").inner_text() != before
    wanted = ["threshold-kind", "threshold", "colour", "search", "zoom-in", "zoom-out"]
    wanted += ["zoom-reset", "save-picture", "graph-frame"]
    wanted += ["filter", "which-pairs", "download", "Rank"]
    places = [seen.index(name) for name in wanted]
    assert places == sorted(places)


def test_headings_are_in_order(report: Any) -> None:
    levels = report.page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map((head) => Number(head.tagName[1]))"
    )
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_printing_shows_graph_and_tables_in_light_colours(opened: Any, tmp_path: Path) -> None:
    report = opened(sample_payload(10, 12), color_scheme="dark")
    page = report.page
    paper = page.pdf(path=tmp_path / "report.pdf", format="A4")
    assert paper.startswith(b"%PDF")
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator(".controls").first.is_visible()
    assert not page.locator(".top").is_visible()
    assert page.locator("#edge-table").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(27, 35, 38)"
    # The drawing was light while it was printed, and is dark again now.
    page.emulate_media(media="screen", color_scheme="dark")
    ink = page.evaluate("document.querySelector('#graph-plot .textpoint text').style.fill")
    assert ink == "rgb(232, 237, 236)"


def test_names_do_nothing_and_can_be_read(hostile: Any) -> None:
    page = hostile.page
    page.locator("#which-pairs").select_option("all")
    for k in range(len(HOSTILE)):  # through every place that shows a name
        page.locator("#edge-table tbody tr").nth(k).get_by_role("button").click()
        page.wait_for_selector("#pair-plot .main-svg")
        page.locator("#panel-body .inline, #panel-body .button").first.click()
    page.locator("#colour").select_option("family")
    page.locator("#search").fill(HOSTILE[1])
    page.locator("#search").press("Enter")
    hostile.settle()
    assert page.locator("#panel-title").inner_text() == HOSTILE[1]
    drawn = page.locator("#graph-plot .textpoint text").all_text_contents()
    for start in (
        "<script>",
        "<img src=x",
        "<a href",
        "</script>",
        "]]> <!--",
        "${window",
        "=HYPER",
    ):
        assert any(text.startswith(start) for text in drawn), start
    assert any("ضغط الدم" in text for text in drawn)
    assert any("血压" in text for text in drawn)
    assert any("🧬 gene <br> 🐭" in text for text in drawn)
    table = page.locator("#edge-table").inner_text()
    for name in (HOSTILE[0], HOSTILE[7][:12], HOSTILE[9], HOSTILE[11], "nul override"):
        assert name in table
    assert page.evaluate("window.pwned") is None
    assert page.locator("#graph-plot a, #heat-plot a, #pair-plot a, main img").count() == 0
    assert page.title().startswith("<script>window.pwned=1</script>")


def test_a_script_that_slipped_in_would_not_run(opened: Any) -> None:
    report = opened(sample_payload(10, 12))
    report.page.evaluate(
        """() => {
          const script = document.createElement('script');
          script.textContent = 'window.pwned = 1';
          document.body.append(script);
          const image = document.createElement('img');
          image.setAttribute('onerror', 'window.pwned = 2');
          image.src = 'data:,';
          document.body.append(image);
        }"""
    )
    report.page.wait_for_timeout(200)
    assert report.page.evaluate("window.pwned") is None
    assert len(report.messages) >= 2
    assert all("Content Security Policy" in message for message in report.messages)
    report.messages.clear()


def test_words_and_tables_are_there_without_scripts(opened: Any) -> None:
    page = opened(sample_payload(10, 12), java_script_enabled=False).page
    assert page.locator("#edge-table tbody tr").count() == 45
    assert "The figures need JavaScript" in page.locator("noscript").inner_text()
    assert not page.locator("#threshold").is_visible()


def test_an_old_browser_says_so_and_keeps_the_tables(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "old.html"
    path.write_text(render(sample_payload(10, 12)), encoding="utf-8")
    page = browser.new_page()
    page.add_init_script("delete window.DecompressionStream;")
    page.goto(path.as_uri())
    page.wait_for_selector("#no-figures:not([hidden])")
    assert "need a current browser" in page.locator("#no-figures").inner_text()
    assert page.locator("#edge-table tbody tr").count() == 12
    assert not page.locator("#graph-frame").is_visible()
    page.close()


@pytest.mark.parametrize("payload", ["no edges", "no data", "one pair", "weights"])
def test_odd_graphs_open(opened: Any, payload: str) -> None:
    if payload == "one pair":
        made = sample_payload(2, 1)
    elif payload == "weights":
        made = sample_payload(10, 12, probability=False)
        for row in made["pairs"]:
            row[2] = -row[2] if row[4] == -1 else row[2]
    else:
        made = sample_payload(6, 6)
    if payload == "no data":
        made |= {"data": None, "fits": {}, "why": {}, "calibration": None, "command": None}
    if payload == "no edges":
        for row in made["pairs"]:
            row[3] = False
        for node in made["nodes"]:
            node["degree"] = 0
        made["components"] = [{"id": k, "nodes": [k], "n_edges": 0} for k in range(6)]
    report = opened(made, name=payload)
    page = report.page
    page.locator("#which-pairs").select_option("all")
    page.locator("#edge-table tbody tr").first.get_by_role("button").click()
    assert page.locator("#panel-title bdi").count() == 2
    assert page.locator("#pair-plot").count() == (payload != "no data")
    page.locator("#threshold").fill(page.locator("#threshold").get_attribute("min"))
    report.settle()
    assert "edge" in page.locator("#counted").inner_text()


def test_300_variables_are_drawn_and_timed(opened: Any, record_property: Any) -> None:
    payload = sample_payload(300, 600, n=200)
    size = len(render(payload).encode())
    assert size < 15e6
    report = opened(payload, name="300")
    page = report.page
    loaded = page.evaluate("performance.now()")
    steps = page.evaluate(
        """async () => {
          const slider = document.getElementById('threshold');
          const times = [];
          for (let k = 0; k < 15; k += 1) {
            slider.value = 0.3 + 0.04 * k;
            const start = performance.now();
            slider.dispatchEvent(new Event('input'));
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            times.push(performance.now() - start);
          }
          return times;
        }"""
    )
    told = {"bytes": size, "loaded_ms": loaded, "slider_ms": statistics.median(steps)}
    print(json.dumps(told))
    record_property("300 variables", told)
    assert page.locator("#graph-plot .textpoint text").count() < 300


def test_words_for_a_paper_are_copied(opened: Any) -> None:
    report = opened(
        sample_payload(), name="paper", permissions=["clipboard-read", "clipboard-write"]
    )
    for key in ("methods", "caption", "latex"):
        for details in report.page.locator("section[aria-labelledby=paper] details").all():
            details.evaluate("element => { element.open = true; }")
        button = report.page.locator(f"[data-copies=paper-{key}]")
        button.click()
        report.page.wait_for_function("key => document.querySelector(key).textContent == 'Copied'",
                                      arg=f"[data-copies=paper-{key}]")  # fmt: skip
        told = report.page.evaluate("navigator.clipboard.readText()")
        assert told == sample_payload()["paper"][key]
