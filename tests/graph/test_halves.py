"""Edges found again in halves of the rows; the resampling itself is tested in test_stability."""

import numpy as np
import pandas as pd
import pytest

from spinney import LearnedGraph, learn
from spinney._core.resampling import Draw
from spinney.exceptions import InputError
from spinney.graph import learn_halves
from spinney.judge import GraphLearner
from tests.graph.cases import chains, plain_judge, with_gaps

JUDGE = plain_judge()


@pytest.fixture(scope="module")
def graph():
    return learn(chains(120), judge=JUDGE)


def halves_of(n, n_splits, seed):
    """Complementary halves, one split after the other."""
    for split in range(n_splits):
        order = Draw("half", split).rng(seed).permutation(n)
        yield from (np.sort(order[: n // 2]), np.sort(order[n // 2 : n // 2 * 2]))


def test_frequencies_are_those_of_a_plain_loop(graph):
    table, counts = graph.learner.table_, np.zeros((6, 6))
    for rows in halves_of(120, 3, 7):
        counts += GraphLearner(JUDGE).fit(table.take(rows)).adjacency_
    found = learn_halves(graph, 3, random_state=7, n_jobs=1)
    np.testing.assert_array_equal(found.frequencies, counts / 6)
    assert found.n_fits == 6
    assert found.n_rows == 60
    assert found.is_complete
    np.testing.assert_array_equal(
        learn_halves(learn(chains(120), judge=JUDGE, cut=1.0), 2, n_jobs=1).frequencies, 0.0
    )


def test_halves_of_units_have_no_unit_in_common():
    frame = chains(120)
    frame["who"] = np.repeat([f"p{k}" for k in range(40)], 3)
    graph = learn(frame, judge=JUDGE, unit="who")
    codes, counts = np.repeat(np.arange(40), 3), np.zeros((6, 6))
    for units in halves_of(40, 2, 0):
        table = graph.learner.table_.take(np.flatnonzero(np.isin(codes, units)))
        counts += GraphLearner(JUDGE).fit(table).adjacency_
    found = learn_halves(graph, 2, n_jobs=1)
    np.testing.assert_array_equal(found.frequencies, counts / 4)
    assert "4 random halves of the rows (20 units each)" in " ".join(found.summary().split())


def test_weighted_rows_are_drawn_whole():
    graph = learn(chains(60), judge=JUDGE, weights=np.tile([1, 2, 3], 20))
    found = learn_halves(graph, 2, n_jobs=1)
    assert "4 random halves of the rows (30 rows each)" in " ".join(found.summary().split())
    told = LearnedGraph.of(graph, stability=found).methods().methods
    assert "random halves of the rows (30 each), 4 times." in told


def test_stopped_and_resumed_gives_the_same(graph, tmp_path):
    whole, asked = learn_halves(graph, 4, n_jobs=1), []
    options = {"checkpoint": tmp_path / "halves.jsonl", "n_jobs": 1}
    part = learn_halves(graph, 4, stop=lambda: bool(asked) or asked.append(1), **options)
    assert part.n_fits == 5
    assert not part.is_complete
    assert "8 were requested" in part.summary()
    assert part.frequencies.max() == 1.0  # of five fits, not of eight
    rest = learn_halves(graph, 4, **options)
    np.testing.assert_array_equal(rest.frequencies, whole.frequencies)


def test_a_checkpoint_of_another_judge_is_refused(tmp_path):
    """Also of one that has the same name and place, as after an update."""
    judge, path = tmp_path / "judge.npz", tmp_path / "halves.jsonl"
    plain_judge().save(judge)
    learn_halves(learn(chains(120), judge=str(judge)), 1, checkpoint=path, n_jobs=1)
    plain_judge(slope=3.0).save(judge)
    updated = learn(chains(120), judge=str(judge))
    with pytest.raises(InputError, match="belongs to another run"):
        learn_halves(updated, 1, checkpoint=path)


def test_columns_that_do_not_vary_in_a_half_have_no_edges_there():
    frame = chains(200)
    frame.insert(0, "rare", 0.0)  # so that the other columns have other places in the halves
    frame.loc[:1, "rare"] = [0.3, 0.7]
    graph = learn(frame, kind={"rare": "continuous"}, required=[("a", "rare")])
    found = learn_halves(graph, 10, n_jobs=1)
    values = graph.learner.table_.values[:, 0]
    varies = [np.ptp(values[rows]) > 0 for rows in halves_of(200, 10, 0)]
    assert 0 < sum(varies) < 20
    assert found.frequencies[0, 1] == sum(varies) / 20
    assert found.frequencies[1, 2] == found.frequencies[4, 5] == 1.0  # a - b, d - e


def test_mixed_tables_with_gaps():
    frame = with_gaps(chains(100))
    frame["d"] = pd.cut(chains(100)["d"], [-9, -0.5, 0.5, 9], labels=["low", "mid", "high"])
    found = learn_halves(learn(frame), 2, n_jobs=1)
    assert found.frequencies[0, 1] == 1.0


def test_summary_tells_shaky_edges_and_how_to_read_them():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 4))
    X[:, 1] += 0.55 * X[:, 0]
    X[:, 3] += 2.0 * X[:, 2]
    found = learn_halves(learn(X, cut=0.2), 10, n_jobs=1)
    edges = found.pairs.query("edge")
    told = " ".join(found.summary().split())
    assert f"{(edges['frequency'] >= 0.9).sum()} of {len(edges)} edges found in at least" in told
    assert f"{(edges['frequency'] < 0.5).sum()} in fewer than half" in told
    assert "is not a probability" in told
    assert found.pairs["frequency"].is_monotonic_decreasing


def test_refusals(graph):
    with pytest.raises(InputError, match="n_splits must be a whole number from 1 on"):
        learn_halves(graph, 0)
