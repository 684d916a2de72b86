"""Edges found again in halves: against a plain loop, and going on where it was stopped."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from spinney import DataWarning, LearnedGraph, learn
from spinney._core.pairs import pair_ends
from spinney.exceptions import InputError
from spinney.graph import learn_halves
from spinney.judge import GraphLearner
from spinney.models.halves import Half, complementary_halves, half_seed
from tests.graph.cases import chains, plain_judge, with_gaps


@pytest.fixture(scope="module")
def graph():
    return learn(chains(120))


def test_frequencies_are_those_of_a_plain_loop(graph):
    table = graph.learner.table_
    counts = np.zeros((6, 6))
    for split, halves in enumerate(complementary_halves(120, 3, 7)):
        for half, rows in enumerate(halves):
            seed = half_seed(7, Half(split, half))
            counts += GraphLearner(random_state=seed).fit(table.take(rows)).adjacency_
    found = learn_halves(graph, 3, random_state=7)
    np.testing.assert_array_equal(found.frequencies, counts / 6)
    assert found.n_fits == 6
    assert found.n_rows == 60
    assert found.is_complete


def test_settings_of_the_graph_hold_in_the_halves():
    strict = learn(chains(120), required=[("a", "lonely")], forbidden=[("a", "b")])
    found = learn_halves(strict, 2)
    assert found.frequencies[0, 5] == 1.0
    assert found.frequencies[0, 1] == 0.0
    none = learn(chains(120), cut=1.0)
    assert learn_halves(none, 2).frequencies.max() == 0.0


def test_a_table_is_learned_first(graph):
    np.testing.assert_array_equal(
        learn_halves(chains(120), 2).frequencies, learn_halves(graph, 2).frequencies
    )


def test_stopped_and_resumed_gives_the_same(graph, tmp_path):
    whole = learn_halves(graph, 4)
    asked = []

    def after_three():
        asked.append(True)
        return len(asked) > 3

    part = learn_halves(graph, 4, checkpoint=tmp_path / "halves.jsonl", stop=after_three)
    assert part.n_fits == 3
    assert not part.is_complete
    assert "time was up" in part.summary()
    assert part.frequencies.max() == 1.0  # of three fits, not of eight
    seen = []
    rest = learn_halves(
        graph, 4, checkpoint=tmp_path / "halves.jsonl", stop=lambda: bool(seen.append(True))
    )
    assert len(seen) == 5  # the other three were not fitted again
    np.testing.assert_array_equal(rest.frequencies, whole.frequencies)


def test_interrupted_leaves_the_finished_halves(graph, tmp_path):
    path, fits = tmp_path / "halves.jsonl", []

    def interrupt():
        fits.append(True)
        if len(fits) > 2:
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        learn_halves(graph, 4, checkpoint=path, stop=interrupt)
    assert len(path.read_text().splitlines()) == 3  # settings and two halves


def test_a_checkpoint_of_other_settings_is_refused(graph, tmp_path):
    path = tmp_path / "halves.jsonl"
    learn_halves(graph, 1, checkpoint=path)
    with pytest.raises(InputError, match="belongs to another run: its random_state"):
        learn_halves(graph, 1, checkpoint=path, random_state=1)
    other = learn(chains(120), cut=0.9)
    with pytest.raises(InputError, match="its estimator was"):
        learn_halves(other, 1, checkpoint=path)


def test_a_checkpoint_of_another_judge_is_refused(tmp_path):
    """Also of one that has the same name and place, as after an update."""
    judge, path = tmp_path / "judge.npz", tmp_path / "halves.jsonl"
    plain_judge().save(judge)
    learn_halves(learn(chains(120), judge=str(judge)), 1, checkpoint=path)
    plain_judge(slope=3.0).save(judge)
    updated = learn(chains(120), judge=str(judge))
    with pytest.raises(InputError, match="its judge was plain"):
        learn_halves(updated, 1, checkpoint=path)


def test_stopped_before_the_first_fit_knows_nothing(graph):
    found = learn_halves(graph, 2, stop=lambda: True)
    assert found.n_fits == 0
    assert np.isnan(found.frequencies[~np.eye(6, dtype=bool)]).all()
    assert "before the first fit" in found.summary()


def test_threads_change_nothing(graph):
    one, two = (learn_halves(graph, 2, n_jobs=n).frequencies for n in (1, 2))
    np.testing.assert_array_equal(one, two)


def test_columns_that_do_not_vary_in_a_half_have_no_edges_there():
    frame = chains(200)
    frame.insert(0, "rare", 0.0)  # so that the other columns have other places in the halves
    frame.loc[:2, "rare"] = [0.3, 0.7, 0.9]
    graph = learn(frame, kind={"rare": "continuous"}, required=[("a", "rare")])
    found = learn_halves(graph, 10)
    values = graph.learner.table_.values[:, 0]
    varies = [
        np.ptp(values[rows]) > 0 for halves in complementary_halves(200, 10, 0) for rows in halves
    ]
    assert 0 < sum(varies) < 20
    assert found.frequencies[0, 1] == sum(varies) / 20
    assert found.frequencies[1, 2] == found.frequencies[4, 5] == 1.0  # a - b, d - e


def test_mixed_tables_with_gaps():
    frame = with_gaps(chains(100))
    frame["d"] = pd.cut(chains(100)["d"], [-9, -0.5, 0.5, 9], labels=["low", "mid", "high"])
    found = learn_halves(learn(frame), 2)
    assert found.frequencies.shape == (6, 6)
    assert found.frequencies[0, 1] == 1.0


def test_summary_tells_shaky_edges_and_how_to_read_them():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    X[:, 1] += 0.55 * X[:, 0]
    X[:, 3] += 2.0 * X[:, 2]
    graph = learn(X, cut=0.2)
    found = learn_halves(graph, 10)
    edges = found.pairs.query("edge")
    told = " ".join(found.summary().split())
    firm = (edges["frequency"] >= 0.9).sum()
    assert (
        f"{firm} of {len(edges)} edges {'was' if firm == 1 else 'were'} found in at least" in told
    )
    assert f"{(edges['frequency'] < 0.5).sum()} in fewer than half" in told
    assert "is not a probability" in told
    assert found.pairs["frequency"].is_monotonic_decreasing


def test_refusals(graph):
    with pytest.warns(DataWarning, match="16 rows are few"):
        small = learn(chains(16)[["a", "b"]])
    with pytest.raises(InputError, match=r"20 rows or more.*there are 16"):
        learn_halves(small, 2)
    with pytest.raises(InputError, match="n_splits must be a whole number from 1 on"):
        learn_halves(graph, 0)
    with pytest.raises(InputError, match="random_state must be a whole number"):
        learn_halves(graph, 2, random_state=None)


def test_centralities_have_intervals_from_the_halves(graph):
    found = learn_halves(graph, 4, random_state=1)
    degrees, between = [], []
    for pairs in found.halves:
        half = nx.empty_graph(len(found.names))
        half.add_edges_from(np.transpose(pair_ends(pairs, len(found.names))))
        degrees.append([half.degree[k] for k in half])
        between.append(list(nx.betweenness_centrality(half).values()))
    nodes = LearnedGraph.of(graph, stability=found).nodes
    for name, values in (("degree", degrees), ("betweenness", between)):
        low, high = np.quantile(values, [0.025, 0.975], axis=0)
        np.testing.assert_allclose(nodes[f"{name}_low"], low)
        np.testing.assert_allclose(nodes[f"{name}_high"], high)
    assert (nodes["closeness_low"] <= nodes["closeness_high"]).all()
    assert "degree_low" not in graph.nodes
    early = learn_halves(graph, 4, stop=lambda: True)  # of no fit nothing is known
    assert "degree_low" not in LearnedGraph.of(graph, stability=early).nodes
