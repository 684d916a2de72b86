"""Scores of one column against their definitions, computed another way."""

from dataclasses import fields
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, special, stats

from spinney.scores import class_scores, polynomials, read_scores, score_column
from spinney.scores.columns import N_HERMITE
from spinney.tables import Table, read_table


def ends_of(counts):
    return stats.norm.ppf(np.concatenate([[0.0], np.cumsum(counts)]) / np.sum(counts))


@given(st.lists(st.integers(0, 6), min_size=2, max_size=60))
def test_scores_are_means_of_truncated_normal_variables(values):
    x = np.array(values, dtype=float)
    column = score_column(x)
    levels, counts = np.unique(x, return_counts=True)
    means = np.array([stats.truncnorm.mean(a, b) for a, b in pairwise(ends_of(counts))])
    np.testing.assert_allclose(column.normal, means[np.searchsorted(levels, x)], atol=1e-8)
    np.testing.assert_allclose(column.ranks, (stats.rankdata(x) - 0.5) / len(x))
    np.testing.assert_array_equal(column.codes, np.searchsorted(levels, x))
    assert column.n_values == len(levels)
    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    assert column.tied == pytest.approx(np.mean([x[i] == x[j] for i, j in pairs]))


@given(st.lists(st.integers(0, 6), min_size=2, max_size=60))
def test_what_a_column_shows_is_the_variance_of_its_scores_over_that_without_ties(values):
    x = np.array(values, dtype=float)
    untied = [stats.truncnorm.mean(a, b) for a, b in pairwise(ends_of(np.ones(len(x))))]
    column = score_column(x)
    assert column.shown == pytest.approx(np.var(column.normal) / np.var(untied), abs=1e-8)
    assert column.normal.mean() == pytest.approx(0.0, abs=1e-10)


def test_missing_values_have_no_score_and_change_no_other():
    x = np.array([2.0, np.nan, 5.0, 2.0, np.nan, 9.0])
    there = ~np.isnan(x)
    column, alone = score_column(x), score_column(x[there])
    np.testing.assert_array_equal(column.normal[there], alone.normal)
    np.testing.assert_array_equal(column.ranks[there], alone.ranks)
    np.testing.assert_array_equal(column.hermite, alone.hermite)
    assert not column.normal[~there].any()
    assert not column.ranks[~there].any()
    assert column.codes.tolist() == [0, -1, 1, 0, -1, 2]
    assert (column.shown, column.tied) == (alone.shown, alone.tied)


def test_a_column_without_values_or_with_one_has_scores_of_zero():
    for x in (np.full(5, np.nan), np.full(5, 3.0), np.array([np.nan, 1.0])):
        column = score_column(x)
        assert not column.normal.any()
        assert np.isfinite(column.hermite).all()
        assert np.isfinite(column.shown)


def test_values_that_are_rounded_more_and_more_show_less_and_less():
    x = np.random.default_rng(0).normal(size=500)
    shown = [score_column(x.round(k) if k < 9 else x).shown for k in (9, 3, 2, 1, 0)]
    assert shown[0] == pytest.approx(1.0)
    assert (np.diff(shown) <= 1e-12).all()
    assert shown[3] > 0.99 > shown[4] > 0.8


@pytest.mark.parametrize("counts", [[50, 50], [90, 10], [5, 20, 50, 25], [31, 69], [1, 1, 98]])
def test_hermite_coefficients_are_those_of_quadrature(counts):
    counts = np.array(counts)
    column = score_column(np.repeat(np.arange(len(counts)), counts).astype(float))
    levels = column.normal[np.cumsum(counts) - 1]
    ends = np.clip(ends_of(counts), -14, 14)
    levels = levels / np.sqrt((levels**2 * counts).sum() / counts.sum())
    for k in range(1, N_HERMITE + 1):
        polynomial = special.hermitenorm(k)

        def integrand(z, polynomial=polynomial):
            return polynomial(z) * stats.norm.pdf(z)

        expected = sum(
            level * integrate.fixed_quad(integrand, a, b, n=200)[0]
            for level, (a, b) in zip(levels, pairwise(ends), strict=True)
        )
        expected /= np.sqrt(special.factorial(k))
        assert column.hermite[k - 1] == pytest.approx(expected, abs=1e-7)


def test_a_column_that_shows_its_variable_whole_is_that_variable():
    whole = score_column(np.random.default_rng(0).normal(size=300).round(2)).hermite
    assert whole.tolist() == [1.0] + [0.0] * (N_HERMITE - 1)


@given(st.lists(st.floats(0.05, 1.0), min_size=2, max_size=7))
def test_scores_of_classes_are_orthonormal_and_span_all_functions_of_them(sizes):
    mass = np.array(sizes) / np.sum(sizes)
    found = class_scores(mass)
    assert found.shape == (len(mass), len(mass) - 1)
    np.testing.assert_allclose(mass @ found, 0.0, atol=1e-10)
    np.testing.assert_allclose((found.T * mass) @ found, np.eye(len(mass) - 1), atol=1e-10)


@given(st.integers(0, 10_000), st.integers(5, 60), st.sampled_from([0, 1, 9]))
def test_polynomials_are_orthonormal(seed, n, digits):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(digits)
    X[rng.random(X.shape) < 0.2] = np.nan
    columns = [score_column(x) for x in X.T]
    normal, ranks = (np.stack([own[k] for own in columns], axis=1) for k in (0, 1))
    present = ~np.isnan(X)
    found = polynomials(normal, ranks, present, 4)
    assert found.shape == (4, n, 3)
    assert not found[:, ~present].any()
    for k, column in enumerate(columns):
        design = found[:, :, k].T
        design = design[:, design.any(axis=0)]
        m = max(present[:, k].sum(), 1)
        np.testing.assert_allclose(design.T @ design / m, np.eye(design.shape[1]), atol=1e-6)
        np.testing.assert_allclose(design.sum(axis=0) / m, 0.0, atol=1e-6)
        assert design.shape[1] <= max(column.n_values - 1, 0)
        if column.n_values > 1:  # the first is the normal score
            np.testing.assert_allclose(
                found[0, :, k], normal[:, k] / np.sqrt((normal[:, k] ** 2).sum() / m), atol=1e-9
            )


def test_bends_are_residuals_of_legendre_polynomials_of_ranks():
    x = np.random.default_rng(3).gamma(2.0, size=200)
    column = score_column(x)
    found = polynomials(column.normal[:, None], column.ranks[:, None], np.ones((200, 1), bool), 4)
    known = [np.ones(200), column.normal]
    for degree in (2, 3, 4):
        bend = special.eval_legendre(degree, 2.0 * column.ranks - 1.0)
        design = np.stack(known, axis=1)
        rest = bend - design @ np.linalg.lstsq(design, bend, rcond=None)[0]
        expected = rest / np.sqrt(np.mean(rest**2))
        np.testing.assert_allclose(found[degree - 1, :, 0], expected, atol=1e-6)
        known.append(bend)


# Scores of whole tables: which columns have which, and what they are


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
