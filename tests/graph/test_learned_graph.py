"""LearnedGraph: tables, words, a density, files; and what other methods say beside it."""

import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from scipy import stats

import spinney
from spinney import ForestsLambda, GraphLearner, LearnedGraph, PairCopulas, SharedForest, learn
from spinney._core.pairs import to_pairs
from spinney._core.text import probability_text
from spinney.exceptions import DataWarning, InputError
from spinney.graph import Comparisons, compare_methods, comparisons
from spinney.graph.plots.pair import copula_of
from spinney.graph.words import signed
from spinney.models.baselines import ChowLiu, PartialCorrelation
from tests.graph.cases import chains, plain_judge, random_judge, with_gaps
from tests.models.real_tables import left_out, mixed_frame

PLAIN = plain_judge()


@pytest.fixture(scope="module")
def table():
    return chains()


@pytest.fixture(scope="module")
def graph(table):
    return learn(table, judge=PLAIN, n_jobs=1, compare=True)


@pytest.fixture(scope="module")
def mixed():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return learn(mixed_frame(), judge=PLAIN, n_jobs=1, compare=True)


# What others say


def in_order(graph):
    """The table of pairs, in the order of the columns."""
    order = np.lexsort(graph.pair_positions.T[::-1])
    return graph.pairs.iloc[order].reset_index(drop=True)


def test_comparisons_are_what_the_methods_find_themselves(table, graph):
    frame = in_order(graph)
    for name, model in (("ef_lambda", ForestsLambda()), ("shared_forest", SharedForest())):
        model.fit(table)
        np.testing.assert_array_equal(frame[f"{name}_kept"], to_pairs(model.adjacency_) > 0)
        np.testing.assert_allclose(
            frame[f"{name}_share"], to_pairs(model.edge_probabilities_), atol=1e-9
        )
    others = {
        "gaussian": PartialCorrelation(dependence="shrinkage"),
        "chow_liu": ChowLiu(potentials=PairCopulas()),
    }
    for name, model in others.items():
        found = to_pairs(model.fit(table).adjacency_) > 0
        np.testing.assert_array_equal(frame[f"{name}_kept"], found)
    assert not graph.comparisons.notes


@left_out
def test_comparisons_with_levels_and_gaps(mixed):
    frame, pairs = mixed_frame(), in_order(mixed)
    for name, model in (
        ("ef_lambda", ForestsLambda()),
        ("shared_forest", SharedForest()),
        ("chow_liu", ChowLiu(potentials=PairCopulas())),
    ):
        model.fit(frame)
        np.testing.assert_array_equal(pairs[f"{name}_kept"], to_pairs(model.adjacency_) > 0)
        if name != "chow_liu":
            expected = to_pairs(model.edge_probabilities_)
            np.testing.assert_allclose(pairs[f"{name}_share"], expected, atol=1e-9)
    assert pairs["gaussian_kept"].isna().all()
    assert "numbers only" in mixed.comparisons.notes["gaussian"]
    assert any("Gaussian network: It cannot take this" in each for each in mixed.warnings)


def test_comparisons_fit_no_copula_again(graph, monkeypatch):
    def fail(*_, **__):
        raise AssertionError("fitted again")

    monkeypatch.setattr(PairCopulas, "fit", fail)
    found = compare_methods(graph.learner, ["shared_forest", "chow_liu", "gaussian"])
    for name in found.kept:
        np.testing.assert_array_equal(found.kept[name], graph.comparisons.kept[name])


def test_some_methods_or_none(table, graph):
    none = learn(table, judge=PLAIN)
    assert none.comparisons.kept == {}
    assert list(none.edges.columns) == list(graph.edges.columns)[:10]
    one = learn(table, judge=PLAIN, compare="chow_liu")
    assert list(one.edges.columns)[10:] == ["chow_liu_kept"]
    assert one.settings["compare"] == ("chow_liu",)
    with pytest.raises(InputError, match="no method 'glasso' to compare with; known are ef_lambda"):
        learn(table, judge=PLAIN, compare=["glasso"])


