"""Shrunk tables: against enumeration, sequential prediction and scipy."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import gammaln, logsumexp
from tests.pairs.cells.plain import (
    log_bayes_factors,
    log_sequence_probability,
    shrunk_log_ratio,
)

from spinney.pairs.cells.dirichlet import MIXTURE, shrink_table

tables = st.integers(2, 5).flatmap(
    lambda columns: st.lists(
        st.lists(st.integers(0, 30), min_size=columns, max_size=columns), min_size=2, max_size=5
    )
)


def counts_of(sequence, size):
    return np.bincount(sequence, minlength=size)


def test_probabilities_of_all_sequences_sum_to_one():
    a = np.array([0.3, 1.2, 0.05, 2.0])
    total = sum(
        np.exp(log_sequence_probability(counts_of(s, 4), a)) for s in product(range(4), repeat=5)
    )
    assert total == pytest.approx(1.0, rel=1e-12)


def test_a_sequence_is_the_product_of_its_predictions():
    a, sequence = np.array([0.3, 1.2, 0.05, 2.0]), [0, 2, 2, 1, 3, 0, 0]
    seen, log_p = np.zeros(4), 0.0
    for x in sequence:
        log_p += np.log((a[x] + seen[x]) / (a.sum() + seen.sum()))
        seen[x] += 1
    assert log_sequence_probability(seen, a) == pytest.approx(log_p, rel=1e-12)


def test_sequence_probability_is_that_of_scipy_over_the_number_of_orders():
    a, n = np.array([0.7, 3.0, 1.1]), np.array([4, 0, 9])
    orders = gammaln(n.sum() + 1) - gammaln(n + 1).sum()
    expected = stats.dirichlet_multinomial.logpmf(n, a, n.sum()) - orders
    assert log_sequence_probability(n, a) == pytest.approx(expected, rel=1e-10)


def test_a_bayes_factor_is_one_on_average_over_what_independence_draws():
    """Sum of P(sequence | dependence) over all 2 x 3 tables of five rows, via the factor."""
    alpha, rows, columns = 2.5, np.array([0.4, 0.6]), np.array([0.2, 0.3, 0.5])
    total = 0.0
    for sequence in product(range(6), repeat=5):
        n = counts_of(sequence, 6).reshape(2, 3)
        apart = log_sequence_probability(n.sum(axis=1), alpha * rows)
        apart += log_sequence_probability(n.sum(axis=0), alpha * columns)
        joint = log_sequence_probability(n, alpha * np.outer(rows, columns))
        total += np.exp(apart) * np.exp(joint - apart)
    assert total == pytest.approx(1.0, rel=1e-12)


def test_factors_compare_three_dirichlet_multinomials_of_scipy():
    n = np.array([[12, 3, 5], [2, 9, 4]])
    m = n.sum()
    rows, columns = n.sum(axis=1), n.sum(axis=0)

    def sequence(counts, alpha):
        counts = counts.ravel()
        orders = gammaln(m + 1) - gammaln(counts + 1).sum()
        return stats.dirichlet_multinomial.logpmf(counts, alpha.ravel(), m) - orders

    for alpha in (0.5, 8.0, 300.0):
        expected = sequence(n, alpha * np.outer(rows, columns) / m**2)
        expected -= sequence(rows, alpha * rows / m) + sequence(columns, alpha * columns / m)
        assert log_bayes_factors(n, [alpha])[0] == pytest.approx(expected, rel=1e-9)


def test_the_joint_prior_has_the_margins_that_independence_takes():
    """P(n_a) under the joint model is Dirichlet-multinomial with the summed concentrations."""
    alpha = 3.0 * np.outer([0.3, 0.7], [0.6, 0.4])
    target = np.array([1, 3])
    log_p = [
        stats.dirichlet_multinomial.logpmf([k, 1 - k, l, 3 - l], alpha.ravel(), 4)
        for k in range(2)
        for l in range(4)  # noqa: E741  # a count
    ]
    expected = stats.dirichlet_multinomial.logpmf(target, alpha.sum(axis=1), 4)
    assert logsumexp(log_p) == pytest.approx(expected, rel=1e-10)


def test_a_large_concentration_is_independence():
    n = [[12, 3, 5], [2, 9, 4]]
    assert np.abs(shrunk_log_ratio(n, [1e7])[0]).max() < 1e-5
    five, six = log_bayes_factors(n, [1e5, 1e6])
    assert five == pytest.approx(10 * six, rel=1e-3)  # falls like one over the concentration


@given(tables)
def test_margins_are_those_of_the_counts(table):
    n = np.array(table, dtype=float)
    if n.sum() == 0:
        return
    log_w, _ = shrunk_log_ratio(n, MIXTURE)
    rows, columns = n.sum(axis=1) / n.sum(), n.sum(axis=0) / n.sum()
    np.testing.assert_allclose(np.exp(log_w)[rows > 0] @ columns, 1.0, rtol=1e-12)
    np.testing.assert_allclose(rows @ np.exp(log_w)[:, columns > 0], 1.0, rtol=1e-12)
    assert (log_w[rows == 0] == 0).all()
    assert (log_w[:, columns == 0] == 0).all()


@given(tables)
def test_kernel_equals_the_plain_way(table):
    n = np.array(table, dtype=float)
    if n.sum() == 0:
        return
    log_w = np.empty(n.shape)
    log_factor = shrink_table(n, np.array(MIXTURE), log_w)
    plain_w, plain_factor = shrunk_log_ratio(n, MIXTURE)
    assert log_factor == pytest.approx(plain_factor, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(log_w, plain_w, rtol=1e-9, atol=1e-9)


def test_a_mixture_predicts_as_its_sequence_probabilities_say(rng):
    """The mixture's p_ab are ratios of its marginal likelihoods with one row more."""
    n = rng.integers(1, 15, (2, 3)).astype(float)
    m, alphas = n.sum(), np.array([1.0, 4.0, 32.0])
    rows, columns = n.sum(axis=1) / m, n.sum(axis=0) / m
    prior = np.outer(rows, columns)

    def evidence(counts, margins):
        return np.array(
            [
                log_sequence_probability(counts, a * prior)
                # Divided by the margins of the table itself, as posterior weights are.
                - log_sequence_probability(margins.sum(axis=1), a * rows)
                - log_sequence_probability(margins.sum(axis=0), a * columns)
                for a in alphas
            ]
        )

    before = logsumexp(evidence(n, n))
    w = np.exp(shrunk_log_ratio(n, alphas)[0])
    for a, b in product(range(2), range(3)):
        one_more = n.copy()
        one_more[a, b] += 1
        p = np.exp(logsumexp(evidence(one_more, n)) - before)
        assert w[a, b] * rows[a] * columns[b] == pytest.approx(p, rel=1e-10)
