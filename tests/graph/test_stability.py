"""Bootstrap samples and dropped cases: against definitions, and going on where it was stopped."""

import warnings
from dataclasses import replace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure

from spinney import LearnedGraph, learn, learn_stability
from spinney._core.pairs import pair_ends, pair_nodes, pair_numbers, to_pairs
from spinney._core.resampling import Draw
from spinney.exceptions import InputError
from spinney.graph.report.content import build
from spinney.graph.report.page import render
from spinney.graph.resampling import DROPPED, learn_rows, rows_of
from spinney.graph.stability import cs_coefficient
from spinney.models.baselines import ChowLiu
from tests.graph.cases import chains, plain_judge, with_gaps
from tests.graph.report.content.schema import check_payload

JUDGE = plain_judge()


@pytest.fixture(scope="module")
def graph():
    return learn(chains(120), judge=JUDGE)


@pytest.fixture(scope="module")
def found(graph):
    return learn_stability(graph, 40, n_jobs=1)


def test_a_sample_is_a_fit_to_the_rows_that_were_drawn(graph, found):
    """Of a table without ties or order a subset is learned as a table of its own would be."""
    subset = found.subsets[3]
    rng = Draw("subset", 3).rng(0)
    rows = np.sort(rng.permutation(120)[: round((1 - subset["dropped"]) * 120)])
    alone = learn(chains(120).iloc[rows].reset_index(drop=True), judge=JUDGE)
    u, v = np.nonzero(np.triu(alone.joined))
    assert subset["pairs"] == pair_numbers(u, v, 6).tolist()
    np.testing.assert_allclose(subset["strengths"], alone.strengths[u, v], rtol=1e-12)
    values = alone.known_strengths
    np.testing.assert_allclose(
        subset["centralities"]["strength"], np.nansum(np.abs(values), axis=1)
    )
    np.testing.assert_allclose(
        subset["centralities"]["expected_influence"], np.nansum(values, axis=1), atol=1e-12
    )
    plain = nx.from_numpy_array(alone.joined)
    assert subset["centralities"]["betweenness"] == pytest.approx(
        list(nx.betweenness_centrality(plain).values())
    )
    assert subset["centralities"]["closeness"] == pytest.approx(
        list(nx.closeness_centrality(plain).values())
    )


def test_bootstrap_samples_draw_rows_with_replacement_and_take_them_as_independent(graph, found):
    table = graph.learner.table_
    for number in (0, 7):
        rows = Draw("bootstrap", number).rng(0).integers(120, size=120)
        assert len(np.unique(rows)) < 90
        pairs, strengths = learn_rows(graph.learner, table, rows, np.ones((6, 6)))
        assert found.samples[number]["pairs"] == pairs.tolist()
        assert found.samples[number]["strengths"] == strengths.tolist()


def test_frequencies_and_intervals_are_those_of_the_samples(graph, found):
    strengths = np.zeros((40, 15))
    for row, sample in zip(strengths, found.samples, strict=True):
        row[sample["pairs"]] = sample["strengths"]
    np.testing.assert_allclose(to_pairs(found.frequencies), (strengths != 0).mean(axis=0))
    low, high = np.quantile(strengths, [0.025, 0.975], axis=0)
    pairs = found.pairs.set_index(["source", "target"])
    assert pairs.loc[("a", "b"), "strength"] == graph.strengths[0, 1]
    assert pairs.loc[("a", "b"), "strength_low"] == pytest.approx(low[0])
    assert pairs.loc[("a", "b"), "strength_high"] == pytest.approx(high[0])
    assert pairs.loc[("a", "b"), "strength_low"] < graph.strengths[0, 1] < high[0]
    assert found.pairs["frequency"].is_monotonic_decreasing
    assert pairs.loc[[("a", "b"), ("b", "c"), ("d", "e")], "frequency"].tolist() == [1.0] * 3


def test_the_cs_coefficient_is_that_of_its_definition(graph, found):
    """Epskamp, Borsboom & Fried (2018), p. 200, from the records alone."""
    whole = {"strength": np.nansum(np.abs(graph.known_strengths), axis=1)}
    whole["expected_influence"] = np.nansum(graph.known_strengths, axis=1)
    plain = nx.from_numpy_array(graph.joined)
    whole["betweenness"] = list(nx.betweenness_centrality(plain).values())
    whole["closeness"] = list(nx.closeness_centrality(plain).values())
    for name, values in whole.items():
        best = 0.0
        for share in sorted({subset["dropped"] for subset in found.subsets}):
            reached = total = 0
            for subset in found.subsets:
                if subset["dropped"] == share:
                    own = subset["centralities"][name]
                    r = 0.0 if np.std(own) == 0 else np.corrcoef(values, own)[0, 1]
                    reached, total = reached + (r >= 0.7), total + 1
            if reached >= 0.95 * total:
                best = share
        assert found.cs[name] == best
    assert found.cs["edges"] > 0.5


