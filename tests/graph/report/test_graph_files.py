"""Graphs come back from every form that they are written in, whatever their columns are called."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from spinney import LearnedGraph
from spinney.exceptions import InputError
from spinney.graph.export.spreadsheet import write_csv
from spinney.graph.report import OUTPUTS, write_results
from spinney.graph.report.graph_files import edge_list, pair_of, read_graph
from spinney.graph.report.writers import write_model
from spinney.models.baselines import ChowLiu, PartialCorrelation

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
        pair_of(NAMES[i], NAMES[j]): (int(model.edge_signs_[i, j]), abs(model.edge_weights_[i, j]))
        for i, j in np.argwhere(np.triu(model.adjacency_, 1))
    }
    found = read_graph(folder / file)
    assert (found.label, found.whole, found.score) == ("cells-graph", True, "weight")
    assert sorted(found.names) == sorted(NAMES)
    told = {pair: (n.sign, abs(n.score)) for pair, n in found.edges.items()}
    assert told == {pair: (sign, pytest.approx(w, rel=1e-6)) for pair, (sign, w) in wanted.items()}


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
    assert {pair: numbers.sign for pair, numbers in found.edges.items()} == {
        ("=x", "b"): 1,
        ("NA", "b"): -1,
    }


def test_pairs_that_are_no_edges_keep_their_numbers(tmp_path):
    edges = pd.DataFrame({"source": ["a"], "target": ["b"], "probability": [0.9]})
    pairs = pd.DataFrame({"source": ["a", "a"], "target": ["b", "c"], "probability": [0.9, 0.25]})
    write_csv(tmp_path / "edges.csv", edges)
    write_csv(tmp_path / "pairs.csv", pairs)
    write_csv(tmp_path / "nodes.csv", pd.DataFrame({"name": ["a", "b", "c"]}))
    found = read_graph(tmp_path)
    assert found.others == {("a", "c"): 0.25}
    assert found.names == ("a", "b", "c")


def test_nodes_without_names_of_their_own_are_called_by_their_ids(tmp_path):
    graph = nx.path_graph(["u", "v"])
    nx.set_node_attributes(graph, "same", "label")
    nx.write_graphml(graph, tmp_path / "g.graphml")
    assert list(read_graph(tmp_path / "g.graphml").edges) == [("u", "v")]


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
