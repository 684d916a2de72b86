"""The page as text: self-contained, harmless, the same every time, readable without its script."""

from __future__ import annotations

import base64
import copy
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney._core.text import plain_line
from spinney.graph.report.page import READ_BY_SCRIPT, number, render, shorten
from tests.graph.report.page.payloads import HOSTILE, sample_payload


class Reader(HTMLParser):
    """Gather elements, their attributes, and text outside of scripts and style."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self._inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag
        if tag == "script":
            self.scripts.append((dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside == "script":
            attributes, text = self.scripts[-1]
            self.scripts[-1] = attributes, text + data
        elif self._inside != "style":
            self.words.append(data)

    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def page() -> str:
    return render(sample_payload())


def test_many_components_are_folded_up():
    payload = sample_payload(40, 20)
    few = Reader(render(payload)).text()
    assert "more component" not in few
    part = {"nodes": [0, 1], "n_edges": 1}
    payload["components"] = [part] * 70
    page = render(payload)
    told = Reader(page).text()
    assert "52 more components" in told
    assert "10 smaller components more" in told
    assert [f"Component {k}<" in page for k in (1, 8, 9, 60, 61)] == [True] * 4 + [False]
    assert page.index("Component 8<") < page.index("52 more components")
    assert page.index("52 more components") < page.index("Component 9<")


def test_nothing_is_fetched_from_anywhere(page: str) -> None:
    reader = Reader(page)
    links = [
        value
        for _, attributes in reader.elements
        for key, value in attributes.items()
        if key in {"src", "href", "srcset", "action", "data", "poster"}
    ]
    assert links
    assert all(link.startswith(("#", "data:")) for link in links if link)
    assert not re.search(r"@import|url\((?!\"data:)", page.split("</style>")[0])


def test_the_policy_lists_every_script_and_no_other(page: str) -> None:
    reader = Reader(page)
    (policy,) = (
        attributes["content"]
        for tag, attributes in reader.elements
        if attributes.get("http-equiv") == "Content-Security-Policy"
    )
    assert policy is not None
    assert "default-src 'none'" in policy
    assert "'unsafe-inline'" not in policy.split("style-src")[0]
    run = [text for attributes, text in reader.scripts if "type" not in attributes]
    (packed,) = (
        text for attributes, text in reader.scripts if attributes.get("id") == "plotly-packed"
    )
    run.append(gzip.decompress(base64.b64decode(packed)).decode())
    assert run[-1].lstrip().startswith("/**\n* plotly.js")
    sums = {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in run}
    assert set(re.findall(r"'sha256-([^']+)'", policy)) == sums
    assert len(sums) == 3


def test_what_the_script_reads_comes_back_whole() -> None:
    payload = sample_payload(names=HOSTILE[:10])
    reader = Reader(render(payload))
    (text,) = (text for attributes, text in reader.scripts if attributes.get("id") == "payload")
    assert json.loads(text) == {name: payload[name] for name in READ_BY_SCRIPT}
    assert not set(text) & set("<>&\u2028\u2029")


def test_the_same_payload_gives_the_same_page(page: str) -> None:
    assert render(copy.deepcopy(sample_payload())) == page


@settings(max_examples=15)
@given(st.lists(st.text(min_size=1, max_size=30), min_size=4, max_size=4, unique=True))
def test_no_name_makes_an_element(names: list[str]) -> None:
    plain, odd = (
        Reader(
            re.sub(r"(?<=plotly-packed\">)[^<]+", "", render(sample_payload(4, 3, n=5, names=some)))
        )
        for some in (None, names)
    )
    assert [tag for tag, _ in odd.elements] == [tag for tag, _ in plain.elements]


def test_hostile_names_are_text() -> None:
    payload = sample_payload(len(HOSTILE), 16, names=HOSTILE)
    for key in ("reading",):
        payload[key] = list(HOSTILE)
    payload["title"] = payload["command"] = HOSTILE[3]
    reader = Reader(render(payload))
    assert not any(tag == "img" for tag, _ in reader.elements)
    assert not any(key.startswith("on") for _, found in reader.elements for key in found)
    assert len(reader.scripts) == 4
    words = reader.text()
    for name in (*HOSTILE[:7], HOSTILE[9], HOSTILE[11], HOSTILE[13]):
        assert name in words
    assert "x" * 100 not in words.replace(HOSTILE[8], "")  # in full once, where files are told of
    assert "nul override" in words


def test_half_characters_do_not_stop_the_page() -> None:
    page = render(sample_payload(4, 3, names=["a", "b", "half \ud800", "d"]))
    assert "half</bdi>" in page
    page.encode("utf-8")


def test_words_and_tables_need_no_script(page: str) -> None:
    payload = sample_payload()
    words = Reader(page).text()
    for sentence in payload["summary"]["sentences"] + payload["summary"]["cautions"]:
        assert sentence in words
    assert "In samples of the rows" in words
    assert "The two groups are expected" in words
    assert "spinney learn cells.csv --fdr 0.1" in words
    table = page.split('<table id="edge-table"')[1].split("</table>")[0]
    assert table.count("<tr") == 1 + len(payload["pairs"])


def test_all_edges_stand_in_the_page_and_not_all_pairs() -> None:
    payload = sample_payload(60, 300, n=4)
    table = render(payload).split('<table id="edge-table"')[1].split("</table>")[0]
    assert table.count("<tr") == 1 + 300
    assert len(payload["pairs"]) == 1770


def test_parts_that_were_not_computed_are_not_mentioned() -> None:
    page = render(sample_payload(extras=False) | {"calibration": None})
    for part in ("stability", "groups", "calibration"):
        assert f'id="{part}"' not in page
    assert 'id="stability"' in render(sample_payload())


def test_scores_that_are_no_probability_are_not_called_so() -> None:
    words = Reader(render(sample_payload(probability=False, extras=False))).text()
    assert "It is not a probability" in words
    assert "FDR if cut here" not in words
    assert "expected to be false" not in words.lower()


def test_a_payload_with_numbers_that_json_has_not_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        render(sample_payload(4, 3) | {"fits": float("nan")})


@pytest.mark.parametrize("key", ["data", "calibration", "command", "stability", "groups"])
def test_parts_may_be_null(key: str) -> None:
    payload: dict[str, Any] = sample_payload(4, 3) | {key: None}
    assert "<h1" in render(payload)


@given(st.text(max_size=80), st.integers(4, 60))
def test_short_names_are_short_and_keep_both_ends(text: str, limit: int) -> None:
    short = shorten(text, limit)
    assert len(short) <= limit
    first, _, last = short.partition("…")
    whole = plain_line(text)
    assert short == whole or (whole.startswith(first) and whole.endswith(last))
    assert not any(ord(mark) < 32 or 0xD800 <= ord(mark) < 0xE000 for mark in short)


@given(st.floats(0, 1))
def test_rounding_never_makes_the_unsure_certain(value: float) -> None:
    told = number(value)
    assert (told == "1.000") == (value == 1)
    assert (told == "0.000") == (value == 0)
