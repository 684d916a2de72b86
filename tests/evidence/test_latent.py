"""Correlations behind levels, against masses of rectangles and samples."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

from spinney.evidence.correlations import invert_mehler, latent_correlations
from spinney.evidence.measured import Measured
from spinney.scores import read_scores, score_column
from spinney.tables import Table, read_table

HALVES, TENTH, THIRD, FIVE = [50, 50], [90, 10], [69, 31], [12, 23, 30, 23, 12]


def levels(counts):
    """Score a column with so many rows of each level."""
    return score_column(np.repeat(np.arange(len(counts)), counts).astype(float))


def score_correlation(rho, one, other):
    """Correlate the scores of two normal variables cut into levels, by masses of rectangles."""
    law = stats.multivariate_normal([0.0, 0.0], [[1.0, rho], [rho, 1.0]])
    ends = [np.clip(special.ndtri(np.cumsum([0, *c]) / np.sum(c)), -9.0, 9.0) for c in (one, other)]
    below = law.cdf(np.stack(np.meshgrid(*ends, indexing="ij"), axis=-1))
    mass = np.diff(np.diff(below, axis=0), axis=1)
    a, b = (np.unique(levels(counts).normal) for counts in (one, other))
    p, q = mass.sum(axis=1), mass.sum(axis=0)
    return a @ mass @ b / np.sqrt((p @ a**2) * (q @ b**2))


@pytest.mark.parametrize("rho", [-0.7, -0.4, 0.1, 0.5, 0.8])
@pytest.mark.parametrize(
    ("one", "other"), [(HALVES, HALVES), (HALVES, FIVE), (FIVE, FIVE), (TENTH, THIRD)]
)
def test_mehlers_formula_is_undone_as_masses_of_rectangles_say(rho, one, other):
    r = score_correlation(rho, one, other)
    series = levels(one).hermite * levels(other).hermite
    assert invert_mehler(np.array([r]), series[None])[0] == pytest.approx(rho, abs=2e-3)


@pytest.mark.parametrize("rho", [-0.85, -0.3, 0.0, 0.3, 0.7, 0.85])
def test_two_signs_follow_the_law_of_the_arcsine(rho):
    sign = levels(HALVES).hermite
    found = invert_mehler(np.array([2.0 / np.pi * np.arcsin(rho)]), (sign * sign)[None])
    assert found[0] == pytest.approx(rho, abs=2e-3)


def test_a_sign_and_a_variable_seen_whole():
    """The correlation of a variable with its sign is √(2/π)."""
    products = levels(HALVES).hermite * np.eye(1, 20)[0]
    rho = np.array([-0.9, 0.2, 0.6])
    found = invert_mehler(rho * np.sqrt(2.0 / np.pi), np.tile(products, (3, 1)))
    assert found == pytest.approx(rho, abs=1e-6)


def test_correlations_out_of_reach_are_the_strongest_there_are():
    sign = levels(HALVES).hermite
    found = invert_mehler(np.array([0.999, -0.999]), np.tile(sign * sign, (2, 1)))
    assert found == pytest.approx([0.999, -0.999], abs=1e-3)


def cut(x, counts):
    return np.digitize(x, special.ndtri(np.cumsum(counts)[:-1] / np.sum(counts)))


def latent_of(frame):
    correlation, rows = latent_correlations(Measured(read_scores(read_table(frame))))
    return correlation[0, 1], rows[0, 1]


# Two rare levels that avoid each other hardly ever meet at -0.6 already, so no more is known.
@pytest.mark.parametrize(
    ("one", "other", "rho"),
    [
        *((*pair, rho) for pair in ((HALVES, HALVES), (FIVE, FIVE)) for rho in (0.3, -0.6, 0.8)),
        *((FIVE, None, rho) for rho in (0.3, -0.6, 0.8)),
        *((TENTH, THIRD, rho) for rho in (-0.3, 0.3, 0.8)),
    ],
)
def test_correlations_behind_levels_are_unbiased(one, other, rho):
    found = []
    for seed in range(12):
        Z = np.random.default_rng(seed).multivariate_normal([0, 0], [[1, rho], [rho, 1]], size=2000)
        columns = {
            "a": cut(Z[:, 0], one),
            "b": Z[:, 1] if other is None else cut(Z[:, 1], other),
        }
        found.append(latent_of(pd.DataFrame(columns))[0])
    error = np.std(found) / np.sqrt(12)
    assert np.mean(found) == pytest.approx(rho, abs=0.01 + 2.5 * error)
    assert error < 0.02


def test_rows_behind_levels_are_those_that_would_say_as_much():
    Z = np.random.default_rng(0).normal(size=(1000, 2))
    frame = pd.DataFrame({"a": (Z[:, 0] > 0).astype(int), "b": Z[:, 1]})
    assert latent_of(frame)[1] == pytest.approx(1000 * 2 / np.pi, rel=0.01)


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
    assert latent_of(frame)[0] == pytest.approx(rho, abs=0.05)


def test_two_rare_columns_that_never_meet_are_not_opposites():
    a, b = np.zeros((2, 500), dtype=int)
    a[:5], b[5:10] = 1, 1
    order = np.random.default_rng(0).permutation(500)
    latent, rows = latent_of(pd.DataFrame({"a": a[order], "b": b[order]}))
    assert -0.3 < latent <= 0.0
    assert rows < 3


def test_nominal_columns_have_nothing_behind_them():
    X = np.random.default_rng(0).normal(size=(100, 2))
    frame = pd.DataFrame({"a": X[:, 0], "b": np.array(["x", "y", "z"])[cut(X[:, 0], [1, 1, 1])]})
    assert latent_of(frame) == (0.0, 0.0)
    assert Table.plain(X, ("a", "b")).nominal.tolist() == [False, False]
