"""The fitted models are densities, and what they draw follows them."""

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import trapezoid
from scipy.special import ndtr
from sklearn.base import clone

from spinney import ForestsLambda, PairCopulas, RootedForests, SharedForest
from spinney._core.pairs import to_pairs
from spinney.simulate import copula_forest
from tests.models.cases import FOUR, make

FAMILIES = PairCopulas(families=["gaussian", "frank", "clayton"], criterion="bic")
OTHERS = {"rooted": RootedForests(FAMILIES), "shared": SharedForest(FAMILIES, edge_weight=0.5)}


def loop(n, d, seed):
    """A table whose columns all depend on each other, by unlike strengths."""
    rng = np.random.default_rng(seed)
    common = rng.normal(size=n)
    X = np.column_stack([common * w + rng.normal(size=n) for w in np.linspace(0.7, 1.6, d)])
    return pd.DataFrame(X, columns=[f"v{k}" for k in range(d)])


def of_paper(name):
    quick = {"penalties": 0.01} if name == "lambda" else {}
    return make(name, potentials=FAMILIES, edge_tolerance=0.0, **quick)


def mixture(name, d, n=120):
    """A fitted model that averages over several forests."""
    model = (clone(OTHERS[name]) if name in OTHERS else of_paper(name)).fit(loop(n, d, 9))
    assert model.adjacency_.any()
    return model


@pytest.mark.parametrize("name", [*FOUR, *OTHERS])
@pytest.mark.parametrize("d", [2, pytest.param(3, marks=pytest.mark.slow)])
def test_integral_over_the_unit_cube_is_one(name, d):
    """x = F⁻¹(Φ(z)) on a grid of z: the trapezoidal rule is exact to all digits that count."""
    model = mixture(name, d)
    z = np.linspace(-6.0, 6.0, 121 if d == 2 else 33)
    grid = np.stack(np.meshgrid(*[z] * d, indexing="ij"), axis=-1).reshape(-1, d)
    marginals = model.marginals_
    levels = pd.DataFrame(ndtr(grid), columns=model.feature_names_in_)
    x = marginals.inverse_transform(levels)
    ratio = model.score_samples(x) - marginals.log_density(x).to_numpy().sum(axis=1)
    normal = -0.5 * (grid**2).sum(axis=1) - 0.5 * d * np.log(2 * np.pi)
    total = np.exp(ratio + normal).sum() * (z[1] - z[0]) ** d
    assert total == pytest.approx(1.0, abs=2e-3)


@pytest.mark.parametrize("name", [*FOUR, *OTHERS])
def test_integral_in_the_units_of_the_table_is_one(name):
    model = mixture(name, 2)
    x = np.linspace(-12.0, 12.0, 301)
    first, second = np.meshgrid(x, x, indexing="ij")
    rows = pd.DataFrame({"v0": first.ravel(), "v1": second.ravel()})
    density = np.exp(model.score_samples(rows)).reshape(301, 301)
    total = trapezoid(trapezoid(density, x), x)
    assert total == pytest.approx(1.0, abs=3e-3)
    # One column alone has the density of its marginal: pair copulas leave margins as they are.
    alone = trapezoid(density, x, axis=1)
    both = pd.DataFrame({"v0": x, "v1": 0.0})
    margin = np.exp(model.marginals_.log_density(both)["v0"].to_numpy())
    np.testing.assert_allclose(alone, margin, atol=3e-3)


def taus(X):
    return to_pairs(pd.DataFrame(X).corr("kendall"))


