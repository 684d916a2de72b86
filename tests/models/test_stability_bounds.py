"""Bounds on the number of false edges, against enumeration of what they bound."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from spinney.exceptions import InputError
from spinney.models.stability_bounds import (
    false_edge_bound,
    smallest_threshold,
    votes_needed,
)

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
    q=st.floats(0.1, 150.0),
    n_splits=st.integers(2, 12),
    assumption=st.sampled_from(ASSUMPTIONS),
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
def test_bad_arguments_are_named(change, message):
    arguments = {"q": 2.0, "p": 10, "threshold": 0.7, **change}
    with pytest.raises(InputError, match=message):
        false_edge_bound(**arguments)
