"""Sampling down forests: against h-functions, Kendall's tau and the simulator's own descent."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats
from sklearn.exceptions import NotFittedError
from tests.pairs.copulas.cases import MODERATE
from tests.pairs.worlds import FITTED, Copulas

from spinney import forests
from spinney._core.pairs import pair_nodes
from spinney.exceptions import InputError
from spinney.pairs.copulas import (
    BB1,
    FAMILIES,
    Clayton,
    Frank,
    Gaussian,
    Gumbel,
    Joe,
    PairCopulas,
    Student,
    sample_down,
)
from spinney.simulate import copula_forest
from spinney.simulate._streams import stream

EVERY_KIND = [copula for copula in MODERATE if not isinstance(copula, BB1)]


def with_copulas(d, copulas):
    """Fitted potentials whose copulas are put in by hand; pairs left out are independent."""
    return Copulas(d, copulas).copulas_


@pytest.mark.parametrize("copula", EVERY_KIND, ids=str)
@pytest.mark.parametrize("parents", [[-1, 0], [1, -1]], ids=["down", "up"])
def test_a_pair_follows_its_copula(copula, parents):
    potentials = with_copulas(2, {(0, 1): copula})
    U = sample_down(potentials, np.tile(parents, (3000, 1)), random_state=7)
    assert U.min() > 0
    assert U.max() < 1
    u, v = U.T
    # By Rosenblatt's transform (u, h(v | u)) are independent uniforms, and so the other way round.
    for transformed in ((u, copula.hfunc(u, v)), (v, copula.hfunc(u, v, given="v"))):
        for part in transformed:
            assert stats.kstest(part, "uniform").pvalue > 1e-3
        assert stats.kendalltau(*transformed).pvalue > 1e-3
    assert stats.kendalltau(u, v).statistic == pytest.approx(copula.tau, abs=0.05)


@pytest.mark.parametrize("copula", [copula for copula in EVERY_KIND if copula.tau != 0.0], ids=str)
def test_the_uniformity_check_can_fail(copula):
    """The wrong orientation or sign of a copula would not pass the test above."""
    potentials = with_copulas(2, {(0, 1): copula})
    U = sample_down(potentials, np.tile([-1, 0], (3000, 1)), random_state=7)
    h = copula.hfunc(1 - U[:, 0], U[:, 1])
    values = stats.kstest(h, "uniform").pvalue, stats.kendalltau(U[:, 0], h).pvalue
    assert min(values) < 1e-3


def test_equal_to_the_simulator_where_all_rows_share_a_forest():
    copulas = {
        (0, 1): Clayton(2.0, 90),
        (1, 2): Gumbel(1.7, 270),
        (1, 3): Student(-0.5, 3.0),
        (2, 5): Frank(-6.0),
        (4, 6): Joe(2.0, 90),
        (3, 7): Gaussian(0.8),
    }
    data = copula_forest(500, 8, random_state=5, copulas=copulas)
    parents = np.array([-1, 0, 1, 1, -1, 2, 4, 3])  # hung from their smallest nodes, as there
    drawn = sample_down(
        with_copulas(8, copulas), np.tile(parents, (500, 1)), random_state=stream(5, "data")
    )
    np.testing.assert_allclose(special.ndtri(drawn), data.X, atol=1e-9)


@st.composite
def forests_and_copulas(draw):
    d = draw(st.integers(2, 7))
    pairs = list(zip(*pair_nodes(d), strict=True))
    copulas = {pair: draw(st.sampled_from(EVERY_KIND)) for pair in pairs}
    n = draw(st.integers(1, 12))
    parents = np.full((n, d), -1)
    for row in range(n):
        order = draw(st.permutations(range(d)))
        for place in range(1, d):
            above = draw(st.integers(-1, place - 1))
            parents[row, order[place]] = -1 if above < 0 else order[above]
    return copulas, parents, draw(st.integers(0, 2**32))


@given(forests_and_copulas())
@settings(max_examples=60)
def test_h_functions_give_the_uniforms_back(case):
    copulas, parents, seed = case
    n, d = parents.shape
    potentials = with_copulas(d, copulas)
    U = sample_down(potentials, parents, random_state=seed)
    P = np.random.default_rng(seed).uniform(size=(n, d))
    for row, child in np.ndindex(n, d):
        parent = parents[row, child]
        if parent < 0:
            assert U[row, child] == P[row, child]
        else:
            copula = potentials.copula(int(parent), child)  # turned so that the parent is first
            back = copula.hfunc(U[row, parent], U[row, child])
            # Rounding in U is magnified by the density, which is large in corners.
            slack = 1e-9 + 1e-14 * copula.pdf(U[row, parent], U[row, child])
            assert back == pytest.approx(P[row, child], abs=slack)


def test_rows_may_have_forests_of_their_own():
    """Every row its own random tree: each pair that is joined has its copula's tau."""
    copulas = {(0, 1): Clayton(3.0, 90), (0, 2): Gaussian(0.7), (1, 2): Gumbel(2.0, 180)}
    potentials = with_copulas(3, copulas)
    drawn = forests.sample(np.ones((3, 3)), 1.0, 20_000, random_state=2)
    U = sample_down(potentials, drawn.parents, random_state=3)
    adjacency = drawn.adjacency
    for (u, v), copula in copulas.items():
        joined = adjacency[:, u, v]
        tau = stats.kendalltau(U[joined, u], U[joined, v]).statistic
        assert tau == pytest.approx(copula.tau, abs=0.03)
    alone = ~adjacency.any(axis=(1, 2))
    assert stats.kendalltau(U[alone, 0], U[alone, 1]).pvalue > 1e-3


