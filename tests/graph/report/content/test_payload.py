"""The payload as a whole: what the page expects, whatever the table and the estimator."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from spinney import LearnedGraph
from spinney.graph import learn
from spinney.graph.report.content import build
from spinney.simulate import copula_forest
from tests.graph.report.content.cases import LEARNED, OTHERS, quietly, view
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
