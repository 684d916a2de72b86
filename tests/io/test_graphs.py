"""Graphs to disc: what is written is what was learned, and other programs can read it."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from spinney import InputError, PairCopulas, pseudo_observations
from spinney._components import component_labels
from spinney._edges import edge_graph, edge_table
from spinney.io import write_edges, write_graphml

NAMES = ["a", "b & <c>", "d", "é"]


def model_of(d, rng, *, probabilities=True, potentials=None):
    weights = np.triu(rng.gamma(1.0, size=(d, d)) * (rng.uniform(size=(d, d)) < 0.6), 1)
    weights += weights.T
    model = SimpleNamespace(adjacency_=weights > 0, edge_weights_=weights)
    if probabilities:
        # Few distinct values, so that ties are broken by weight.
        model.edge_probabilities_ = np.round(weights / (1 + weights), 1)
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
def test_edges_are_sorted_and_complete(rng, probabilities):
    model = model_of(9, rng, probabilities=probabilities)
    table = edge_table(model)
    keys = ["probability", "weight"] if probabilities else ["weight"]
    assert list(table.columns[2:]) == ["weight", *keys[:-1]]
    found = list(table[keys].itertuples(index=False, name=None))
    assert found == sorted(found, reverse=True)
    assert len(table) == model.adjacency_.sum() // 2
    for row in table.itertuples():
        i, j = int(row.source[1:]), int(row.target[1:])
        assert i < j
        assert row.weight == model.edge_weights_[i, j]


def test_copulas_are_those_of_the_pair(tmp_path, rng, potentials):
    model = model_of(4, rng, potentials=potentials)
    model.adjacency_ = ~np.eye(4, dtype=bool)
    write_edges(tmp_path / "edges.csv", model, NAMES)
    table = pd.read_csv(tmp_path / "edges.csv")
    assert list(table.columns) == [
        *("source", "target", "weight", "probability"),
        *("family", "rotation", "parameters", "tau"),
    ]
    assert len(table) == 6
    for row in table.itertuples():
        copula = potentials.copula(NAMES.index(row.source), NAMES.index(row.target))
        assert (row.family, row.rotation) == (copula.family, copula.rotation)
        assert row.tau == pytest.approx(copula.tau, rel=1e-6)
        written = [float(part) for part in str(row.parameters).split() if part != "nan"]
        assert written == pytest.approx(list(copula.parameters), rel=1e-6)


def test_graphml_comes_back_with_the_same_numbers(tmp_path, rng, potentials):
    model = model_of(4, rng, potentials=potentials)
    path = tmp_path / "graph.graphml"
    write_graphml(path, model, NAMES)
    back = nx.read_graphml(path)
    assert list(back) == NAMES
    sent = edge_graph(model, NAMES)
    assert nx.utils.edges_equal(back.edges, sent.edges)
    for u, v, values in sent.edges(data=True):
        assert back.edges[u, v] == values
    labels = component_labels(model.adjacency_)
    assert [back.nodes[name]["component"] for name in NAMES] == labels.tolist()
    assert [back.nodes[name]["label"] for name in NAMES] == NAMES


@pytest.mark.parametrize("write", [write_edges, write_graphml])
def test_a_graph_without_edges(tmp_path, write):
    model = SimpleNamespace(adjacency_=np.zeros((3, 3), bool), edge_weights_=np.zeros((3, 3)))
    write(tmp_path / "out", model)
    assert (tmp_path / "out").stat().st_size > 10


def test_wrong_names_and_unfitted_models_are_refused(rng):
    with pytest.raises(InputError, match="4 variables, but 2 names"):
        edge_table(model_of(4, rng), ["a", "b"])
    with pytest.raises(InputError, match="SimpleNamespace has no learned graph"):
        edge_table(SimpleNamespace())
