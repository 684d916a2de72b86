"""Selection rules against plain loops."""

import threading
import warnings

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

from spinney.exceptions import DataWarning, InputError
from spinney.models.baselines import (
    EBIC,
    CrossValidation,
    FixedPenalty,
    GraphicalLasso,
    NeighbourhoodSelection,
    RotationInformation,
    Stars,
    glasso_path,
    penalty_path,
)
from spinney.models.baselines.rules import PathProblem
from tests.conftest import blas_threads
from tests.models.baselines.cases import chain


def correlation(Z):
    return np.corrcoef(Z.T)


def problem(X, seed=0, solve=glasso_path, n_jobs=None):
    S = correlation(X)
    path = solve(S, penalty_path(S))
    return PathProblem(X, X, correlation, solve, path, np.random.default_rng(seed), n_jobs)


@pytest.fixture
def table(rng):
    return chain(rng, 60, 8)


def test_stars_by_hand():
    shares = np.array([0.0, 0.25, 0.5, 1.0])
    frequencies = np.zeros((4, 3, 3))
    frequencies[:, 0, 1] = frequencies[:, 1, 0] = shares  # of the other two pairs, none
    penalties = np.array([0.4, 0.3, 0.2, 0.1])
    variability = [0.0, 0.25, 1 / 3, 0.0]  # 4·¼·¾/3 and 4·½·½/3
    for threshold, penalty in [(0.1, 0.4), (0.25, 0.4), (0.3, 0.3), (0.5, 0.1)]:
        choice = Stars(threshold).choose_by_frequencies(penalties, frequencies)
        assert choice.penalty == penalty
        np.testing.assert_allclose(choice.criterion, variability, atol=1e-15)


def test_stars_frequencies_against_a_plain_loop(table):
    choice = Stars(0.9, n_subsamples=6, subsample_ratio=0.5).choose(problem(table, seed=4))
    rng = np.random.default_rng(4)
    penalties = penalty_path(correlation(table))
    total = 0.0
    for _ in range(6):
        rows = rng.choice(60, size=30, replace=False)
        total = total + glasso_path(correlation(table[rows]), penalties).adjacency
    np.testing.assert_array_equal(choice.frequencies, total / 6)


