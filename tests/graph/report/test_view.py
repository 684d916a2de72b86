"""One form for every learned graph: the numbers are those of the model, under their right names."""

import subprocess
import sys

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from sklearn.exceptions import NotFittedError

import spinney
from spinney import LearnedGraph
from spinney._core import registry as _registry
from spinney._core.graph import edge_share
from spinney._core.pairs import pair_nodes, to_pairs
from spinney.exceptions import InputError
from spinney.graph import columns
from spinney.graph.report.content.facts import Facts
from spinney.graph.report.content.network import nodes
from spinney.notices import Notice
from tests.graph.cases import chains, plain_judge, with_gaps
from tests.test_one_meaning import NAMES, SHARES, make

CALLED = {"share of forests": "share", "probability": "probability"}


@pytest.fixture(scope="module")
def views():
    """A view of each estimator, when it is first asked for."""

    class Views(dict):
        def __missing__(self, name):
            command = _registry.registered()[name].command
            view = LearnedGraph.of(make(name).fit(chains()), title=f"chains: {command}")
            return self.setdefault(name, view)

    return Views()


@pytest.fixture(scope="module")
def learned():
    X = with_gaps(chains(80))
    X["site"] = np.where(X["d"] > 0.5, "north", np.where(X["d"] < -0.5, "south", "east"))
    return spinney.learn(X, judge=plain_judge(), required=[("a", "lonely")], forbidden=[("d", "e")])


@pytest.mark.parametrize("name", NAMES)
def test_the_score_is_the_model_s_and_has_its_right_name(views, name):
    view = views[name]
    model, share = view.learner, edge_share(view.learner)
    if name not in SHARES:
        assert (view.score, view.score_label) == ("weight", "weight")
        np.testing.assert_array_equal(view.scores, model.edge_weights_)
    else:
        label = SHARES[name][1]
        assert (view.score, view.score_label) == (CALLED.get(label, "frequency"), label)
        np.testing.assert_array_equal(view.scores, getattr(model, share.attribute))
    assert view.is_probability == (name == "GraphLearner")
    assert view.estimator == _registry.registered()[name].command
    for table in (view.edges, view.pairs):
        assert ("probability" in table) == view.is_probability
    assert ("expected_fdr" in view.pairs) == view.is_probability
    assert (view.expected_false is not None) == view.is_probability


@pytest.mark.parametrize("name", NAMES)
def test_the_tables_tell_what_the_model_learned(views, name):
    view = views[name]
    model, d = view.learner, len(view.names)
    edges, pairs, table = view.edges, view.pairs, view.nodes
    assert list(edges.columns[:3]) == ["source", "target", view.score]
    assert list(zip(edges.source, edges.target, strict=True)) == list(
        zip(model.edges_.source, model.edges_.target, strict=True)
    )
    assert len(pairs) == d * (d - 1) // 2
    assert pairs["rank"].tolist() == list(range(1, len(pairs) + 1))
    place = {name: k for k, name in enumerate(view.names)}
    for row, (u, v) in zip(pairs.itertuples(), view.pair_positions, strict=True):
        assert (place[row.source], place[row.target]) == (u, v)
        assert u < v
        assert row.edge == model.adjacency_[u, v]
        assert getattr(row, view.score) == view.scores[u, v]
        assert row.sign == view.signs[u, v]
    ranking = model.edge_ranking_[tuple(view.pair_positions.T)]
    assert (np.diff(ranking) <= 0).all()
    # The edges come in the same order in both tables.
    assert pairs.source[pairs.edge].tolist() == edges.source.tolist()
    assert pairs.target[pairs.edge].tolist() == edges.target.tolist()
    if "sign" in edges:
        assert edges.sign.tolist() == pairs.sign[pairs.edge].tolist()
    graph = model.graph_
    assert table.name.tolist() == list(graph) == list(view.names)
    assert table.degree.tolist() == [graph.degree(node) for node in graph]
    assert table.component.tolist() == model.labels_.tolist()
    expected = np.nansum(np.abs(np.where(model.adjacency_, model.edge_weights_, 0)), axis=0)
    np.testing.assert_allclose(table.strength, expected, rtol=1e-12)
    between, close = nx.betweenness_centrality(graph), nx.closeness_centrality(graph)
    np.testing.assert_allclose(table.betweenness, [between[n] for n in graph], atol=1e-12)
    np.testing.assert_allclose(table.closeness, [close[n] for n in graph], atol=1e-12)
    parts = sorted(map(sorted, nx.connected_components(graph)))
    assert sorted(map(sorted, view.components)) == parts
    assert [len(part) for part in view.components] == sorted(map(len, parts), reverse=True)
    assert str(len(edges)) in view.summary()


