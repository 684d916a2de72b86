"""The coupling of two groups: EM against enumeration, brute force and its own promises."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.optimize import minimize
from scipy.special import logit, logsumexp

from spinney.graph import differences
from spinney.graph.differences import compare_strengths, couple

probabilities = arrays(float, st.integers(3, 12), elements=st.floats(0.001, 0.999)).flatmap(
    lambda first: st.tuples(
        st.just(first), arrays(float, len(first), elements=st.floats(0.001, 0.999))
    )
)


def enumerated(first, second, shares, density):
    """Posterior of all pairs by going through the four states of each, with plain numbers."""
    rows = []
    for p, q in zip(first, second, strict=True):
        ratios = [
            (value / (1 - value)) / (base / (1 - base))
            for value, base in zip((p, q), density, strict=True)
        ]
        weights = [
            shares[k] * ratios[0] ** a * ratios[1] ** b
            for k, (a, b) in enumerate(((0, 0), (1, 0), (0, 1), (1, 1)))
        ]
        rows.append([weight / sum(weights) for weight in weights])
    return np.array(rows)


def log_posterior(shares, first, second):
    """What the shares are to make largest: the evidence of all pairs and the Dirichlet prior."""
    density = np.clip(np.mean([first, second], axis=1), 0.5 / (len(first) + 1), None)
    ratios = [logit(p) - logit(q) for p, q in zip((first, second), density, strict=True)]
    states = np.array([0.0 * ratios[0], ratios[0], ratios[1], ratios[0] + ratios[1]])
    mean = density.mean()
    alone = 0.02 * mean * (1 - mean)
    prior = 10 * np.array([1 - mean - alone, alone, alone, mean - alone])
    return logsumexp(states.T + np.log(shares), axis=1).sum() + prior @ np.log(shares)


@given(probabilities)
def test_posterior_is_that_of_enumeration_with_the_estimated_shares(both):
    found = couple(*both)
    expected = enumerated(*both, found.shares, found.density)
    np.testing.assert_allclose(found.posterior, expected, rtol=1e-9)
    np.testing.assert_allclose(found.posterior.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(found.differs, expected[:, 1] + expected[:, 2], rtol=1e-9)


def test_with_nothing_but_the_prior_one_edge_in_fifty_is_a_group_s_own():
    """A prior of many pairs decides alone: its shares come out as they are told."""
    density = 0.3
    found = couple([density] * 40, [density] * 40, prior_pairs=1e12)
    assert found.shares[1:].sum() == pytest.approx(density + found.shares[2], rel=1e-6)
    # Beyond what chance gives, at most the pairs of graphs that know nothing of each other.
    independent = density * (1 - density)
    np.testing.assert_allclose(found.shares[1:3], 0.02 * independent, rtol=1e-6)
    apart = couple([density] * 40, [density] * 40, prior_pairs=1e12, prior_own=1.0)
    np.testing.assert_allclose(apart.shares[1:3], independent, rtol=1e-6)
    np.testing.assert_allclose(apart.differs, 2 * independent, rtol=1e-6)


@given(probabilities)
def test_exchanging_the_groups_exchanges_the_states(both):
    there, back = couple(*both), couple(*both[::-1])
    np.testing.assert_allclose(there.posterior, back.posterior[:, [0, 2, 1, 3]], rtol=1e-6)


def test_em_never_lowers_the_posterior(monkeypatch):
    rng = np.random.default_rng(0)
    first, second = rng.beta(0.3, 0.9, size=(2, 40)).clip(0.001, 0.999)
    seen = []
    for steps in range(1, 40):
        monkeypatch.setattr(differences, "MOST_STEPS", steps)
        seen.append(log_posterior(couple(first, second).shares, first, second))
    assert np.diff(seen).min() >= -1e-9
    assert seen[-1] > seen[0] + 0.1  # it had somewhere to go


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_em_finds_what_a_general_optimiser_finds(seed):
    rng = np.random.default_rng(seed)
    first = rng.beta(0.3, 0.9, size=60).clip(0.001, 0.999)
    second = np.where(rng.uniform(size=60) < 0.8, first, rng.beta(0.3, 0.9, 60)).clip(0.001, 0.999)

    def loss(free):
        logs = np.append(free, 0.0)
        shares = np.exp(logs - logs.max())
        return -log_posterior(shares / shares.sum(), first, second)

    best = minimize(loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-9})
    found = couple(first, second)
    assert -log_posterior(found.shares, first, second) <= best.fun + 1e-6
    logs = np.append(best.x, 0.0)
    np.testing.assert_allclose(found.shares, np.exp(logs) / np.exp(logs).sum(), atol=1e-4)


@given(probabilities)
def test_independent_shares_would_give_back_the_product(both):
    """The formula of the module: with independent shares nothing is gained from the other group."""
    first, second = both
    density = np.array([first.mean(), second.mean()])
    a, b = density
    independent = [(1 - a) * (1 - b), a * (1 - b), (1 - a) * b, a * b]
    posterior = enumerated(first, second, independent, density)
    product = first * (1 - second) + second * (1 - first)
    np.testing.assert_allclose(posterior[:, 1] + posterior[:, 2], product, rtol=1e-9)


def test_groups_that_agree_make_doubtful_pairs_alike_and_groups_that_do_not_leave_them():
    sure = np.r_[np.full(30, 0.99), np.full(170, 0.01)]
    doubtful = np.r_[sure, 0.6], np.r_[sure, 0.99]
    alike = couple(*doubtful).differs[-1]
    product = 0.6 * 0.01 + 0.4 * 0.99
    assert alike < 0.1 * product
    apart = couple(np.r_[sure, 0.6], np.r_[np.roll(sure, 60), 0.99]).differs[-1]
    assert apart > 0.5 * product


def test_coupling_is_calibrated_where_its_assumptions_hold():
    """Evidence drawn from the model itself: of pairs with 0.3, three in ten differ."""
    rng = np.random.default_rng(1)
    shares = np.array([0.86, 0.03, 0.03, 0.08])
    states = rng.choice(4, size=40_000, p=shares)
    truth = np.array([[0, 1, 0, 1], [0, 0, 1, 1]])[:, states]
    # Scores of edges and others are normal, so their log ratios are known.
    scores = rng.normal(size=truth.shape) + 2.0 * truth
    density = shares[[1, 3]].sum()
    odds = density / (1 - density) * np.exp(2.0 * scores - 2.0)
    P = odds / (1 + odds)
    found = couple(*P)
    np.testing.assert_allclose(found.shares, shares, atol=0.008)
    differ = truth[0] != truth[1]
    for low, high in ((0.05, 0.1), (0.1, 0.3), (0.3, 0.6), (0.6, 1.0)):
        inside = (found.differs > low) & (found.differs <= high)
        error = 4 * np.sqrt(0.25 / inside.sum())
        assert abs(differ[inside].mean() - found.differs[inside].mean()) < error
    assert abs(found.differs.sum() - differ.sum()) < 0.05 * differ.sum()
    product = P[0] * (1 - P[1]) + P[1] * (1 - P[0])
    assert product.sum() > 1.5 * differ.sum()  # what the coupling is for


def test_unknown_pairs_stay_unknown_and_change_nothing():
    first, second = np.array([0.9, 0.1, 0.2]), np.array([0.8, 0.3, 0.1])
    with_gap = couple(np.r_[first, np.nan], np.r_[second, 0.9])
    assert np.isnan(with_gap.posterior[3]).all()
    np.testing.assert_array_equal(with_gap.posterior[:3], couple(first, second).posterior)
    nothing = couple([np.nan], [0.5])
    assert np.isnan(nothing.differs).all()


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_certain_pairs_and_empty_graphs_have_finite_answers(value):
    found = couple([value] * 4, [value] * 3 + [1.0 - value])
    assert np.isfinite(found.posterior).all()
    assert found.differs[3] > found.differs[0]


def test_strength_z_is_standard_normal_where_partial_correlations_are_equal():
    """Against simulation: chains of three columns, the middle one held fixed."""
    rng = np.random.default_rng(0)
    n, repetitions = (60, 120), 2000

    def partial(size):
        X = rng.normal(size=(repetitions, size, 3))
        X[..., 1] += 0.8 * X[..., 0]
        X[..., 2] += 0.8 * X[..., 1]
        K = np.linalg.inv(np.array([np.cov(x.T) for x in X]))
        return -K[:, 0, 1] / np.sqrt(K[:, 0, 0] * K[:, 1, 1])

    r = partial(n[0]), partial(n[1])
    errors = tuple(np.full(repetitions, (size - 1 - 3) ** -0.5) for size in n)
    difference, z = compare_strengths(r, errors)
    np.testing.assert_array_equal(difference, r[1] - r[0])
    assert abs(z.mean()) < 0.1
    assert abs(z.std() - 1.0) < 0.06
    assert 0.03 < (np.abs(z) > 1.96).mean() < 0.07