def test_slow_methods_must_be_asked_for(graph, monkeypatch):
    monkeypatch.setattr(comparisons, "MOST_COLUMNS", {"ef_lambda": 5, "shared_forest": 5})
    found = compare_methods(graph.learner)
    assert np.isnan(found.kept["shared_forest"]).all()
    assert "more than 5 columns" in found.notes["shared_forest"]
    asked = compare_methods(graph.learner, ["shared_forest"])
    assert not np.isnan(asked.kept["shared_forest"]).any()


# Tables


def test_edges_and_pairs(table, graph):
    edges, pairs = graph.edges, graph.pairs
    assert list(edges.columns)[:10] == [
        *("source", "target", "probability", "sign", "strength", "strength_low", "strength_high"),
        *("tau", "rows", "verdict"),
    ]
    for row in edges.to_dict("records"):
        tau = stats.kendalltau(table[row["source"]], table[row["target"]]).statistic
        assert row["tau"] == pytest.approx(tau, abs=1e-12)
    assert list(edges.columns)[10:] == [
        *("ef_lambda_kept", "ef_lambda_share", "shared_forest_kept", "shared_forest_share"),
        *("gaussian_kept", "chow_liu_kept"),
    ]
    assert len(pairs) == 15
    assert pairs["edge"].sum() == len(edges) == 3
    joined = edges.merge(pairs, on=["source", "target"], suffixes=("", "_of_pair"))
    assert len(joined) == 3
    compared = ("probability", "strength_low", "strength_high", "ef_lambda_share", "chow_liu_kept")
    for name in (*compared, "rows"):
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


def test_numbers_are_the_learners(graph):
    learner = graph.learner
    np.testing.assert_array_equal(graph.probabilities, learner.edge_probabilities_)
    assert list(graph.probabilities) == list(graph.probabilities.index) == list(graph.names)
    assert graph.expected_false == learner.expected_false_
    assert graph.expected_missed == learner.expected_missed_
    assert graph.settings["cut"] == 0.5
    assert graph.settings["judge"] == learner.judge_


def test_networkx(mixed, graph):
    G = graph.to_networkx()
    np.testing.assert_array_equal(nx.to_numpy_array(G, weight=None) > 0, graph.joined)
    row = graph.edges.iloc[0]
    edge = G.edges[row["source"], row["target"]]
    assert edge["strength"] == row["strength"]
    assert edge["chow_liu_kept"] is True
    assert "weight" not in edge
    assert G.nodes["a"] == {"component": 0, "kind": "continuous"}
    assert not any("gaussian_kept" in values for *_, values in mixed.to_networkx().edges(data=True))
    list(nx.generate_graphml(mixed.to_networkx()))  # plain values only


def test_plots_are_drawn_on_given_axes(graph):
    ax = Figure().subplots()
    assert graph.plot(ax, title="found") is ax
    assert {text.get_text() for text in ax.texts} >= set(graph.names)


def test_copulas_of_the_edges(graph, mixed):
    """From the sample's tau, of edges alone, and only when they are asked for."""
    copulas = graph.copulas
    assert list(copulas) == ["family", "rotation", "parameters", "tau", "lower_tail", "upper_tail"]
    np.testing.assert_array_equal(copulas["tau"], graph.edges["tau"])
    for row in copulas.to_dict("records"):
        copula = copula_of(row)
        assert copula.family != "independence"
        assert copula.tau == pytest.approx(row["tau"], abs=2e-3)
    ends = [{u, v} for u, v in zip(mixed.edges["source"], mixed.edges["target"], strict=True)]
    behind = dict(zip(map(frozenset, ends), mixed.copulas["family"], strict=True))
    assert behind[frozenset({"weight", "grade"})] == "gaussian"
    assert behind[frozenset({"smoker", "colour"})] == ""


def test_pair_copulas_are_fitted_when_first_asked_for(table, tmp_path):
    found = learn(table, judge=PLAIN)
    found.report(tmp_path / "page.html")
    assert found.summary()
    assert "_pair_fit" not in vars(found.learner)
    assert found.learner.potentials_ is found.learner.potentials_
    assert found.learner.potentials_.copula(0, 1).tau < -0.3


# Words


def plain(text):
    return " ".join(text.split())


