"""Graphs come back from every form that they are written in; comparisons count what sets count."""

import csv
import math

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney import LearnedGraph
from spinney.exceptions import InputError
from spinney.graph.export.spreadsheet import write_csv
from spinney.graph.report import OUTPUTS, write_results
from spinney.graph.report.comparing import EdgeList, compare_graphs, edge_list, read_graph
from spinney.graph.report.writers import write_model
from spinney.models.baselines import ChowLiu, PartialCorrelation

LETTERS = "abcdefg"
pairs = st.tuples(st.sampled_from(LETTERS), st.sampled_from(LETTERS)).filter(lambda p: p[0] != p[1])
edge_sets = st.dictionaries(pairs.map(lambda p: tuple(sorted(p))), st.sampled_from([-1, 0, 1]))


def table_of(edges, score="probability", **more):
    ends = pd.DataFrame(list(edges), columns=["source", "target"])
    return ends.assign(sign=list(edges.values()), **{score: 0.75, **more} if score else more)


def known(label, edges, names=LETTERS, others=None, score="probability"):
    return EdgeList.of(
        label, None if names is None else list(names), table_of(edges, score), others
    )


@given(first=edge_sets, second=edge_sets)
def test_two_graphs_are_compared_as_sets(first, second):
    found = compare_graphs([known("A", first), known("B", second)])
    rows = found.table.to_dict("records")
    states = {tuple(sorted((row["source"], row["target"]))): row["state"] for row in rows}
    assert len(states) == len(rows)
    opposite = {p for p in first.keys() & second.keys() if first[p] * second[p] < 0}
    assert {p for p, s in states.items() if s == "gained"} == second.keys() - first.keys()
    assert {p for p, s in states.items() if s == "lost"} == first.keys() - second.keys()
    assert {p for p, s in states.items() if s == "other sign"} == opposite
    assert {p for p, s in states.items() if s == "shared"} == (
        first.keys() & second.keys() - opposite
    )
    union = first.keys() | second.keys()
    shared = len(first.keys() & second.keys())
    assert found.jaccard[0, 1] == found.jaccard[1, 0] == (shared / len(union) if union else 1.0)
    assert {frozenset(edge) for edge in found.union.edges} == {frozenset(p) for p in union}
    assert list(found.union.nodes) == list(LETTERS)


@given(sets=st.lists(edge_sets, min_size=3, max_size=5))
def test_more_graphs_are_counted(sets):
    found = compare_graphs([known(f"g{k}", edges) for k, edges in enumerate(sets)])
    for row in found.table.to_dict("records"):
        pair = tuple(sorted((row["source"], row["target"])))
        assert row["graphs"] == sum(pair in edges for edges in sets)
        assert row["state"] == ("shared" if row["graphs"] == len(sets) else "in some")


def test_the_other_way_round_gains_are_losses():
    first, second = {("a", "b"): 1}, {("b", "c"): 1, ("c", "d"): 0}
    there = compare_graphs([known("A", first), known("B", second)])
    back = compare_graphs([known("B", second), known("A", first)])
    assert (there.count("gained"), there.count("lost")) == (2, 1)
    assert (back.count("gained"), back.count("lost")) == (1, 2)


def test_columns_that_not_all_know_are_left_out_and_named():
    first = known("A", {("a", "b"): 1, ("b", "x"): 1}, "abx")
    second = known("B", {("a", "b"): 1, ("a", "y"): 1}, "aby")
    found = compare_graphs([first, second])
    assert found.names == ("a", "b")
    assert found.left_out == {"A": ("x",), "B": ("y",)}
    assert found.table["state"].tolist() == ["shared"]
    told = " ".join(found.sentences())
    assert "1 column of A (x)" in told
    assert "1 column of B (y)" in told


def test_a_list_of_edges_knows_the_columns_of_the_others():
    truth = known("truth", {("a", "b"): 0}, None, score="")
    found = compare_graphs([truth, known("B", {("c", "d"): 1}, "abcd")])
    assert found.names == ("a", "b", "c", "d")
    assert not found.left_out
    assert (found.count("gained"), found.count("lost")) == (1, 1)


def test_two_lists_of_edges_know_what_either_knows():
    one = known("A", {("a", "b"): 0}, None)
    other = known("B", {("c", "d"): 0}, None)
    assert compare_graphs([one, other]).names == ("a", "b", "c", "d")


def test_numbers_of_both_sides():
    first = known("A", {("a", "b"): 1}, others=table_of({("c", "a"): 0}, probability=0.25))
    found = compare_graphs([first, known("B", {("a", "c"): -1})])
    gained = found.table.iloc[0]
    assert (gained["probability_A"], gained["probability_B"]) == (0.25, 0.75)
    assert not gained["edge_A"]
    assert gained["edge_B"]
    lost = found.table.iloc[1]
    assert math.isnan(lost["probability_B"])
    assert found.to_dict()["edges"][1]["probability_B"] is None


def test_equal_labels_are_numbered():
    found = compare_graphs([known("x", {}), known("x", {}), known("y", {})])
    assert [graph.label for graph in found.graphs] == ["x (1)", "x (2)", "y"]


def test_nothing_in_common_is_an_error():
    with pytest.raises(InputError, match="have 1 column in common"):
        compare_graphs([known("A", {}, "abc"), known("B", {}, "cde")])
    with pytest.raises(InputError, match="needs two graphs or more"):
        compare_graphs([known("A", {})])


