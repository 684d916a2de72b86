"""Each ensemble against the list of its forests."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from spinney import forests
from spinney._core.pairs import pair_index, to_matrix, to_pairs
from spinney.models.unrooted import CutTrees, FewTrees, InducedTrees, Trees, smallest_cut_sides
from tests.models.objectives import enumerated
from tests.models.objectives.cases import (
    ALL,
    DENSE,
    all_cuts,
    build,
    rooted_forests,
    some_cuts,
    two_blocks,
)


def draw(seed, d, n=3, spread=3.0, zeros=0.0):
    """Draw weights, log-uniform over ten to the ± spread / 2, and log-densities."""
    rng = np.random.default_rng(seed)
    n_pairs = d * (d - 1) // 2
    beta = 10.0 ** rng.uniform(-spread / 2, spread / 2, n_pairs)
    beta *= rng.random(n_pairs) >= zeros
    return beta, rng.normal(scale=spread, size=(n, n_pairs))


problems = st.tuples(st.integers(0, 2**32), st.integers(2, 5), st.sampled_from([0.5, 3.0, 12.0]))


def assert_is_enumerated(ensemble, incidence, beta, log_density):
    expected = enumerated.log_partition(incidence, beta, log_density)
    slopes = enumerated.gradient(incidence, beta, log_density)
    posterior = enumerated.edge_probabilities(incidence, beta, log_density)
    for log, W in ((False, np.exp(log_density)), (True, log_density)):
        found = ensemble.evaluate(beta, W, log=log, per_sample=True)
        np.testing.assert_allclose(found.log_partition, expected, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(found.gradient, slopes, rtol=1e-10)
        summed = ensemble.evaluate(beta, W, log=log)
        np.testing.assert_allclose(summed.gradient, slopes.sum(axis=0), rtol=1e-10)
    np.testing.assert_allclose(
        ensemble.posterior_edge_probabilities(beta, log_density), posterior, rtol=1e-10
    )
    nothing = np.zeros((1, len(beta)))
    prior = enumerated.log_partition(incidence, beta, nothing)
    np.testing.assert_allclose(
        ensemble.evaluate_prior(beta).log_partition, prior, rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(
        ensemble.edge_probabilities(beta),
        enumerated.edge_probabilities(incidence, beta, nothing)[0],
        rtol=1e-10,
    )
    np.testing.assert_allclose(
        ensemble.log_likelihood_ratio(beta, log_density), expected - prior, rtol=1e-11, atol=1e-11
    )


@pytest.mark.parametrize("name", ALL)
@settings(max_examples=15)
@given(problem=problems)
def test_values_against_enumeration(name, problem):
    seed, d, spread = problem
    beta, log_density = draw(seed, d, spread=spread)
    ensemble, incidence = build(name, d)
    assert_is_enumerated(ensemble, incidence, beta, log_density)


@settings(max_examples=60)
@given(problem=problems, zeros=st.floats(0.0, 0.9))
def test_induced_trees_against_enumeration(problem, zeros):
    seed, d, spread = problem
    beta, log_density = draw(seed, d, spread=spread, zeros=zeros)
    ensemble, incidence = build("induced", d, beta)
    assert_is_enumerated(ensemble, incidence, beta, log_density)


@pytest.mark.parametrize("name", ["few2", "few3", "few", "cuts", "all cuts"])
@settings(max_examples=25)
@given(problem=problems)
def test_sparse_weights_against_enumeration(name, problem):
    seed, d, spread = problem
    beta, log_density = draw(seed, d, spread=spread, zeros=0.4)
    ensemble, incidence = build(name, d)
    if np.isneginf(enumerated.log_partition(incidence, beta, log_density[:1])[0]):
        assert np.isneginf(ensemble.evaluate_prior(beta).log_partition).all()  # and no warning
    else:
        assert_is_enumerated(ensemble, incidence, beta, log_density)


@pytest.mark.parametrize("name", [*DENSE, "induced"])
def test_six_nodes_against_enumeration(name):
    beta, log_density = draw(6, 6)
    if name == "induced":
        beta[[2, 4, 7, 8, 9, 11]] = 0.0
    assert_is_enumerated(*build(name, 6, beta), beta, log_density)


def test_the_oracle_lists_as_many_forests_as_there_are():
    # Cayley, and by his formula for each pair of sets: 6·5³ + 15·4² + ½·20·3².
    assert len(enumerated.forests_of(6, lambda sets: len(sets) == 1)) == 6**4
    assert len(enumerated.forests_of(6, lambda sets: len(sets) == 2)) == 750 + 240 + 90
    # (d + 1)^(d - 1) rooted ones by Cayley; of labelled forests see OEIS A001858.
    assert [len(rooted_forests(d)) for d in (2, 3, 4, 5)] == [3, 16, 125, 1296]
    sizes = [len(enumerated.acyclic_sets(d)[0]) for d in (2, 3, 4, 5, 6)]
    assert sizes == [2, 7, 38, 291, 2932]
    assert len(forests.enumerate(np.ones((6, 6)), rooted=False).forests) == 2932


@pytest.mark.parametrize("name", ALL)
@given(problem=problems)
@settings(max_examples=10)
def test_gradients_against_finite_differences(name, problem):
    seed, d, _ = problem
    beta, log_density = draw(seed, d, spread=1.0)
    ensemble, _ = build(name, d)
    W = np.exp(log_density)
    gradient = ensemble.evaluate(beta, W).gradient
    for e in range(len(beta)):
        step = np.zeros(len(beta))
        step[e] = 1e-5 * beta[e]
        up, down = (ensemble.evaluate(beta + s, W).log_partition.sum() for s in (step, -step))
        slope = (up - down) / (2 * step[e])
        np.testing.assert_allclose(gradient[e] * beta[e], slope * beta[e], rtol=1e-6, atol=1e-8)


@given(problem=problems)
@settings(max_examples=25)
def test_ensembles_that_are_the_same(problem):
    seed, d, spread = problem
    beta, log_density = draw(seed, d, spread=spread)

    def assert_same(one, other):
        a, b = (x.evaluate(beta, log_density, log=True, per_sample=True) for x in (one, other))
        np.testing.assert_allclose(a.log_partition, b.log_partition, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(a.gradient, b.gradient, rtol=1e-10)

    assert_same(FewTrees(d, 1), Trees(d))
    assert_same(FewTrees(d, d), FewTrees(d))
    assert_same(CutTrees(all_cuts(d)), FewTrees(d, 2))
    assert_same(CutTrees(~all_cuts(d)), FewTrees(d, 2))  # seen from the other side
    assert_same(CutTrees(np.zeros((1, d))), Trees(d))
    assert_same(InducedTrees(d), Trees(d))
    blocks = two_blocks(d)
    inside = Trees(d, blocks).inside
    induced = InducedTrees(d).evaluate(np.where(inside, beta, 0.0), log_density, log=True)
    known = Trees(d, blocks).evaluate(beta, log_density, log=True)
    np.testing.assert_allclose(induced.log_partition, known.log_partition, rtol=1e-12, atol=1e-12)


@given(problem=problems)
@settings(max_examples=25)
def test_known_blocks_are_trees_of_their_own(problem):
    seed, d, spread = problem
    beta, log_density = draw(seed, d, spread=spread)
    blocks = two_blocks(d)
    found = Trees(d, blocks).evaluate(beta, log_density, log=True, per_sample=True)
    total = np.zeros(len(log_density))
    gradient = np.zeros_like(log_density)
    for block in blocks:
        pairs = [pair_index(int(u), int(v), d) for k, u in enumerate(block) for v in block[k + 1 :]]
        if not pairs:
            continue
        part = Trees(len(block)).evaluate(
            beta[pairs], log_density[:, pairs], log=True, per_sample=True
        )
        total += part.log_partition
        gradient[:, pairs] = part.gradient
    np.testing.assert_allclose(found.log_partition, total, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.gradient, gradient, rtol=1e-12)


@pytest.mark.parametrize("name", [*ALL, "induced"])
@pytest.mark.parametrize("size", [400.0, 3000.0])
def test_wild_densities_against_mpmath(name, size):
    d = 4
    rng = np.random.default_rng(11)
    beta = 10.0 ** rng.uniform(-2, 2, 6)
    if name == "induced":
        beta[[0, 1, 2]] = 0.0
    log_density = rng.choice([-size, 0.0, size], (5, 6)) + rng.normal(size=(5, 6))
    ensemble, incidence = build(name, d, beta)
    found = ensemble.log_likelihood_ratio(beta, log_density)
    posterior = ensemble.posterior_edge_probabilities(beta, log_density)
    with mpmath.workdps(60):
        prior = mpmath.fsum(
            mpmath.fprod(mpmath.mpf(float(beta[e])) for e in np.flatnonzero(forest))
            for forest in incidence
        )
        for j, row in enumerate(log_density):
            weights = [
                mpmath.fprod(
                    mpmath.mpf(float(beta[e])) * mpmath.exp(mpmath.mpf(float(row[e])))
                    for e in np.flatnonzero(forest)
                )
                for forest in incidence
            ]
            total = mpmath.fsum(weights)
            expected = float(mpmath.log(total) - mpmath.log(prior))
            assert found[j] == pytest.approx(expected, rel=1e-13, abs=1e-12)
            for e in range(6):
                part = mpmath.fsum(
                    w for w, forest in zip(weights, incidence, strict=True) if forest[e]
                )
                assert posterior[j, e] == pytest.approx(float(part / total), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize("name", [*ALL, "induced"])
def test_samples_by_chi_squared_against_enumeration(name):
    d, n = 4, 20_000
    beta, _ = draw(21, d, spread=1.0)
    if name == "induced":
        beta[[0, 4]] = 0.0
        beta[1] = beta[2] = 0.0
    ensemble, incidence = build(name, d, beta)
    incidence, roots = np.unique(incidence, axis=0, return_counts=True)  # of rooted forests
    logs = enumerated.log_weights(incidence, np.log(np.where(beta > 0, beta, 1e-300)))
    probability = roots * np.exp(logs - logs.max())
    probability /= probability.sum()
    parents = ensemble.sample(beta, n, np.random.default_rng(5))
    assert parents.shape == (n, d)
    drawn = np.zeros((n, len(beta)), dtype=bool)
    for child in range(d):
        rows = np.flatnonzero(parents[:, child] >= 0)
        places = [pair_index(*sorted((child, int(p))), d) for p in parents[rows, child]]
        assert not drawn[rows, places].any()
        drawn[rows, places] = True
    code = 1 << np.arange(len(beta))
    known = {int(forest @ code): k for k, forest in enumerate(incidence)}
    counts = np.zeros(len(incidence))
    for number, times in zip(*np.unique(drawn @ code, return_counts=True), strict=True):
        counts[known[int(number)]] += times  # a forest that is none of the ensemble's is a KeyError
    often = probability * n >= 5
    if not often.all():
        counts = np.append(counts[often], counts[~often].sum())
        probability = np.append(probability[often], probability[~often].sum())
    if len(counts) > 1:
        assert chisquare(counts, probability * n).pvalue > 1e-3
    half = n // 2  # in no order: both halves have the same distribution
    edges = drawn.mean(axis=0)
    spread = np.sqrt(edges * (1 - edges) / half) + 1e-12
    assert (np.abs(drawn[:half].mean(axis=0) - drawn[half:].mean(axis=0)) < 6 * spread).all()


@pytest.mark.parametrize("name", DENSE)
def test_no_samples(name):
    beta, _ = draw(1, 4)
    ensemble, _ = build(name, 4)
    assert ensemble.sample(beta, 0, np.random.default_rng(0)).shape == (0, 4)
    assert ensemble.evaluate(np.ones(6), np.empty((0, 6))).log_partition.shape == (0,)


def test_cut_probabilities_against_enumeration():
    d = 5
    beta, _ = draw(3, d)
    ensemble = CutTrees(some_cuts(d))
    total = enumerated.log_partition(build("cuts", d)[1], beta, np.zeros((1, 10)))[0]
    for side, probability in zip(ensemble.sides, ensemble.cut_probabilities(beta), strict=True):
        wanted = enumerated.partition_of(side.tolist())
        part = enumerated.forests_of(d, lambda sets, wanted=wanted: sets == wanted)
        expected = enumerated.log_partition(part, beta, np.zeros((1, 10)))[0]
        assert probability == pytest.approx(np.exp(expected - total), rel=1e-11)
    assert ensemble.cut_probabilities(beta).sum() == pytest.approx(1.0, rel=1e-13)


def test_smallest_cut_sides_against_all_cuts():
    beta, _ = draw(8, 5)
    W = to_matrix(beta)
    every = all_cuts(5)[1:]
    weight = np.array([W[np.ix_(side, ~side)].sum() for side in every])
    sides = smallest_cut_sides(beta, 6)
    assert not sides[0].any()
    np.testing.assert_array_equal(sides[1:], every[np.argsort(weight)[:6]])


@pytest.mark.parametrize("k", range(1, 16))
def test_cuts_that_tie_are_taken_together_or_not_at_all(k):
    rng = np.random.default_rng(k)
    d = int(rng.integers(4, 7))
    W = np.triu(rng.integers(0, 4, (d, d)) * 0.1, 1)
    W += W.T
    order = rng.permutation(d)
    here = smallest_cut_sides(to_pairs(W), k)
    there = smallest_cut_sides(to_pairs(W[np.ix_(order, order)]), k)
    back = np.empty_like(there)
    back[:, order] = there
    back ^= back[:, :1]  # seen from node 0 again
    assert {side.tobytes() for side in here} == {side.tobytes() for side in back}
    assert len(here) <= 2 * k + 1


@pytest.mark.parametrize("name", ["trees", "blocks", "few1", "cuts"])
def test_weights_that_leave_no_forest(name):
    beta = np.zeros(6)
    beta[0] = 1.0
    ensemble, _ = build(name, 4)
    assert np.isneginf(ensemble.evaluate_prior(beta).log_partition).all()
    assert np.isneginf(ensemble.evaluate(beta, np.ones((2, 6))).log_partition).all()


def test_rows_are_cut_into_parts_without_a_seam(monkeypatch):
    beta, log_density = draw(4, 4, n=11)
    whole = Trees(4).posterior_edge_probabilities(beta, log_density)
    ratio = Trees(4).log_likelihood_ratio(beta, log_density)
    monkeypatch.setattr(Trees, "rows_at_a_time", 4)
    np.testing.assert_allclose(
        Trees(4).posterior_edge_probabilities(beta, log_density), whole, rtol=1e-14
    )
    np.testing.assert_allclose(Trees(4).log_likelihood_ratio(beta, log_density), ratio, rtol=1e-14)
    assert Trees(4).log_likelihood_ratio(beta, log_density[:0]).shape == (0,)
