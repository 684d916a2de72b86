"""Graphs against the truth: brute force, scikit-learn, networkx."""

from fractions import Fraction
from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import metrics as oracle
from sklearn.calibration import calibration_curve
from sklearn.metrics import precision_recall_fscore_support

from spinney._core.pairs import n_pairs, to_matrix, to_pairs
from spinney.exceptions import InputError
from spinney.metrics import (
    average_precision,
    compare,
    expected_calibration_error,
    reliability,
    reliability_of_pairs,
    true_edges_before_fdr,
)


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


# Rankings: average precision, and edges before an FDR


@st.composite
def ranked(draw):
    """Scores with many ties, and a truth with edges and non-edges."""
    m = n_pairs(draw(st.integers(3, 8)))
    scores = draw(st.lists(st.integers(-4, 4), min_size=m, max_size=m))
    truth = draw(st.lists(st.booleans(), min_size=m, max_size=m))
    assume(any(truth) and not all(truth))
    return np.array(scores) / 4, np.array(truth)


@given(ranked())
def test_average_precision_agrees_with_scikit_learn(case):
    scores, truth = case
    expected = oracle.average_precision_score(truth, scores)
    assert average_precision(to_matrix(scores), to_matrix(truth)) == pytest.approx(
        expected, abs=1e-12
    )


def before_fdr_reference(scores, truth, fdr):
    """Count over all prefixes that end between different scores, in exact arithmetic."""
    best = 0
    for threshold in sorted(set(scores), reverse=True):
        inside = scores >= threshold
        holds = Fraction(int((inside & ~truth).sum()), int(inside.sum())) <= fdr
        if not holds:
            break
        best = int((inside & truth).sum())
    return best


@given(ranked(), st.integers(0, 99))
def test_edges_before_an_fdr_agree_with_plain_enumeration(case, percent):
    scores, truth = case
    expected = before_fdr_reference(scores, truth, Fraction(percent, 100))
    found = true_edges_before_fdr(to_matrix(scores), to_matrix(truth), percent / 100)
    assert found == expected


def test_the_bound_itself_is_still_held():
    # 29 false among 100: exactly 29 %, though 0.29 * 100 < 29 in floating point.
    truth = np.r_[np.ones(71, bool), np.zeros(34, bool)]
    scores = np.r_[np.ones(100), np.zeros(5)]
    assert true_edges_before_fdr(to_matrix(scores), to_matrix(truth), 0.29) == 71
    assert true_edges_before_fdr(to_matrix(scores), to_matrix(truth), 0.28) == 0


@given(ranked(), st.randoms(use_true_random=False))
def test_only_the_order_of_the_scores_counts(case, random):
    scores, truth = to_matrix(case[0]), to_matrix(case[1])
    d = len(truth)
    order = random.sample(range(d), d)
    shuffle = np.ix_(order, order)
    expected = average_precision(scores, truth)
    turned = scores[shuffle], truth[shuffle]
    assert average_precision(*turned) == expected
    risen = np.exp(3 * scores)
    assert average_precision(risen, truth) == expected


def test_weights_of_networkx_graphs_and_infinite_scores():
    truth = nx.path_graph(3)
    scores = nx.Graph()
    scores.add_weighted_edges_from([(0, 1, 3.0), (1, 2, 1.0), (0, 2, 2.0)])
    assert average_precision(scores, truth) == pytest.approx((1 + 2 / 3) / 2)
    logs = np.array([[0, 1.0, -np.inf], [1.0, 0, 0.5], [-np.inf, 0.5, 0]])
    assert average_precision(logs, truth) == 1.0


def test_what_is_not_defined_is_refused():
    scores, empty, full = np.ones((3, 3)), np.zeros((3, 3)), np.ones((3, 3))
    with pytest.raises(InputError, match="no edge"):
        average_precision(scores, empty)
    with pytest.raises(InputError, match=r"\[0, 1\)"):
        true_edges_before_fdr(scores, full, 1.0)
    assert true_edges_before_fdr(scores, empty) == 0


# Reliability against scikit-learn and plain sums


@st.composite
def claims(draw):
    m = n_pairs(draw(st.integers(2, 8)))
    # Twentieths lie on the edges of bins, where conventions show.
    p = st.one_of(st.floats(0, 1), st.integers(0, 20).map(lambda k: k / 20))
    probabilities = draw(st.lists(p, min_size=m, max_size=m))
    return np.array(probabilities), np.array(draw(st.lists(st.booleans(), min_size=m, max_size=m)))


@given(claims(), st.integers(1, 12))
def test_bins_hold_what_they_say(case, n_bins):
    p, edges = case
    table = reliability(to_matrix(p), to_matrix(edges), n_bins)
    assert len(table) == n_bins
    error = 0.0
    for k, row in enumerate(table.itertuples(index=False)):
        last = k == n_bins - 1
        inside = (p >= row.low) & ((p <= row.high) if last else (p < row.high))
        assert row[2] == inside.sum()
        if inside.any():
            assert row.mean_probability == pytest.approx(p[inside].mean(), abs=1e-12)
            assert row.edge_share == pytest.approx(edges[inside].mean(), abs=1e-12)
            error += abs(p[inside].sum() - edges[inside].sum())
        else:
            assert np.isnan(row.edge_share)
    found = expected_calibration_error(to_matrix(p), to_matrix(edges), n_bins)
    assert found == pytest.approx(error / len(p), abs=1e-12)


def test_the_diagram_agrees_with_scikit_learn(rng):
    p = rng.uniform(size=n_pairs(40))
    edges = rng.uniform(size=p.size) < p**2
    table = reliability(to_matrix(p), to_matrix(edges), 10)
    share, mean = calibration_curve(edges, p, n_bins=10)
    np.testing.assert_allclose(table.edge_share, share, rtol=1e-12)
    np.testing.assert_allclose(table.mean_probability, mean, rtol=1e-12)


def test_true_probabilities_are_calibrated_and_others_are_not(rng):
    p = to_matrix(rng.beta(0.5, 2.0, n_pairs(230)))
    truth = to_matrix(rng.uniform(size=n_pairs(230)) < to_pairs(p))
    # Ten bins of some 2600 pairs: each share is off by about 0.01 by chance.
    assert expected_calibration_error(p, truth) < 0.01
    assert expected_calibration_error(np.sqrt(p), truth) > 0.1


def test_bad_probabilities_are_refused():
    ones = np.ones((2, 2))
    for p, truth, message in [
        (2 * ones, ones, "one is 2"),
        (np.ones((1, 1)), np.ones((1, 1)), "no pairs"),
    ]:
        with pytest.raises(InputError, match=message):
            reliability(p, truth)
    with pytest.raises(InputError, match="n_bins"):
        reliability(ones, ones, n_bins=0)


def test_listed_pairs_are_those_of_matrices_on_the_edges_of_bins_too():
    p = np.linspace(0, 1, 21)  # every edge of every bin
    edges = np.arange(21) % 3 == 0
    pd.testing.assert_frame_equal(
        reliability_of_pairs(p, edges, n_bins=20),
        reliability(to_matrix(p), to_matrix(edges) > 0, n_bins=20),
    )
