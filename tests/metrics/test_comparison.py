"""Graphs against the truth: brute force, scikit-learn, networkx."""

from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import precision_recall_fscore_support

from spinney._core.pairs import n_pairs, to_matrix, to_pairs
from spinney.exceptions import InputError
from spinney.metrics import compare


@st.composite
def two_graphs(draw, smallest=1, largest=9):
    d = draw(st.integers(smallest, largest))
    flags = st.lists(st.booleans(), min_size=n_pairs(d), max_size=n_pairs(d))
    if d == 1:
        return np.zeros((1, 1), bool), np.zeros((1, 1), bool)
    return to_matrix(draw(flags)) != 0, to_matrix(draw(flags)) != 0


@given(two_graphs())
def test_counts_agree_with_brute_force_and_networkx(graphs):
    found, true = graphs
    G, T = nx.from_numpy_array(found), nx.from_numpy_array(true)
    part = {node: k for k, nodes in enumerate(nx.connected_components(T)) for node in nodes}
    extra = [e for e in combinations(range(len(true)), 2) if G.has_edge(*e) and not T.has_edge(*e)]
    result = compare(found, true)
    assert result.hamming == nx.symmetric_difference(G, T).number_of_edges()
    assert result.false_positives == len(extra)
    assert result.inter_component_false_positives == sum(part[u] != part[v] for u, v in extra)
    assert result.n_components == nx.number_connected_components(G)
    assert result.n_true_components == nx.number_connected_components(T)
    assert (result.n_edges, result.n_true_edges) == (G.number_of_edges(), T.number_of_edges())
    assert result.hamming == result.false_positives + result.false_negatives


@given(two_graphs(smallest=2))
def test_ratios_agree_with_scikit_learn(graphs):
    found, true = graphs
    expected = precision_recall_fscore_support(
        to_pairs(true) != 0, to_pairs(found) != 0, average="binary", zero_division=1.0
    )
    result = compare(found, true)
    assert (result.precision, result.recall, result.f1) == pytest.approx(expected[:3], abs=1e-15)


@given(two_graphs(smallest=2), st.randoms(use_true_random=False))
def test_the_form_and_the_order_of_the_nodes_do_not_matter(graphs, random):
    found, true = graphs
    d = len(true)
    expected = compare(found, true)
    order = random.sample(range(d), d)
    shuffle = np.ix_(order, order)
    assert compare(found[shuffle], true[shuffle]) == expected
    names = [f"node {k}" for k in range(d)]
    truth_frame = pd.DataFrame(true, names, names)
    frame = pd.DataFrame(found, names, names).iloc[order, order]
    assert compare(frame, truth_frame) == expected
    graph = nx.relabel_nodes(nx.from_numpy_array(found[shuffle]), lambda k: names[order[k]])
    assert compare(graph, truth_frame) == expected
    numbered = nx.relabel_nodes(nx.from_numpy_array(found[shuffle]), lambda k: order[k])
    assert compare(numbered, true) == expected
    assert compare(nx.relabel_nodes(numbered, lambda k: f"x{k}"), true) == expected
    assert compare(sparse.csr_array(found), true.astype(float) * -0.3) == expected


@given(two_graphs())
def test_a_graph_is_right_about_itself(graphs):
    result = compare(graphs[0], graphs[0])
    assert (result.hamming, result.precision, result.recall, result.f1) == (0, 1.0, 1.0, 1.0)


def test_numbers_are_attributes_and_items():
    result = compare(np.zeros((3, 3)), np.ones((3, 3)))
    assert result["hamming"] == result.hamming == 3
    assert dict(result)["recall"] == 0.0
    with pytest.raises(KeyError, match="accuracy"):
        result["accuracy"]


def test_labels_override_the_components_of_the_truth():
    found = np.ones((4, 4))
    truth = np.zeros((4, 4))
    assert compare(found, truth).inter_component_false_positives == 6
    result = compare(found, truth, labels=["a", "a", "b", "b"])
    assert result.inter_component_false_positives == 4
    assert result.n_true_components == 2
    with pytest.raises(InputError, match="one entry per node"):
        compare(found, truth, labels=[0, 1])


def test_edges_of_weight_zero_and_loops_in_networkx():
    graph = nx.Graph([(0, 0), (0, 1, {"weight": 0.0})])
    graph.add_node(2)
    assert compare(graph, np.zeros((3, 3))).n_edges == 1


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (np.triu(np.ones((3, 3))), "not symmetric: nodes 0 and 1"),
        (np.ones((3, 2)), "square matrix"),
        (np.ones((2, 2)), "has 2 nodes, the true graph 3"),
        (np.full((3, 3), np.nan), "no value"),
        ("a graph", "cannot be read as a graph"),
        (nx.DiGraph([(0, 1), (1, 2)]), "directed"),
        (nx.Graph([("a", "b"), ("b", "c")]), "names its nodes"),
        (pd.DataFrame(np.eye(3), list("abc"), list("acb")), "same names in the same order"),
    ],
)
def test_unusable_graphs_are_refused(graph, message):
    with pytest.raises(InputError, match=message):
        compare(graph, np.zeros((3, 3)))


def test_a_missing_node_is_named():
    truth = pd.DataFrame(np.zeros((2, 2)), ["a", "b"], ["a", "b"])
    with pytest.raises(InputError, match="lacks the node 'b'"):
        compare(nx.Graph([("a", "c")]), truth)
