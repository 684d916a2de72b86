"""What is minimised: values, gradients and monotone maps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spinney.models.objectives import L1, ConvexPart, NegativeLogLikelihood
from spinney.models.unrooted import FewTrees, InducedTrees, Trees
from spinney.pairs.densities import PairDensities
from tests.models.objectives import enumerated
from tests.models.objectives.cases import ALL, build, two_blocks
from tests.models.objectives.test_ensembles import draw, problems


@pytest.mark.parametrize("name", ALL)
@given(problem=problems)
@settings(max_examples=10)
def test_value_and_gradient_against_enumeration(name, problem):
    seed, d, _ = problem
    beta, log_density = draw(seed, d, n=4, spread=2.0)
    ensemble, incidence = build(name, d)
    objective = NegativeLogLikelihood(ensemble, PairDensities(log_density))
    value, gradient = objective.evaluate(beta)
    nothing = np.zeros((1, len(beta)))
    prior = enumerated.log_partition(incidence, beta, nothing)[0]
    expected = prior - enumerated.log_partition(incidence, beta, log_density).mean()
    assert value == pytest.approx(expected, rel=1e-11, abs=1e-11)
    slope = enumerated.gradient(incidence, beta, nothing)[0]
    mean = enumerated.gradient(incidence, beta, log_density).mean(axis=0)
    np.testing.assert_allclose(beta * gradient, beta * (slope - mean), rtol=1e-9, atol=1e-11)
    # Times minus n it is the log-likelihood ratio, summed over the samples.
    ratio = ensemble.log_likelihood_ratio(beta, log_density)
    assert -value == pytest.approx(ratio.mean(), rel=1e-11, abs=1e-11)


@pytest.mark.parametrize("name", ["trees", "blocks", "few1", "few", "few2", "cuts", "rooted"])
def test_gradient_against_finite_differences(name):
    d = 5
    beta, log_density = draw(2, d, n=6, spread=1.0)
    ensemble, _ = build(name, d)
    objective = NegativeLogLikelihood(ensemble, PairDensities(log_density))
    for f in (objective, L1(objective, 0.3), L1(objective, np.linspace(0.1, 1.0, len(beta)))):
        _, gradient = f.evaluate(beta)
        for e in range(len(beta)):
            step = np.zeros(len(beta))
            step[e] = 1e-5 * beta[e]
            slope = (f.evaluate(beta + step)[0] - f.evaluate(beta - step)[0]) / (2 * step[e])
            assert gradient[e] == pytest.approx(slope, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("name", ["few", "few2", "all cuts"])
def test_gradient_at_the_border_against_one_sided_differences(name):
    """Where a weight is zero, and where its absence leaves the graph in two parts."""
    d = 4
    _, log_density = draw(2, d, n=6, spread=1.0)
    beta = np.array([1.0, 0.0, 0.0, 0.0, 0.0, 2.0])
    ensemble, _ = build(name, d)
    objective = NegativeLogLikelihood(ensemble, PairDensities(log_density))
    value, gradient = objective.evaluate(beta)
    for e in range(6):
        step = np.zeros(6)
        step[e] = 1e-7
        assert gradient[e] == pytest.approx(
            (objective.evaluate(beta + step)[0] - value) / 1e-7, rel=1e-4, abs=1e-6
        )


@given(seed=st.integers(0, 2**32))
@settings(max_examples=20)
def test_scale_of_tree_weights_is_free(seed):
    """Euler: β · ∇f = 0 for trees, blocks and induced trees, so L1 alone has no minimiser."""
    beta, log_density = draw(seed, 5)
    evidence = PairDensities(log_density)
    sparse = beta * (np.random.default_rng(seed).random(10) < 0.6)
    for ensemble, weights in (
        (Trees(5), beta),
        (Trees(5, two_blocks(5)), beta),
        (InducedTrees(5), sparse),
    ):
        objective = NegativeLogLikelihood(ensemble, evidence)
        value, gradient = objective.evaluate(weights)
        assert weights @ gradient == pytest.approx(0.0, abs=1e-11)
        assert objective.evaluate(7.0 * weights)[0] == pytest.approx(value, abs=1e-11)


@given(seed=st.integers(0, 2**32), d=st.integers(2, 6), spread=st.sampled_from([0.5, 2.0, 6.0]))
@settings(max_examples=40)
def test_em_steps_never_raise_the_convex_part(seed, d, spread):
    beta, log_density = draw(seed, d, n=8, spread=spread)
    problem = ConvexPart(Trees(d), PairDensities(log_density), d - 1)
    step = problem.step(beta)
    assert step.image.sum() == pytest.approx(d - 1)
    for _ in range(4):
        after = problem.step(step.image)
        assert after.value <= step.value + 1e-12 * (1.0 + abs(step.value))
        assert after.violation >= 0
        step = after


@given(seed=st.integers(0, 2**32), share=st.floats(0.01, 0.99))
@settings(max_examples=30)
def test_the_convex_part_is_convex_and_its_certificate_holds(seed, share):
    one, log_density = draw(seed, 5, n=6)
    other = draw(seed + 1, 5)[0]
    problem = ConvexPart(Trees(5), PairDensities(log_density), 4)
    one, other = (4 * beta / beta.sum() for beta in (one, other))
    values = [problem.evaluate(beta)[0] for beta in (one, other)]
    between = problem.evaluate((1 - share) * one + share * other)[0]
    assert between <= (1 - share) * values[0] + share * values[1] + 1e-12
    # No point of the simplex lies further below than the certificate says.
    assert values[1] >= values[0] - problem.step(one).violation - 1e-12


def test_values_are_infinite_where_no_forest_is():
    log_density = np.zeros((3, 6))
    beta = np.array([1.0, 0, 0, 0, 0, 0])
    evidence = PairDensities(log_density)
    assert NegativeLogLikelihood(Trees(4), evidence).evaluate(beta)[0] == np.inf
    assert NegativeLogLikelihood(FewTrees(4, 2), evidence).evaluate(beta)[0] == np.inf
    assert NegativeLogLikelihood(FewTrees(4, 3), evidence).evaluate(beta)[0] == pytest.approx(0.0)
    assert ConvexPart(Trees(4), evidence, 3).evaluate(beta)[0] == np.inf


@pytest.mark.parametrize("ensemble", [Trees(4), FewTrees(4), FewTrees(4, 2)], ids=["1", "4", "2"])
def test_wild_evidence_agrees_with_shifted_evidence(ensemble):
    """A factor on a whole row of a tree's weights shifts f by a known amount."""
    beta, log_density = draw(5, 4, n=5, spread=2.0)
    objective = NegativeLogLikelihood(ensemble, PairDensities(log_density))
    wild = NegativeLogLikelihood(ensemble, PairDensities(log_density, log=True))
    value, gradient = objective.evaluate(beta)
    assert wild.evaluate(beta)[0] == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(wild.evaluate(beta)[1], gradient, rtol=1e-9, atol=1e-12)
    if isinstance(ensemble, Trees):
        far = NegativeLogLikelihood(ensemble, PairDensities(log_density + 500.0))
        assert far.evidence.log
        shifted, slope = far.evaluate(beta)
        assert shifted == pytest.approx(value - 1500.0, rel=1e-13)
        np.testing.assert_allclose(slope, gradient, rtol=1e-9, atol=1e-11)
