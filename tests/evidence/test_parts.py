"""The parts of evidence against other ways to compute them."""

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats
from sklearn.linear_model import LinearRegression

from spinney._core.pairs import to_matrix, to_pairs
from spinney.evidence import measure
from spinney.evidence.channels import Measured, compress, fisher_z, logit, root
from spinney.evidence.correlations import (
    block_sizes,
    inverse_of,
    pairwise_correlation,
    partial_correlation,
    ridge,
)
from spinney.evidence.gains import read_gains
from spinney.evidence.ladder import channels as ladder_channels
from spinney.evidence.ladder import measure_ladder
from spinney.evidence.scores import read_scores, tied_shares
from spinney.forests.posterior import Ladder
from spinney.pairs.copulas import FAMILIES, PairCopulas
from spinney.pairs.densities import PairDensities
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


def test_inverses_are_those_of_the_ridged_matrix():
    R = np.corrcoef(np.random.default_rng(0).normal(size=(6, 40)))
    for strength, found in zip((0.01, 0.3), inverse_of(R, [0.01, 0.3]), strict=True):
        np.testing.assert_allclose(
            found, np.linalg.inv((1 - strength) * R + strength * np.eye(6)), rtol=1e-8
        )


def test_negative_eigenvalues_are_left_out():
    R = np.array([[1.0, 0.9, -0.9], [0.9, 1.0, 0.9], [-0.9, 0.9, 1.0]])
    values, vectors = np.linalg.eigh(R)
    assert values[0] < 0
    nearest = vectors @ np.diag(values.clip(0)) @ vectors.T
    expected = np.linalg.inv(0.9 * nearest + 0.1 * np.eye(3))
    np.testing.assert_allclose(inverse_of(R, [0.1])[0], expected, rtol=1e-8)


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


def test_ridges_vanish_with_rows_and_rule_with_columns():
    assert ridge(10**6, 10, 4.0) < 1e-4
    assert ridge(10, 10**6, 0.1) > 0.999


def test_scores_are_normal_scores_of_ranks_and_middles_of_levels():
    frame = mixed_frame(gaps=0.0)
    fit = PairFit(PairCopulas(families=["gaussian"])).fit(read_table(frame))
    scores, table = read_scores(fit), fit.table_
    a = table.values[:, 0]
    assert scores.normal[:, 0] == pytest.approx(special.ndtri(stats.rankdata(a) / 121))
    c = table.values[:, 2]
    middle = (stats.rankdata(c) - 0.5) / 120  # the middle of the level's interval
    assert scores.normal[:, 2] == pytest.approx(special.ndtri(middle))
    assert not scores.normal[:, 5].any()
    assert scores.owners.tolist() == [5, 5]
    classes = scores.classes
    np.testing.assert_allclose(classes.T @ classes / 120, np.eye(2), atol=1e-12)
    np.testing.assert_allclose(classes.mean(axis=0), 0.0, atol=1e-12)
    assert scores.levels == pytest.approx(np.log([1, 1, 3, 2, 1, 3]))
    bent = scores.squares.any(axis=0)
    assert bent.tolist() == [True, True, True, False, True, False]  # two levels do not bend
    for k in np.flatnonzero(bent):
        design = np.column_stack([np.ones(120), scores.normal[:, k], scores.normal[:, k] ** 2])
        left = scores.squares[:, k] - design @ np.linalg.lstsq(design, scores.squares[:, k])[0]
        assert np.abs(left).max() < 1e-9  # a square, and
        assert np.abs(design[:, :2].T @ scores.squares[:, k]).max() < 1e-8  # nothing linear


def test_shares_of_ties_are_counted_pair_by_pair():
    values = np.array([[1.0, 1.0], [1.0, np.nan], [2.0, 1.0], [1.0, np.nan], [3.0, 1.0]])
    pairs = [(i, j) for i in range(5) for j in range(i)]
    expected = np.mean([values[i, 0] == values[j, 0] for i, j in pairs])
    assert tied_shares(values) == pytest.approx([expected, 1.0])


def test_gains_are_those_of_the_fitted_pairs():
    X = np.random.default_rng(0).normal(size=(150, 4)).cumsum(axis=1)
    fit = PairFit().fit(read_table(X))
    gains, pairs = read_gains(fit, fit.densities_), fit.copulas_
    table = pairs.table_
    assert gains.chosen == pytest.approx(table["log_likelihood"].to_numpy())
    assert gains.held_out / 150 == pytest.approx(table["held_out_log_density"].to_numpy())
    assert gains.fitted_tau == pytest.approx(table["tau"].to_numpy())
    tails = table[["lower_tail", "upper_tail"]].max(axis=1)
    assert gains.tail == pytest.approx(tails.to_numpy())
    for k, name in enumerate(pairs.families_[1:], start=1):
        assert gains.by_family[name] == pytest.approx(pairs.log_likelihood_[:, k])


