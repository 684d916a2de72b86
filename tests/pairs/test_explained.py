"""Pairs that others explain: the formulas against numbers of their own, and the rule as a whole."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from spinney._core.pairs import n_pairs, to_matrix
from spinney.pairs.explained import BEYOND, BLURRED, effective_rows, explained_pairs, shown_share
from spinney.pairs.pair_fit import PairFit
from spinney.tables import Column, Table

AB, AC, BC = range(3)
MANY = np.full(3, 1e6)
BLURRED_MIDDLE = np.array([1.0, 0.6, 1.0])


@pytest.mark.parametrize(
    "masses", [[0.5, 0.5], [0.1, 0.9], [0.2, 0.3, 0.5], [0.05, 0.15, 0.4, 0.3, 0.1]]
)
def test_shown_share_is_the_variance_of_conditional_means(masses):
    """By numerical integration of E[Z | level], whose variance over levels is what is shown."""
    edges = np.concatenate([[-np.inf], stats.norm.ppf(np.cumsum(masses)[:-1]), [np.inf]])
    shown = 0.0
    for mass, low, high in zip(masses, edges[:-1], edges[1:], strict=True):
        total, _ = integrate.quad(lambda z: z * stats.norm.pdf(z), low, high)
        shown += mass * (total / mass) ** 2
    assert shown_share(np.array(masses), 80, 80) == pytest.approx(shown, rel=1e-8)
    assert shown_share(np.array(masses), 20, 80) == pytest.approx(shown / 4, rel=1e-8)


def test_the_more_levels_the_more_is_shown():
    shares = [shown_share(np.full(k, 1 / k), 10, 10) for k in (2, 3, 5, 10, 100)]
    assert np.all(np.diff(shares) > 0)
    assert 1.0 - shares[0] > BLURRED
    assert 1.0 - shares[-1] < BLURRED


@given(st.floats(-0.95, 0.95).filter(lambda r: abs(r) > 0.01), st.floats(2.0, 400.0))
def test_effective_rows_undo_the_gain_of_normal_rows(correlation, rows):
    gain = -0.5 * rows * np.log(1.0 - correlation**2)
    found = effective_rows(np.array([gain]), np.array([correlation]), np.array([500.0]))
    assert found == pytest.approx([rows])


def test_effective_rows_stay_between_one_and_all():
    gains, correlation = np.array([-1.0, 0.001, 1e9, 3.0]), np.array([0.5, 0.5, 0.5, 0.0])
    found = effective_rows(gains, correlation, np.array([40.0, 40.0, 40.0, 40.0]))
    np.testing.assert_array_equal(found, [1.0, 1.0, 40.0, 40.0])


def test_the_ends_of_a_chain_are_explained_by_its_middle():
    found = explained_pairs(np.array([0.7, 0.49, 0.7]), MANY, BLURRED_MIDDLE)
    np.testing.assert_array_equal(found.pairs, [False, True, False])
    np.testing.assert_array_equal(found.through, [-1, 1, -1])


@pytest.mark.parametrize(
    "signs", [(-1, -1, 1), (-1, 1, -1), (1, -1, -1)], ids=["falls-falls", "falls", "turns"]
)
def test_signs_multiply_along_the_path(signs):
    correlation = np.array([0.7, 0.49, 0.7]) * np.array(signs)[[0, 2, 1]]
    assert explained_pairs(correlation, MANY, BLURRED_MIDDLE).pairs.tolist() == [False, True, False]


def test_a_correlation_against_the_path_is_direct():
    assert explained_pairs(np.array([0.7, 0.49, 0.7]), MANY, BLURRED_MIDDLE).pairs[AC]
    assert not explained_pairs(np.array([0.7, -0.49, 0.7]), MANY, BLURRED_MIDDLE).pairs[AC]


def test_a_strong_third_side_is_kept():
    assert not explained_pairs(np.array([0.7, 0.65, 0.7]), MANY, BLURRED_MIDDLE).pairs.any()


def test_the_limit_is_a_number_of_standard_errors():
    """By the delta method with numerical derivatives, on Fisher's scale."""
    rows = np.array([300.0, 200.0, 250.0])
    ab, bc, step = 0.6, 0.5, 1e-6
    slope_ab = (np.arctanh((ab + step) * bc) - np.arctanh((ab - step) * bc)) / (2 * step)
    slope_bc = (np.arctanh(ab * (bc + step)) - np.arctanh(ab * (bc - step))) / (2 * step)
    variance = (
        1 / rows[AC]
        + slope_ab**2 * (1 - ab**2) ** 2 / rows[AB]
        + slope_bc**2 * (1 - bc**2) ** 2 / rows[BC]
    )
    for beyond in (1.0, 2.0):
        limit = np.tanh(np.arctanh(ab * bc) + beyond * np.sqrt(variance))
        for ac, expected in ((limit - 1e-6, True), (limit + 1e-6, False)):
            found = explained_pairs(np.array([ab, ac, bc]), rows, BLURRED_MIDDLE, beyond)
            assert found.pairs[AC] == expected