def test_summary(graph, table):
    text = plain(graph.summary())
    assert (
        "3 edges join the 6 columns (150 rows): those of 15 pairs with a probability above 0.5."
        in text
    )
    assert graph.expected_false < 0.05 < graph.expected_missed
    missed = f"about {graph.expected_missed:.1f}"
    assert (
        "Expect hardly any of them to be false. Of the edges that these rows could show, " in text
    )
    assert f"expect {missed} to be missing." in text
    assert "2 components of 3 and 2 columns; 1 column has no edge (lonely)." in text
    assert f"a – b ({probability_text(graph.scores[0, 1])})" in text
    assert "one falls as the other rises" in text
    assert "An edge has no direction" in text
    assert max(map(len, graph.summary().splitlines())) <= 96


def test_summary_of_what_was_decreed_and_disagreed(table):
    found = learn(
        table,
        judge=PLAIN,
        fdr=0.1,
        required=[("a", "lonely")],
        forbidden=[("a", "b")],
        compare=["shared_forest"],
    )
    text = plain(found.summary())
    assert "chosen so that at most 10 % are expected to be false." in text
    assert "1 pair required and 1 forbidden beforehand do not count" in text
    assert f"Of the {found.n_edges} edges, SharedForest has {found.n_edges - 1}; " in text
    assert "; no forest method has a – lonely (1); " in text
    assert "; no edge here, but certain for SharedForest: a – b (0)." in text


def test_summary_of_all_pairs(table):
    text = plain(learn(table, judge=PLAIN, fdr=1, compare=False).summary())
    assert "chosen so that all of them may be false (fdr = 1)." in text


def test_summary_without_edges(table):
    text = plain(learn(table, judge=PLAIN, cut=1.0, compare=False).summary())
    assert "No edge joins the 6 columns (150 rows). The most probable pair" in text


def test_summary_of_a_table_that_asks_for_care(table):
    frame = with_gaps(table).iloc[:28]
    frame.loc[:20, "a"] = np.nan
    with pytest.warns(DataWarning, match="few"):
        found = learn(frame, judge=random_judge(), compare=False)
    assert len(found.raised) == 1
    text = plain(str(found))
    assert all(plain(each) in text for each in found.warnings[:3])
    assert not any(plain(each) in text for each in found.warnings[3:-1])
    assert found.warnings[0] == str(found.raised[0])
    assert "5 pairs could not be judged, because rows with both values count as fewer" in text


def test_why(graph, mixed, table):
    text = plain(graph.why("a", "b"))
    assert graph.why(1, 0) == graph.why("a", "b")
    assert "a – b: an edge. The judge gives it a probability" in text
    low, high = (signed(bound) for bound in graph.learner.edge_intervals_[0])
    strength = f"its strength is {signed(graph.strengths[0, 1])} ({low} to {high}): one falls as"
    assert strength in text.replace("\n ", "")
    assert max(map(len, graph.why("a", "b").splitlines())) <= 96
    more = graph.why("a", "b", details=True)
    assert plain(more).startswith(text)
    text = plain(more)
    assert "EF-λ: an edge, in 100 % of its forests." in text
    for channel in graph.evidence.why("a", "b")["channel"]:
        assert f"{channel} " in text
    assert "no edge" in graph.why("a", "d")
    assert "the pair is best described by a" in text
    decreed = learn(table, judge=PLAIN, required=[(0, 5)], forbidden=[(0, 1)], compare=False)
    assert "It was required; the judge alone gives it a probability" in decreed.why("a", "lonely")
    assert "It was forbidden; the judge alone gives it a probability" in decreed.why("a", "b")
    with pytest.raises(InputError, match="two columns"):
        graph.why("a", 0)
    with pytest.raises(InputError, match="why names a column 'z'"):
        graph.why("a", "z")


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1"), (0.0, "0"), (0.9995, ">0.999"), (0.9994, "0.999"), (0.0004, "<0.001")],
)
def test_probabilities_are_not_rounded_to_certainty(value, text):
    assert probability_text(value) == text


def test_repr(graph):
    assert repr(graph).startswith("<LearnedGraph: 3 of 15 pairs of 6 columns are edges; expected")


# A density


@pytest.mark.parametrize("model", ["RootedForests", "SharedForest"])
def test_a_density_on_the_graph(table, graph, model):
    density = graph.density(model)
    assert type(density).__name__ == model
    assert not density.edge_weights_[~graph.joined].any()
    assert density.potentials_ is graph.learner.potentials_
    if model == "RootedForests":
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
    density = learn(table.to_numpy(), judge=PLAIN, cut=1.0, compare=False).density()
    np.testing.assert_allclose(density.log_likelihood_ratio(table.to_numpy()), 0.0, atol=1e-9)


