"""Partial correlations against regression residuals, tests against their level."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from spinney.exceptions import InputError
from spinney.models.baselines import PartialCorrelation
from spinney.models.baselines.partial_correlation import shrinkage_intensity
from tests.models.baselines.cases import chain


def test_partial_correlations_against_regression_residuals(rng):
    X = chain(rng, 60, 5)
    model = PartialCorrelation(threshold="none").fit(X)
    centred = X - X.mean(axis=0)
    for i, j in [(0, 1), (1, 4), (2, 3)]:
        rest = np.delete(centred, [i, j], axis=1)
        residuals = [
            centred[:, k] - rest @ np.linalg.lstsq(rest, centred[:, k], rcond=None)[0]
            for k in (i, j)
        ]
        r = np.corrcoef(*residuals)[0, 1]
        assert model.partial_correlations_[i, j] == pytest.approx(r, rel=1e-9)
        z = np.sqrt(60 - 3 - 3) * np.arctanh(r)
        assert model.p_values_[i, j] == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-7)
        assert model.adjacency_[i, j] == (2 * stats.norm.sf(abs(z)) <= 0.05)


def test_tests_keep_their_level_on_independent_columns():
    rng = np.random.default_rng(3)
    tables = [rng.normal(size=(40, 10)) for _ in range(100)]
    shares = [
        np.mean([PartialCorrelation("none").fit(X).adjacency_.mean() * 10 / 9 for X in tables]),
        np.mean([PartialCorrelation("fdr").fit(X).adjacency_.any() for X in tables]),
    ]
    assert shares[0] == pytest.approx(0.05, abs=0.01)  # 4500 tests: three standard errors
    assert shares[1] <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 100)


def test_corrections_only_remove_edges(rng):
    X = chain(rng, 80, 10, 0.5)
    none, fdr, bonferroni = (
        PartialCorrelation(rule).fit(X).adjacency_ for rule in ("none", "fdr", "bonferroni")
    )
    assert (bonferroni <= fdr).all()
    assert (fdr <= none).all()
    assert bonferroni.any()


def test_shrinkage_intensity_against_a_plain_loop(rng):
    Z = chain(rng, 15, 4)
    unit = (Z - Z.mean(axis=0)) / Z.std(axis=0, ddof=1)
    variance, squares = 0.0, 0.0
    for i in range(4):
        for j in range(i):
            w = unit[:, i] * unit[:, j]
            variance += 15 / 14**3 * ((w - w.mean()) ** 2).sum()
            squares += (15 / 14 * w.mean()) ** 2
    assert shrinkage_intensity(Z) == pytest.approx(variance / squares, rel=1e-12)


def test_more_columns_than_rows_are_shrunk(rng):
    X = chain(rng, 30, 40)
    model = PartialCorrelation().fit(X)
    assert 0 < model.shrinkage_ < 1
    true = np.eye(40, k=1) + np.eye(40, k=-1) > 0
    assert (model.adjacency_ & true).sum() > 5 * (model.adjacency_ & ~true).sum()
    with pytest.raises(InputError, match="30 rows are too few"):
        PartialCorrelation(shrink=False).fit(X)


@pytest.mark.parametrize("dependence", ["shrinkage", "spearman"])
def test_rank_based_shrinkage_does_not_see_the_margins(rng, dependence):
    X = chain(rng, 30, 25)
    one, other = (PartialCorrelation(dependence=dependence).fit(x) for x in (X, np.exp(X)))
    assert one.shrinkage_ == pytest.approx(other.shrinkage_, rel=1e-10)


def test_a_threshold_is_a_threshold(rng):
    model = PartialCorrelation(threshold=0.2).fit(chain(rng, 60, 5))
    np.testing.assert_array_equal(model.adjacency_, np.abs(model.partial_correlations_) > 0.2)


@pytest.mark.parametrize("arguments", [{"threshold": "holm"}, {"threshold": 2.0}, {"level": 0.0}])
def test_bad_parameters_are_refused(rng, arguments):
    with pytest.raises(InputError, match="Got"):
        PartialCorrelation(**arguments).fit(rng.normal(size=(20, 3)))


def mixed(rng, n, *, gaps=0.0):
    """Two chains a - b - c and x - sex - site, of numbers, text and levels, with gaps."""
    a, b, c, x = rng.normal(size=(4, n))
    b += a
    c += b
    sex = np.where(x + rng.normal(size=n) > 0, "f", "m")
    chance = np.where((sex == "f")[:, None], [0.7, 0.2, 0.1], [0.1, 0.2, 0.7])
    site = np.array(["rome", "oslo", "bern"])[(rng.random(n)[:, None] > chance.cumsum(1)).sum(1)]
    frame = pd.DataFrame({"a": a, "b": np.round(b), "c": c, "x": x, "sex": sex, "site": site})
    return frame.mask(rng.random(frame.shape) < gaps)


EDGES = {("a", "b"), ("b", "c"), ("x", "sex"), ("sex", "site")}


@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize("dependence", ["pearson", "spearman"])
def test_gaps_and_categories(rng, gaps, dependence):
    model = PartialCorrelation("bonferroni", dependence=dependence).fit(mixed(rng, 600, gaps=gaps))
    assert set(model.graph_.edges) == EDGES
    assert model.node_names_ == ("a", "b", "c", "x", "sex", "site")
    assert [model.edge_signs_[pair] for pair in ((0, 1), (1, 2), (3, 4), (4, 5))] == [1, 1, -1, 0]


@pytest.mark.filterwarnings("ignore:Values are not missing")  # gaps that depend on others by chance
def test_p_values_of_independent_columns_of_all_kinds(rng):
    below, total = 0, 0
    for _ in range(60):
        frame = mixed(rng, 120)
        for name in frame:  # nothing is left of the chains
            frame[name] = frame[name].sample(frac=1.0, random_state=rng).to_numpy()
        model = PartialCorrelation("none").fit(frame.mask(rng.random(frame.shape) < 0.3))
        p = model.p_values_[np.triu_indices(6, 1)]
        below, total = below + (p < 0.05).sum(), total + p.size
    assert 0.03 < below / total < 0.07


def test_a_gap_changes_little(rng):
    frame = pd.DataFrame(chain(rng, 400, 5), columns=list("abcde"))
    whole = PartialCorrelation().fit(frame)
    frame.iloc[7, 2] = np.nan
    holed = PartialCorrelation().fit(frame)
    np.testing.assert_allclose(
        holed.partial_correlations_, whole.partial_correlations_, rtol=0, atol=0.02
    )
    assert set(holed.graph_.edges) == set(whole.graph_.edges)