def test_only_blurred_columns_explain():
    chain = np.array([0.7, 0.49, 0.7])
    assert not explained_pairs(chain, MANY, np.ones(3)).pairs.any()
    assert not explained_pairs(chain, MANY, np.array([0.5, 1.0, 0.5])).pairs.any()
    slightly = np.array([1.0, 1.0 - 0.9 * BLURRED, 1.0])
    assert not explained_pairs(chain, MANY, slightly).pairs.any()


@pytest.mark.parametrize("absent", [AB, AC, BC])
def test_nominal_pairs_neither_explain_nor_are_explained(absent):
    correlation = np.array([0.7, 0.49, 0.7])
    correlation[absent] = np.nan
    assert not explained_pairs(correlation, MANY, BLURRED_MIDDLE).pairs.any()


def test_independent_pairs_are_not_explained():
    """They say nothing as they are."""
    assert not explained_pairs(np.array([0.7, 0.0, 0.7]), MANY, BLURRED_MIDDLE).pairs.any()


@st.composite
def tables(draw):
    d = draw(st.integers(3, 6))
    count = n_pairs(d)
    # Few distinct values, so that correlations tie.
    values = st.sampled_from([-0.9, -0.6, -0.3, 0.0, 0.3, 0.6, 0.8, 0.9, float("nan")])
    correlation = draw(st.lists(values, min_size=count, max_size=count))
    rows = draw(st.lists(st.floats(1.0, 1e4), min_size=count, max_size=count))
    shown = draw(st.lists(st.floats(0.1, 1.0), min_size=d, max_size=d))
    return np.array(correlation), np.array(rows), np.array(shown)


@given(tables())
def test_what_explains_a_pair_remains(table):
    """The stronger pairs on the way are edges, or explained by stronger ones yet: a path is left.

    So all sides of a triangle can only be explained from outside, as the leaves of a star are.
    """
    correlation, rows, shown = table
    found = explained_pairs(correlation, rows, shown)
    explained = to_matrix(found.pairs).astype(bool)
    strength = to_matrix(np.abs(np.nan_to_num(correlation)))
    through = to_matrix(found.through).astype(int)
    left = nx.from_numpy_array((strength > 0) & ~explained)
    for a, c in np.argwhere(explained):
        b = through[a, c]
        assert b not in (a, c)
        assert 1.0 - shown[b] > BLURRED
        assert min(strength[a, b], strength[b, c]) > strength[a, c] > 0.0
        assert nx.has_path(left, a, c)
        assert not (explained[a, b] and explained[b, c]) or {through[a, b], through[b, c]} - {a, c}


def three_in_levels(rng, correlation, n=3000):
    """Normal variables a, b and c, cut in two at their medians."""
    ab, ac, bc = correlation
    covariance = [[1.0, ab, ac], [ab, 1.0, bc], [ac, bc, 1.0]]
    X = rng.multivariate_normal(np.zeros(3), covariance, size=n)
    codes = np.column_stack([x > np.median(x) for x in X.T]).astype(float)
    return Table(codes, tuple(Column(name, "binary", ("low", "high")) for name in "abc"))


CHAIN, TRIANGLE = (0.75, 0.5625, 0.75), (0.6, 0.6, 0.6)


def test_a_normal_chain_in_binary_levels(rng):
    potentials = PairFit().fit(three_in_levels(rng, CHAIN))
    np.testing.assert_array_equal(potentials.explained_.pairs, [False, True, False])
    # The rows themselves do speak for the pair, and the density keeps what they say.
    gains = potentials.fitted_log_density_.sum(axis=0)
    assert gains[AC] > 50.0
    evidence = potentials.densities_
    assert (evidence.log_density[:, AC] == 0.0).all()
    assert evidence.n_parameters.tolist() == [1.0, 0.0, 1.0]
    np.testing.assert_allclose(evidence.log_density.sum(axis=0)[[AB, BC]], gains[[AB, BC]])


def test_the_sides_of_a_true_triangle_are_kept(rng):
    potentials = PairFit().fit(three_in_levels(rng, TRIANGLE))
    assert not potentials.explained_.pairs.any()


def test_what_is_seen_itself_on_demand(rng):
    potentials = PairFit(direct=False).fit(three_in_levels(rng, CHAIN))
    assert not potentials.explained_.pairs.any()
    assert (potentials.explained_.through == -1).all()
    assert potentials.densities_.log_density[:, AC].sum() > 50.0


def test_chance_alone_rarely_makes_the_ends_direct(rng):
    """`BEYOND` standard errors and more are rare where a chain is the truth."""
    direct = sum(
        not PairFit().fit(three_in_levels(rng, CHAIN, n=300)).explained_.pairs[AC]
        for _ in range(20)
    )
    assert BEYOND >= 2.0
    assert direct <= 2
