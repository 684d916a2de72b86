"""Graphs in notebooks: small, and names are nothing but text."""

import re
import xml.etree.ElementTree as ET
from base64 import b64decode
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from spinney._core.html import edges_html
from spinney._core.text import about
from spinney.graph import LearnedGraph
from spinney.graph.report.writers import MOST_DRAWN
from spinney.judge import GraphLearner
from tests.graph.cases import chains, plain_judge

HOSTILE = [
    "<script>document.title = 'ran'</script>",
    '"><img src=x onerror="alert(1)">',
    "</svg></table><b>",
    "=HYPERLINK(1)",
    "\x00two\nlines 漢字",
    "x" * 10_000,
]
SVG = "{http://www.w3.org/2000/svg}"
TAGS = {*("style", "div", "p", "img", "table", "thead", "tbody", "tr", "th", "td", "bdi")}


class Tags(HTMLParser):
    """Which tags there are, their attributes, and the text."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes, self.words, self.open = set(), set(), [], []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag != "img":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)


def judged(frame, **options):
    return LearnedGraph(GraphLearner(plain_judge(), **options).fit(frame))


@pytest.fixture(scope="module")
def frame():
    return chains()


@pytest.fixture(scope="module")
def graph(frame):
    return judged(frame)


def test_a_learned_graph_says_what_was_found(graph):
    page = Tags(graph._repr_html_())
    told = " ".join(page.words)
    assert f"{len(graph.edges)} edges among 6 columns" in told
    assert f"Expect {about(graph.expected_false)} of them to be false." in told
    assert f"could show, expect {about(graph.expected_missed)} to be missing." in told
    first = graph.edges.iloc[0]
    assert first["source"] in page.words
    assert page.tags <= TAGS
    assert page.open == []


def test_every_column_is_named_in_the_picture(graph):
    drawn = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', graph._repr_html_())
    texts = ET.fromstring(b64decode(drawn[1])).iter(f"{SVG}text")
    assert set(graph.names) <= {"".join(text.itertext()) for text in texts}


def test_hostile_names_stay_text(frame):
    named = frame.set_axis(HOSTILE, axis=1)
    for html in (judged(named)._repr_html_(), edges_html(judged(named).edges)):
        page = Tags(html)
        assert page.tags <= TAGS
        assert not {name for name in page.attributes if name.startswith("on")}
        assert "\x00" not in html
        assert any(word.startswith("<script>document.title") for word in page.words)


def test_very_many_columns_have_no_picture():
    X = np.random.default_rng(0).normal(size=(60, MOST_DRAWN + 1))
    X[:, 1::2] += 2 * X[:, :-1:2]
    html = judged(pd.DataFrame(X))._repr_html_()
    assert "<img" not in html
    assert "more</p>" in html


def test_no_edges_are_explained(frame):
    html = judged(frame, cut=1.0)._repr_html_()
    assert "No edge was kept" in html
    assert "<img" not in html