def test_the_table_cannot_be_run_by_a_spreadsheet(tmp_path):
    names = ["=HYPERLINK(1)", "two\nlines", '"quoted"', "-b"]
    edges = {(names[0], names[1]): 1, (names[2], names[3]): 1}
    found = compare_graphs([known("=cmd", edges, names), known('a,"b', {}, names)])
    write_csv(tmp_path / "compare.csv", found.table)
    with (tmp_path / "compare.csv").open(newline="", encoding="utf-8-sig") as file:
        heading, *rows = csv.reader(file)
    assert len(heading) == len(set(heading)) == len(found.table.columns) == len(rows[0])
    assert {len(row) for row in rows} == {len(heading)}
    for cell in [*heading, *(cell for row in rows for cell in row[:2])]:
        assert not cell.startswith(("=", "-", "+", "@"))


@pytest.mark.parametrize("n_graphs", [2, 3])
def test_pictures_of_hostile_names_are_drawn(n_graphs, tmp_path):
    names = ["$x^2$", "<b>", "a" * 10_000, "مرحبا"]
    edges = {(names[0], names[1]): 1, (names[2], names[3]): -1}
    graphs = [known(f"$g_{k}$", edges if k else {}, names) for k in range(n_graphs)]
    page = compare_graphs(graphs).draw("$title$")
    page.savefig(tmp_path / "page.svg")
    assert nx.number_of_edges(compare_graphs(graphs).union) == 2
    assert (tmp_path / "page.svg").stat().st_size > 1000


# From disc

NAMES = ["=1+1", "'quoted'", "NA", "1.0", "a,b", "two\nlines", "مرحبا", "plain"]
TABLES = [output for output in OUTPUTS if output.name.endswith((".csv", ".graphml"))]


@pytest.fixture(scope="module")
def model():
    X = np.random.default_rng(1).normal(size=(200, len(NAMES)))
    X[:, 1] -= X[:, 0]
    X[:, 3] += X[:, 2]
    X[:, 5] += X[:, 4]
    X[:, 6] -= X[:, 5]
    return PartialCorrelation().fit(pd.DataFrame(X, columns=NAMES))


@pytest.fixture(scope="module")
def folder(model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("results") / "cells-graph"
    view = LearnedGraph.of(model, title="cells")
    write_results(folder, view, outputs=TABLES)
    write_model(folder / "graph.spinney", view)
    return folder


@pytest.mark.parametrize("file", ["", "edges.csv", "graph.graphml", "graph.spinney"])
def test_every_form_tells_the_same_graph(model, folder, file):
    wanted = {
        tuple(sorted((NAMES[i], NAMES[j]))): (model.edge_signs_[i, j], model.edge_weights_[i, j])
        for i, j in np.argwhere(np.triu(model.adjacency_, 1))
    }
    found = read_graph(folder / file)
    assert (found.label, found.whole, found.score) == ("cells-graph", True, "weight")
    assert sorted(found.names) == sorted(NAMES)
    told = {pair: (row["sign"], row["score"]) for pair, row in found.pairs.iterrows()}
    assert told.keys() == wanted.keys()
    for pair, (sign, weight) in wanted.items():
        assert told[pair] == (sign, pytest.approx(weight, rel=1e-6))


def test_a_table_of_edges_alone_names_only_joined_columns(tmp_path):
    table = pd.DataFrame({"source": ["=x", "b"], "target": ["b", "NA"], "tau": [0.5, -0.5]})
    write_csv(tmp_path / "some.csv", table)
    found = read_graph(tmp_path / "some.csv")
    assert (found.label, found.names, found.whole, found.score) == (
        "some",
        ("=x", "b", "NA"),
        False,
        "",
    )
    assert found.pairs["sign"].to_dict() == {("=x", "b"): 1, ("NA", "b"): -1}


def test_pairs_that_are_no_edges_keep_their_numbers(tmp_path):
    edges = pd.DataFrame({"source": ["a"], "target": ["b"], "probability": [0.9]})
    pairs = pd.DataFrame({"source": ["a", "a"], "target": ["b", "c"], "probability": [0.9, 0.25]})
    write_csv(tmp_path / "edges.csv", edges)
    write_csv(tmp_path / "pairs.csv", pairs)
    write_csv(tmp_path / "nodes.csv", pd.DataFrame({"name": ["a", "b", "c"]}))
    found = read_graph(tmp_path)
    assert found.pairs["score"].to_dict() == {("a", "b"): 0.9, ("a", "c"): 0.25}
    assert found.pairs["edge"].tolist() == [True, False]
    assert found.names == ("a", "b", "c")


def test_nodes_without_names_of_their_own_are_called_by_their_ids(tmp_path):
    graph = nx.path_graph(["u", "v"])
    nx.set_node_attributes(graph, "same", "label")
    nx.write_graphml(graph, tmp_path / "g.graphml")
    assert list(read_graph(tmp_path / "g.graphml").pairs.index) == [("u", "v")]


@pytest.mark.parametrize(
    ("file", "text", "words"),
    [
        ("edges.csv", "", "no column 'source'"),
        ("edges.csv", "from,to\na,b\n", "no column 'source'"),
        ("edges.csv", b"\xff\xfe\x00source", "cannot be read as a table"),
        ("g.graphml", "<graphml>", "not valid GraphML"),
        ("g.graphml", "hello", "not valid GraphML"),
        ("g.png", "", "cannot read a graph from"),
    ],
)
def test_what_is_no_graph_is_said_in_one_sentence(tmp_path, file, text, words):
    path = tmp_path / file
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=words) as error:
        read_graph(path)
    assert str(path) in str(error.value)


def test_no_file_and_an_empty_folder(tmp_path):
    with pytest.raises(InputError, match="There is no file or folder"):
        read_graph(tmp_path / "nothing")
    with pytest.raises(InputError, match=r"holds no edges.csv"):
        read_graph(tmp_path)


def test_an_estimator_that_is_not_fitted_has_no_graph():
    with pytest.raises(InputError, match="no learned graph"):
        edge_list(ChowLiu(), "mine")
