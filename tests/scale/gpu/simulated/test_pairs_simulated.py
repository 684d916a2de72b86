"""Pair copulas by the kernels of the GPU, against the processor's."""

import numpy as np
import pytest

from spinney import PairCopulas
from spinney._core.pairs import pair_nodes
from spinney.pairs.copulas.kendall import kendall_tau_of_pairs
from spinney.pairs.margins import pseudo_observations


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(18, 3)).cumsum(axis=1)
    X[:, 2] *= -1
    return pseudo_observations(X)


@pytest.mark.parametrize(
    ("families", "criterion"),
    [
        (["gaussian", "student"], "cv"),
        (["clayton", "frank"], "cv"),
        (["clayton", "gaussian"], "bic"),
    ],
)
def test_fits_and_log_densities(table, families, criterion):
    U = table[:, [0, 2]]
    options = {"families": families, "criterion": criterion, "cv": 2, "df_grid": (2.0, 4.0, 9.0)}
    here = PairCopulas(**options).fit(U)
    there = PairCopulas(**options, device="cuda").fit(U)
    assert there.family_.tolist() == here.family_.tolist()
    assert there.rotation_.tolist() == here.rotation_.tolist()
    for name in ("parameters_", "fold_parameters_", "held_out_", "log_likelihood_", "criterion_"):
        expected = getattr(here, name)
        np.testing.assert_allclose(getattr(there, name), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(there.log_density(U), here.log_density(U), rtol=0, atol=1e-11)
    np.testing.assert_allclose(
        there.cross_fitted_log_density_, here.cross_fitted_log_density_, rtol=0, atol=1e-11
    )


def test_some_pairs_only(table):
    U = table
    options = {"families": ["gaussian"], "cv": 2}
    here = PairCopulas(**options).fit(U, pairs=[0, 2], compact=True)
    there = PairCopulas(**options, device="cuda").fit(U, pairs=[0, 2], compact=True)
    np.testing.assert_allclose(there.parameters_, here.parameters_, rtol=1e-9)
    np.testing.assert_allclose(
        there.log_density(U, [2, 1]), here.log_density(U, [2, 1]), rtol=0, atol=1e-11
    )


def test_tau_with_and_without_ties_to_the_bit():
    values = np.random.default_rng(0).integers(0, 6, size=(15, 4)).astype(float)
    values[:, 0] = np.arange(15)
    values[:, 1] = np.random.default_rng(1).permutation(15)
    pairs = pair_nodes(4)
    there = kendall_tau_of_pairs(values, *pairs, "cuda")
    np.testing.assert_array_equal(there, kendall_tau_of_pairs(values, *pairs, "cpu"))
