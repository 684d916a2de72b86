"""The extended BIC by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spinney.models.selection import extended_bic


def test_by_hand():
    # 2·120 + 7·log 50 + 4·7·½·log 25 = 240 + 7·3.912023 + 14·3.218876
    found = extended_bic(-120.0, 7, n_samples=50, n_nodes=25, gamma=0.5)
    assert found == pytest.approx(240 + 27.384161 + 45.064262, abs=2e-6)
    assert found == extended_bic(-120.0, 7, 50, 25)  # ½ is the default


@given(st.floats(-1e6, 1e6), st.integers(0, 500), st.integers(1, 10_000), st.integers(1, 100))
def test_without_gamma_it_is_the_bic(log_likelihood, n_edges, n, d):
    bic = n_edges * np.log(n) - 2 * log_likelihood
    assert extended_bic(log_likelihood, n_edges, n, d, gamma=0.0) == pytest.approx(bic)


@given(st.integers(1, 500), st.integers(2, 100), st.floats(0.0, 1.0), st.floats(0.01, 1.0))
def test_gamma_makes_edges_dearer(n_edges, d, gamma, more):
    low, high = (extended_bic(-1.0, n_edges, 100, d, g) for g in (gamma, gamma + more))
    assert high - low == pytest.approx(4 * n_edges * more * np.log(d))
    assert extended_bic(-1.0, 0, 100, d, gamma) == 2.0