def test_tails_of_negative_dependence_are_as_heavy():
    U = FAMILIES["student"](0.6, 3.0).sample(400, random_state=0)
    V = np.column_stack([U[:, 0], 1 - U[:, 1]])
    one, other = (
        read_gains(fit, fit.densities_) for fit in (PairFit().fit(read_table(X)) for X in (U, V))
    )
    assert one.tail == pytest.approx(other.tail, abs=1e-3)
    assert one.tail > 0.2
    assert one.fitted_tau == pytest.approx(-other.fitted_tau, abs=1e-3)


def test_gains_of_nominal_pairs_are_those_of_their_tables():
    potentials = PairFit().fit(read_table(mixed_frame()))
    gains = read_gains(potentials, potentials.densities_)
    described = potentials.tables_.describe()["mutual_information"].to_numpy()
    pairs = potentials.tables_.pairs_
    assert gains.chosen[pairs] / gains.n_rows[pairs] == pytest.approx(described)
    assert (gains.by_family["frank"][pairs] >= gains.chosen[pairs] - 1e-9).all()
    assert not gains.tau[pairs].any()


def test_rungs_beyond_the_rows_repeat_the_largest_below():
    probabilities = np.array([[0.1], [0.2], [0.3], [0.4]])
    rungs = Ladder(np.array([4, 8, 12, 16]), np.ones(4), probabilities, 16)
    found = {
        name: special.expit(x).round(6)[0]
        for name, x in ladder_channels(Measured(rungs, None, None)).items()
    }
    assert (found["ladder_4"], found["ladder_8"]) == (0.1, 0.2)
    assert found["ladder_16"] == found["ladder_256"] == found["ladder_most"] == 0.3
    assert found["ladder_all"] == 0.4


def test_a_ladder_of_all_rows_only_serves_every_rung():
    rungs = measure_ladder(PairDensities(np.ones((4, 3))), 0, 1)
    found = ladder_channels(Measured(rungs, None, None))
    assert rungs.sizes.tolist() == [4]
    assert all(np.array_equal(values, found["ladder_all"]) for values in found.values())


def test_evidence_of_plain_tables_is_what_its_formulas_say():
    X = np.random.default_rng(2).normal(size=(70, 4)).cumsum(axis=1)
    frame = measure(X).to_frame()
    Z = special.ndtri(stats.rankdata(X, axis=0) / 71)
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
        z = 3 * np.arcsinh(np.sqrt(70) * np.arctanh(expected) / 3)
        assert frame[f"{name}_z"].to_numpy() == pytest.approx(z, abs=1e-4)
    C = np.corrcoef((Z**2).T)
    squares = 3 * np.arcsinh(np.sqrt(70) * to_pairs(C - R**2) / 3)
    assert frame["squares"].to_numpy() == pytest.approx(squares, abs=1e-4)
    cross = np.corrcoef(Z.T, (Z**2).T)[:4, 4:]
    bends = np.sqrt(70) * np.sqrt(to_pairs(cross**2 + cross.T**2))
    assert frame["bends"].to_numpy() == pytest.approx(3 * np.arcsinh(bends / 3), abs=1e-4)
    strength = np.sqrt(1 - np.exp(-2 * measure(X).potentials.table_["log_likelihood"] / 70))
    assert np.tanh(frame["information"].to_numpy()) == pytest.approx(strength, abs=1e-5)


def test_evidence_of_mixed_tables_says_what_columns_are():
    frame = mixed_frame()
    found = measure(read_table(frame)).to_frame().set_index(["source", "target"])
    present = frame.notna().to_numpy(dtype=float)
    common = to_pairs(present.T @ present)
    assert np.expm1(found["rows"].to_numpy()) == pytest.approx(common, rel=1e-5)
    assert found["gaps"].to_numpy() == pytest.approx(1 - common / 120, abs=1e-6)
    assert found["nominal"].sum() == 5
    assert found.loc[("c", "d"), "levels_most"] == pytest.approx(np.log(3))
    assert found.loc[("c", "d"), "levels_least"] == pytest.approx(np.log(2))
    assert found.loc[("a", "b"), ["shown_least", "shown_most", "tied"]].tolist() == [1, 1, 0]
    assert found.loc[("a", "d"), "shown_least"] == pytest.approx(2 / np.pi, abs=0.05)
    assert np.isclose(to_matrix(found["all_rows"])[0, 1], np.log(120))
