"""Pairs with levels: against plain maximum likelihood by differences of distribution functions."""

import numpy as np
import pytest

from spinney._pairs import pair_nodes
from spinney.copulas import FAMILIES, Clayton, Frank, Gaussian, PairCopulas
from spinney.copulas.base import flips_of
from tests.copulas.levels_cases import log_w, plain_fit, pseudo

ONE_PARAMETER = ["gaussian", "clayton", "gumbel", "frank"]


@pytest.fixture(scope="module")
def numbers():
    """Six columns: three dependent pairs of different families, and what follows from mixing."""
    rng = np.random.default_rng(11)
    blocks = [
        Gaussian(-0.6).sample(260, rng),
        Clayton(1.5, 180).sample(260, rng),
        Frank(4.0).sample(260, rng),
    ]
    X = np.hstack(blocks)
    X[:, 2] += 0.3 * X[:, 0]
    X[:, 4] -= 0.3 * X[:, 3]
    return X


@pytest.fixture(scope="module")
def table(numbers):
    return pseudo(numbers, [4, 0, 3, 7, 0, 2])


@pytest.fixture(scope="module")
def fitted(table):
    return PairCopulas(ONE_PARAMETER).fit(table)


def plausible(family, rotation, tau):
    flip_u, flip_v = flips_of(rotation)
    return FAMILIES[family].rotations == (0,) or (flip_u != flip_v) == (tau < 0)


def bounds(family, tau):
    if family in ("clayton", "gumbel"):
        return {"low": 1e-3 + (family == "gumbel"), "high": 12.0}
    low, high = (-0.95, 0.95) if family == "gaussian" else (-25.0, 25.0)
    return {"low": 1e-3, "high": high} if tau > 0 else {"low": low, "high": -1e-3}


@pytest.mark.parametrize("pair", range(15))
def test_likelihoods_equal_the_plain_maximum(table, fitted, pair):
    i, j = (int(nodes[pair]) for nodes in pair_nodes(6))
    tau = fitted.sample_tau_[pair]
    for column, family in enumerate(fitted.families_):
        found = fitted.log_likelihood_[pair, column]
        if family == "independence":
            assert found == 0.0
            continue
        best = max(
            log_w(plain_fit(family, rotation, table, i, j, **bounds(family, tau)), table, i, j).sum()
            for rotation in FAMILIES[family].rotations
            if plausible(family, rotation, tau)
        )
        assert found == pytest.approx(best, abs=1e-4), family
