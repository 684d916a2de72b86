"""Stability selection against a plain loop, and what it promises as an estimator."""

import pickle
import warnings
from itertools import pairwise

import joblib
import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from spinney import DataWarning, SpinneyError
from spinney.exceptions import InputError
from spinney.models import RootedForests, StabilitySelection
from spinney.models.baselines import ChowLiu, NeighbourhoodSelection, PartialCorrelation
from spinney.models.stability import half_rows, half_seed
from spinney.models.stability_bounds import false_edge_bound, smallest_threshold, votes_needed
from tests.models.baselines.cases import chain
from tests.models.selectors import Correlated, Grumbling, Guess


@pytest.fixture(scope="module")
def frame():
    X = chain(np.random.default_rng(3), 80, 5, coefficient=0.5)
    return pd.DataFrame(X, columns=["a", "b", "c", "d", "e"])


def plain_loop(estimator, X, n_splits, seed):
    """Frequencies by the book, one matrix after the other."""
    both, once = np.zeros((X.shape[1],) * 2), np.zeros((X.shape[1],) * 2)
    for split in range(n_splits):
        graphs = []
        for number in (2 * split, 2 * split + 1):
            model = clone(estimator).set_params(random_state=half_seed(seed, number))
            rows = half_rows(len(X), number, seed)
            graphs.append(model.fit(X[rows]).adjacency_.astype(float))
        once += graphs[0] + graphs[1]
        both += graphs[0] * graphs[1]
    return once / (2 * n_splits), both / n_splits