def test_the_cs_coefficient_of_known_correlations():
    dropped = np.repeat([0.1, 0.3, 0.5], 100)
    above = np.concatenate([np.full(100, 0.9), np.r_[np.full(95, 0.7), np.full(5, 0.1)]])
    assert cs_coefficient(dropped, np.r_[above, np.r_[np.ones(94), np.zeros(6)]]) == 0.3
    assert cs_coefficient(dropped, np.zeros(300)) == 0.0
    assert np.isnan(cs_coefficient(dropped, np.full(300, np.nan)))


def test_a_centrality_that_all_columns_share_has_no_cs_coefficient():
    pairs = chains(120)[["a", "b", "d", "e"]]  # two edges apart: nothing is between
    found = learn_stability(learn(pairs, judge=JUDGE), 20, n_jobs=1)
    assert np.isnan(found.cs["betweenness"])
    assert "betweenness" not in " ".join(found.sentences() + found.cautions())


def test_differences_are_tested_by_intervals_of_the_samples(found):
    table = found.edge_differences.set_index(["first", "second"])
    strengths = np.array(
        [dict(zip(s["pairs"], s["strengths"], strict=True)) for s in found.samples]
    )
    ab, de = pair_numbers([0], [1], 6)[0], pair_numbers([3], [4], 6)[0]
    drawn = [own[de] - own[ab] for own in strengths]
    row = table.loc[("d – e", "a – b")]
    np.testing.assert_allclose([row["low"], row["high"]], np.quantile(drawn, [0.025, 0.975]))
    assert row["differs"]  # one is positive, the other negative
    nodes = found.centrality_differences.query("centrality == 'strength'")
    nodes = nodes.set_index(["first", "second"])
    assert nodes.loc[("b", "lonely"), "differs"]
    assert not nodes.loc[("d", "e"), "differs"]  # they have the same edge


def test_one_and_two_workers_give_the_same(graph, found):
    two = learn_stability(graph, 40, n_jobs=2)
    assert two.samples == found.samples
    assert two.subsets == found.subsets


def test_more_samples_begin_with_the_same(graph, found):
    fewer = learn_stability(graph, 20, n_jobs=1)
    assert fewer.samples == found.samples[:20]
    assert fewer.subsets == found.subsets[:20]


def test_interrupted_and_resumed_gives_the_same(graph, found, tmp_path):
    path, asked = tmp_path / "samples.jsonl", []

    def interrupt():
        asked.append(True)
        if len(asked) > 3:
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        learn_stability(graph, 40, checkpoint=path, stop=interrupt, n_jobs=1)
    assert len(path.read_text().splitlines()) == 1 + 15  # settings, three times five samples
    with path.open("a") as file:
        file.write('{"kind": "bootstrap", "num')  # killed while it wrote
    again = []
    rest = learn_stability(graph, 40, checkpoint=path, stop=lambda: bool(again.append(1)), n_jobs=1)
    assert len(again) == (80 - 15) / 5
    assert rest.samples == found.samples
    assert rest.subsets == found.subsets
    assert rest.is_complete


def test_stopped_early_tells_of_what_is_finished(graph):
    asked = []
    part = learn_stability(graph, 40, stop=lambda: len(asked) >= 4 or asked.append(1), n_jobs=1)
    assert (len(part.samples), len(part.subsets)) == (10, 10)
    assert "(40 of each were requested)" in part.summary()
    assert part.frequencies.max() == 1.0  # of ten samples, not of forty
    none = learn_stability(graph, 40, stop=lambda: True)
    assert "before the first fit" in none.summary()
    assert np.isnan(none.frequencies[0, 1])
    assert "strength_low" not in LearnedGraph.of(graph, stability=none).nodes


def test_repeated_rows_of_samples_raise_no_caution(graph):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = learn_stability(graph, 20, n_jobs=1)
    assert "repeat" not in found.summary()