@pytest.mark.parametrize("name", NAMES)
def test_nodes_have_places_of_their_own(views, name):
    view = views[name]
    positions = np.array([[node["x"], node["y"]] for node in nodes(Facts(view))["nodes"]])
    assert positions.shape == (6, 2)
    assert ((positions >= 0) & (positions <= 1)).all()
    gaps = np.abs(positions[:, None] - positions[None]).max(axis=-1)[np.triu_indices(6, 1)]
    assert gaps.min() > 0.02
    # In true proportion: six digits put each end of a distance off by 5e-7 at most, both ways.
    low, high = view.layout.corners
    true = pdist(view.layout.positions) / (high - low).max()
    np.testing.assert_allclose(pdist(positions), true, rtol=0, atol=np.sqrt(2) * 1e-6 + 1e-12)
    again = LearnedGraph.of(view.learner, title="")
    np.testing.assert_array_equal(again.layout.positions, view.layout.positions)


def test_a_learned_graph_keeps_all_that_it_says(learned):
    mine = Notice("as-warned", "mine")
    view = LearnedGraph.of(learned, title="", raised=(mine,))
    pd.testing.assert_frame_equal(view.edges, learned.edges)
    assert view.raised == (*learned.raised, mine)
    assert view.summary() == LearnedGraph.of(learned, raised=(mine,)).summary()
    assert view.evidence is learned.evidence
    assert view.components == learned.components
    own = learned.nodes
    pd.testing.assert_frame_equal(view.nodes[list(own)], own)
    pd.testing.assert_frame_equal(view.pairs, learned.pairs)
    assert view.expected_false == learned.expected_false


def test_expected_false_edges_are_the_running_mean_over_what_was_judged(learned):
    view = LearnedGraph.of(learned, title="")
    first, second = pair_nodes(len(view.names))
    decreed = {("a", "lonely"), ("d", "e")}
    sum_, n = 0.0, 0
    for row in view.pairs.itertuples():
        if {(row.source, row.target)} & decreed:
            assert row.probability in (0.0, 1.0)
        elif not np.isnan(row.probability):
            sum_, n = sum_ + 1 - row.probability, n + 1
        assert row.expected_fdr == pytest.approx(sum_ / max(n, 1), abs=1e-12)
    kept = view.pairs[view.pairs.edge]
    free = len(kept) - 1  # one is required
    assert kept.expected_fdr.iloc[-1] * free == pytest.approx(learned.expected_false, rel=1e-9)
    assert to_pairs(view.joined).sum() == len(kept)
    assert first.size == len(view.pairs) == second.size


def test_pairs_of_which_nothing_is_known_come_last():
    X = chains(60)
    X.loc[:30, "a"] = np.nan
    X.loc[28:, "lonely"] = np.nan
    with pytest.warns(spinney.DataWarning):
        learned = spinney.learn(X, judge=plain_judge(), forbidden=[("d", "e")])
    view = LearnedGraph.of(learned, title="")
    assert view.pairs.probability.min() == 0.0  # what is known to be no edge is known
    last = view.pairs.iloc[-1]
    assert (last.source, last.target) == ("a", "lonely")
    assert np.isnan([last.probability, last.expected_fdr]).all()
    assert not view.pairs.probability[:-1].isna().any()


def test_what_is_no_learned_graph_is_refused():
    with pytest.raises(NotFittedError):
        LearnedGraph.of(make("GraphLearner"), title="")
    for found in (make("ChowLiu"), object()):
        with pytest.raises(InputError, match=r"has no learned graph\. Fit it"):
            LearnedGraph.of(found, title="")


def central(graph):
    joined = nx.to_numpy_array(graph)
    return columns.centralities(joined > 0, joined, np.zeros(len(joined), dtype=bool))


def test_in_large_graphs_betweenness_is_estimated(monkeypatch):
    graph = nx.path_graph(61)
    exact = central(graph)["betweenness"]
    monkeypatch.setattr(columns, "MOST_EXACT", 60 * 20)
    found = central(graph)["betweenness"]
    assert 0 < np.abs(found - exact).max() < 0.2
    assert np.corrcoef(found, exact)[0, 1] > 0.9
    np.testing.assert_array_equal(central(graph)["betweenness"], found)


@settings(deadline=None, max_examples=30)
@given(st.integers(1, 30), st.floats(0, 0.3), st.integers(0, 9))
def test_closeness_is_that_of_networkx(d, density, seed):
    graph = nx.gnp_random_graph(d, density, seed=seed)
    expected = nx.closeness_centrality(graph)
    np.testing.assert_allclose(
        central(graph)["closeness"], [expected[k] for k in graph], atol=1e-12
    )


def test_a_look_at_the_outputs_loads_nothing_heavy():
    code = (
        "import sys, spinney.graph.report as r; r.check_files('nowhere', ['a']); r.OUTPUTS; "
        "heavy = {'pandas', 'numpy', 'numba', 'matplotlib', 'networkx'} & set(sys.modules); "
        "assert not heavy, heavy"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
