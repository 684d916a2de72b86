"""Copula forests: families are recovered, marks along paths are right."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from spinney import PairCopulas
from spinney._core.pairs import n_pairs, pair_index, pair_nodes, to_pairs
from spinney.exceptions import InputError
from spinney.pairs.copulas import BB1, Clayton, Frank, Gaussian, Gumbel, Joe, Student
from spinney.pairs.margins import pseudo_observations
from spinney.simulate import copula_forest, random_copula

N = 20_000


def uniforms(data):
    return stats.norm.cdf(data.X)


@pytest.mark.slow
def test_families_of_a_mixed_forest_are_recovered():
    data = copula_forest(N, 25, components=2, random_state=1)
    assert {copula.family for copula in data.copulas.values()} >= {"clayton", "gumbel", "student"}
    U = pseudo_observations(data.X)
    for (u, v), truth in data.copulas.items():
        found = PairCopulas().fit(U[:, [u, v]]).copula(0, 1)
        assert (found.family, found.rotation) == (truth.family, truth.rotation)
        assert found.tau == pytest.approx(truth.tau, abs=0.015)


def test_trees_of_a_forest_are_independent():
    data = copula_forest(N, 25, components=2, random_state=1)
    first, second = pair_nodes(25)
    across = data.labels[first] != data.labels[second]
    assert across.sum() == 12 * 13
    for scores in (data.X, np.abs(data.X)):
        r = to_pairs(stats.spearmanr(scores).statistic)
        assert np.abs(r[across]).max() * np.sqrt(N) < 4.2


def test_edges_of_a_small_forest_are_recovered():
    truths = {
        (0, 1): Clayton(2.0, 90),
        (1, 2): Gumbel(2.0, 180),
        (2, 3): Frank(-6.0),
        (3, 4): Student(-0.6, 3.0),
        (3, 5): Gaussian(0.6),
    }
    data = copula_forest(N, 6, random_state=0, copulas=truths)
    pairs = PairCopulas().fit(pseudo_observations(data.X))
    for (u, v), truth in truths.items():
        found = pairs.copula(u, v)
        assert (found.family, found.rotation) == (truth.family, truth.rotation)
        assert found.parameters == pytest.approx(truth.parameters, rel=0.15)  # df on a grid


@pytest.mark.parametrize(
    "copula", [Clayton(1.5, 90), Gumbel(1.7, 270), Joe(2.0, 90), BB1(0.5, 1.5, 270), Frank(4.0)]
)
@pytest.mark.parametrize("edge", [(0, 1), (1, 0)])
def test_both_directions_of_an_edge_have_the_density_promised(copula, edge):
    """The h-function of the truth, given either variable, is uniform and independent of it."""
    data = copula_forest(N, 2, random_state=6, copulas={edge: copula})
    U = uniforms(data)
    u, v = U[:, edge[0]], U[:, edge[1]]  # in the order in which the caller gave them
    for given_, known in (("u", u), ("v", v)):
        p = copula.hfunc(u, v, given=given_)
        assert stats.kstest(p, "uniform").pvalue > 1e-3
        assert abs(stats.spearmanr(p, known).statistic) * np.sqrt(N) < 3.5


@pytest.mark.parametrize("copula", [Clayton(1.5, 90), Gumbel(1.7, 270), Joe(2.0, 90)])
def test_children_with_smaller_numbers_than_their_parents(copula):
    """Node 1 hangs on node 2, which hangs on node 0: the edge is gone down from its second end."""
    copulas = {(0, 2): Gaussian(0.5), (1, 2): copula}
    U = uniforms(copula_forest(N, 3, random_state=6, copulas=copulas))
    p = copula.hfunc(U[:, 1], U[:, 2], given="v")
    assert stats.kstest(p, "uniform").pvalue > 1e-3
    assert abs(stats.spearmanr(p, U[:, 2]).statistic) * np.sqrt(N) < 3.5
    # Correlation does not see whether a corner is on the right side; quarters do.
    cells = np.bincount((p > 0.5) * 4 + (4 * U[:, 2]).astype(int), minlength=8)
    assert stats.chisquare(cells).pvalue > 1e-3


def test_the_ends_of_a_path_are_independent_given_its_middle():
    """Rosenblatt's transform of the whole tree gives independent uniforms, in any direction."""
    copulas = {(1, 2): Clayton(2.0), (0, 1): Gumbel(2.0, 90), (2, 3): Student(0.5, 2.0)}
    U = uniforms(copula_forest(N, 4, random_state=2, copulas=copulas))
    # From node 2 outwards, though the sampler started from node 0.
    P = np.column_stack(
        [
            U[:, 2],
            copulas[1, 2].hfunc(U[:, 1], U[:, 2], given="v"),
            copulas[0, 1].hfunc(U[:, 0], U[:, 1], given="v"),
            copulas[2, 3].hfunc(U[:, 2], U[:, 3], given="u"),
        ]
    )
    for column in P.T:
        assert stats.kstest(column, "uniform").pvalue > 1e-3
    r = stats.spearmanr(P).statistic[np.triu_indices(4, 1)]
    assert np.abs(r).max() * np.sqrt(N) < 3.5
    cells = np.bincount((P > 0.5) @ [8, 4, 2, 1], minlength=16)
    assert stats.chisquare(cells).pvalue > 1e-3


@settings(max_examples=25)
@given(st.integers(1, 15), st.integers(1, 3), st.integers(0, 10**6))
def test_every_edge_has_a_copula_and_no_other_pair(d, k, seed):
    data = copula_forest(5, d, min(k, d), seed)
    assert list(data.copulas) == [tuple(e) for e in np.argwhere(np.triu(data.adjacency)).tolist()]
    assert data.n_components == min(k, d)
    assert np.isfinite(data.X).all()
    assert [pair_index(u, v, d) for u, v in data.copulas] == sorted(
        pair_index(u, v, d) for u, v in data.copulas
    )
    assert len(data.copulas) <= max(n_pairs(d), 0)


@settings(max_examples=60)
@given(
    st.sampled_from(["gaussian", "student", "clayton", "gumbel", "frank", "joe"]),
    st.floats(0.05, 0.85),
    st.integers(0, 10**6),
)
def test_random_copulas_have_the_tau_asked_for(family, tau, seed):
    copula = random_copula([family], (tau, tau), seed)
    assert copula.family == family
    assert abs(copula.tau) == pytest.approx(tau, abs=1e-7)


def test_random_copulas_take_all_families_signs_and_rotations():
    drawn = [random_copula(random_state=seed) for seed in range(400)]
    kinds = {(c.family, c.rotation, c.tau > 0) for c in drawn}
    assert len(kinds) == 3 * 2 + 2 * 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"copulas": {(0, 1): Gaussian(0.5), (1, 2): Gaussian(0.5), (2, 0): Gaussian(0.5)}},
            "cycle",
        ),
        ({"copulas": {(0, 3): Gaussian(0.5)}}, "is not an edge"),
        ({"copulas": {(0, 1): 0.5}}, "float in place of a copula"),
        ({"copulas": {(0, 1): Gaussian(0.5), (1, 0): Gaussian(0.5)}}, "occurs twice"),
        ({"families": ["bb1"]}, "BB1 has no strength"),
        ({"families": []}, "at least one"),
        ({"tau": (0.5, 1.0)}, "0 < low <= high < 1"),
        ({"families": ["clayton"], "tau": (0.99, 0.99)}, "does not reach"),
    ],
)
def test_impossible_wishes_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        copula_forest(10, 3, random_state=0, **options)
