"""Forests of levels: exact tables against enumeration, and rows against exact probabilities."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from spinney.exceptions import InputError
from spinney.simulate import ising_forest, potts_forest
from tests.simulate.enumerated import joint, margin, walsh

SIMULATORS = {
    "ising": lambda n, d, k, seed: ising_forest(n, d, k, seed),
    "potts": lambda n, d, k, seed: potts_forest(n, d, k, (2, 3), seed),
}


@pytest.fixture(params=SIMULATORS)
def simulator(request):
    return SIMULATORS[request.param]


@pytest.mark.parametrize("seed", range(5))
def test_pair_tables_are_the_margins_of_the_enumerated_forest(simulator, seed):
    data = simulator(1, 5, 2, seed)
    p = joint(data)
    assert p.sum() == pytest.approx(1, abs=1e-12)
    assert set(data.pair_tables) == set(zip(*np.nonzero(np.triu(data.adjacency)), strict=True))
    for (u, v), table in data.pair_tables.items():
        assert table.min() > 0
        np.testing.assert_allclose(margin(p, u, v), table, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))  # in some of them, parents have larger numbers
def test_rows_have_the_enumerated_frequencies(simulator, seed):
    data = simulator(40_000, 4, 1, seed)
    p = joint(data)
    counts = np.zeros(p.shape)
    np.add.at(counts, tuple(data.X.astype(int).T), 1)
    assert stats.chisquare(counts.ravel(), 40_000 * p.ravel()).pvalue > 1e-3


@pytest.mark.parametrize("seed", range(5))
def test_an_ising_forest_has_couplings_on_its_edges_and_nothing_of_higher_order(seed):
    """The Walsh transform of log p gives fields, couplings, and what an Ising model has not."""
    data = ising_forest(1, 5, 2, seed, strength=(0.2, 0.5))
    coefficients = walsh(np.log(joint(data)))
    signs = []
    for members in product((0, 1), repeat=5):
        nodes = np.flatnonzero(members)
        if len(nodes) == 2 and data.adjacency[tuple(nodes)]:
            assert 0.2 <= abs(np.tanh(coefficients[members])) <= 0.5
            signs.append(np.sign(coefficients[members]))
        elif len(nodes) >= 2:
            assert coefficients[members] == pytest.approx(0, abs=1e-12)
    assert len(signs) == 3


def test_couplings_have_both_signs_and_margins_differ():
    data = ising_forest(1, 25, random_state=0)
    tables = data.pair_tables.values()
    ratios = [t[0, 0] * t[1, 1] / (t[0, 1] * t[1, 0]) for t in tables]
    assert 5 < sum(ratio > 1 for ratio in ratios) < 19
    ones = [t[1].sum() for t in tables]
    assert 0.25 <= min(ones) < 0.35
    assert 0.65 < max(ones) <= 0.75


@pytest.mark.parametrize("seed", range(3))
def test_a_potts_forest_has_the_information_and_the_levels_that_were_asked_for(seed):
    data = potts_forest(500, 25, 2, (3, 5), seed, strength=(0.06, 0.25))
    information = []
    for table in data.pair_tables.values():
        p, q = table.sum(axis=1), table.sum(axis=0)
        assert min(p.min(), q.min()) >= 0.3 / 4.3
        information.append(stats.entropy(table.ravel(), np.outer(p, q).ravel()))
    assert 0.06 - 1e-8 <= min(information) < 0.12
    assert 0.19 < max(information) <= 0.25 + 1e-8
    assert {len(np.unique(x)) for x in data.X.T} == {3, 4, 5}
    assert set(data.kinds) == {"nominal"}


def test_wrong_wishes_get_one_sentence():
    with pytest.raises(InputError, match="strength must be two numbers with 0 < low"):
        ising_forest(10, 5, strength=(0.0, 0.5))
    with pytest.raises(InputError, match="share must be two numbers"):
        ising_forest(10, 5, share=(0.5, 1.0))
    with pytest.raises(InputError, match="fewest levels must be a whole number of at least 2"):
        potts_forest(10, 5, levels=(1, 3))
    with pytest.raises(InputError, match="most levels must be a whole number of at least 4"):
        potts_forest(10, 5, levels=(4, 3))
    with pytest.raises(InputError, match="do not reach a mutual information of 3 nats"):
        potts_forest(10, 5, strength=(3.0, 3.0), random_state=0)