def test_units_are_drawn_whole():
    frame = chains(40).loc[np.repeat(np.arange(40), 3)]  # rows of a unit are alike
    frame += 0.3 * np.random.default_rng(0).normal(size=frame.shape)
    frame["who"] = np.repeat([f"p{k}" for k in range(40)], 3)
    graph = learn(frame, judge=JUDGE, unit="who")
    table, codes = graph.learner.table_, np.repeat(np.arange(40), 3)
    found = learn_stability(graph, 20, n_jobs=1)
    drawn = Draw("bootstrap", 0).rng(0).integers(40, size=40)
    rows, places = rows_of(drawn, codes)
    assert len(rows) == 120
    np.testing.assert_array_equal(codes[rows], np.repeat(drawn, 3))
    sample = replace(table.take(rows), units=places)  # one that comes twice is two
    pairs, strengths = learn_rows(graph.learner, sample, np.arange(120))
    assert found.samples[0]["pairs"] == pairs.tolist()
    assert found.samples[0]["strengths"] == strengths.tolist()
    kept = Draw("subset", 9).rng(0).permutation(40)[: round(0.25 * 40)]
    pairs, _ = learn_rows(graph.learner, table, np.flatnonzero(np.isin(codes, kept)))
    assert found.subsets[9]["dropped"] == DROPPED[9]
    assert found.subsets[9]["pairs"] == pairs.tolist()


def test_columns_that_do_not_vary_in_a_sample_have_no_edges_there():
    frame = chains(100)
    frame.insert(0, "rare", 0.0)
    frame.loc[:1, "rare"] = [0.3, 0.7]
    graph = learn(frame, judge=JUDGE, kind={"rare": "continuous"}, required=[("a", "rare")])
    found = learn_stability(graph, 40, n_jobs=1)
    values = graph.learner.table_.values[:, 0]
    varies = [
        np.ptp(values[Draw("bootstrap", k).rng(0).integers(100, size=100)]) > 0 for k in range(40)
    ]
    assert 0 < sum(varies) < 40
    assert found.frequencies[0, 1] == sum(varies) / 40
    assert found.frequencies[1, 2] == found.frequencies[4, 5] == 1.0


def test_weighted_rows_are_drawn_whole():
    graph = learn(chains(60), judge=JUDGE, weights=np.tile([1, 2, 3], 20))
    found = learn_stability(graph, 20, n_jobs=1)
    drawn = Draw("bootstrap", 0).rng(0).integers(60, size=60)
    rows, places = rows_of(drawn, np.unique(graph.learner.table_.units, return_inverse=True)[1])
    sample = replace(graph.learner.table_.take(rows), units=places)
    pairs, _ = learn_rows(graph.learner, sample, np.arange(len(rows)))
    assert found.samples[0]["pairs"] == pairs.tolist()
    told = LearnedGraph.of(graph, stability=found).methods().methods
    assert "again from 20 bootstrap samples of the rows and from 20 subsets" in told


def test_mixed_tables_with_gaps():
    frame = with_gaps(chains(100))
    frame["d"] = pd.cut(chains(100)["d"], [-9, -0.5, 0.5, 9], labels=["low", "mid", "high"])
    found = learn_stability(learn(frame), 20, n_jobs=1)
    assert found.frequencies[0, 1] >= 0.9


def test_settings_of_the_graph_hold_in_the_samples():
    strict = learn(chains(120), judge=JUDGE, required=[("a", "lonely")], forbidden=[("a", "b")])
    found = learn_stability(strict, 20, n_jobs=1)
    assert found.frequencies[0, 5] == 1.0
    assert found.frequencies[0, 1] == 0.0


def test_nodes_have_intervals_of_centralities(graph, found):
    nodes = LearnedGraph.of(graph, stability=found).nodes
    drawn = [sample["centralities"]["strength"] for sample in found.samples]
    np.testing.assert_allclose(nodes["strength_low"], np.quantile(drawn, 0.025, axis=0))
    ends = [np.ravel(pair_ends(np.array(sample["pairs"]), 6)) for sample in found.samples]
    degrees = [np.bincount(each, minlength=6) for each in ends]
    np.testing.assert_allclose(nodes["degree_high"], np.quantile(degrees, 0.975, axis=0))
    assert (nodes["closeness_low"] <= nodes["closeness_high"]).all()
    assert "strength_low" not in graph.nodes


