"""What all baselines promise."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy.stats import multivariate_normal, norm
from sklearn.base import clone

from spinney import PairCopulas
from spinney.models.baselines import (
    ChowLiu,
    GraphicalLasso,
    NeighbourhoodSelection,
    PartialCorrelation,
    Stars,
)
from spinney.pairs.margins import Margins
from tests.models.baselines.cases import chain, each


@pytest.fixture(scope="module")
def frame():
    X = chain(np.random.default_rng(7), 150, 6)
    return pd.DataFrame(X, columns=[f"gene {k}" for k in range(6)])


@each()
def test_frames_arrays_pickles_and_second_fits_agree(frame, estimator):
    model = clone(estimator).fit(frame)
    again = clone(estimator).fit(chain(np.random.default_rng(1), 80, 9)).fit(frame.to_numpy())
    for other in (again, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(model.adjacency_, other.adjacency_)
        np.testing.assert_array_equal(model.edge_ranking_, other.edge_ranking_)


@pytest.mark.parametrize("selection", [Stars(0.2), "cv"])
def test_threads_change_nothing(frame, selection):
    one = GraphicalLasso(selection=selection, n_jobs=1).fit(frame)
    two = GraphicalLasso(selection=selection, n_jobs=2).fit(frame)
    np.testing.assert_array_equal(one.criterion_, two.criterion_)
    np.testing.assert_array_equal(one.precision_, two.precision_)


@pytest.mark.parametrize("diagonal", [True, False])
def test_glasso_density_against_scipy(frame, diagonal):
    model = GraphicalLasso(selection=0.1, penalise_diagonal=diagonal).fit(frame)
    W = np.linalg.inv(model.precision_)
    np.testing.assert_allclose(np.diag(W), 1.1 if diagonal else 1.0, rtol=1e-5)
    deviation = frame.std(ddof=0).to_numpy()
    scale = deviation / np.sqrt(np.diag(W))
    covariance = W * np.outer(scale, scale)
    joint = multivariate_normal(frame.mean(), covariance).logpdf(frame)
    margins = norm(frame.mean(), deviation).logpdf(frame).sum(axis=1)
    np.testing.assert_allclose(model.score_samples(frame), joint, rtol=1e-9)
    ratio = model.log_likelihood_ratio(frame)
    np.testing.assert_allclose(ratio, joint - margins, rtol=1e-9, atol=1e-9)


def test_stability_is_forgotten_by_a_fit_with_another_rule(frame):
    model = GraphicalLasso(selection=Stars(0.2)).fit(frame)
    assert model.path_frequencies_.shape == (10, 6, 6)
    at = np.flatnonzero(model.path_.penalties == model.penalty_)[0]
    np.testing.assert_array_equal(model.edge_frequencies_, model.path_frequencies_[at])
    model.set_params(selection="ebic").fit(frame)
    assert not hasattr(model, "edge_frequencies_")
    assert not hasattr(model, "path_frequencies_")


# Scores in the units of the table: densities that integrate to one


DENSITIES = [
    GraphicalLasso(selection=0.2),
    GraphicalLasso(selection=0.2, dependence="shrinkage"),
    GraphicalLasso(selection=0.2, dependence="kendall"),
    ChowLiu(),
    ChowLiu(dependence="spearman"),
    ChowLiu(potentials=PairCopulas(families=["gaussian", "clayton"])),
]
OF_RANKS = [x for x in DENSITIES if x.get_params()["dependence"] != "pearson"] + DENSITIES[-1:]


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 2))
    X[:, 1] += X[:, 0]
    return X * [3.0, 0.01] + [100.0, 0.0]


@each(DENSITIES)
def test_densities_integrate_to_one(table, estimator):
    model = clone(estimator).fit(table)
    assert model.adjacency_.any()
    centre, spread = table.mean(axis=0), table.std(axis=0)
    axes = [np.linspace(c - 9 * s, c + 9 * s, 241) for c, s in zip(centre, spread, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    cell = (axes[0][1] - axes[0][0]) * (axes[1][1] - axes[1][0])
    assert np.exp(model.score_samples(grid)).sum() * cell == pytest.approx(1.0, abs=5e-3)


@each(DENSITIES)
def test_scores_are_margins_plus_ratio(table, estimator):
    model = clone(estimator).fit(table)
    margins = model.score_samples(table) - model.log_likelihood_ratio(table)
    if estimator in OF_RANKS:
        expected = Margins().fit(table).log_density(table).sum(axis=1)
    else:
        z = (table - table.mean(axis=0)) / table.std(axis=0)
        expected = (-0.5 * z**2 - 0.5 * np.log(2 * np.pi) - np.log(table.std(axis=0))).sum(axis=1)
    np.testing.assert_allclose(margins, expected, rtol=1e-9, atol=1e-9)
    assert model.score(table) == pytest.approx(model.score_samples(table).mean(), rel=1e-12)


@each(DENSITIES)
def test_scores_survive_pickling_and_name_columns(table, estimator):
    frame = pd.DataFrame(table, columns=["a", "b"])
    model = clone(estimator).fit(frame)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.score_samples(frame), model.score_samples(frame))
    np.testing.assert_allclose(
        clone(estimator).fit(table).score_samples(table), model.score_samples(frame), rtol=1e-12
    )
    with pytest.raises(ValueError, match="feature names"):
        model.score_samples(frame[["b", "a"]])


@each(DENSITIES)
def test_rows_far_away_have_small_but_finite_densities(table, estimator):
    model = clone(estimator).fit(table)
    far = np.array([[1e100, -1e100], [1e5, 1e5]])
    ratio = model.log_likelihood_ratio(far)
    assert np.isfinite(ratio).all()
    assert (model.score_samples(far) < model.score_samples(table).min()).all()


@each(DENSITIES)
def test_a_second_fit_forgets_the_first(table, estimator):
    model = clone(estimator).fit(table)
    model.score_samples(table)  # margins that are fitted when needed are fitted now
    other = np.exp(table[:40] / table.std(axis=0) / 10) * [1.0, -1.0]
    expected = clone(estimator).fit(other).score_samples(other)
    np.testing.assert_array_equal(model.fit(other).score_samples(other), expected)


@each([NeighbourhoodSelection(), PartialCorrelation()])
def test_what_is_no_density_scores_no_rows(estimator):
    for name in ("score", "score_samples", "log_likelihood_ratio"):
        assert not hasattr(estimator, name)
