"""Whole networks of two groups: calibrated where nothing differs, powerful where something does."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from spinney import learn_groups
from spinney._core.resampling import Draw
from spinney.exceptions import InputError
from spinney.graph.network_test import _Case, compare_networks
from spinney.judge.learner import Learner
from spinney.judge.strength import edge_strengths
from spinney.tables import read_table
from tests.graph.cases import chains, plain_judge

JUDGE = plain_judge()


def pooled(n=50, seed=0, shift=0.0, gain=0.0):
    """Two groups of n rows: a chain in both; the second is shifted, and has one edge more."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2 * n, 4))
    X[:, 1] += 0.6 * X[:, 0]
    X[:, 2] += 0.6 * X[:, 1]
    X[n:, 3] += gain * X[n:, 0]
    X[n:] = (X[n:] + shift) * (1.0 + abs(shift))
    return X


def whole_networks(X, n_permutations=19, persons=None, seed=0, **options):
    table, n = read_table(X), len(X) // 2
    rows = {"one": np.arange(n), "two": np.arange(n, 2 * n)}
    model = Learner(JUDGE).fit(X)
    found = compare_networks(
        table, rows, model, n_permutations, persons=persons, seed=seed, n_jobs=1, **options
    )
    return found["one", "two"]


def test_the_statistics_are_those_of_the_two_graphs():
    frame = pd.DataFrame(pooled(gain=1.0), columns=list("abcd"))
    frame["g"] = np.repeat(["one", "two"], 50)
    grouped = learn_groups(frame, "g", judge=JUDGE, permutations=20, n_jobs=1)
    found = grouped.tests["one", "two"]
    graphs = list(grouped.graphs.values())
    either = graphs[0].joined | graphs[1].joined
    strengths = [edge_strengths(graph.table, either).values for graph in graphs]
    difference = np.abs(strengths[1] - strengths[0])
    assert found.largest_difference == pytest.approx(difference.max())
    assert found.largest_pair == ("a", "d")
    assert found.global_strengths == pytest.approx([np.abs(own).sum() for own in strengths])
    assert found.global_difference == pytest.approx(np.subtract(*found.global_strengths[::-1]))
    assert found.largest_p == pytest.approx(1 / 21)
    assert "largest difference of strengths" in grouped.summary()
    assert "(a – d), p ≤ 0.0476" in " ".join(grouped.summary().split())


def test_numbers_are_ranked_within_groups():
    X = pooled(30, shift=2.0)
    groups = np.arange(30), np.arange(30, 60)
    case = _Case.of(read_table(X), groups, ("one", "two"), None)
    for rows in groups:
        np.testing.assert_allclose(np.sort(case.table.values[rows, 2]), (np.arange(30) + 0.5) / 30)
        assert (case.table.values[rows].argsort(axis=0) == X[rows].argsort(axis=0)).all()


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0.0, 2.0])
def test_small_p_are_rare_where_only_means_and_spreads_differ(shift):
    found = [whole_networks(pooled(seed=k, shift=shift)) for k in range(12)]
    p = np.array([each.ps for each in found])
    assert (p <= 0.05).sum() <= 4  # of 24; 1.2 are expected
    assert 0.3 < p.mean() < 0.85


@pytest.mark.slow
def test_p_are_uniform_where_nothing_differs():
    p = np.array([whole_networks(pooled(seed=100 + k), 39).ps for k in range(80)])
    for cut in (0.1, 0.25, 0.5, 0.75):
        error = np.sqrt(cut * (1 - cut) / 80)
        assert (np.abs((p <= cut).mean(axis=0) - cut) < 3.5 * error + 0.025).all()


def test_it_is_powerful_where_an_edge_differs():
    found = [whole_networks(pooled(100, seed=k, gain=1.0)) for k in range(5)]
    assert all(each.largest_p <= 0.05 for each in found)


def test_pairs_are_swapped_within_persons():
    X = pooled(30)
    persons = np.r_[np.arange(30), np.arange(20), np.arange(50, 60)]  # ten are in one group
    table = read_table(X)
    case = _Case.of(table, (np.arange(30), np.arange(30, 60)), ("one", "two"), persons)
    second = np.array([case.permuted(Draw("x", k), 0) for k in range(1, 40)])
    assert not second[:, 20:30].any()
    assert second[:, 50:].all()
    np.testing.assert_array_equal(second[:, :20], ~second[:, 30:50])
    assert 0.3 < second[:, :20].mean() < 0.7
    np.testing.assert_array_equal(case.permuted(Draw("x", 0), 0), np.arange(60) >= 30)