@left_out
def test_a_density_of_columns_of_all_kinds(mixed):
    density = mixed.density(n_penalties=2)
    np.testing.assert_array_equal(density.adjacency_, mixed.joined)
    assert density.sample(5, 0)["colour"].isin(["blue", "green", "red"]).all()
    assert np.isfinite(density.score(mixed_frame()))


def test_unknown_densities_are_refused(graph):
    with pytest.raises(InputError, match="model must be 'RootedForests' or 'SharedForest'"):
        graph.density("ChowLiu")


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
    assert loaded.settings["judge"] == graph.settings["judge"]
    assert isinstance(loaded.learner, GraphLearner)  # of learn: a Learner
    assert loaded.save(tmp_path / "again").read_bytes() == path.read_bytes()
    assert spinney.load_model(path).edges.equals(graph.edges)


def test_other_models_are_no_graphs(table, tmp_path):
    path = GraphLearner(PLAIN).fit(table).save(tmp_path / "model")
    with pytest.raises(InputError, match="holds a GraphLearner, not a LearnedGraph"):
        LearnedGraph.load(path)


def test_a_graph_is_frozen(graph):
    with pytest.raises(AttributeError):
        graph.comparisons = Comparisons()


# Questions, and other cuts


def test_neighbours_blankets_and_paths(graph):
    assert graph.neighbours("b") == ["c", "a"]  # the more probable edge first
    assert graph.neighbors("b") == graph.neighbours("b")
    assert graph.neighbours(5) == graph.markov_blanket("lonely") == []
    assert graph.markov_blanket("b", "c") == ["a"]
    assert graph.shortest_path("a", "c") == ["a", "b", "c"]
    assert graph.shortest_path("a", "a") == ["a"]
    assert graph.shortest_path("a", "d") == []
    assert graph.components[0] == ("a", "b", "c")
    for ask in (graph.neighbours, graph.markov_blanket, lambda name: graph.why("a", name)):
        with pytest.raises(InputError, match=r"'lonly' .*Did you mean 'lonely'\?"):
            ask("lonly")


def test_of_the_shortest_paths_the_most_probable_is_told():
    model = ChowLiu()
    model.node_names_ = tuple("abcd")
    weights = np.zeros((4, 4))
    for u, v, weight in ((0, 1, 0.5), (1, 3, 0.5), (0, 2, 0.9), (2, 3, 0.9)):
        weights[u, v] = weights[v, u] = weight
    model.edge_weights_ = model.edge_ranking_ = weights
    model.adjacency_ = weights > 0
    assert LearnedGraph.of(model).shortest_path("a", "d") == ["a", "c", "d"]


@pytest.mark.parametrize("options", [{"cut": 0.1}, {"cut": 0.99999}, {"fdr": 0.3}])
def test_another_cut_is_what_another_fit_would_give(table, graph, options):
    found = graph.at(**options)
    fresh = learn(table, judge=PLAIN, n_jobs=1, compare=False, **options)
    assert type(found) is LearnedGraph
    assert found.n_edges == fresh.n_edges
    mine, theirs = found.edges[fresh.edges.columns], fresh.edges
    pd.testing.assert_frame_equal(mine, theirs)
    assert found.summary().splitlines()[0] == fresh.summary().splitlines()[0]
    assert found.learner.get_params()["cut"] == fresh.learner.get_params()["cut"]
    assert graph.n_edges == 3  # which is left as it was
    assert "chow_liu_kept" in found.edges


def test_a_cut_that_cannot_be(graph, table):
    with pytest.raises(InputError, match="cut must be a number between 0 and 1, not 80"):
        graph.at(80)
    with pytest.raises(InputError, match="at needs probabilities, and chow-liu gives none"):
        LearnedGraph.of(ChowLiu().fit(table)).at(0.8)


def test_the_page_of_a_graph(graph, tmp_path):
    page = graph.report(tmp_path / "page.html")
    assert page == tmp_path / "page.html"
    assert "lonely" in page.read_text(encoding="utf-8")
