"""No baseline depends on the units or the offsets in which a column is written."""

import numpy as np
import pytest
from sklearn.base import clone

from spinney import PairCopulas
from spinney.models.baselines import (
    ChowLiu,
    GraphicalLasso,
    NeighbourhoodSelection,
    PartialCorrelation,
    Stars,
)
from spinney.models.baselines.partial_correlation import shrinkage_intensity
from spinney.models.baselines.scores import (
    DEPENDENCE,
    correlation_of,
    normal_scores,
    scores_of,
)
from tests.models.baselines.cases import chain

UNITS = np.array([1e-100, 1e-30, 1.0, 1e50, 1e100, 1e-3])
ESTIMATORS = [
    GraphicalLasso(selection=Stars(0.3)),
    GraphicalLasso(selection="ebic"),
    GraphicalLasso(selection="cv"),
    GraphicalLasso(selection="ric", dependence="shrinkage"),
    GraphicalLasso(selection="ebic", dependence="kendall"),
    NeighbourhoodSelection(selection=0.2),
    NeighbourhoodSelection(selection="ric", dependence="spearman"),
    ChowLiu(),
    ChowLiu(dependence="shrinkage"),
    ChowLiu(potentials=PairCopulas(families=["gaussian", "clayton"])),
    PartialCorrelation(),
    PartialCorrelation(shrink=True),
    PartialCorrelation(threshold=0.1, dependence="kendall"),
]
DENSITIES = [x for x in ESTIMATORS if hasattr(x, "score_samples")]


def name_of(estimator):
    return " ".join(str(estimator).split())


@pytest.fixture(scope="module")
def table():
    X = chain(np.random.default_rng(5), 120, 6)
    return X / np.abs(X).max()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_graphs_do_not_depend_on_units(table, estimator):
    one = clone(estimator).fit(table)
    other = clone(estimator).fit(table * UNITS)
    assert one.adjacency_.any()
    np.testing.assert_array_equal(other.adjacency_, one.adjacency_)
    np.testing.assert_allclose(other.edge_weights_, one.edge_weights_, rtol=1e-6)
    np.testing.assert_allclose(other.edge_ranking_, one.edge_ranking_, rtol=1e-6)


@pytest.mark.parametrize("offset", [1e6, -1e11])
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=name_of)
def test_graphs_do_not_depend_on_offsets(table, estimator, offset):
    rounded = np.round(table * 2.0**20) / 2.0**10  # both tables can be written without rounding
    one, other = (clone(estimator).fit(X) for X in (rounded, rounded + offset))
    np.testing.assert_array_equal((rounded + offset) - offset, rounded)
    np.testing.assert_array_equal(other.adjacency_, one.adjacency_)
    np.testing.assert_allclose(other.edge_weights_, one.edge_weights_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("estimator", DENSITIES, ids=name_of)
def test_log_densities_fall_by_the_logarithm_of_the_unit(table, estimator):
    one, other = clone(estimator).fit(table), clone(estimator).fit(table * UNITS)
    rows = table[:30]
    ratio = one.log_likelihood_ratio(rows)
    np.testing.assert_allclose(
        other.log_likelihood_ratio(rows * UNITS), ratio, rtol=1e-3, atol=1e-3
    )
    expected = one.score_samples(rows) - np.log(UNITS).sum()
    np.testing.assert_allclose(other.score_samples(rows * UNITS), expected, atol=1e-2)


@pytest.mark.parametrize("name", DEPENDENCE)
def test_correlations_do_not_depend_on_units(table, name):
    one, other = (correlation_of(scores_of(X, name), name) for X in (table, table * UNITS))
    np.testing.assert_allclose(other, one, atol=1e-12)
    one, other = (normal_scores(X, name) for X in (table, table * UNITS))
    np.testing.assert_allclose(other, one, atol=1e-12)


def test_shrinkage_does_not_depend_on_units(table):
    assert shrinkage_intensity(table * UNITS) == pytest.approx(
        shrinkage_intensity(table), rel=1e-10
    )


def test_columns_far_from_zero_keep_their_correlation(rng):
    X = rng.integers(-1000, 1000, size=(50, 3)).astype(float)
    X[:, 1] += X[:, 0]
    expected = np.corrcoef(X.T)
    far = X + np.array([2.0**52, -(2.0**51), 0.0])
    np.testing.assert_allclose(correlation_of(far, "pearson"), expected, atol=1e-13)
