"""The first paragraph, labels, calibration, citation, command."""

import json
import shlex
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from spinney import LearnedGraph, __version__
from spinney._core.text import per_cent, signed
from spinney.graph import learn
from spinney.graph.report.content import build
from spinney.graph.report.content.facts import label_names, relabel
from spinney.judge import Judge
from spinney.notices import Notice
from tests.graph.cases import plain_judge
from tests.graph.report.content.cases import chain, quietly, view


def summary(name):
    return build(view(name))["summary"]


def test_summary_of_a_chain():
    first, verdicts, expected, parts, probable, strongest, *_ = summary("chain")["sentences"]
    assert first == "5 columns (150 rows): 3 of 10 pairs are edges (probability above 0.5)."
    assert verdicts == "3 edges: 3 present (P ≥ 0.9); 7 other pairs: 7 absent (P ≤ 0.1)."
    assert expected.startswith("Expect about 0.1 of them to be false. Of the edges that ")
    assert parts == "The edges form one component of 4 columns; 1 column has no edge (c4)."
    assert probable.startswith("The most probable are ")
    edges = view("chain").edges
    lead = edges.iloc[np.argmax(np.abs(edges["strength"]))]
    assert f"are {lead['source']} – {lead['target']}, " in strongest
    assert strongest.endswith("A minus means that one falls as the other rises.")
    low, high = (signed(lead[end]) for end in ("strength_low", "strength_high"))
    assert f", {signed(lead['strength'])} ({low} to {high})" in strongest


def test_summary_of_an_empty_graph():
    first, reason, verdicts, expected, *_ = summary("empty")["sentences"]
    assert first == "4 columns (60 rows): no pair is an edge."
    assert reason.startswith("The most probable pair, 'x")
    assert verdicts == "6 pairs: 6 absent (P ≤ 0.1)."
    assert expected.startswith("Of the edges that these rows could show, expect ")
    assert expected.endswith(" to be missing.")


def test_cautions_come_from_warnings_and_checks():
    found = summary("mixed")
    assert any("'constant' is constant" in line for line in found["cautions"])
    assert any("An edge has no direction" in line for line in found["more"])
    told = found["cautions"] + found["more"]
    assert any("9 rows are few" in line for line in summary("few rows")["cautions"])
    assert len(set(told)) == len(told)


def test_warnings_that_came_with_the_view_are_told():
    cut = Notice("as-warned", "The file was cut short.")
    seen = replace(view("chow-liu"), raised=(cut,))
    assert build(seen)["summary"]["cautions"][0] == "The file was cut short."


@given(st.floats(0, 1))
def test_shares_are_never_rounded_to_nothing_or_all(value):
    text = per_cent(value)
    assert (text in ("0 %", "0.0 %")) == (value == 0)
    assert (text in ("100 %", "100.0 %")) == (value == 1)


@given(st.lists(st.text(max_size=120), unique=True, max_size=8))
def test_labels_are_short_visible_and_unique(names):
    labels = label_names(names)
    assert len(set(labels)) == len(names)
    assert all(0 < len(label) <= 40 for label in labels)
    assert not any(ord(character) < 32 for label in labels for character in label)
    for name, label in zip(names, labels, strict=True):
        if name.isalnum() and name.isascii() and 0 < len(name) <= 40:
            assert label == name


def test_labels_that_would_be_alike_are_numbered():
    names = ["x" * 100 + "a" * 30 + str(k) + "b" * 30 for k in range(12)]
    labels = label_names(names)
    assert len(set(labels)) == 12
    assert labels[11].endswith(" (12)")
    assert label_names(["a\nb", "a b", "a\tb"]) == ("a b", "a b (2)", "a b (3)")
    assert "\u202e" not in label_names(["\u202egnp.exe"])[0]
    assert label_names(["نص عربي", "日本語", "👩‍🔬"]) == ("نص عربي", "日本語", "👩‍🔬")


def test_relabelling_takes_the_longest_name_first():
    assert relabel("aaaaaa and aaa", ["aaa", "aaaaaa"], ["x", "y"]) == "y and x"


def test_calibration_is_that_of_the_judge_and_of_tables_of_this_size():
    found = build(view("chain"))["calibration"]
    told = " ".join(found["sentences"])
    assert "With 2 to 7 columns, as here" in told
    assert "real tables of 2 to 8 columns" in told
    assert found["card"]["fingerprint"] == view("chain").learner.judge_.fingerprint
    assert found["reliability"] == Judge.load().card["reliability"]["grafts-tune"]["2-8"]


def test_calibration_of_a_judge_of_ones_own():
    judge = plain_judge()
    judge.card["calibration"] = {"reliability": [[0.1, 0.12, 40], [0.9, 0.85, 30]]}
    graph = quietly(learn, chain(60, 3), judge=judge)
    found = build(LearnedGraph.of(graph, title="own"))["calibration"]
    assert found["card"]["judge"] == "plain"
    assert found["reliability"] == [[0.1, 0.12, 40], [0.9, 0.85, 30]]


def test_citation_names_paper_and_version():
    found = build(view("two"))["cite"]
    for text in found.values():
        assert __version__ in text
        assert "Ensemble-of-Forests Models" in text
        assert "Arvaniti" in text
    assert found["bibtex"].count("{") == found["bibtex"].count("}")
    assert "{{{{" not in found["bibtex"]


def test_command_is_quoted_and_settings_are_text():
    command = ["spinney", "learn", "my data.csv", "--drop", "it's; rm -rf"]
    run = {
        "format": "spinney run",
        "command": command,
        "versions": {"spinney": "1.0", "numpy": "2.4"},
        "python": "3.12.1",
        "made": "2026-11-16T07:10:12+00:00",
        "settings": {
            "seed": 3,
            "fdr": None,
            "drop": [],
            "ties": "auto",
            "group": "day",
        },
        "data": {"path": "my data.csv", "rows": 1200, "columns": 6, "decisions": ["said above"]},
        "known_edges": {"required": [["a", "b"]], "forbidden": []},
        "how": {"jobs": -1, "force": False},
        "time_s": 1.96,
        "result": {
            "edges": 4,
            "left_out": {"site": "is constant"},
        },
    }
    seen = replace(view("two"), run=run, reading=("the comma separates",))
    payload = build(seen)
    assert shlex.split(payload["command"]) == command
    assert list(payload["run"].items()) == [
        ("Made", "2026-11-16 07:10 UTC"),
        ("Data", "my data.csv, 1,200 rows, 6 columns"),
        ("Columns left out", "site (is constant)"),
        ("Required edges", "a – b"),
        ("Seed", "3"),
        ("Time", "2.0 s"),
        ("Versions", "Python 3.12.1, spinney 1.0, numpy 2.4"),
    ]
    assert payload["reading"] == ["the comma separates"]
    assert json.dumps(payload["run"])
    assert build(view("two"))["command"] is None
