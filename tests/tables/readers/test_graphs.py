"""Graphs to disc: what is written is what was learned, and other programs can read it."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import spinney
from spinney import PairCopulas
from spinney._core.components import component_labels
from spinney._core.graph import COPULA_COLUMNS, edge_graph, edge_table
from spinney._core.pairs import to_matrix
from spinney.exceptions import InputError
from spinney.graph.export import write_edges, write_graphml
from spinney.pairs.margins import pseudo_observations
from tests.graph.cases import chains, plain_judge

NAMES = ["a", "b & <c>", "d", "é"]


def model_of(d, rng, *, probabilities=True, potentials=None):
    weights = np.triu(rng.gamma(1.0, size=(d, d)) * (rng.uniform(size=(d, d)) < 0.6), 1)
    weights += weights.T
    # Few distinct values, so that ties are broken by weight; and in another order than weights.
    ranking = np.round(1 / (1 + weights), 1)
    model = SimpleNamespace(adjacency_=weights > 0, edge_weights_=weights, edge_ranking_=ranking)
    model.node_names_ = tuple(NAMES) if d == len(NAMES) else tuple(f"x{k}" for k in range(d))
    if probabilities:
        model.edge_probabilities_ = weights / (1 + weights)
    if potentials is not None:
        model.potentials_ = potentials
    return model


@pytest.fixture(scope="module")
def potentials():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(80, 4))
    X[:, 1] -= X[:, 0]
    X[:, 3] += X[:, 2]
    # Fitted on a bare array, as some estimators do: the names must come from elsewhere.
    return PairCopulas(families=["gaussian", "student"]).fit(pseudo_observations(X))


@pytest.mark.parametrize("probabilities", [True, False])
def test_edges_are_sorted_by_the_ranking_and_complete(rng, probabilities):
    model = model_of(9, rng, probabilities=probabilities)
    table = edge_table(model)
    assert list(table.columns[2:]) == ["weight", *["probability"] * probabilities]
    keys = []
    for row in table.itertuples():
        i, j = int(row.source[1:]), int(row.target[1:])
        assert i < j
        assert row.weight == model.edge_weights_[i, j]
        if probabilities:
            assert row.probability == model.edge_probabilities_[i, j]
        keys.append((model.edge_ranking_[i, j], row.weight))
    assert keys == sorted(keys, reverse=True)
    assert len(set(keys)) > len({ranking for ranking, _ in keys})  # there are ties
    assert len(table) == model.adjacency_.sum() // 2


def test_signs_are_those_of_the_model_before_those_of_the_copulas(rng, potentials):
    model = model_of(4, rng, potentials=potentials)
    model.adjacency_ = ~np.eye(4, dtype=bool)
    table = edge_table(model)
    assert (table.sign == np.sign(table.tau)).all()
    assert set(table.sign) >= {1, -1}
    model.edge_signs_ = np.zeros((4, 4))
    model.edge_signs_[0, 3] = model.edge_signs_[3, 0] = -1
    of_the_model = edge_table(model)
    pairs = zip(of_the_model.source, of_the_model.target, of_the_model.sign, strict=True)
    assert {(u, v): sign for u, v, sign in pairs if sign} == {("a", "é"): -1}
    assert of_the_model.drop(columns="sign").equals(table.drop(columns="sign"))
    del model.potentials_
    assert "tau" not in edge_table(model)
    assert "sign" in edge_table(model)


def test_copulas_are_those_of_the_pair(tmp_path, rng, potentials):
    model = model_of(4, rng, potentials=potentials)
    model.adjacency_ = ~np.eye(4, dtype=bool)
    model.edge_ranking_ = to_matrix([3.0, 5.0, 0.0, 4.0, 1.0, 2.0])  # not the order of pairs
    write_edges(tmp_path / "edges.csv", model)
    table = pd.read_csv(tmp_path / "edges.csv")
    assert list(table.columns) == [
        *("source", "target", "weight", "sign", "probability"),
        *COPULA_COLUMNS,
        "rows",
    ]
    assert len(table) == 6
    assert (table.rows == potentials.n_rows_).all()
    for row in table.itertuples():
        copula = potentials.copula(NAMES.index(row.source), NAMES.index(row.target))
        assert (row.family, row.rotation) == (copula.family, copula.rotation)
        assert row.tau == pytest.approx(copula.tau, rel=1e-6)
        assert row.sign == np.sign(copula.tau)
        assert (row.lower_tail, row.upper_tail) == pytest.approx(copula.tail_dependence, rel=1e-6)
        written = [float(part) for part in str(row.parameters).split() if part != "nan"]
        assert written == pytest.approx(list(copula.parameters), rel=1e-6)


def test_graphml_comes_back_with_the_same_numbers(tmp_path, rng, potentials):
    model = model_of(4, rng, potentials=potentials)
    path = tmp_path / "graph.graphml"
    write_graphml(path, model)
    back = nx.read_graphml(path)
    assert list(back) == NAMES
    sent = edge_graph(model)
    assert nx.utils.edges_equal(back.edges, sent.edges)
    for u, v, values in sent.edges(data=True):
        values["share"] = values.pop("probability")  # of forests, as the page calls it
        known = {key: value for key, value in values.items() if value != ""}
        assert back.edges[u, v].items() >= known.items()
    labels = component_labels(model.adjacency_)
    assert [back.nodes[name]["component"] for name in NAMES] == labels.tolist()
    assert [back.nodes[name]["label"] for name in NAMES] == NAMES


@pytest.mark.parametrize("write", [write_edges, write_graphml])
def test_a_graph_without_edges(tmp_path, write):
    model = SimpleNamespace(adjacency_=np.zeros((3, 3), bool), edge_weights_=np.zeros((3, 3)))
    model.node_names_ = ("a", "b", "c")
    write(tmp_path / "out", model)
    assert (tmp_path / "out").stat().st_size > 10


def test_the_file_is_the_table(tmp_path, rng, potentials):
    model = model_of(4, rng, potentials=potentials)
    write_edges(tmp_path / "edges.csv", model)
    written, table = pd.read_csv(tmp_path / "edges.csv"), edge_table(model)
    assert list(written.columns) == list(table.columns)
    for column in table.columns.drop("parameters"):
        if table[column].dtype == float:
            np.testing.assert_allclose(written[column], table[column], rtol=1e-7)
        else:
            assert written[column].tolist() == table[column].tolist()


def test_unfitted_models_are_refused():
    with pytest.raises(InputError, match="SimpleNamespace has no learned graph"):
        edge_table(SimpleNamespace())


@pytest.fixture(scope="module")
def learned():
    X = chains(80)
    X["site"] = np.where(X["d"] > 0.5, "north", np.where(X["d"] < -0.5, "south", "east"))
    return spinney.learn(X, judge=plain_judge())


def test_a_learned_graph_is_written_with_all_that_it_tells(tmp_path, learned):
    write_edges(tmp_path / "edges.csv", learned)
    edges, expected = pd.read_csv(tmp_path / "edges.csv"), learned.edges
    assert list(edges) == list(expected)
    np.testing.assert_allclose(edges["probability"], expected["probability"], rtol=1e-7)
    np.testing.assert_allclose(edges["tau"], expected["tau"], rtol=1e-7)
    write_graphml(tmp_path / "graph.graphml", learned)
    graph = nx.read_graphml(tmp_path / "graph.graphml")
    assert list(graph) == list(learned.names)
    assert set(graph.edges) == set(learned.to_networkx().edges)
    for row in expected.to_dict("records"):
        edge = graph.edges[row["source"], row["target"]]
        assert edge["probability"] == row["probability"]
        assert edge["strength"] == row["strength"]
