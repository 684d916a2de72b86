"""LearnedGraph: tables, words, a density, files."""

import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import stats

import spinney
from spinney import GraphLearner, LearnedGraph, learn
from spinney._core.pairs import to_pairs
from spinney._core.text import signed
from spinney.exceptions import DataWarning, InputError
from spinney.models.baselines import ChowLiu
from tests.graph.cases import chains, plain_judge, random_judge, with_gaps
from tests.models.real_tables import left_out, mixed_frame

PLAIN = plain_judge()


@pytest.fixture(scope="module")
def table():
    return chains()


@pytest.fixture(scope="module")
def graph(table):
    return learn(table, judge=PLAIN, n_jobs=1)


@pytest.fixture(scope="module")
def mixed():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return learn(mixed_frame(), judge=PLAIN, n_jobs=1)


# Tables


def test_edges_and_pairs(table, graph):
    edges, pairs = graph.edges, graph.pairs
    assert list(edges.columns) == [
        *("source", "target", "probability", "sign", "strength", "strength_low", "strength_high"),
        *("tau", "rows", "verdict"),
    ]
    for row in edges.to_dict("records"):
        tau = stats.kendalltau(table[row["source"]], table[row["target"]]).statistic
        assert row["tau"] == pytest.approx(tau, abs=1e-12)
    assert len(pairs) == 15
    assert pairs["edge"].sum() == len(edges) == 3
    joined = edges.merge(pairs, on=["source", "target"], suffixes=("", "_of_pair"))
    assert len(joined) == 3
    for name in ("probability", "strength_low", "strength_high", "rows"):
        assert (joined[name] == joined[f"{name}_of_pair"]).all()
    assert graph.adjacency.loc["a", "b"]
    assert not graph.adjacency.loc["a", "c"]
    np.testing.assert_array_equal(graph.adjacency, graph.learner.adjacency_)


def test_nodes_and_components(mixed, graph):
    assert graph.components == [("a", "b", "c"), ("d", "e"), ("lonely",)]
    assert graph.nodes["degree"].tolist() == [1, 2, 1, 1, 1, 0]
    nodes = mixed.nodes.set_index("name")
    assert nodes.loc["colour", "kind"] == "nominal"
    assert (nodes["rows"] < 240).any()


def test_networkx(mixed, graph):
    G = graph.to_networkx()
    np.testing.assert_array_equal(nx.to_numpy_array(G, weight=None) > 0, graph.joined)
    row = graph.edges.iloc[0]
    edge = G.edges[row["source"], row["target"]]
    assert edge["strength"] == row["strength"]
    assert "weight" not in edge
    assert G.nodes["a"] == {"component": 0, "kind": "continuous"}
    list(nx.generate_graphml(mixed.to_networkx()))  # plain values only


def test_pair_copulas_are_fitted_when_first_asked_for(table, tmp_path):
    found = learn(table, judge=PLAIN)
    found.report(tmp_path / "page.html")
    assert found.summary()
    assert "pair_fit_" not in vars(found.learner)
    assert found.learner.potentials_ is found.learner.potentials_
    assert found.learner.potentials_.copula(0, 1).tau < -0.3


# Words


def plain(text):
    return " ".join(text.split())


def test_summary_of_what_was_decreed(table):
    found = learn(table, judge=PLAIN, fdr=0.1, required=[("a", "lonely")], forbidden=[("a", "b")])
    text = plain(found.summary())
    assert "chosen so that at most 10 % are expected to be false." in text
    assert "1 pair required and 1 forbidden beforehand do not count" in text
    none = plain(learn(table, judge=PLAIN, cut=1.0).summary())
    assert "6 columns (150 rows): no pair is an edge. The most probable pair" in none


def test_summary_of_a_table_that_asks_for_care(table):
    frame = with_gaps(table).iloc[:28]
    frame.loc[:20, "a"] = np.nan
    with pytest.warns(DataWarning, match="few"):
        found = learn(frame, judge=random_judge())
    assert len(found.raised) == 1
    text = plain(str(found))
    assert all(plain(each) in text for each in found.warnings[:3])
    assert not any(plain(each) in text for each in found.warnings[3:-1])
    assert found.warnings[0] == str(found.raised[0])
    assert "5 pairs could not be judged, because few rows have both values (effective" in text


def test_why(graph, mixed, table):
    text = plain(graph.why("a", "b"))
    assert graph.why(1, 0) == graph.why("a", "b")
    assert "a – b: an edge. The judge gives it a probability" in text
    low, high = (signed(bound) for bound in graph.learner.edge_intervals_[0])
    strength = f"its strength is {signed(graph.strengths[0, 1])} ({low} to {high}): one falls as"
    assert strength in text.replace("\n ", "")
    assert max(map(len, graph.why("a", "b").splitlines())) <= 96
    assert "no edge" in graph.why("a", "d")
    decreed = learn(table, judge=PLAIN, required=[(0, 5)], forbidden=[(0, 1)])
    assert "It was required; the judge alone gives it a probability" in decreed.why("a", "lonely")
    assert "It was forbidden; the judge alone gives it a probability" in decreed.why("a", "b")
    with pytest.raises(InputError, match="two columns"):
        graph.why("a", 0)
    with pytest.raises(InputError, match="why names a column 'z'"):
        graph.why("a", "z")


