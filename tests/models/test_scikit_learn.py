"""The estimators among scikit-learn's own tools."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from spinney import ForestsLambda, PairCopulas
from spinney.pairs.pair_fit import PairFit
from spinney.tables import read_table
from tests.models.cases import ESTIMATORS, FOUR, PAIRS, expected_failures, frame, make


# Some checks round values, so that columns tie; and 10 columns of 20 rows in 15 steps do not
# settle, of which the solver warns.
@pytest.mark.filterwarnings("ignore::spinney.exceptions.DataWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(
    [ESTIMATORS[name] for name in FOUR], expected_failed_checks=expected_failures
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def table():
    return frame()


@pytest.fixture(scope="module")
def fitted(table):
    return {name: make(name).fit(table) for name in ESTIMATORS}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_pickles_and_clones(fitted, table, name):
    model = fitted[name]
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.edge_weights_, model.edge_weights_)
    np.testing.assert_array_equal(again.score_samples(table), model.score_samples(table))
    pd.testing.assert_frame_equal(again.sample(5, 3), model.sample(5, 3))
    fresh = clone(model)
    assert not hasattr(fresh, "edge_weights_")
    np.testing.assert_array_equal(fresh.fit(table).edge_weights_, model.edge_weights_)


def test_pipeline_with_a_scaler(table):
    pipeline = make_pipeline(StandardScaler(), make("lambda")).fit(table)
    plain = make("lambda").fit(table)
    np.testing.assert_array_equal(pipeline[-1].adjacency_, plain.adjacency_)  # ranks are the same
    np.testing.assert_allclose(pipeline[-1].edge_weights_, plain.edge_weights_)
    # The density is in scaled units: a factor for each column. Smooth marginals are not wholly
    # free of units, so that the two fits differ a little.
    shift = np.log(pipeline[0].scale_).sum()
    assert pipeline.score(table) == pytest.approx(plain.score(table) + shift, abs=0.02)


def test_grid_search_over_penalties(table):
    search = GridSearchCV(
        ForestsLambda(potentials=PAIRS, max_iter=20), {"penalties": [0.5, 0.02]}, cv=2
    ).fit(table)
    assert search.best_params_["penalties"] == 0.02  # 0.5 cuts all edges of a dependent table
    assert search.best_estimator_.penalty_ == 0.02
    assert len(search.best_estimator_.path_) == 1
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@pytest.mark.parametrize("name", FOUR)
def test_fitted_densities_are_taken_as_they_are(fitted, table, name):
    fit = PairFit(PAIRS).fit(read_table(table))
    model = make(name).fit(fit)
    np.testing.assert_array_equal(model.adjacency_, fitted[name].adjacency_)
    assert model.pair_fit_ is fit
    assert model.potentials_ is fit.copulas_
    assert np.isfinite(model.score(table))
    assert model.sample(3, 0).shape == (3, 5)
    with pytest.raises(NotFittedError):
        make(name).fit(PairFit(PAIRS))


def test_potentials_are_cloned(table):
    pairs = PairCopulas(families=["gaussian"], criterion="bic")
    model = make("trees", potentials=pairs, n_jobs=2).fit(table)
    assert not hasattr(pairs, "family_")
    assert (pairs.n_jobs, model.potentials_.n_jobs) == (None, 2)
