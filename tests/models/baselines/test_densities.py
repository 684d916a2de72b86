"""Scores in the units of the table: densities that integrate to one."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from spinney import PairCopulas
from spinney.exceptions import InputError
from spinney.models.baselines import (
    ChowLiu,
    GraphicalLasso,
    NeighbourhoodSelection,
    PartialCorrelation,
)
from spinney.pairs.margins import Margins

DENSITIES = [
    GraphicalLasso(selection=0.2),
    GraphicalLasso(selection=0.2, dependence="shrinkage"),
    GraphicalLasso(selection=0.2, dependence="kendall"),
    ChowLiu(),
    ChowLiu(dependence="spearman"),
    ChowLiu(potentials=PairCopulas(families=["gaussian", "clayton"])),
]
OF_RANKS = [x for x in DENSITIES if x.get_params()["dependence"] != "pearson"] + DENSITIES[-1:]


def name_of(estimator):
    return " ".join(str(estimator).split())


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(80, 2))
    X[:, 1] += X[:, 0]
    return X * [3.0, 0.01] + [100.0, 0.0]


@pytest.mark.parametrize("estimator", DENSITIES, ids=name_of)
def test_densities_integrate_to_one(table, estimator):
    model = clone(estimator).fit(table)
    assert model.adjacency_.any()
    centre, spread = table.mean(axis=0), table.std(axis=0)
    axes = [np.linspace(c - 9 * s, c + 9 * s, 241) for c, s in zip(centre, spread, strict=True)]
    grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)
    cell = (axes[0][1] - axes[0][0]) * (axes[1][1] - axes[1][0])
    assert np.exp(model.score_samples(grid)).sum() * cell == pytest.approx(1.0, abs=5e-3)


@pytest.mark.parametrize("estimator", DENSITIES, ids=name_of)
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


@pytest.mark.parametrize("estimator", DENSITIES, ids=name_of)
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


@pytest.mark.parametrize("estimator", DENSITIES, ids=name_of)
def test_rows_far_away_have_small_but_finite_densities(table, estimator):
    model = clone(estimator).fit(table)
    far = np.array([[1e100, -1e100], [1e5, 1e5]])
    ratio = model.log_likelihood_ratio(far)
    assert np.isfinite(ratio).all()
    assert (model.score_samples(far) < model.score_samples(table).min()).all()


@pytest.mark.parametrize("estimator", DENSITIES, ids=name_of)
def test_a_second_fit_forgets_the_first(table, estimator):
    model = clone(estimator).fit(table)
    model.score_samples(table)  # margins that are fitted when needed are fitted now
    other = np.exp(table[:40] / table.std(axis=0) / 10) * [1.0, -1.0]
    expected = clone(estimator).fit(other).score_samples(other)
    np.testing.assert_array_equal(model.fit(other).score_samples(other), expected)


@pytest.mark.parametrize("estimator", [NeighbourhoodSelection(), PartialCorrelation()], ids=name_of)
def test_what_is_no_density_scores_no_rows(estimator):
    for name in ("score", "score_samples", "log_likelihood_ratio"):
        assert not hasattr(estimator, name)


def test_a_fit_that_fails_leaves_no_old_graph(table):
    model = GraphicalLasso(selection=0.2).fit(table)
    with pytest.raises(InputError, match="Penalties must decrease"):
        model.set_params(penalties=[0.1, 0.2]).fit(np.column_stack([table, table[:, 0] ** 2]))
    with pytest.raises(NotFittedError):
        model.score_samples(table)
    with pytest.raises(NotFittedError):
        _ = model.graph_