def check_samples_follow_the_model(name, n):
    """Draw, refit, and compare; standard errors are stated where they are used."""
    model = mixture(name, 4, n=200)
    one, two, new = (model.sample(n, random_state=seed) for seed in (1, 2, 3))
    # A tau of n rows has a standard error of at most √(2 (1 - τ²) / n), whatever the copula; the
    # difference of two that of √2 times this. Six pairs, four errors: one run in 3000 by chance.
    error = np.sqrt(2.0 / n)
    assert np.abs(taus(one) - taus(two)).max() < 4 * np.sqrt(2.0) * error
    # A pair that is an edge of every forest has its own copula as its margin.
    implied = model.potentials_.table_["tau"].to_numpy()
    first, second = np.triu_indices(4, 1)
    certain = model.edge_probabilities_[first, second] > 0.999
    assert np.abs(taus(one) - implied)[certain].max(initial=0.0) < 4 * error

    refit = of_paper(name).fit(one)
    gap = model.score_samples(new) - refit.score_samples(new)
    # On average the gap is the divergence of the refit, at least zero, plus chance with a standard
    # error of std / √n. It does not vanish: the pairs of a mixture are less dependent than the
    # copulas that it mixes, and the refit takes them for the copulas. A tenth of what all
    # dependence is worth is allowed for that.
    chance = gap.std() / np.sqrt(n)
    margins = model.marginals_.log_density(new).to_numpy().sum(axis=1)
    worth = (model.score_samples(new) - margins).mean()
    assert -4 * chance < gap.mean() < 4 * chance + 0.1 * worth
    np.testing.assert_allclose(refit.potentials_.sample_tau_, taus(one), rtol=1e-12)
    kept = model.edge_probabilities_[first, second] > 0.5
    assert np.abs(refit.potentials_.table_["tau"].to_numpy() - taus(two))[kept].max() < 0.05


def test_samples_follow_the_model():
    check_samples_follow_the_model("lambda", 4000)


@pytest.mark.slow
@pytest.mark.parametrize("name", FOUR)
def test_large_samples_follow_the_model(name):
    check_samples_follow_the_model(name, 20_000)


@pytest.mark.parametrize("name", ["trees", "lambda"])  # the others mix in any case
def test_one_forest_is_found_again_in_its_samples(name):
    """Without a mixture nothing stands between the model and its refit but chance."""
    n = 3000
    data = copula_forest(300, 5, components=1, random_state=3)
    table = pd.DataFrame(np.asarray(data.X), columns=list("abcde"))
    model = make(name, edge_tolerance=1.0).fit(table)
    certain = model.edge_probabilities_[model.adjacency_]
    np.testing.assert_allclose(certain, 1.0, rtol=1e-12)
    one, new = model.sample(n, random_state=1), model.sample(n, random_state=2)
    edges = model.adjacency_[np.triu_indices(5, 1)]
    implied = model.potentials_.table_["tau"].to_numpy()
    assert np.abs(taus(one) - implied)[edges].max() < 4 * np.sqrt(2.0 / n)
    refit = make(name, edge_tolerance=1.0).fit(one)
    np.testing.assert_array_equal(refit.adjacency_, model.adjacency_)
    gap = model.score_samples(new) - refit.score_samples(new)
    chance = gap.std() / np.sqrt(n)
    # Three or four copulas and five smooth margins: half a nat per parameter and n, and 0.01 for
    # what kernels of 300 rows and of 3000 do differently.
    assert -4 * chance < gap.mean() < 4 * chance + 15 / n + 0.01


def test_samples_are_reproducible():
    model = mixture("lambda", 3)
    pd.testing.assert_frame_equal(model.sample(50, random_state=7), model.sample(50, 7))
    generator = np.random.default_rng(7)
    pd.testing.assert_frame_equal(model.sample(50, 7), model.sample(50, generator))
    assert not model.sample(50, generator).equals(model.sample(50, 7))


def test_a_better_model_of_held_out_rows_than_independence():
    train, test = loop(200, 4, 1), loop(400, 4, 2)
    model = ForestsLambda(0.02, potentials=FAMILIES, max_iter=30).fit(train)
    margins = model.marginals_.log_density(test).to_numpy().sum(axis=1)
    gain = model.score_samples(test) - margins
    assert gain.mean() > 4 * gain.std() / np.sqrt(len(gain))
