"""The parts of evidence against other ways to compute them."""

from itertools import pairwise, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats
from sklearn.linear_model import LinearRegression

from spinney import forests
from spinney._core.pairs import to_matrix, to_pairs
from spinney.evidence import measure
from spinney.evidence.beyond import within_classes
from spinney.evidence.channels import Measured, compress, fisher_z, logit, root
from spinney.evidence.correlations import (
    block_sizes,
    chi_squared_deviate,
    null_spread,
    pairwise_correlation,
    partial_correlation,
    positive_definite,
    shrunk_inverse,
)
from spinney.evidence.gains import read_gains
from spinney.evidence.ladder import channels as ladder_channels
from spinney.evidence.ladder import measure_ladder
from spinney.evidence.latent import ANGLES, latent_correlations, mutual_information
from spinney.evidence.scores import polynomials, read_scores, score_column
from spinney.forests.posterior import Ladder
from spinney.pairs.copulas import FAMILIES
from spinney.pairs.explained import shown_share
from spinney.pairs.pair_fit import PairFit
from spinney.tables import read_table


def mixed_frame(n=120, gaps=0.1, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) @ (np.eye(5) + 0.5 * rng.normal(size=(5, 5)))
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["c"] = np.digitize(frame["c"], [-1.0, 0.5])
    frame["d"] = (frame["d"] > 0.3).astype(int)
    frame["kind"] = np.where(X[:, 0] > 0.5, "x", np.where(X[:, 4] > 0, "y", "z"))
    return frame.mask(rng.random(frame.shape) < gaps)


def test_scales_against_plain_formulas():
    x = np.linspace(-500, 500, 101)
    assert compress(x) == pytest.approx(3 * np.log(x / 3 + np.sqrt(x**2 / 9 + 1)), abs=1e-9)
    assert compress(1e-3) == pytest.approx(1e-3, rel=1e-6)
    assert root(x) * np.abs(root(x)) == pytest.approx(x)
    p = np.linspace(0.01, 0.99, 9)
    assert special.expit(logit(p)) == pytest.approx(p)
    assert logit([0.0, 1.0]).tolist() == [-12.0, 12.0]
    assert np.tanh(fisher_z(2 * p - 1)) == pytest.approx(2 * p - 1)
    assert np.isfinite(fisher_z([-1.0, 1.0])).all()


@pytest.mark.parametrize("gaps", [0.0, 0.2])
def test_pairwise_correlations_are_those_of_pandas(gaps):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 6)).cumsum(axis=1)
    present = rng.random(X.shape) >= gaps
    found = pairwise_correlation(np.where(present, X, 0.0), present)
    expected = pd.DataFrame(np.where(present, X, np.nan)).corr().to_numpy()
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_columns_that_do_not_vary_over_common_rows_are_uncorrelated():
    values = np.array([[1.0, 2.0], [1.0, 3.0], [5.0, 0.0]])
    present = np.array([[1, 1], [1, 1], [1, 0]], dtype=bool)
    assert pairwise_correlation(values, present)[0, 1] == 0.0


def test_with_as_many_rows_for_all_pairs_the_inverse_is_that_of_the_ridged_matrix():
    R = np.corrcoef(np.random.default_rng(0).normal(size=(6, 40)))
    for worth in (0.4, 17.0):
        x = worth / (40.0 + worth)
        expected = np.linalg.inv((1 - x) * R + x * np.eye(6))
        found = shrunk_inverse(R, np.full((6, 6), 40.0), worth)
        np.testing.assert_allclose(found, expected, rtol=1e-8)