def test_bridges_have_intervals_that_are_those_of_the_samples(graph, found):
    groups = {"a": "one", "b": "one", "c": "two", "d": "two"}
    nodes = LearnedGraph.of(graph, stability=found, colour_by=groups).nodes.set_index("name")
    signed = np.zeros((40, 6, 6))
    for own, sample in zip(signed, found.samples, strict=True):
        own[pair_nodes(6)[0][sample["pairs"]], pair_nodes(6)[1][sample["pairs"]]] = sample[
            "strengths"
        ]
    signed += signed.swapaxes(1, 2)
    sizes = np.abs(signed[:, 2, :2]).sum(axis=1)  # of c, to a and b
    ends = np.quantile(sizes, [0.025, 0.975])
    assert ends[0] > 0
    np.testing.assert_allclose(
        nodes.loc["c", ["bridge_strength_low", "bridge_strength_high"]].tolist(), ends
    )
    ends = np.quantile(signed[:, 2, :2].sum(axis=1), [0.025, 0.975])
    np.testing.assert_allclose(
        nodes.loc["c", ["bridge_influence_low", "bridge_influence_high"]].tolist(), ends
    )
    between = nodes[["bridge_betweenness_low", "bridge_betweenness_high"]]
    assert between.loc["b", "bridge_betweenness_high"] >= 1.0  # from a to c
    assert between.loc[["e", "lonely"]].isna().all(axis=None)
    two = np.array([one @ one.sum(axis=1) + one.sum(axis=1) for one in signed])
    np.testing.assert_allclose(
        nodes["expected_influence_2_low"], np.quantile(two, 0.025, axis=0), atol=1e-12
    )


def test_words(found):
    told = found.sentences()
    edges = found.pairs.query("edge")
    assert len(told) == 4
    assert f"{(edges['frequency'] >= 0.9).sum()} of {len(edges)} edges found in at least" in told[0]
    assert f"{(edges['frequency'] < 0.5).sum()} in fewer than half" in told[0]
    assert told[0].startswith("Stability from 40 bootstrap samples and 40 subsets: ")
    assert f"strength {found.cs['strength']:.2f}" in told[2]


def test_the_page_has_a_section_with_pictures(graph, found):
    payload = build(LearnedGraph.of(graph, stability=found))
    check_payload(payload)
    page = render(payload)
    assert page.count('<img src="data:image/png;base64,iVBOR') == 4
    assert "How many cases can be dropped" in page
    assert "40 bootstrap samples." in page


@pytest.mark.parametrize(
    "what", ["case_dropping", "edges", "edge_differences", "centrality_differences"]
)
def test_pictures_show_what_the_tables_hold(found, what):
    ax = found.plot(what, Figure().subplots())
    text = {each.get_text() for each in (*ax.texts, *ax.get_yticklabels())}
    if what == "case_dropping":
        words = {each.get_text() for each in ax.get_legend().get_texts()}
        assert f"strength (CS {found.cs['strength']:.2f})" in words
        line = next(own for own in ax.lines if own.get_label().startswith("closeness"))
        expected = found.case_dropping.query("statistic == 'closeness'")
        np.testing.assert_allclose(line.get_ydata(), expected["correlation"])
    elif what == "edges":
        assert {"a – b", "100 %"} <= text
    else:
        table = found.edge_differences
        if what == "centrality_differences":
            table = found.centrality_differences.query("centrality == 'strength'")
        assert ax.collections[0].get_array().sum() == table["differs"].sum() > 0


def test_refusals(graph, tmp_path):
    frame = chains(120)
    frame["who"] = np.repeat(list("abcdefghij"), 12)
    units = learn(frame, judge=JUDGE, unit="who")
    with pytest.raises(
        InputError, match="Stability needs 20 units or more to draw from; there are"
    ):
        learn_stability(units, 20)
    with pytest.raises(InputError, match="n_samples must be a whole number from 20 on, not 2"):
        learn_stability(graph, 2)
    with pytest.raises(InputError, match="random_state must be a whole number"):
        learn_stability(graph, 20, random_state=None)
    with pytest.raises(InputError, match=r"learn_stability takes a graph by spinney\.learn"):
        learn_stability(LearnedGraph.of(ChowLiu().fit(chains(50))), 20)
    with pytest.raises(InputError, match="nothing"):
        learn_stability(graph, 20, n_jobs=1).plot("nothing")
    path = tmp_path / "samples.jsonl"
    learn_stability(graph, 20, checkpoint=path, n_jobs=1, stop=lambda: True)
    with pytest.raises(InputError, match="belongs to another run"):
        learn_stability(graph, 20, checkpoint=path, random_state=1)
    with pytest.raises(InputError, match="belongs to another run"):
        learn_stability(graph.at(0.9), 20, checkpoint=path)
    judge, path = tmp_path / "judge.npz", tmp_path / "updated.jsonl"
    plain_judge().save(judge)
    learn_stability(learn(frame, judge=str(judge)), 20, checkpoint=path, n_jobs=1)
    plain_judge(slope=3.0).save(judge)  # of the same name and place, as after an update
    with pytest.raises(InputError, match="belongs to another run"):
        learn_stability(learn(frame, judge=str(judge)), 20, checkpoint=path)
    other = tmp_path / "notes.txt"
    other.write_text("mine")
    with pytest.raises(InputError, match=r"notes.txt is not a checkpoint"):
        learn_stability(graph, 20, checkpoint=other)
    assert other.read_text() == "mine"
