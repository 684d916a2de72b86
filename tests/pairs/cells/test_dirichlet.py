"""Shrunk tables: against scipy's Dirichlet-multinomial, and what the formulas promise."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp
from tests.pairs.cells.plain import log_sequence_probability, shrunk_log_ratio

from spinney.pairs.cells import dirichlet
from spinney.pairs.cells.dirichlet import MIXTURE, shrink_tables

tables = (
    st.integers(2, 5)
    .flatmap(
        lambda columns: st.lists(
            st.lists(st.integers(0, 30), min_size=columns, max_size=columns), min_size=2, max_size=5
        )
    )
    .map(lambda table: np.array(table, dtype=float))
)
tables = tables.filter(lambda n: n.sum() > 0)


@given(tables)
def test_tables_equal_the_plain_way(n):
    log_w, log_factor = shrink_tables(n)
    plain_w, plain_factor = shrunk_log_ratio(n, MIXTURE)
    assert log_factor == pytest.approx(plain_factor, rel=1e-9, abs=1e-9)
    np.testing.assert_allclose(log_w, plain_w, rtol=1e-9, atol=1e-9)


def test_several_tables_at_once_are_those_one_by_one(rng):
    several = rng.integers(0, 9, (4, 3, 2)).astype(float)
    several[1] = 0.0
    log_w, factors = shrink_tables(several)
    for one, w, factor in zip(several, log_w, factors, strict=True):
        alone = shrink_tables(one)
        np.testing.assert_allclose(w, alone[0], atol=1e-13)
        assert factor == pytest.approx(alone[1], abs=1e-12)
    assert not log_w[1].any()


def test_a_large_concentration_is_independence(monkeypatch):
    n = np.array([[12.0, 3.0, 5.0], [2.0, 9.0, 4.0]])

    def shrunk(alpha):
        monkeypatch.setattr(dirichlet, "MIXTURE", (alpha,))
        return shrink_tables(n)

    assert np.abs(shrunk(1e7)[0]).max() < 1e-5
    # It falls like one over the concentration.
    assert shrunk(1e5)[1] == pytest.approx(10 * shrunk(1e6)[1], rel=1e-3)


@given(tables)
def test_margins_are_those_of_the_counts(n):
    log_w, _ = shrink_tables(n)
    rows, columns = n.sum(axis=1) / n.sum(), n.sum(axis=0) / n.sum()
    np.testing.assert_allclose(np.exp(log_w)[rows > 0] @ columns, 1.0, rtol=1e-12)
    np.testing.assert_allclose(rows @ np.exp(log_w)[:, columns > 0], 1.0, rtol=1e-12)
    assert (log_w[rows == 0] == 0).all()
    assert (log_w[:, columns == 0] == 0).all()


def test_a_mixture_predicts_as_its_sequence_probabilities_say(rng):
    """The mixture's p_ab are ratios of its marginal likelihoods with one row more."""
    n = rng.integers(1, 15, (2, 3)).astype(float)
    rows, columns = n.sum(axis=1) / n.sum(), n.sum(axis=0) / n.sum()
    prior = np.outer(rows, columns)

    def evidence(counts):
        return np.array(
            [
                log_sequence_probability(counts, a * prior)
                # Divided by the margins of the table itself, as posterior weights are.
                - log_sequence_probability(n.sum(axis=1), a * rows)
                - log_sequence_probability(n.sum(axis=0), a * columns)
                for a in MIXTURE
            ]
        )

    before = logsumexp(evidence(n))
    w = np.exp(shrink_tables(n)[0])
    for a, b in product(range(2), range(3)):
        one_more = n.copy()
        one_more[a, b] += 1
        p = np.exp(logsumexp(evidence(one_more)) - before)
        assert w[a, b] * rows[a] * columns[b] == pytest.approx(p, rel=1e-9)
