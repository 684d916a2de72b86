"""Copulas of edges: the family that the data come from, with the sample's Kendall's tau."""

import subprocess
import sys

import numpy as np
import pytest

from spinney.copulas import Clayton, Frank, Gaussian, Gumbel, Independence, Student
from spinney.graph.edge_copulas import _candidates, edge_copulas
from spinney.tables import read_table

PAIR = np.array([[0, 1]])
DRAWN = [
    *(Clayton(2.0, rotation=rotation) for rotation in (0, 90, 180, 270)),
    *(Gumbel(2.0, rotation=rotation) for rotation in (0, 90)),
    *(Gaussian(-0.6), Student(0.4, 2.0), Frank(8.0), Frank(-8.0), Independence()),
]


@pytest.mark.parametrize("copula", DRAWN, ids=str)
def test_the_family_is_found_again(copula):
    table = read_table(copula.sample(1500, random_state=3))
    found = edge_copulas(table, PAIR).iloc[0]
    assert (found["family"], found["rotation"]) == (copula.family, copula.rotation)
    np.testing.assert_allclose(found["parameters"], copula.parameters, rtol=0.25)


@pytest.mark.parametrize("tau", [-0.7, -0.02, 0.3, 0.9])
def test_candidates_have_the_taus_of_the_sample(tau):
    u, v = np.random.default_rng(0).uniform(size=(2, 50))
    for copula in _candidates(tau, u, v):
        assert copula.tau == pytest.approx(tau, abs=1e-3)


def test_a_fit_is_that_of_the_family_by_tau():
    u, v = Gumbel(1.7).sample(400, random_state=0).T
    found = edge_copulas(read_table(np.column_stack([u, v])), PAIR).iloc[0]
    expected = Gumbel.fit(u, v, method="tau")
    assert found["family"] == "gumbel"
    np.testing.assert_allclose(found["parameters"], expected.parameters, rtol=1e-6)


def test_nothing_is_compiled():
    code = "import sys, spinney.graph.edge_copulas; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
