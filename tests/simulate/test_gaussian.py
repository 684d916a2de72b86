"""Gaussian data have the graph they claim."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney._core.pairs import to_pairs
from spinney.exceptions import InputError
from spinney.simulate import (
    gaussian,
    gaussian_mrf,
    grid_graph,
    hub_graph,
    independent,
    precision_matrix,
    random_graph,
)


def partial_correlations(X):
    """Of a table, by the inverse of its covariance."""
    P = np.linalg.inv(np.cov(X, rowvar=False))
    return -P / np.sqrt(np.outer(P.diagonal(), P.diagonal()))


@pytest.mark.parametrize("components", [1, 2])
@pytest.mark.parametrize("method", ["signs", "huge"])
def test_partial_correlations_vanish_off_the_graph(method, components):
    n = 40_000
    data = gaussian_mrf(n, 25, 2, components, random_state=3, method=method)
    # Fisher's transform of a partial correlation that is zero is normal to a good approximation.
    z = np.arctanh(to_pairs(partial_correlations(data.X))) * np.sqrt(n - 25 - 1)
    edge = to_pairs(data.adjacency) != 0
    assert np.abs(z[~edge]).max() < 4.2  # 275 draws: passed once in 140 times by chance
    assert np.std(z[~edge]) == pytest.approx(1.0, abs=0.2)
    assert np.abs(z[edge]).min() > 15


@settings(max_examples=30)
@given(st.integers(2, 30), st.integers(0, 10**6), st.sampled_from(["signs", "huge"]))
def test_precision_matrices_carry_the_graph_and_unit_variances(d, seed, method):
    graph = random_graph(d, 2 * (d - 1) / d, random_state=seed)
    P = precision_matrix(graph, method, seed)
    np.testing.assert_array_equal(P, P.T)
    np.testing.assert_array_equal((P != 0) & ~np.eye(d, dtype=bool), graph)
    np.testing.assert_allclose(np.linalg.inv(P).diagonal(), 1.0, rtol=1e-9)


def test_the_smallest_eigenvalue_is_lifted_and_signs_are_mixed():
    graph = random_graph(25, 4, random_state=1)
    P = precision_matrix(graph, "signs", 1, strength=(0.5, 1.0), smallest=0.1)
    # Before the scaling the diagonal was constant, so the scaling can be undone.
    scale = np.sqrt(P.diagonal())
    raw = P / np.outer(scale, scale)  # unit diagonal: raw / c, c the constant
    eigenvalues = np.linalg.eigvalsh(raw)
    off = np.abs(raw[graph])
    c = 0.1 / eigenvalues[0]
    assert off.min() * c >= 0.5
    assert off.max() * c <= 1.0
    assert 10 < (P[graph] > 0).sum() / 2 < 40


def test_huge_s_way_agrees_with_its_formula():
    A = grid_graph(3, 3)
    omega = 0.3 * A + (np.abs(np.linalg.eigvalsh(0.3 * A)).max() + 0.2) * np.eye(9)
    sigma = np.linalg.inv(omega)
    sigma /= np.sqrt(np.outer(sigma.diagonal(), sigma.diagonal()))
    found = np.linalg.inv(precision_matrix(A, "huge", v=0.3, u=0.1))
    np.testing.assert_allclose(found, sigma, atol=1e-9)  # eigenvalue rounded to 1e-10


def test_covariance_of_a_sample_is_the_inverse_of_the_precision():
    data = gaussian(60_000, hub_graph(12, 2, 0), random_state=5)
    expected = np.linalg.inv(data.precision)
    np.testing.assert_allclose(np.cov(data.X, rowvar=False), expected, atol=0.03)
    np.testing.assert_allclose(data.X.mean(axis=0), 0.0, atol=0.02)


def test_the_default_strength_is_what_the_docstring_says():
    def information(P):
        return 0.5 * np.linalg.slogdet(P)[1]  # unit variances

    found = [information(gaussian_mrf(4, random_state=s).precision) for s in range(40)]
    assert np.mean(found) == pytest.approx(5.4, abs=0.3)


def test_the_factorisation_agrees_with_numpy():
    from spinney.simulate.gaussian import _cholesky, _solve_transposed

    P = precision_matrix(random_graph(20, 5, random_state=0), random_state=0)
    L = _cholesky(P)
    np.testing.assert_allclose(L, np.linalg.cholesky(P), atol=1e-13)
    np.testing.assert_allclose(_solve_transposed(L, np.eye(20)), np.linalg.inv(L.T), atol=1e-11)


def test_independent_columns():
    data = independent(20_000, 10, random_state=0)
    assert data.n_edges == 0
    assert data.n_components == 10
    r = to_pairs(np.corrcoef(data.X, rowvar=False))
    assert np.abs(r).max() * np.sqrt(20_000) < 3.7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "eigen"}, "'signs' or 'huge'"),
        ({"strength": (0.0, 1.0)}, "0 < low <= high"),
        ({"smallest": 0.0}, "smallest must be positive"),
        ({"method": "huge", "v": 0.0}, "v must not be 0"),
    ],
)
def test_impossible_options_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        gaussian_mrf(10, random_state=0, **options)
    with pytest.raises(InputError, match="symmetric"):
        gaussian(10, [[0, 1], [0, 0]])
