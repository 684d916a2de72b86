"""SelectMarkovBlanket, and GraphLearner, among scikit-learn's own."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from spinney import GraphLearner, RootedForests
from spinney.exceptions import DataWarning, InputError
from spinney.judge import SelectMarkovBlanket
from tests.graph.cases import chains, plain_judge

PLAIN = GraphLearner(plain_judge())
SELECT = SelectMarkovBlanket(estimator=PLAIN)


@pytest.fixture(scope="module")
def table():
    return chains()


@pytest.mark.filterwarnings("ignore::spinney.exceptions.DataWarning")
@parametrize_with_checks([SELECT])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_the_neighbours_of_a_column_are_kept(table):
    X = table
    found = SelectMarkovBlanket("b", estimator=PLAIN).fit(X)
    assert found.get_feature_names_out().tolist() == ["a", "c"]
    assert found.blanket_ == ["c", "a"]  # the more probable first
    assert found.get_support().tolist() == [name in "ac" for name in X]
    pd.testing.assert_frame_equal(found.set_output(transform="pandas").transform(X), X[["a", "c"]])
    by_position = SelectMarkovBlanket(1, estimator=PLAIN).fit(X.to_numpy())
    assert by_position.get_support(indices=True).tolist() == [0, 2]
    np.testing.assert_array_equal(by_position.transform(X.to_numpy()), X[["a", "c"]])


def test_y_is_the_target_if_none_is_named(table):
    X = table
    rest = X.drop(columns="b")
    found = clone(SELECT).fit(rest, X["b"])
    assert found.get_feature_names_out().tolist() == ["a", "c"]
    assert "y" in found.estimator_.node_names_
    counted = clone(SELECT).fit(rest, X["b"].rank().to_numpy().astype(int))  # not an identifier
    assert counted.get_feature_names_out().tolist() == ["a", "c"]
    classes = clone(SELECT).fit(rest, np.where(X["b"] > 0, "high", "low"))
    assert "c" in classes.blanket_


def test_columns_of_all_kinds(table):
    X = table
    mixed = X.assign(sort=np.where(X["a"] > 0, "A", "B"), one=1, y=X["d"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = SelectMarkovBlanket("a", estimator=PLAIN).fit(mixed)
    assert "sort" in found.blanket_
    assert not found.get_support()[list(mixed).index("one")]
    assert found.set_output(transform="pandas").transform(mixed)["sort"].equals(mixed["sort"])


def test_a_pipeline_does_not_end_with_nothing(table):
    X = table
    for least in (0, 1, 3):
        found = SelectMarkovBlanket("lonely", estimator=PLAIN, min_features=least).fit(X)
        assert found.get_support().sum() == least


def test_pipelines_searches_and_other_graphs(table):
    X = table
    rest, y = X.drop(columns="b"), X["b"]
    model = make_pipeline(StandardScaler(), clone(SELECT), LinearRegression())
    cuts = {"selectmarkovblanket__estimator__cut": [0.01, 0.5]}
    found = GridSearchCV(model.set_output(transform="pandas"), cuts, cv=2).fit(rest, y)
    assert set(found.best_estimator_[:-1].get_feature_names_out()) >= {"a", "c"}
    assert found.score(rest, y) > 0.5
    forests = SelectMarkovBlanket("b", estimator=RootedForests()).fit(X)
    assert forests.get_feature_names_out().tolist() == ["a", "c"]


def test_a_graph_at_the_end_of_a_pipeline(table):
    X = table
    model = make_pipeline(StandardScaler(), clone(PLAIN)).set_output(transform="pandas").fit(X)
    assert model[-1].node_names_ == tuple(X)
    np.testing.assert_array_equal(model[-1].adjacency_, clone(PLAIN).fit(X).adjacency_)


def test_what_cannot_be(table):
    X = table
    with pytest.raises(InputError, match=r"the target y is None\. Or name"):
        clone(SELECT).fit(X)
    with pytest.raises(InputError, match=r"'lonly' .*Did you mean 'lonely'\?"):
        SelectMarkovBlanket("lonly").fit(X)
    with pytest.raises(NotFittedError):
        SELECT.transform(X.to_numpy())
    same = SelectMarkovBlanket("one", estimator=PLAIN)
    with (
        pytest.warns(DataWarning, match="'one' is constant"),
        pytest.raises(InputError, match="'one' is constant"),
    ):
        same.fit(X.assign(one=1))