@given(st.integers(0, 10_000), st.integers(2, 8))
def test_any_symmetric_matrix_is_made_positive_definite_by_its_diagonal_alone(seed, d):
    rng = np.random.default_rng(seed)
    R = to_matrix(rng.uniform(-1, 1, d * (d - 1) // 2), diagonal=1.0)
    found = positive_definite(R, 0.05)
    assert np.linalg.eigvalsh(found)[0] > 0.0499
    np.testing.assert_array_equal(found[~np.eye(d, dtype=bool)], R[~np.eye(d, dtype=bool)])
    if np.linalg.eigvalsh(R)[0] >= 0.05:
        np.testing.assert_array_equal(found, R)


def test_columns_that_fit_together_stay_as_they_are_beside_some_that_do_not():
    R = np.eye(6)
    R[:3, :3] = [[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]]
    R[3, 4] = R[4, 3] = 0.8
    np.testing.assert_allclose(np.diag(positive_definite(R, 0.1))[3:], 1.0, atol=1e-12)


@pytest.mark.parametrize(("n", "d", "worth"), [(60, 30, 30.0), (200, 40, 4.0), (30, 60, 240.0)])
def test_the_spread_of_partial_correlations_of_independent_columns_is_that_of_samples(n, d, worth):
    rng = np.random.default_rng(0)
    found = []
    for _ in range(12):
        inverse = shrunk_inverse(np.corrcoef(rng.normal(size=(d, n))), np.full((d, d), n), worth)
        found.append(to_pairs(partial_correlation(inverse)))
    expected = null_spread(np.array([float(n)]), worth, d)[0]
    assert np.sqrt(n) * np.std(found) == pytest.approx(expected, rel=0.05)


def test_the_spread_where_every_pair_has_rows_of_its_own():
    rng, d, m, worth = np.random.default_rng(0), 40, 50.0, 80.0
    found = []
    for _ in range(12):
        R = to_matrix(rng.normal(scale=m**-0.5, size=d * (d - 1) // 2), diagonal=1.0)
        found.append(to_pairs(partial_correlation(shrunk_inverse(R, np.full((d, d), m), worth))))
    expected = null_spread(np.array([m]), worth, d, apart=1.0)[0]
    assert np.sqrt(m) * np.std(found) == pytest.approx(expected, rel=0.05)


def test_chi_squared_deviates_have_the_tails_of_the_normal_law():
    for k in (1, 3, 15):
        for z in (-1.0, 0.0, 2.0, 3.0):
            x = stats.chi2.ppf(stats.norm.cdf(z), k)
            assert chi_squared_deviate(np.array([x]), np.array([k]))[0] == pytest.approx(z, abs=0.1)


def test_partial_correlations_are_those_of_residuals():
    X = np.random.default_rng(0).normal(size=(80, 5)).cumsum(axis=1)
    found = partial_correlation(np.linalg.inv(np.corrcoef(X.T)))
    for u, v in ((0, 1), (0, 4), (2, 3)):
        others = np.delete(X, [u, v], axis=1)
        rest = [X[:, k] - LinearRegression().fit(others, X[:, k]).predict(others) for k in (u, v)]
        assert found[u, v] == pytest.approx(np.corrcoef(*rest)[0, 1], abs=1e-10)


def test_blocks_hold_partial_canonical_correlations():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(90, 7)) @ (np.eye(7) + 0.4 * rng.normal(size=(7, 7)))
    owners = np.array([2, 0, 0, 1, 1, 1, 2])  # in no order
    sizes, counts = block_sizes(np.linalg.inv(np.corrcoef(X.T)), owners, 3)
    assert counts.tolist() == [2, 3, 2]
    here, there = owners == 0, owners == 1
    others = X[:, owners == 2]
    rest = X - LinearRegression().fit(others, X).predict(others)
    one, other = (np.linalg.qr(rest[:, block])[0] for block in (here, there))
    canonical = np.linalg.svd(one.T @ other, compute_uv=False)
    assert sizes[0, 1] == pytest.approx(np.sqrt((canonical**2).sum()), abs=1e-10)


def test_blocks_of_one_score_are_partial_correlations():
    inverse = np.linalg.inv(np.corrcoef(np.random.default_rng(0).normal(size=(5, 30))))
    sizes, _ = block_sizes(inverse, np.arange(5), 5)
    np.testing.assert_allclose(sizes, np.abs(partial_correlation(inverse)), atol=1e-12)


@given(st.lists(st.integers(0, 6), min_size=2, max_size=60))
def test_scores_are_means_of_normal_intervals_and_show_what_these_do(values):
    x = np.array(values, dtype=float)
    column = score_column(x)
    levels, counts = np.unique(x, return_counts=True)
    ends = stats.norm.ppf(np.concatenate([[0], np.cumsum(counts)]) / len(x))
    means = [stats.truncnorm.mean(a, b) for a, b in pairwise(ends)]
    expected = np.array(means)[np.searchsorted(levels, x)]
    np.testing.assert_allclose(column.normal, expected, atol=1e-8)
    np.testing.assert_allclose(column.ranks, (stats.rankdata(x) - 0.5) / len(x))
    untied = shown_share(np.full(len(x), 1 / len(x)), len(x), len(x))
    shown = shown_share(counts / len(x), len(x), len(x))
    assert column.shown == pytest.approx(shown / untied, abs=1e-9)
    pairs = [(i, j) for i in range(len(x)) for j in range(i)]
    assert column.tied == pytest.approx(np.mean([x[i] == x[j] for i, j in pairs]))


def test_values_that_are_rounded_more_and_more_show_less_and_less():
    x = np.random.default_rng(0).normal(size=500)
    shown = [score_column(x.round(k) if k < 9 else x).shown for k in (9, 3, 2, 1, 0)]
    assert shown[0] == pytest.approx(1.0)
    assert (np.diff(shown) <= 1e-12).all()
    assert shown[3] > 0.99 > shown[4] > 0.8


@given(st.integers(0, 10_000), st.integers(5, 60))
def test_polynomials_are_orthonormal(seed, n):
    rng = np.random.default_rng(seed)
    present = rng.random((n, 3)) > 0.2
    values = np.where(present, rng.normal(size=(n, 3)).round(rng.integers(0, 3)), 0.0)
    found = polynomials(values, present, 4, heaviest=1e9)
    for k in range(3):
        design = np.stack([shape[:, k] for shape in found], axis=1)
        design = design[:, design.any(axis=0)]
        m = max(present[:, k].sum(), 1)
        np.testing.assert_allclose(design.T @ design / m, np.eye(design.shape[1]), atol=1e-6)
        np.testing.assert_allclose(design.sum(axis=0) / m, 0.0, atol=1e-6)
        assert design.shape[1] <= max(len(np.unique(values[present[:, k], k])) - 1, 0)


def test_classes_have_orthonormal_scores_and_two_levels_do_not_bend():
    scores = read_scores(read_table(mixed_frame(gaps=0.0)))
    assert not scores.normal[:, 5].any()
    assert scores.owners.tolist() == [5, 5]
    classes = scores.classes
    np.testing.assert_allclose(classes.T @ classes / 120, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(classes.mean(axis=0), 0.0, atol=1e-12)
    assert scores.levels.tolist() == [False, False, True, True, False, True]
    assert scores.squares.any(axis=0).tolist() == [True, True, True, False, True, False]


def test_within_classes_ranks_are_taken_in_each_class():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 60)
    X = rng.normal(size=(60, 2)) + 10 * codes[:, None]
    found, lost = within_classes(X, np.ones((60, 2), dtype=bool), codes)
    parts = [stats.rankdata(X[codes == c], axis=0) for c in range(3)]
    Z = np.vstack([special.ndtri((part - 0.5) / len(part)) for part in parts])
    assert found[0, 1] == pytest.approx(np.corrcoef(Z.T)[0, 1], abs=1e-10)
    assert lost == 3


def test_gains_are_those_of_the_fitted_pairs():
    X = np.random.default_rng(0).normal(size=(150, 4)).cumsum(axis=1)
    fit = PairFit().fit(read_table(X))
    gains, pairs = read_gains(fit), fit.copulas_
    np.testing.assert_array_equal(gains.likelihoods, pairs.log_likelihood_)
    assert gains.costs[0].tolist() == [len(FAMILIES[name].bounds) for name in pairs.families_]
    for k, name in enumerate(pairs.families_[1:], start=1):
        assert gains.by_family[name] == pytest.approx(pairs.log_likelihood_[:, k])
    weights = np.exp(gains.likelihoods - gains.costs)
    np.testing.assert_allclose(gains.shares, weights / weights.sum(axis=1, keepdims=True))


def test_gains_of_nominal_pairs_have_the_bayes_factors_of_their_tables():
    fit = PairFit().fit(read_table(mixed_frame()))
    gains, tables = read_gains(fit), fit.tables_
    pairs, possible = tables.pairs_, np.isfinite(tables.log_bayes_factors_[:, 1:])
    half_log = 0.5 * np.log(tables.n_rows_)[:, None]
    found = gains.likelihoods[pairs, 1:4] - gains.costs[pairs, 1:4] * half_log
    np.testing.assert_allclose(found[possible], tables.log_bayes_factors_[:, 1:][possible])
    assert not gains.tau[pairs].any()


def test_log_weights_average_over_families_and_temper_by_rows():
    X = np.random.default_rng(0).normal(size=(100, 3)).cumsum(axis=1)
    gains = read_gains(PairFit().fit(read_table(X)))
    shares = np.array([1.0, 0.5, 0.25])
    found = gains.log_weights(20, 100, shares)
    for e in range(3):
        m = 20 * shares[e]
        likelihood, cost = gains.likelihoods[e, 1:], gains.costs[e, 1:]
        weights = np.exp(m / 100 * likelihood - cost / 2 * np.log(m))
        assert found[e] == pytest.approx(np.log(weights.mean()))


def test_the_ladder_is_the_posterior_of_forests_under_these_weights():
    X = np.random.default_rng(0).normal(size=(60, 4)).cumsum(axis=1)
    gains = read_gains(PairFit().fit(read_table(X)))
    rungs = measure_ladder(gains, 60, 4, np.ones(6))
    for k, m in enumerate(rungs.sizes):
        weights = to_matrix(np.exp(gains.log_weights(m, 60, np.ones(6))) / 4)
        expected = to_pairs(forests.edge_marginals(weights))
        np.testing.assert_allclose(rungs.probabilities[k], expected, atol=1e-9)


def test_latent_correlations_of_levels_are_those_behind_them():
    rng = np.random.default_rng(0)
    Z = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=4000)
    frame = pd.DataFrame({"a": (Z[:, 0] > 0.5).astype(int), "b": np.digitize(Z[:, 1], [-1, 0.3])})
    fit = PairFit().fit(read_table(frame))
    scores = read_scores(fit.table_, fit.levels_)
    latent, rows = latent_correlations(scores, read_gains(fit))
    assert latent[0] == pytest.approx(0.6, abs=0.06)
    assert rows[0] == pytest.approx(4000 * np.prod(scores.shown))


@given(st.floats(0.05, 0.99), st.sampled_from([-1.0, 1.0]), st.integers(0, 2**16))
@settings(max_examples=25, deadline=None)
def test_mutual_information_of_levels_by_masses_of_rectangles(size, sign, seed):
    rng = np.random.default_rng(seed)
    a, b = (np.sort(rng.normal(size=k)) for k in rng.integers(1, 4, 2))
    angle = int(np.argmin(np.abs(np.sin(ANGLES) - size)))
    rho = sign * np.sin(ANGLES[angle])
    law = stats.multivariate_normal([0.0, 0.0], [[1.0, rho], [rho, 1.0]])
    far = [np.concatenate([[-9.0], own, [9.0]]) for own in (a, b)]
    below = law.cdf(np.stack(np.meshgrid(*far, indexing="ij"), axis=-1))
    mass = np.maximum(np.diff(np.diff(below, axis=0), axis=1), 0.0)
    apart = np.multiply.outer(mass.sum(axis=1), mass.sum(axis=0))
    expected = special.rel_entr(mass, apart).sum()
    found = mutual_information(a[None], b[None], np.array([sign]))[0, angle]
    assert found == pytest.approx(expected, abs=2e-4)


def test_mutual_information_of_levels_and_a_variable_seen_whole():
    """As that with a variable cut into 300 levels, nearly."""
    a, fine = np.array([[-1.0, 0.4]]), special.ndtri(np.arange(1, 300) / 300)[None]
    whole = mutual_information(a, np.empty((1, 0)), np.ones(1))
    np.testing.assert_allclose(mutual_information(a, fine, np.ones(1)), whole, atol=2e-3)


# Two rare levels that avoid each other hardly ever meet at -0.6 already, so no more is known.
@pytest.mark.parametrize(
    ("kinds", "rho"),
    [
        *product(["yes, levels", "yes, whole", "levels, whole"], [0.3, 0.8, 0.95, -0.9]),
        *product(["rare, rare"], [0.3, 0.8, 0.95]),
    ],
)
def test_strong_correlations_behind_levels_are_not_taken_for_weaker(kinds, rho):
    rng = np.random.default_rng(1)
    Z = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=6000)
    cuts = {"yes": [0.2], "levels": [-1.0, -0.3, 0.6], "rare": [-1.2]}
    frame = pd.DataFrame(
        {
            f"{k}": Z[:, k] if name == "whole" else np.digitize(Z[:, k], cuts[name])
            for k, name in enumerate(kinds.split(", "))
        }
    )
    fit = PairFit().fit(read_table(frame))
    latent, _ = latent_correlations(read_scores(fit.table_, fit.levels_), read_gains(fit))
    assert latent[0] == pytest.approx(rho, abs=0.05)


def test_two_rare_columns_that_never_meet_are_not_opposites():
    a, b = np.zeros((2, 500), dtype=int)
    a[:5], b[5:10] = 1, 1
    fit = PairFit().fit(read_table(pd.DataFrame({"a": a, "b": b})))
    latent, rows = latent_correlations(read_scores(fit.table_, fit.levels_), read_gains(fit))
    assert -0.3 < latent[0] <= 0.0
    assert rows[0] < 3


def test_rungs_beyond_the_rows_repeat_the_largest_below():
    probabilities = np.array([[0.1], [0.2], [0.3], [0.4]])
    rungs = Ladder(np.array([4, 8, 12, 16]), np.ones(4), probabilities, 16)
    found = {
        name: special.expit(x).round(6)[0]
        for name, x in ladder_channels(Measured(rungs, *[None] * 4)).items()
    }
    assert (found["ladder_4"], found["ladder_8"]) == (0.1, 0.2)
    assert found["ladder_16"] == found["ladder_256"] == found["ladder_most"] == 0.3
    assert found["ladder_all"] == 0.4


def test_a_ladder_of_all_rows_only_serves_every_rung():
    X = np.random.default_rng(0).normal(size=(4, 3))
    rungs = measure_ladder(read_gains(PairFit().fit(read_table(X))), 4, 3, np.ones(3))
    found = ladder_channels(Measured(rungs, *[None] * 4))
    assert rungs.sizes.tolist() == [4]
    assert all(np.array_equal(values, found["ladder_all"]) for values in found.values())


def test_evidence_of_plain_tables_is_what_its_formulas_say():
    X = np.random.default_rng(2).normal(size=(70, 4)).cumsum(axis=1)
    frame = measure(X).to_frame()
    Z = np.stack([score_column(x).normal for x in X.T], axis=1)
    R = np.corrcoef(Z.T)
    tau = [[stats.kendalltau(X[:, u], X[:, v]).statistic for v in range(4)] for u in range(4)]
    assert frame["tau"].to_numpy() == pytest.approx(to_pairs(tau), abs=1e-6)
    assert frame["score"].to_numpy() == pytest.approx(to_pairs(R), abs=1e-6)
    assert frame["latent"].to_numpy() == pytest.approx(np.sin(np.pi / 2 * to_pairs(tau)), abs=1e-6)
    for name, worth in (("partial_free", 0.4), ("partial", 4.0), ("partial_firm", 16.0)):
        x = worth / (70 + worth)
        omega = np.linalg.inv((1 - x) * R + x * np.eye(4))
        scale = np.sqrt(np.diag(omega))
        expected = to_pairs(-omega / np.outer(scale, scale))
        assert frame[name].to_numpy() == pytest.approx(expected, abs=1e-5)
        spread = null_spread(np.array([70.0]), worth, 4)
        z = 3 * np.arcsinh(np.sqrt(67) * np.arctanh(expected) / spread / 3)
        assert frame[f"{name}_z"].to_numpy() == pytest.approx(z, abs=1e-4)
    C = np.corrcoef((Z**2).T)
    squares = 3 * np.arcsinh(np.sqrt(70) * to_pairs(C - R**2) / 3)
    assert frame["squares"].to_numpy() == pytest.approx(squares, abs=1e-4)
    cross = np.corrcoef(Z.T, (Z**2).T)[:4, 4:]
    bends = np.sqrt(70) * np.sqrt(to_pairs(cross**2 + cross.T**2))
    assert frame["bends"].to_numpy() == pytest.approx(3 * np.arcsinh(bends / 3), abs=1e-4)


def test_evidence_of_mixed_tables_says_what_columns_are():
    frame = mixed_frame()
    found = measure(read_table(frame)).to_frame().set_index(["source", "target"])
    present = frame.notna().to_numpy(dtype=float)
    common = to_pairs(present.T @ present)
    assert np.expm1(found["rows"].to_numpy()) == pytest.approx(common, rel=1e-5)
    assert found["gaps"].to_numpy() == pytest.approx(1 - common / 120, abs=1e-6)
    assert found["nominal"].sum() == 5
    assert found.loc[("c", "d"), "tied"] > found.loc[("c", "d"), "tied_least"] > 0.3
    assert found.loc[("a", "b"), ["shown_least", "shown_most", "tied"]].tolist() == [1, 1, 0]
    assert found.loc[("a", "d"), "shown_least"] == pytest.approx(2 / np.pi, abs=0.05)
    assert np.isclose(to_matrix(found["all_rows"])[0, 1], np.log(120))
