"""Words for a paper: of every kind of graph, whatever its columns are called."""

import re
from dataclasses import replace

import numpy as np
import pytest

from spinney import learn
from spinney.graph import learn_stability, methods
from spinney.graph.methods import EDGE_IS, markdown_table
from tests.graph.cases import plain_judge
from tests.graph.report.content.cases import LEARNED, OTHERS, learned, view


@pytest.mark.parametrize("name", [*LEARNED, *OTHERS])
def test_every_graph_has_words(name):
    graph = view(name)
    words = graph.methods()
    assert EDGE_IS in words.methods
    assert "None of" in words.results or re.match(r"\d+ of \d+ pairs? \(", words.results)
    assert bool(words.table) == bool(words.latex) == bool(graph.n_edges)
    for text in (words.methods, words.results, words.caption):
        assert "\n" not in text
        assert not re.search(r"  |\bnan\b|None ?[^ o]|\.\.", text), text
    assert len(words.table.split("\n")) == (graph.n_edges + 2 if graph.n_edges else 1)
    assert str(words).count("\n## ") == (3 if graph.n_edges else 2)
    assert words._repr_markdown_() == str(words)
    listed = graph.checklist()
    assert set(listed["status"]) <= {"has", "lacks", "yours"}
    assert listed["item"].is_unique
    assert listed["what"].str.endswith(".").all()


def test_names_do_not_break_the_tables():
    words = view("mixed").methods()
    n_columns = words.table.split("\n")[0].count("|")
    for line in words.table.split("\n"):
        assert len(re.findall(r"(?<!\\)\|", line)) == n_columns
    rows = [line for line in words.latex.split("\n") if line.endswith(r"\\")]
    assert len(rows) == 1 + view("mixed").n_edges
    for row in rows:
        assert len(re.findall(r"(?<!\\)&", row)) == n_columns - 2
        assert not re.search(r"(?<!\\)[%#_]", row)
    assert max(map(len, rows)) < 200


def test_long_tables_are_cut_and_say_so(monkeypatch):
    monkeypatch.setattr(methods, "MOST_LISTED", 2)
    words = view("chain").methods()
    assert words.table.endswith("\n\nThe first 2 of 3 edges.")
    assert words.table.count("\n| ") == 2


def test_stability_is_told_with_its_numbers():
    graph = learned("chain")
    found = learn_stability(graph, 20, n_jobs=1)
    words = replace(graph, stability=found).methods()
    assert "from 20 bootstrap samples of the rows and from 20 subsets without" in words.methods
    assert f"CS coefficients: edges {found.cs['edges']:.2f}, " in words.results
    assert "Found in bootstrap samples" in words.table
    u, v = graph.edge_positions[0]
    assert f"| {100 * found.frequencies[u, v]:.0f} % |" in words.table.split("\n")[2]


def test_units_and_the_effective_sample_size_are_told(rng):
    who = np.repeat(np.arange(30), 6)
    X = rng.normal(size=(30, 3))[who] + 0.1 * rng.normal(size=(180, 3))
    graph = learn(X, judge=plain_judge(), unit=who)
    told = graph.methods().methods
    assert "The rows belong to 30 units" in told
    assert f"{graph.learner.n_rows_counted_} for the most affected pair" in told


def test_a_table_of_words_is_set_to_the_left():
    sides = markdown_table(view("chain").checklist()).split("\n")[1]
    assert sides == "|:--|:--|:--|:--|"


def test_open_signs_are_counted():
    graph = view("fdr")
    edges = graph.edges
    unsure = int(((edges["strength_low"] < 0) & (edges["strength_high"] > 0)).sum())
    assert unsure == 1
    assert "The interval of 1 edge contains 0." in graph.methods().results
