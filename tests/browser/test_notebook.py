"""Graphs as notebooks show them, in a real browser: nothing in a name is run, all can be read."""

import numpy as np
import pandas as pd
import pytest

from spinney.graph import LearnedGraph
from spinney.judge import GraphLearner
from tests.graph.cases import plain_judge

pytestmark = pytest.mark.slow

NAMES = [
    "<script>document.title='ran'</script>",
    "<img src=x onerror=\"document.title='ran'\">",
    "$\\href{javascript:document.title='ran'}{x}$",
    "<a href=\"javascript:document.title='ran'\">click</a>",
    "مرحبا",
    "漢字 😀",
]


@pytest.fixture(scope="module")
def graph():
    X = np.random.default_rng(0).normal(size=(150, len(NAMES)))
    X[:, 1:] += 1.2 * X[:, :-1]
    return LearnedGraph(GraphLearner(plain_judge()).fit(pd.DataFrame(X, columns=NAMES)))


def show(browser, path, html, **options):
    """Open a page of it, and return the page and all that went wrong."""
    path.write_text(f"<!doctype html><meta charset=utf-8><title>mine</title>{html}", "utf-8")
    page, wrong = browser.new_page(**options), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("dialog", lambda dialog: wrong.append("dialog") or dialog.dismiss())
    page.on(
        "request",
        lambda request: (
            wrong.append(request.url)
            if not request.url.startswith("data:") and path.name not in request.url
            else None
        ),
    )
    page.goto(path.as_uri())
    page.wait_for_timeout(300)
    return page, wrong


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_learned_graph_is_read_on_light_and_dark(browser, tmp_path, graph, theme):
    colours = {"light": "background:#fff;color:#111", "dark": "background:#111;color:#ddd"}
    html = f'<body style="{colours[theme]}">{graph._repr_html_()}</body>'
    page, wrong = show(browser, tmp_path / "page.html", html, color_scheme=theme)
    assert wrong == []
    assert page.title() == "mine"
    told = page.locator(".spinney-graph").inner_text()
    for name in NAMES:
        assert name[:30] in told
    cell = page.locator(".spinney-graph td").first
    found = cell.evaluate("e => getComputedStyle(e).color")
    assert found == page.locator("body").evaluate("e => getComputedStyle(e).color")
    drawn = page.locator(".spinney-graph img")
    assert drawn.evaluate("e => e.complete && e.naturalWidth > 100")
    page.close()