def test_a_stricter_threshold_never_gives_more_edges(table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the strictest finds none, and says so
        edges = [
            GraphicalLasso(selection=Stars(threshold)).fit(table).adjacency_.sum()
            for threshold in (0.02, 0.05, 0.1, 0.3)
        ]
    assert edges == sorted(edges)
    assert edges[0] < edges[-1]


def near_copies(d, n=200, tau=0.95):
    """A table whose first two columns nearly determine each other; the others are noise."""
    X = np.random.default_rng(0).normal(size=(n, d))
    r = np.sin(np.pi / 2 * tau)
    X[:, 1] = r * X[:, 0] + np.sqrt(1 - r**2) * X[:, 1]
    return X


@pytest.mark.parametrize("estimator", [GraphicalLasso, NeighbourhoodSelection])
def test_stars_says_why_it_finds_no_edge_among_few_columns(estimator):
    # At the first penalty of the path the one strong edge is in half of the subsamples.
    with pytest.warns(DataWarning, match=r"no edge.*0\.17 already.*threshold is 0\.1"):
        model = estimator().fit(near_copies(4))
    assert not model.adjacency_.any()
    assert 0.3 < model.path_frequencies_[0, 0, 1] < 0.7
    assert (model.path_frequencies_[1:, 0, 1] == 1.0).all()


@pytest.mark.parametrize("rule", [Stars(0.17), "ebic", "cv", "ric"])
def test_what_stars_advises_finds_the_edge(rule):
    assert GraphicalLasso(selection=rule).fit(near_copies(4)).adjacency_[0, 1]


def test_stars_finds_the_edge_among_many_columns_without_a_word():
    assert sorted(GraphicalLasso().fit(near_copies(10)).graph_.edges) == [("x0", "x1")]


def test_ebic_against_scipy(table):
    it = problem(table)
    choice = EBIC(gamma=0.5).choose(it)
    Z = (table - table.mean(axis=0)) / table.std(axis=0)
    expected = []
    for precision in it.path.precisions:
        edges = np.count_nonzero(np.triu(precision, 1))
        density = multivariate_normal(np.zeros(8), np.linalg.inv(precision)).logpdf(Z)
        gain = (density - norm.logpdf(Z).sum(axis=1)).sum()
        expected.append(-2 * gain + edges * np.log(60) + 4 * 0.5 * edges * np.log(8))
    np.testing.assert_allclose(choice.criterion, expected, rtol=1e-8)
    assert choice.penalty == it.path.penalties[np.argmin(expected)]


def test_cross_validation_against_scipy(table):
    it = problem(table, seed=3)
    choice = CrossValidation(4).choose(it)
    fold = np.random.default_rng(3).permutation(np.arange(60) % 4)
    expected = np.zeros(len(it.path))
    for k in range(4):
        training, rest = table[fold != k], table[fold == k]
        Z = (rest - training.mean(axis=0)) / training.std(axis=0)
        path = glasso_path(correlation(training), it.path.penalties)
        for m, precision in enumerate(path.precisions):
            W = np.linalg.inv(precision)
            W /= np.sqrt(np.outer(np.diag(W), np.diag(W)))
            density = multivariate_normal(np.zeros(8), W).logpdf(Z)
            expected[m] += (density - norm.logpdf(Z).sum(axis=1)).sum() / 60
    np.testing.assert_allclose(choice.criterion, expected, rtol=1e-8)
    assert choice.penalty == it.path.penalties[np.argmax(expected)]


def test_rotation_information_against_a_plain_loop(table):
    choice = RotationInformation(5).choose(problem(table, seed=2))
    shifts = np.random.default_rng(2).permutation(np.arange(1, 60))[:5]
    largest = []
    for shift in shifts:
        rotated = np.vstack([table[shift:], table[:shift]])
        pairs = [(i, j) for i in range(8) for j in range(8) if i != j]
        largest.append(max(abs(np.corrcoef(rotated[:, i], table[:, j])[0, 1]) for i, j in pairs))
    np.testing.assert_allclose(choice.criterion, largest, rtol=1e-10)
    assert choice.penalty == pytest.approx(min(largest), rel=1e-12)


@pytest.mark.parametrize("selection", ["stars", "ebic", "cv", "ric"])
@pytest.mark.parametrize("dependence", ["shrinkage", "spearman", "kendall"])
def test_the_nonparanormal_does_not_see_the_margins(table, selection, dependence):
    bent = np.sinh(table) * np.arange(1, 9)
    one, other = (GraphicalLasso(selection, dependence).fit(X) for X in (table, bent))
    np.testing.assert_allclose(one.criterion_, other.criterion_, rtol=1e-9)
    np.testing.assert_array_equal(one.adjacency_, other.adjacency_)


@pytest.mark.parametrize("penalties", [None, [0.4, 0.3, 0.2]])
def test_a_penalty_between_points_of_the_path_is_solved_for(table, penalties):
    model = GraphicalLasso(selection=0.234, penalties=penalties).fit(table)
    assert penalties is None or model.path_.penalties.tolist() == penalties
    assert model.penalty_ == 0.234
    expected = glasso_path(model.correlation_, [0.234]).precisions[0]
    np.testing.assert_allclose(model.precision_, expected, atol=1e-5)


@pytest.mark.parametrize("selection", ["ebic", "cv", EBIC(0.0)])
def test_likelihood_rules_are_refused_where_there_is_none(table, selection):
    with pytest.raises(InputError, match="needs a likelihood"):
        NeighbourhoodSelection(selection=selection).fit(table)


@pytest.mark.parametrize("selection", ["aic", None, Stars, -0.1])
def test_unknown_rules_are_refused(table, selection):
    with pytest.raises(InputError, match="'selection' parameter of GraphicalLasso must be"):
        GraphicalLasso(selection=selection).fit(table)


@pytest.mark.parametrize(
    ("rule", "arguments"),
    [
        (Stars, {"threshold": 0.0}),
        (Stars, {"n_subsamples": 1}),
        (Stars, {"n_subsamples": 2.5}),
        (Stars, {"subsample_ratio": 1.5}),
        (EBIC, {"gamma": -1.0}),
        (CrossValidation, {"n_folds": 1}),
        (RotationInformation, {"n_rotations": 0}),
        (FixedPenalty, {"penalty": 0.0}),
        (FixedPenalty, {"penalty": np.inf}),
        (CrossValidation, {"n_folds": 2.5}),
    ],
)
def test_senseless_settings_are_refused(rule, arguments):
    with pytest.raises(InputError, match=str(next(iter(arguments.values())))):
        rule(**arguments)


# How many threads a baseline uses: no more than it was told


def watched(estimator):
    """Make an estimator note where its paths are solved: which threads, and BLAS's number."""
    seen = []
    solve = estimator._solve

    def noted(S, penalties):
        seen.append((threading.get_ident(), blas_threads()))
        return solve(S, penalties)

    estimator._solve = noted
    return estimator, seen


@pytest.mark.parametrize("kind", [GraphicalLasso, NeighbourhoodSelection])
@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_no_more_threads_than_asked_for(two_blas_threads, kind, n_jobs):
    estimator, seen = watched(kind(selection=Stars(0.9), n_jobs=n_jobs))
    estimator.fit(chain(np.random.default_rng(0), 60, 5))
    assert len(seen) == 21  # all rows, and twenty subsamples
    threads = {thread for thread, _ in seen[1:]}
    assert len(threads) <= (n_jobs or 1)
    if n_jobs != 2:
        assert threads == {threading.get_ident()}
    assert {n for _, n in seen} == ({2} if n_jobs is None else {1})
    assert blas_threads() == 2  # as it was


def test_an_error_gives_the_threads_back(two_blas_threads):
    with pytest.raises(InputError, match="needs a likelihood"):
        NeighbourhoodSelection("ebic", n_jobs=1).fit(chain(np.random.default_rng(0), 60, 5))
    assert blas_threads() == 2


def test_no_threads_are_refused():
    with pytest.raises(InputError, match="n_jobs must be a number of threads"):
        GraphicalLasso(n_jobs=0).fit(chain(np.random.default_rng(0), 60, 5))
