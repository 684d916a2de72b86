"""The GPU against the processor, where there is one."""

import numpy as np
import pytest

from spinney import PairCopulas
from spinney._core.pairs import pair_nodes
from spinney.judge import Judge
from spinney.pairs.copulas.kendall import kendall_tau_of_pairs
from spinney.pairs.margins import pseudo_observations
from spinney.scale.gpu.device import simulated, why_no_cuda

WHY = "the GPU is simulated" if simulated() else why_no_cuda(("numba-cuda", "torch"))
pytestmark = pytest.mark.skipif(WHY is not None, reason=str(WHY))


@pytest.fixture(scope="module")
def table():
    """Chains of ten columns; every second chain has heavy tails, some columns are negated."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(150, 40))
    for k in range(40):
        if k % 10:
            X[:, k] = 0.8 * X[:, k - 1] + 0.6 * X[:, k]
    X[:, :10] /= np.sqrt(rng.chisquare(3, size=(150, 1)) / 3)
    X[:, 20:30] = np.abs(X[:, 20:30])
    return pseudo_observations(X * np.where(rng.uniform(size=40) < 0.3, -1.0, 1.0))


@pytest.mark.parametrize(
    ("families", "criterion"), [("default", "cv"), (["clayton", "joe"], "bic"), (["frank"], "aic")]
)
def test_pair_copulas(table, families, criterion):
    options = {"families": families, "criterion": criterion}
    here = PairCopulas(**options).fit(table)
    there = PairCopulas(**options, device="cuda").fit(table)
    np.testing.assert_array_equal(there.sample_tau_, here.sample_tau_)
    same = (there.family_ == here.family_) & (there.rotation_ == here.rotation_)
    assert same.mean() > 0.999  # but for ties within rounding
    for name in ("parameters_", "fold_parameters_"):
        there_own, here_own = getattr(there, name)[same], getattr(here, name)[same]
        np.testing.assert_allclose(there_own, here_own, rtol=1e-9, atol=1e-9)
    for name in ("held_out_", "log_likelihood_"):
        there_own, here_own = getattr(there, name)[same], getattr(here, name)[same]
        np.testing.assert_allclose(there_own, here_own, rtol=1e-9, atol=1e-9)
    if same.all():
        np.testing.assert_allclose(
            there.log_density(table), here.log_density(table), rtol=0, atol=1e-7
        )


def test_two_runs_are_equal_to_the_bit(table):
    first, second = (PairCopulas(device="cuda").fit(table) for _ in range(2))
    for name in ("parameters_", "fold_parameters_", "held_out_", "log_likelihood_", "criterion_"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))


def test_listed_pairs(table):
    wanted = np.arange(3, 780, 7)
    here = PairCopulas().fit(table, pairs=wanted, compact=True)
    there = PairCopulas(device="cuda").fit(table, pairs=wanted, compact=True)
    assert there.family_.tolist() == here.family_.tolist()
    np.testing.assert_allclose(
        there.log_density(table, wanted[::2]), here.log_density(table, wanted[::2]), atol=1e-7
    )


def test_tau_to_the_bit_with_ties(table):
    pairs = pair_nodes(40)
    rounded = np.round(table, 1)
    for values in (table, rounded):
        there = kendall_tau_of_pairs(values, *pairs, "cuda")
        np.testing.assert_array_equal(there, kendall_tau_of_pairs(values, *pairs, "cpu"))


def test_judge():
    judge = Judge.load()
    rng = np.random.default_rng(0)
    even = rng.normal(size=(780, judge.n_even))
    odd = rng.normal(size=(780, judge.n_odd))
    np.testing.assert_allclose(
        judge.logits(even, odd, device="cuda"), judge.logits(even, odd), rtol=0, atol=1e-4
    )
