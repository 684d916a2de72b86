"""Tables that mislead: sums, copies, identifiers, codes; and what a user is told of them."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn import datasets

from spinney import learn
from spinney.datasets import load_anes96, load_penguins, load_sachs
from spinney.graph.words import MOST_CAUTIONS, cautions

N = 300


def learned(table, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return learn(table, n_jobs=1, **options)


def told(graph):
    return {notice.code: str(notice) for notice in cautions(graph)}


def items(rng, n=N):
    scores = np.clip(np.round(3 + rng.normal(size=(n, 5))), 1, 5).astype(int)
    return pd.DataFrame(scores, columns=["q1", "q2", "q3", "q4", "q5"])


# Sums and shares


@pytest.mark.parametrize("place", [0, 5])
def test_a_total_is_left_out_and_named(rng, place):
    frame = items(rng)
    frame.insert(place, "score", frame.sum(axis=1))
    found = learned(frame)
    assert set(found.names) == {"q1", "q2", "q3", "q4", "q5"}
    assert found.n_edges <= 1
    assert "'score' is the sum of q1, q2, q3, q4 and q5" in told(found)["columns-follow"]
    kept = learned(frame, kind={"score": "continuous"})
    assert "score" in kept.names
    assert "Leave one column of each relation out" in told(kept)["columns-follow"]


@pytest.mark.parametrize("decimals", [None, 1, 0])
def test_shares_of_a_whole(rng, decimals):
    parts = rng.gamma(3.0, size=(N, 6)) * [1, 1, 5, 1, 1, 1]
    shares = 100 * parts / parts.sum(axis=1, keepdims=True)
    frame = pd.DataFrame(shares, columns=list("abcdef"))
    found = learned(
        frame if decimals is None else frame.round(decimals).assign(x=rng.normal(size=N))
    )
    assert "c" not in found.names  # the largest
    assert "'c' sums to 100 with a, b, d, e and f" in told(found)["columns-follow"]


def test_one_hot_columns(rng):
    place = rng.choice(4, N, p=[0.2, 0.4, 0.2, 0.2])
    frame = pd.get_dummies(pd.Series(place)).set_axis(["n", "s", "e", "w"], axis=1)
    found = learned(frame.assign(x=rng.normal(size=N)))
    assert "'s' is set where none of n, e and w is" in told(found)["columns-follow"]


def test_a_column_that_is_either_of_two_others_is_no_sum(rng):
    """Rare causes that never meet add up to their effect, which is a column like others."""
    cause = rng.choice(3, N, p=[0.8, 0.1, 0.1])
    frame = pd.DataFrame({"a": cause == 1, "b": cause == 2, "either": cause > 0})
    frame["x"] = rng.normal(size=N)
    for table in (frame.astype(int), frame.replace({True: "yes", False: "no"})):
        found = learned(table)
        assert set(found.names) == set(frame.columns)
        assert found.adjacency.loc["either", ["a", "b"]].all()


def test_differences_and_cumulative_columns(rng):
    before = rng.normal(100, 15, N).round(1)
    change = rng.normal(5, 8, N).round(1)
    weeks = rng.poisson(20, size=(N, 3))
    frame = pd.DataFrame({"b": before, "a": before + change, "d": change})
    frame[["w1", "w2", "w3"]] = weeks
    frame["by2"], frame["by3"] = weeks[:, :2].sum(axis=1), weeks.sum(axis=1)
    text = told(learned(frame))["columns-follow"]
    for words in ("'d' is a less b", "'by2' is the sum of w1 and w2", "of w1, w2 and w3"):
        assert words in text


def test_what_nearly_follows_is_learned_from(rng):
    frame = items(rng)
    frame["total"] = frame.sum(axis=1) + (rng.random(N) < 0.03)
    found = learned(frame)
    assert "total" in found.names
    spectrum = np.cumsum(rng.normal(size=(N, 40)), axis=1).round(3)
    assert len(learned(spectrum).names) == 40


# Repeated rows


@pytest.mark.parametrize("times", [2, 5])
def test_copies_count_once(rng, times):
    frame = pd.DataFrame(rng.normal(size=(100, 5)), columns=list("abcde"))
    found = learned(pd.concat([frame] * times))
    np.testing.assert_array_equal(found.probabilities, learned(frame).probabilities)
    assert "Each distinct row counts once" in told(found)["repeated-rows"]


def test_rows_of_zeros_are_no_copies(rng):
    counts = rng.poisson(8.0, size=(N, 10)) * (rng.random((N, 1)) < 0.7)
    assert len(learned(counts).table) == N


# Identifiers


@pytest.mark.parametrize("name", ["Subject", "id", "patient_no"])
def test_a_unit_is_asked_for_and_not_learned_from(rng, name):
    unit = np.repeat(np.arange(308, 326), 10)
    level = rng.normal(0, 30, 18)[unit - 308]
    frame = pd.DataFrame({"y": level + rng.normal(0, 25, 180), "x": rng.normal(size=180)})
    found = learned(frame.assign(**{name: unit}))
    assert found.names == ("y", "x")
    assert f"unit='{name}'" in told(found)["units-unnamed"]
    assert "units-unnamed" not in told(learned(frame.assign(**{name: unit}), unit=name))
    kept = learned(frame.assign(**{name: unit}), kind={name: "continuous"})
    assert name in kept.names


@pytest.mark.parametrize("name", ["year", "Days", "dose", "age", "time_h"])
def test_what_counts_is_a_variable(rng, name):
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    assert name in learned(frame.assign(**{name: np.arange(1950, 2010)})).names
    assert name in learned(frame.assign(**{name: np.repeat(np.arange(20), 3)})).names
    assert "number" not in learned(frame.assign(number=np.arange(60))).names


def test_groups_in_blocks_are_no_units(rng):
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    frame["group"] = np.repeat(["control", "first", "second"], 20)
    frame["site"] = np.repeat([1, 2, 3, 4, 5, 6], 10)
    assert {"group", "site"} < set(learned(frame).names)


def test_a_first_column_of_dates_gets_a_word(rng, tmp_path):
    frame = pd.DataFrame({"day": pd.date_range("2024-01-01", periods=60).strftime("%Y-%m-%d")})
    frame["a"], frame["b"] = rng.normal(size=(2, 60))
    frame.to_csv(tmp_path / "t.csv", index=False)
    assert "'day' holds dates" in told(learned(tmp_path / "t.csv"))["columns-left-out"]


# Codes


@pytest.mark.parametrize(("code", "share"), [(9, 0.06), (99, 0.02)])
def test_codes_at_the_end_of_a_scale(rng, code, share):
    frame = items(rng, 400)
    frame.loc[rng.random(400) < share, ["q1", "q3"]] = code
    text = told(learned(frame))["codes-for-missing"]
    assert "q1" in text
    assert "q3" in text
    assert "q2" not in text
    assert text.endswith(f"use na=[{code}].")
    assert "codes-for-missing" not in told(learned(frame, na=[code]))
    # A value that another column has is taken out of the columns with the code only.
    frame["age"] = rng.integers(5, 100, 400)
    text = told(learned(frame))["codes-for-missing"]
    assert text.endswith(f"use na=['q1={code}', 'q3={code}'].")
    mended = learned(frame, na=[f"q1={code}", f"q3={code}"]).table
    assert np.isnan(mended.values).any(axis=0).tolist() == [True, False, True, False, False, False]


def test_a_negative_code_beside_a_scale_without_any(rng):
    frame = items(rng, 400)
    frame.loc[rng.random(400) < 0.05, "q1"] = -1
    frame["income"] = rng.gamma(2.0, size=400).round(3)
    frame.loc[rng.random(400) < 0.05, "income"] = -1
    text = told(learned(frame))["codes-for-missing"]
    assert "q1 (-1 in " in text
    assert "income (-1 in " in text
    assert text.endswith("use na=[-1].")
    assert "codes-for-missing" not in told(learned(frame, na=[-1]))
    # From -1 over 0 to 1 is a scale of its own.
    frame["q1"] = rng.integers(-1, 2, 400)
    frame["income"] = rng.normal(size=400)
    assert "codes-for-missing" not in told(learned(frame))


def test_counts_have_tails_and_no_codes(rng):
    counts = np.column_stack([rng.poisson(1.5, N), rng.negative_binomial(1, 0.4, (2, N)).T])
    assert "codes-for-missing" not in told(learned(counts))


# Grafts with the rows' own dependence


@pytest.mark.parametrize("seed", [0, 2])
def test_the_check_does_not_reassure_where_rows_are_units(seed):
    rng = np.random.default_rng(seed)
    unit = np.repeat(np.arange(10), 100)
    table = 9 * rng.normal(size=(10, 6))[unit] + rng.normal(size=(1000, 6))
    found = learned(table)
    assert found.n_edges > 0  # all of them false
    checked = found.check(12, n_jobs=1)
    wrong = int(checked.pairs[~checked.pairs.edge].kept.sum())
    assert wrong >= 5
    assert "So doubt the edges of this table as well." in checked.summary()
    assert "cannot detect rows that belong together" in checked.summary()


def test_rows_far_from_the_others_are_not_taken_for_units():
    """Proteins of cells have heavy tails and depend on each other; their rows are shuffled."""
    table = load_sachs().X.sample(frac=1.0, random_state=1)
    checked = learned(table).check(6, n_jobs=1)
    assert checked.pairs[~checked.pairs.edge].kept.sum() <= 2
    assert "doubt" not in checked.summary()


def test_the_check_finds_little_on_walks(rng):
    walks = np.cumsum(rng.normal(size=(300, 5)), axis=0)
    checked = learned(walks).check(6, n_jobs=1)
    assert checked.pairs[checked.pairs.edge].kept.mean() < 0.5
    assert "could not be judged" in checked.summary()


# Unlike training


@pytest.mark.parametrize("mean", [0.5, 3.0])
def test_independent_counts_are_not_odd(rng, mean):
    assert learned(rng.poisson(mean, size=(400, 12))).learner.out_of_distribution_ == ()


# Well-known tables: what is cautioned of, and that nothing absurd is


def from_sklearn(name):
    found = getattr(datasets, f"load_{name}")(as_frame=True)
    frame = found.frame
    if name != "diabetes":
        frame["target"] = found.target_names[found.target]
    return frame


TABLES = {
    "iris": (lambda: from_sklearn("iris"), set()),
    # The rows are sorted by species and, within these, by year: nothing is known of the two.
    "penguins": (load_penguins, {"unknown-pairs"}),
    "sachs": (lambda: load_sachs().X, set()),
    "anes96": (load_anes96, set()),
    "wine": (lambda: from_sklearn("wine"), set()),
    "diabetes": (lambda: from_sklearn("diabetes"), set()),
    "breast cancer": (lambda: from_sklearn("breast_cancer").iloc[:, [*range(10), 30]], {"twins"}),
}


@pytest.mark.parametrize("name", TABLES)
def test_cautions_are_few_and_to_the_point(name):
    load, expected = TABLES[name]
    found = learn(load())
    grave = {each.code for each in cautions(found) if each.level == "warning"}
    assert grave == expected
    text = str(found)
    assert text.count("\n  - ") == len(expected) <= MOST_CAUTIONS
    assert len(text.splitlines()) <= 25