@given(n=st.integers(8, 300), split=st.integers(0, 6), seed=st.integers(0, 2**64))
def test_halves_are_disjoint_equal_and_leave_out_at_most_one_row(n, split, seed):
    first, second = (half_rows(n, 2 * split + half, seed) for half in (0, 1))
    assert len(first) == len(second) == n // 2
    together = np.union1d(first, second)
    assert len(together) == 2 * (n // 2)
    assert together.min() >= 0
    assert together.max() < n


def test_every_row_is_as_often_in_a_half_as_any_other():
    n, n_splits = 9, 4000
    counts = np.zeros((2, n))
    for number in range(2 * n_splits):
        counts[number % 2, half_rows(n, number, 1)] += 1
    # Binomial(4000, 4/9): a deviation of 31; 18 counts within 4.5 of them.
    np.testing.assert_allclose(counts, n_splits * 4 / 9, atol=142)


def test_seeds_of_halves_differ():
    assert len({half_seed(5, number) for number in range(100)}) == 100


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_frequencies_against_a_plain_loop(frame, noise):
    estimator = Correlated(0.3, noise=noise)
    model = StabilitySelection(estimator, n_splits=12, threshold=0.7, random_state=4).fit(frame)
    once, both = plain_loop(estimator, frame.to_numpy(), 12, 4)
    np.testing.assert_allclose(model.edge_frequencies_, once, rtol=1e-12)
    np.testing.assert_allclose(model.simultaneous_frequencies_, both, rtol=1e-12)
    np.testing.assert_array_equal(model.adjacency_, once >= 17 / 24 - 1e-9)
    assert model.threshold_ == 17 / 24
    q = once[np.triu_indices(5, 1)].sum()
    assert model.mean_n_edges_ == pytest.approx(q)
    assert model.expected_false_edges_ == false_edge_bound(model.mean_n_edges_, 10, 17 / 24, 12)
    # Otherwise the test above would pass for any threshold.
    assert ((once > 0) & (once < 1)).sum() > 0


def test_attributes_agree_with_each_other(frame):
    model = StabilitySelection(Correlated(0.35), n_splits=10).fit(frame)
    chosen = np.where(model.adjacency_, model.edge_frequencies_, 0)
    np.testing.assert_array_equal(model.edge_weights_, chosen)
    np.testing.assert_array_equal(model.edge_ranking_, model.edge_frequencies_)
    assert list(model.feature_names_in_) == list(frame.columns)
    twice = model.simultaneous_frequencies_
    assert (twice <= model.edge_frequencies_ + 1e-12).all()
    assert (twice >= 2 * model.edge_frequencies_ - 1 - 1e-12).all()


@pytest.mark.parametrize(
    "estimator",
    [ChowLiu(), NeighbourhoodSelection(0.2, rule="and"), PartialCorrelation("bonferroni")],
    ids=lambda estimator: type(estimator).__name__,
)
def test_a_chain_is_recovered(estimator):
    X = chain(np.random.default_rng(11), 400, 8)
    model = StabilitySelection(estimator, n_splits=25, max_false_edges=1.0).fit(X)
    assert {(i, i + 1) for i in range(7)} == {
        (i, j) for i, j in np.argwhere(np.triu(model.adjacency_))
    }


@pytest.mark.slow
def test_a_model_over_forests_recovers_a_chain():
    X = chain(np.random.default_rng(11), 200, 5)
    model = StabilitySelection(RootedForests(), n_splits=5, threshold=0.9).fit(X)
    np.testing.assert_array_equal(model.adjacency_, nx.to_numpy_array(nx.path_graph(5)) > 0)


LOKY = pytest.param("loky", marks=pytest.mark.slow)  # its processes take seconds to start


class Telling(Correlated):
    """Keep the parameters that the fits on halves had."""

    seen: list = []  # noqa: RUF012  (shared on purpose, by all clones)

    def fit(self, X, y=None):
        self.seen.append((len(X), self.n_jobs, self.progress, self.random_state, type(X)))
        return super().fit(X)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_clones_get_seeds_and_one_thread_beside_others(frame, n_jobs):
    Telling.seen.clear()
    inner = Telling(n_jobs=3, progress=True, random_state=8)
    with joblib.parallel_config("threading"):
        StabilitySelection(inner, n_splits=4, n_jobs=n_jobs).fit(frame)
    whole = [row for row in Telling.seen if row[0] == 80]
    halves = [row for row in Telling.seen if row[0] == 40]
    assert whole == [(80, 3, True, 8, pd.DataFrame)]
    assert {row[1] for row in halves} == {3 if n_jobs == 1 else 1}
    assert {row[2] for row in halves} == {False}
    assert {row[3] for row in halves} == {half_seed(0, number) for number in range(8)}
    assert {row[4] for row in halves} == {pd.DataFrame}


def test_bounds_hold_on_average_over_independent_tables():
    """Blind picks are the worst that is allowed, and independent columns a real case of it."""
    rng = np.random.default_rng(17)
    false, bounds, plain = [], [], []
    for table in range(60):
        X = rng.normal(size=(40, 8))
        # About half of the pairs of a half are beyond 0.17, so that some get through.
        model = StabilitySelection(
            Correlated(0.17), n_splits=8, threshold=0.8, refit=False, random_state=table
        ).fit(X)
        false.append(np.triu(model.adjacency_).sum())
        bounds.append(model.expected_false_edges_)
        plain.append(false_edge_bound(model.mean_n_edges_, 28, 0.8, 8, "none"))
    # A bound of any size would pass the other half.
    assert 0.05 * np.mean(bounds) < np.mean(false) <= np.mean(bounds) <= np.mean(plain)
    assert model.set_params(assumption="none").fit(X).expected_false_edges_ == plain[-1]


def test_blind_guesses_get_what_the_binomial_says():
    # 300 pairs, 60 picked each time: a vote is Bernoulli(0.2), 8 votes of 10 are rare.
    X = np.random.default_rng(0).normal(size=(20, 25))
    model = StabilitySelection(Guess(60), n_splits=100, refit=False).fit(X)
    assert model.mean_n_edges_ == 60
    frequencies = model.edge_frequencies_[np.triu_indices(25, 1)]
    assert frequencies.mean() == pytest.approx(0.2)
    assert frequencies.std() == pytest.approx((0.2 * 0.8 / 200) ** 0.5, rel=0.2)
    assert not model.adjacency_.any()


def test_threshold_follows_the_number_of_false_edges_that_is_allowed(frame):
    found = [
        StabilitySelection(Correlated(0.3), n_splits=20, max_false_edges=limit).fit(frame)
        for limit in (4.0, 2.0, 1.0)
    ]
    assert found[0].threshold_ < found[1].threshold_ < found[2].threshold_
    for model, limit in zip(found, (4.0, 2.0, 1.0), strict=True):
        assert model.expected_false_edges_ <= limit
        below = model.threshold_ - 1 / 40
        assert below <= 0.5 or false_edge_bound(model.mean_n_edges_, 10, below, 20) > limit


def test_a_limit_that_cannot_be_kept_is_said(frame):
    model = StabilitySelection(Correlated(0.0), n_splits=3, max_false_edges=0.5)
    with pytest.warns(DataWarning, match=r"selects 10 of 10 pairs.*bound is 10\."):
        model.fit(frame)
    assert model.threshold_ == 1.0
    assert model.adjacency_.sum() == 20


def test_the_fit_to_all_rows_is_kept_if_wanted(frame):
    model = StabilitySelection(ChowLiu(), n_splits=3).fit(frame)
    alone = ChowLiu().fit(frame)
    np.testing.assert_array_equal(model.estimator_.score_samples(frame), alone.score_samples(frame))
    model.set_params(refit=False).fit(frame)
    assert not hasattr(model, "estimator_")


def test_nested_parameters_clones_and_pickles(frame):
    model = StabilitySelection(Correlated(), n_splits=4).set_params(estimator__limit=0.4)
    assert model.get_params()["estimator__limit"] == 0.4
    model.fit(frame)
    assert model.estimator_ is not model.estimator
    assert not hasattr(model.estimator, "adjacency_")
    for other in (
        clone(model).fit(frame.to_numpy()),
        pickle.loads(pickle.dumps(model)),
        clone(model).set_params(random_state=np.int64(0)).fit(frame),
    ):
        np.testing.assert_array_equal(model.edge_frequencies_, other.edge_frequencies_)


def test_a_generator_as_seed_moves_on(frame):
    def fits(seed):
        rng = np.random.default_rng(seed)
        model = StabilitySelection(Correlated(noise=0.3), n_splits=5, random_state=rng)
        return [model.fit(frame).edge_frequencies_ for _ in range(2)]

    first, second = fits(1), fits(1)
    np.testing.assert_array_equal(first, second)
    assert (first[0] != first[1]).any()


@pytest.mark.parametrize("backend", ["sequential", LOKY, "threading", "multiprocessing"])
def test_warnings_of_a_kind_are_shown_once_with_their_number(frame, backend):
    model = StabilitySelection(Grumbling(0.3), n_splits=6, refit=False)
    n_jobs = 1 if backend == "sequential" else 2
    with joblib.parallel_config(backend, n_jobs=n_jobs), pytest.warns() as all_caught:
        model.fit(frame)
    caught = [w for w in all_caught if "use of fork() may lead" not in str(w.message)]
    assert [w.category for w in caught] == [ConvergenceWarning]
    assert str(caught[0].message).startswith("ConvergenceWarning 12 times in 12 fits")
    assert caught[0].filename == __file__
    assert hasattr(model, "graph_")


def test_a_warning_that_is_ignored_stays_ignored(frame):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        StabilitySelection(Grumbling(0.3), n_splits=2).fit(frame)


class Failing(Correlated):
    """Raise `limit` on one half."""

    def fit(self, X, y=None):
        if self.random_state == half_seed(0, 5):
            raise self.limit("no luck")
        return Correlated().fit(X)


@pytest.mark.parametrize(("cause", "kind"), [(ValueError, InputError), (KeyError, SpinneyError)])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_failure_names_the_half_and_the_cause(frame, cause, kind, n_jobs):
    text = rf"Failing failed on the second half of split 3 of 5 \(40 rows\): {cause.__name__}"
    with pytest.raises(kind, match=text), joblib.parallel_config("threading"):
        StabilitySelection(Failing(cause), n_splits=5, n_jobs=n_jobs).fit(frame)


def test_an_estimator_without_a_graph_is_named(frame):
    class Nothing(Correlated):
        def fit(self, X, y=None):
            return self

    with pytest.raises(SpinneyError, match=r"Nothing failed on the first half.*adjacency_"):
        StabilitySelection(Nothing(), n_splits=2).fit(frame)


def test_a_column_that_is_constant_within_a_half_is_named(frame):
    rare = frame.assign(rare=np.arange(80) == 5)
    with pytest.raises(InputError, match=r"\w+ half of split 1 of 9 .* 'rare' is constant"):
        StabilitySelection(ChowLiu(), n_splits=9).fit(rare)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_splits": 0}, "'n_splits' parameter .* Got 0"),
        ({"n_splits": 2.5}, "'n_splits' parameter"),
        ({"threshold": 0.5}, r"'threshold' parameter .* Got 0.5"),
        ({"threshold": "high"}, "'threshold' parameter"),
        ({"max_false_edges": 0}, "'max_false_edges' parameter"),
        ({"assumption": "normal"}, "'assumption' parameter"),
        ({"random_state": -1}, "not negative"),
        ({"estimator": 3}, "'estimator' parameter"),
        ({"checkpoint": "x", "random_state": None}, "Set random_state to a whole number"),
    ],
)
def test_bad_parameters_are_named(frame, change, message):
    with pytest.raises(InputError, match=message):
        StabilitySelection(Correlated()).set_params(**change).fit(frame)


