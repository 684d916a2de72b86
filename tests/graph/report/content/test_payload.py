"""The payload as a whole: what the page expects, whatever the table and the estimator."""

import json
import shlex
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from spinney import LearnedGraph, __version__
from spinney._core.text import per_cent, signed
from spinney.graph import learn
from spinney.graph.report.content import build, network
from spinney.graph.report.content.facts import label_names, relabel
from spinney.judge import Judge
from spinney.notices import Notice
from spinney.simulate import copula_forest
from tests.graph.cases import plain_judge
from tests.graph.report.content.cases import LEARNED, OTHERS, chain, learned, quietly, view
from tests.graph.report.content.schema import check_payload


@pytest.mark.parametrize("name", [*LEARNED, *OTHERS])
def test_payloads_are_as_the_page_expects(name):
    check_payload(build(view(name)))


@pytest.mark.parametrize("name", OTHERS)
def test_shares_are_not_called_probabilities(name):
    payload = build(view(name))
    lines = [
        *payload["summary"]["sentences"],
        *payload["calibration"]["sentences"],
        *(line for told in payload["why"].values() for line in told["sentences"]),
    ]
    for line in lines:
        rest = line.replace("not a probability", "")
        assert "probab" not in rest
    assert not payload["score"]["is_probability"]
    assert all(not told["evidence"] for told in payload["why"].values())


@pytest.mark.parametrize("name", ["chain", "partial-correlation"])
def test_ranks_are_those_of_the_table_of_pairs(name):
    payload, pairs = build(view(name)), view(name).pairs
    place = payload["pair_columns"].index("rank")
    found = {tuple(row[:2]): row[place] for row in payload["pairs"]}
    ends = map(tuple, np.sort(view(name).pair_positions, axis=1).tolist())
    assert found == dict(zip(ends, pairs["rank"], strict=True))


def test_a_model_without_its_table():
    payload = build(view("graphical-lasso"))
    assert payload["data"] is None
    assert payload["fits"] == {}
    assert all(node["rows"] is None for node in payload["nodes"])


def test_long_names_stand_in_full_once():
    payload = build(view("mixed"))
    text = json.dumps(payload, ensure_ascii=False)
    assert text.count("long " * 2000) == 1
    assert "Z" * 41 not in text
    labels = [node["label"] for node in payload["nodes"]]
    assert "yes no" in labels
    assert "<script>alert(1)</script>" in labels  # text, for the page to escape


def test_rules_for_keeping():
    assert build(view("chain"))["score"]["cut"] == 0.5
    payload = build(view("fdr"))
    kept = [row[2] for row in payload["pairs"] if row[3]]
    assert payload["score"]["cut"] == pytest.approx(min(kept), abs=1e-5)


def test_pairs_carry_the_numbers_of_the_view():
    shown, seen = build(view("chain")), view("chain")
    for i, j, score, kept, sign, strength, tau, family, rows, *_ in shown["pairs"]:
        assert score == pytest.approx(seen.scores[i, j], abs=1e-6)
        assert kept == seen.joined[i, j]
        assert sign == seen.signs[i, j]
        if kept:
            assert strength == pytest.approx(seen.strengths[i, j], rel=1e-3)
            place = seen.edge_positions.tolist().index([i, j])
            assert tau == pytest.approx(seen.edges["tau"][place], abs=1e-4)
        else:
            assert tau is None
        assert family is None  # the judge fits no copulas
        assert rows == 150


def test_required_and_forbidden_pairs_are_certain_by_decree():
    rows = {(row[0], row[1]): row for row in build(view("fdr"))["pairs"]}
    assert rows[0, 4][2:4] == [1.0, True]
    assert rows[0, 1][2:4] == [0.0, False]


@given(data=st.data())
@settings(max_examples=12, phases=[Phase.explicit, Phase.generate])  # shrinking learns for minutes
def test_odd_tables(data):
    """Whatever can be learned can be told."""
    n = data.draw(st.integers(12, 30), label="rows")
    seed = data.draw(st.integers(0, 2**16), label="seed")
    rng = np.random.default_rng(seed)
    makers = {
        "numbers": lambda: rng.normal(size=n),
        "huge": lambda: rng.normal(size=n) * 1e300,
        "tiny": lambda: rng.normal(size=n) * 1e-300,
        "ties": lambda: rng.integers(0, 12, n) / 3,
        "levels": lambda: rng.choice(["a", "b", "<b>"], n),
        "gaps": lambda: np.where(rng.uniform(size=n) < 0.4, np.nan, rng.normal(size=n)),
        "truth": lambda: rng.uniform(size=n) < 0.5,
        "outlier": lambda: np.r_[1e9, rng.normal(size=n - 1)],
    }
    others = data.draw(st.lists(st.sampled_from(sorted(makers)), max_size=3), label="columns")
    kinds = ["numbers", "numbers", *others]  # whatever is left out, a pair remains
    names = data.draw(
        st.lists(st.text(max_size=60), min_size=len(kinds), max_size=len(kinds), unique=True)
    )
    frame = pd.DataFrame({name: makers[kind]() for name, kind in zip(names, kinds, strict=True)})
    graph = quietly(learn, frame)
    seen = LearnedGraph.of(graph, title="odd")
    quietly(lambda: seen.layout)  # a font may lack glyphs, which matplotlib says
    payload = build(seen)
    check_payload(payload)
    assert [node["name"] for node in payload["nodes"]] == list(graph.names)


@pytest.mark.slow
def test_size_at_300_columns():
    X = copula_forest(200, 300, random_state=1).X
    payload = build(LearnedGraph.of(quietly(learn, X), title="300"))
    check_payload(payload)
    assert len(json.dumps(payload)) < 10e6


# Stability and groups, where they were computed


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


# The first paragraph, labels, calibration, citation, command


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
        "settings": {"seed": 3, "fdr": None, "drop": [], "ties": "auto", "group": "day"},
        "data": {"path": "my data.csv", "rows": 1200, "columns": 6, "decisions": ["said above"]},
        "known_edges": {"required": [["a", "b"]], "forbidden": []},
        "how": {"jobs": -1, "force": False},
        "time_s": 1.96,
        "result": {"edges": 4, "left_out": {"site": "is constant"}},
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