def test_one_seed_one_result():
    potentials = with_copulas(4, {(0, 1): Gaussian(0.5), (1, 2): Frank(4.0), (2, 3): Joe(2.0)})
    parents = forests.sample(np.ones((4, 4)), 0.5, 50, random_state=0).parents
    one = sample_down(potentials, parents, random_state=3)
    potentials.n_jobs = 2
    np.testing.assert_array_equal(one, sample_down(potentials, parents, random_state=3))
    assert (one != sample_down(potentials, parents, random_state=4)).any()


def test_extreme_strength_stays_inside():
    strongest = [
        FAMILIES[name](*(high for _, high in FAMILIES[name].fit_bounds.values()))
        for name in FITTED
        if name != "independence"
    ]
    copulas = {(k, k + 1): copula for k, copula in enumerate(strongest)}
    d = len(copulas) + 1
    potentials = with_copulas(d, copulas)
    U = sample_down(potentials, np.tile(np.arange(d) - 1, (2000, 1)), random_state=0)
    assert np.isfinite(U).all()
    assert U.min() > 0
    assert U.max() < 1


def test_no_rows_and_bad_requests():
    potentials = with_copulas(3, {})
    assert sample_down(potentials, np.empty((0, 3), dtype=int)).shape == (0, 3)
    with pytest.raises(InputError, match=r"row 1 form a cycle.*\[1, 0, -1\]"):
        sample_down(potentials, [[-1, 0, 1], [1, 0, -1]])
    with pytest.raises(InputError, match="row 0 form a cycle"):
        sample_down(potentials, [[0, -1, -1]])
    with pytest.raises(InputError, match=r"parents\[0, 2\] is 3"):
        sample_down(potentials, [[-1, 0, 3]])
    with pytest.raises(InputError, match=r"shape \(n, 3\)"):
        sample_down(potentials, [[-1, 0]])
    with pytest.raises(InputError, match="float64"):
        sample_down(potentials, [[-1.0, 0.0, 1.0]])
    with pytest.raises(NotFittedError):
        sample_down(PairCopulas(), [[-1, 0]])