def test_seven_rows_are_too_few(frame):
    with pytest.raises(InputError, match=r"n_samples = 7\); at least 8 are needed"):
        StabilitySelection(Correlated()).fit(frame[:7])
    assert StabilitySelection(Correlated(), n_splits=2).fit(frame[:8]).n_features_in_ == 5


def test_a_bar_is_shown_on_request(frame, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then takes what captures output for a terminal
    StabilitySelection(Correlated(), n_splits=2).fit(frame)
    assert capsys.readouterr().err == ""
    StabilitySelection(Correlated(), n_splits=2, progress=True).fit(frame)
    assert "half of the rows" in capsys.readouterr().err


# Bounds on the number of false edges, against enumeration of what they bound


ASSUMPTIONS = ["none", "unimodal"]


def largest_unimodal_tail(mean, start, n):
    """Largest P(X >= start/n) over unimodal X on 0, 1/n, … 1 with E X <= mean: linear programs."""
    points = np.arange(n + 1) / n
    best = 0.0
    for mode in range(n + 1):
        rises = np.zeros((n, n + 1))
        for k in range(n):  # f(k) <= f(k+1) before the mode, >= from it on
            sign = 1.0 if k < mode else -1.0
            rises[k, k], rises[k, k + 1] = sign, -sign
        found = linprog(
            -(np.arange(n + 1) >= start).astype(float),
            A_ub=np.vstack([rises, points]),
            b_ub=np.append(np.zeros(n), mean),
            A_eq=np.ones((1, n + 1)),
            b_eq=[1.0],
        )
        assert found.status in (0, 2)  # 2: with so small a mean the mode cannot be so high
        best = max(best, -found.fun if found.status == 0 else 0.0)
    return best


@pytest.mark.parametrize("n_splits", [4, 10, pytest.param(20, marks=pytest.mark.slow)])
@pytest.mark.parametrize("theta", [0.05, 0.2, 0.4])
def test_unimodal_constant_against_linear_programs(n_splits, theta):
    p = 1000
    q = theta * p
    for votes in range(n_splits + 2, 2 * n_splits + 1):
        # Each pair of chance θ is twice selected with chance θ²; p of them give q²/p in the mean.
        claimed = false_edge_bound(q, p, votes / (2 * n_splits), n_splits) / p
        exact = largest_unimodal_tail(theta**2, votes - n_splits, n_splits)
        assert exact <= claimed * (1 + 1e-9)
        if theta <= 0.2:  # the theorem holds at all thresholds, and is sharp
            np.testing.assert_allclose(exact, claimed, rtol=1e-6)


def test_markov_bound_is_attained_by_two_points():
    # X = 0 or 2τ - 1 is the extreme distribution of Markov's inequality.
    theta, tau, p = 0.1, 0.8, 500
    two_points = theta**2 / (2 * tau - 1)
    bound = false_edge_bound(theta * p, p, tau, 50, "none")
    assert bound == pytest.approx(p * two_points, rel=1e-12)


@pytest.mark.parametrize(
    ("q", "p", "threshold", "expected"),
    [
        (2, 9, 0.75, 0.454),  # the README of R's stabs, to its three digits: 4/9 / (2 · 0.49)
        (10, 100, 0.9, 4 * 0.11 / 1.02),
        (10, 100, 0.6, 1 / (2 * 0.19)),
    ],
)
def test_unimodal_bound_by_hand(q, p, threshold, expected):
    assert false_edge_bound(q, p, threshold, 50) == pytest.approx(expected, abs=5e-4)


@given(
    q=st.floats(0.1, 150.0), n_splits=st.integers(2, 12), assumption=st.sampled_from(ASSUMPTIONS)
)
def test_bounds_fall_with_the_threshold_and_with_stronger_assumptions(q, n_splits, assumption):
    grid = [votes / (2 * n_splits) for votes in range(n_splits + 1, 2 * n_splits + 1)]
    bounds = [false_edge_bound(q, 300, tau, n_splits, assumption) for tau in grid]
    assert all(b <= a * (1 + 1e-9) for a, b in pairwise(bounds))
    weaker = ASSUMPTIONS[max(ASSUMPTIONS.index(assumption) - 1, 0)]
    plain = [false_edge_bound(q, 300, tau, n_splits, weaker) for tau in grid]
    assert all(b <= a * (1 + 1e-12) for a, b in zip(plain, bounds, strict=True))


@given(
    q=st.floats(0.1, 290.0),
    limit=st.floats(0.01, 100.0),
    n_splits=st.integers(1, 60),
    assumption=st.sampled_from(["none", "unimodal"]),
)
def test_smallest_threshold_against_trying_all(q, limit, n_splits, assumption):
    grid = [votes / (2 * n_splits) for votes in range(n_splits + 1, 2 * n_splits + 1)]
    within = [t for t in grid if false_edge_bound(q, 300, t, n_splits, assumption) <= limit]
    expected = min(within, default=None)
    assert smallest_threshold(limit, q, 300, n_splits, assumption) == expected


def test_thresholds_between_two_frequencies_count_as_the_upper_one():
    assert false_edge_bound(5, 100, 0.741, 50) == false_edge_bound(5, 100, 0.75, 50)
    assert [votes_needed(k / 100, 50) for k in range(51, 101)] == list(range(51, 101))


def test_nothing_selected_has_no_false_edge():
    assert [false_edge_bound(0.0, 10, 0.6, 5, name) for name in ASSUMPTIONS] == [0.0, 0.0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"threshold": 0.5}, "threshold in"),
        ({"q": 11.0}, "all 10 pairs"),
        ({"n_splits": 0}, "At least one split"),
        ({"assumption": "bimodal"}, "assumption must be"),
    ],
)
def test_bad_arguments_of_bounds_are_named(change, message):
    arguments = {"q": 2.0, "p": 10, "threshold": 0.7, **change}
    with pytest.raises(InputError, match=message):
        false_edge_bound(**arguments)
