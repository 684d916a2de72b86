"""Scores of whole tables: which columns have which, and what they are."""

from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

from spinney.scores import read_scores, score_column
from spinney.tables import Table, read_table


@pytest.fixture
def frame(rng):
    n = 160
    X = rng.normal(size=(n, 4))
    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "yes"])
    frame["yes"] = (frame["yes"] > 0.4).astype(int)
    frame["five"] = np.digitize(X[:, 3], [-1.0, -0.3, 0.3, 1.0])
    frame["kind"] = np.array(["u", "v", "w", "x"])[rng.integers(0, 4, n)]
    return frame.mask(rng.random(frame.shape) < 0.1)


def test_columns_have_the_scores_that_their_values_allow(frame):
    scores = read_scores(read_table(frame))
    # Four polynomials, but one of yes and no; three of four classes.
    assert scores.counts.tolist() == [4, 4, 1, 4, 3]
    assert scores.starts.tolist() == [0, 4, 8, 9, 13]
    assert scores.owners.tolist() == [0] * 4 + [1] * 4 + [2] + [3] * 4 + [4] * 3
    assert scores.nominal.tolist() == [False] * 4 + [True]
    assert scores.n_values.tolist() == [*frame[["a", "b"]].nunique(), 2, 5, 4]
    assert scores.bends.tolist() == [
        *[False, True, True, True] * 2,
        False,
        *[False, True, True, True],
        *[False] * 3,
    ]
    assert scores.shown[4] == 1.0
    assert read_scores(read_table(frame), degree=1).counts.tolist() == [1, 1, 1, 1, 3]


def test_scores_of_each_column_are_orthonormal_over_its_own_rows(frame):
    scores = read_scores(read_table(frame))
    for k in range(5):
        own = scores.values[:, scores.owners == k]
        here = scores.present[:, k]
        m = here.sum()
        assert not own[~here].any()
        np.testing.assert_allclose(own.sum(axis=0) / m, 0.0, atol=1e-9)
        np.testing.assert_allclose(own.T @ own / m, np.eye(own.shape[1]), atol=1e-6)
        if k < 4:
            normal = score_column(frame.iloc[:, k].to_numpy(dtype=float)).normal
            assert np.corrcoef(own[here, 0], normal[here])[0, 1] == pytest.approx(1.0)
            np.testing.assert_array_equal(scores.first[:, k], own[:, 0])


def test_scores_of_classes_are_one_per_level(frame):
    scores = read_scores(read_table(frame))
    own = scores.values[:, scores.owners == 4]
    assert len(np.unique(own[scores.present[:, 4]].round(9), axis=0)) == 4
    labels = frame["kind"].dropna()
    for label in "uvwx":
        rows = labels.index[labels == label]
        np.testing.assert_array_equal(own[rows], own[rows[:1]].repeat(len(rows), axis=0))


def test_a_constant_column_has_one_score_of_zero(rng):
    values = np.column_stack([rng.normal(size=30), np.ones(30)])
    scores = read_scores(Table.plain(values, ("x", "flat")))
    assert scores.counts.tolist() == [4, 1]
    assert not scores.values[:, 4].any()


def test_scores_of_some_columns_are_those_of_their_own_table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(80, 5)), columns=list("abcde"))
    frame["b"] = np.digitize(frame["b"], [-0.5, 0.5])
    frame["d"] = pd.Categorical.from_codes(rng.integers(0, 3, 80), list("xyz"))
    frame.loc[:9, "e"] = np.nan
    table, chosen = read_table(frame, kind={"d": "nominal"}), np.array([4, 1, 3])
    found, known = read_scores(table).take(chosen), read_scores(table.take_columns(chosen))
    for field in fields(known):
        np.testing.assert_array_equal(getattr(found, field.name), getattr(known, field.name))
