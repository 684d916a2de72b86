"""Normal scores against R huge, rank correlations against scipy."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from spinney.exceptions import InputError
from spinney.models.baselines import GraphicalLasso, nonparanormal_scores, rank_correlation
from spinney.models.baselines.scores import DEPENDENCE, correlation_of, normal_scores
from tests.data.huge_tables import small_table
from tests.models.baselines.cases import oracle


def test_scores_equal_those_of_huge():
    expected = oracle()["small"]["shrinkage"]
    np.testing.assert_allclose(nonparanormal_scores(small_table()), expected, atol=1e-8)


def test_skeptic_correlation_equals_that_of_huge():
    expected = np.array(oracle()["small"]["skeptic"])
    assert np.linalg.eigvalsh(expected)[0] > 0  # else ours would rightly differ
    np.testing.assert_allclose(rank_correlation(small_table(), "spearman"), expected, atol=1e-12)


def test_rank_correlations_against_scipy():
    X = small_table()
    spearman = rank_correlation(X, "spearman")
    kendall = rank_correlation(X, "kendall")
    rho = stats.spearmanr(X[:, 1], X[:, 2]).statistic
    tau = stats.kendalltau(X[:, 1], X[:, 2]).statistic
    assert spearman[1, 2] == pytest.approx(2 * np.sin(np.pi / 6 * rho), rel=1e-12)
    assert kendall[1, 2] == pytest.approx(np.sin(np.pi / 2 * tau), rel=1e-12)


@given(seed=st.integers(0, 10**6), statistic=st.sampled_from(["spearman", "kendall"]))
def test_rank_correlations_are_correlation_matrices(seed, statistic):
    X = np.random.default_rng(seed).normal(size=(6, 8))  # fewer rows than columns
    S = rank_correlation(X, statistic)
    assert np.linalg.eigvalsh(S)[0] > -1e-12
    np.testing.assert_array_equal(np.diag(S), 1.0)
    np.testing.assert_array_equal(S, S.T)
    assert np.abs(S).max() <= 1.0 + 1e-12


@pytest.mark.parametrize("name", DEPENDENCE)
def test_a_column_without_variation_is_correlated_with_none(rng, name):
    X = rng.normal(size=(12, 3))
    X[:, 1] = 4.0  # as may happen in a subsample
    S = correlation_of(X, name)
    np.testing.assert_allclose(S[1], [0.0, 1.0, 0.0], atol=1e-15)


def test_the_model_sees_standardised_scores_of_ranks_or_for_pearson_the_table():
    X = small_table()
    scores = nonparanormal_scores(X)
    expected = (scores - scores.mean(axis=0)) / scores.std(axis=0)
    for name in ("shrinkage", "spearman", "kendall"):
        np.testing.assert_allclose(normal_scores(X, name), expected, atol=1e-12)
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    np.testing.assert_allclose(normal_scores(X, "pearson"), standard, rtol=1e-12)


def test_frames_stay_frames_and_names_are_checked():
    frame = pd.DataFrame(small_table(), columns=list("abcd"), index=np.arange(20) + 7)
    scores = nonparanormal_scores(frame)
    assert list(scores.columns) == list("abcd")
    assert scores.index.equals(frame.index)
    with pytest.raises(InputError, match="'dependence' parameter"):
        GraphicalLasso(dependence="distance").fit(frame)
