"""Reliability against scikit-learn and plain sums."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from spinney._core.pairs import n_pairs, to_matrix, to_pairs
from spinney.exceptions import InputError
from spinney.metrics import expected_calibration_error, reliability, reliability_of_pairs


@st.composite
def claims(draw):
    m = n_pairs(draw(st.integers(2, 8)))
    # Twentieths lie on the edges of bins, where conventions show.
    p = st.one_of(st.floats(0, 1), st.integers(0, 20).map(lambda k: k / 20))
    probabilities = draw(st.lists(p, min_size=m, max_size=m))
    return np.array(probabilities), np.array(draw(st.lists(st.booleans(), min_size=m, max_size=m)))


@given(claims(), st.integers(1, 12))
def test_bins_hold_what_they_say(case, n_bins):
    p, edges = case
    table = reliability(to_matrix(p), to_matrix(edges), n_bins)
    assert len(table) == n_bins
    error = 0.0
    for k, row in enumerate(table.itertuples(index=False)):
        last = k == n_bins - 1
        inside = (p >= row.low) & ((p <= row.high) if last else (p < row.high))
        assert row[2] == inside.sum()
        if inside.any():
            assert row.mean_probability == pytest.approx(p[inside].mean(), abs=1e-12)
            assert row.edge_share == pytest.approx(edges[inside].mean(), abs=1e-12)
            error += abs(p[inside].sum() - edges[inside].sum())
        else:
            assert np.isnan(row.edge_share)
    found = expected_calibration_error(to_matrix(p), to_matrix(edges), n_bins)
    assert found == pytest.approx(error / len(p), abs=1e-12)


def test_the_diagram_agrees_with_scikit_learn(rng):
    p = rng.uniform(size=n_pairs(40))
    edges = rng.uniform(size=p.size) < p**2
    table = reliability(to_matrix(p), to_matrix(edges), 10)
    share, mean = calibration_curve(edges, p, n_bins=10)
    np.testing.assert_allclose(table.edge_share, share, rtol=1e-12)
    np.testing.assert_allclose(table.mean_probability, mean, rtol=1e-12)


def test_true_probabilities_are_calibrated_and_others_are_not(rng):
    p = to_matrix(rng.beta(0.5, 2.0, n_pairs(230)))
    truth = to_matrix(rng.uniform(size=n_pairs(230)) < to_pairs(p))
    # Ten bins of some 2600 pairs: each share is off by about 0.01 by chance.
    assert expected_calibration_error(p, truth) < 0.01
    assert expected_calibration_error(np.sqrt(p), truth) > 0.1


def test_bad_probabilities_are_refused():
    ones = np.ones((2, 2))
    for p, truth, message in [
        (2 * ones, ones, "one is 2"),
        (np.ones((1, 1)), np.ones((1, 1)), "no pairs"),
    ]:
        with pytest.raises(InputError, match=message):
            reliability(p, truth)
    with pytest.raises(InputError, match="n_bins"):
        reliability(ones, ones, n_bins=0)


def test_listed_pairs_are_those_of_matrices_on_the_edges_of_bins_too():
    p = np.linspace(0, 1, 21)  # every edge of every bin
    edges = np.arange(21) % 3 == 0
    pd.testing.assert_frame_equal(
        reliability_of_pairs(p, edges, n_bins=20),
        reliability(to_matrix(p), to_matrix(edges) > 0, n_bins=20),
    )