def test_pairing_sees_what_persons_hide():
    """Persons differ much in the edge a – d; within each the second visit adds a little."""
    rng = np.random.default_rng(3)
    n = 60
    who = rng.normal(size=(n, 4)) * 2.0
    first = who + 0.4 * rng.normal(size=(n, 4))
    second = who + 0.4 * rng.normal(size=(n, 4))
    second[:, 3] += 0.8 * second[:, 0]
    X = np.vstack([first, second])
    paired = whole_networks(X, 99, persons=np.tile(np.arange(n), 2))
    assert paired.paired
    assert paired.largest_p <= 0.02


def test_units_stay_together():
    X = pooled(30)
    table = replace(read_table(X), units=np.repeat(np.arange(20), 3))
    case = _Case.of(table, (np.arange(30), np.arange(30, 60)), ("one", "two"), None)
    for k in range(1, 20):
        second = case.permuted(Draw("x", k), 0).reshape(20, 3)
        assert (second == second[:, :1]).all()
        assert second[:, 0].sum() == 10


def test_one_and_two_workers_and_a_resumed_run_give_the_same(tmp_path):
    X, path = pooled(gain=0.5), tmp_path / "permutations.jsonl"
    table, model = read_table(X), Learner(JUDGE).fit(X)
    rows = {"one": np.arange(50), "two": np.arange(50, 100)}
    options = {"seed": 2, "checkpoint": path}
    compare_networks(table, rows, model, 20, n_jobs=1, **options)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:12]) + "\n")
    resumed = compare_networks(table, rows, model, 20, n_jobs=2, **options)
    assert sorted(path.read_text().splitlines()) == sorted(lines)
    assert resumed == compare_networks(table, rows, model, 20, n_jobs=1, seed=2)
    with pytest.raises(InputError, match="belongs to another run"):
        compare_networks(table, rows, model, 20, n_jobs=1, seed=3, checkpoint=path)


def test_paired_columns_are_in_none_of_the_graphs():
    frame = pd.DataFrame(pooled(40), columns=list("abcd"))
    frame["who"] = [f"p{k % 40}" for k in range(80)]
    frame["g"] = np.repeat(["one", "two"], 40)
    options = {"judge": JUDGE, "permutations": 20, "n_jobs": 1}
    named = learn_groups(frame, "g", paired="who", **options)
    assert named.columns == ("a", "b", "c", "d")
    apart = learn_groups(
        frame.drop(columns=["who", "g"]), frame["g"], paired=frame["who"], **options
    )
    assert named.tests["one", "two"] == apart.tests["one", "two"]
    assert named.tests["one", "two"].paired
    by_place = learn_groups(frame[["g", *"abcd", "who"]], 0, paired=5, **options)
    assert by_place.tests["one", "two"] == apart.tests["one", "two"]


def test_rows_with_gaps_are_dropped_if_they_are_to_be():
    frame = pd.DataFrame(pooled(40), columns=list("abcd"))
    frame.loc[:9, "a"] = np.nan
    frame["g"] = np.repeat(["one", "two"], 40)
    options = {"judge": JUDGE, "permutations": 20, "n_jobs": 1, "missing": "drop"}
    found = learn_groups(frame, "g", **options).tests["one", "two"]
    assert found == learn_groups(frame.iloc[10:], "g", **options).tests["one", "two"]


def test_refusals():
    frame = chains(80)
    frame["g"] = np.repeat(["one", "two"], 40)
    frame["who"] = np.arange(80)
    with pytest.raises(InputError, match="permutations must be a whole number from 20 on, not"):
        learn_groups(frame, "g", judge=JUDGE, permutations=5)
    with pytest.raises(InputError, match=r"paired= identifies no person with rows in group 'one'"):
        learn_groups(frame, "g", judge=JUDGE, paired="who")
    with pytest.raises(InputError, match=r"paired names a column 'whom'"):
        learn_groups(frame, "g", judge=JUDGE, paired="whom")
    with pytest.raises(InputError, match=r"paired= takes the name of a column, or one value"):
        learn_groups(frame, "g", judge=JUDGE, paired=[1, 2])
    frame["who"] = np.tile(np.arange(40), 2)
    with pytest.raises(InputError, match=r"40 units of the rows are in group 'one' and in 'two'"):
        learn_groups(frame, "g", judge=JUDGE, unit="who", permutations=20)