# A density


def test_a_density_on_the_graph(table, graph):
    density = graph.density()
    assert not density.edge_weights_[~graph.joined].any()
    assert density.potentials_ is graph.learner.potentials_
    np.testing.assert_array_equal(density.adjacency_, graph.joined)
    rng = np.random.default_rng(0)
    shuffled = table.apply(lambda column: rng.permutation(column))
    assert density.score(table) > density.score(shuffled) + 0.5
    drawn = density.sample(2000, random_state=0)
    assert list(drawn.columns) == list(table.columns)
    rank = drawn.corr("spearman").to_numpy() - table.corr("spearman").to_numpy()
    assert np.abs(rank[graph.joined]).max() < 0.12
    assert density.save


def test_a_density_of_a_tree_is_the_product_of_its_pairs(table, graph):
    """Of a forest without loops the best mixture is the forest itself."""
    density = graph.density()
    densities = graph.learner.pair_fit_.densities_.log_density
    expected = densities[:, to_pairs(graph.joined) > 0].sum(axis=1).mean()
    assert density.log_likelihood_ == pytest.approx(expected, abs=0.02)


def test_a_density_without_edges_is_independence(table):
    density = learn(table.to_numpy(), judge=PLAIN, cut=1.0).density()
    np.testing.assert_allclose(density.log_likelihood_ratio(table.to_numpy()), 0.0, atol=1e-9)


@left_out
def test_a_density_of_columns_of_all_kinds(mixed):
    density = mixed.density(n_penalties=2)
    np.testing.assert_array_equal(density.adjacency_, mixed.joined)
    assert density.sample(5, 0)["colour"].isin(["blue", "green", "red"]).all()
    assert np.isfinite(density.score(mixed_frame()))


# Files


@pytest.mark.parametrize("which", ["graph", "mixed"])
def test_graphs_come_back_from_files(which, request, tmp_path):
    graph = request.getfixturevalue(which)
    path = graph.save(tmp_path / "graph.spinney")
    loaded = LearnedGraph.load(path)
    pd.testing.assert_frame_equal(loaded.edges, graph.edges)
    pd.testing.assert_frame_equal(loaded.pairs, graph.pairs)
    pd.testing.assert_frame_equal(loaded.nodes, graph.nodes)
    u, v = graph.names[:2]
    assert loaded.why(u, v) == graph.why(u, v)
    assert loaded.summary() == graph.summary()
    assert loaded.raised == graph.raised
    assert getattr(loaded.learner, "judge_", None) == getattr(graph.learner, "judge_", None)
    assert spinney.load_model(path).edges.equals(graph.edges)


def test_other_models_are_no_graphs(table, tmp_path):
    path = GraphLearner(PLAIN).fit(table).save(tmp_path / "model")
    with pytest.raises(InputError, match="holds a GraphLearner, not a LearnedGraph"):
        LearnedGraph.load(path)


# Questions, and other cuts


def test_neighbours_and_blankets(graph):
    assert graph.neighbours("b") == ["c", "a"]  # the more probable edge first
    assert graph.neighbors("b") == graph.neighbours("b")
    assert graph.neighbours(5) == graph.markov_blanket("lonely") == []
    assert graph.markov_blanket("b", "c") == ["a"]
    assert graph.components[0] == ("a", "b", "c")
    for ask in (graph.neighbours, graph.markov_blanket, lambda name: graph.why("a", name)):
        with pytest.raises(InputError, match=r"'lonly' .*Did you mean 'lonely'\?"):
            ask("lonly")


@pytest.mark.parametrize("options", [{"cut": 0.1}, {"cut": 0.99999}, {"fdr": 0.3}])
def test_another_cut_is_what_another_fit_would_give(table, graph, options):
    found = graph.at(**options)
    fresh = learn(table, judge=PLAIN, n_jobs=1, **options)
    assert type(found) is LearnedGraph
    assert found.n_edges == fresh.n_edges
    mine, theirs = found.edges[fresh.edges.columns], fresh.edges
    pd.testing.assert_frame_equal(mine, theirs)
    assert found.summary().splitlines()[0] == fresh.summary().splitlines()[0]
    assert found.learner.get_params()["cut"] == fresh.learner.get_params()["cut"]
    assert graph.n_edges == 3  # which is left as it was


def test_a_cut_that_cannot_be(graph, table):
    with pytest.raises(InputError, match="cut must be a number between 0 and 1, not 80"):
        graph.at(80)
    with pytest.raises(InputError, match="at needs probabilities, and chow-liu gives none"):
        LearnedGraph.of(ChowLiu().fit(table)).at(0.8)
