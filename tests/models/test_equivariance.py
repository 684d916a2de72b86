"""No estimator feels the order of columns or rows, or the sign of a column."""

from functools import cache

import numpy as np
import pytest
from sklearn.base import clone

from spinney import ExactForests, ForestsCuts, PairCopulas, RootedForests
from spinney.models.paper.search import Canonical
from spinney.pairs.densities import PairDensities
from spinney.simulate import copula_forest, gaussian_mrf
from tests.models.real_tables import FORESTS, LEARNERS

ESTIMATORS = {name: type(LEARNERS[name])() for name in FORESTS}
ESTIMATORS |= {"exact": ExactForests(3), "cuts": ForestsCuts(20)}
TABLES = {
    "copulas": copula_forest(60, 8, 2, random_state=1).X,
    "gaussian": gaussian_mrf(80, 12, 2, 2, 3).X,
}
CASES = [
    *((name, "copulas") for name in ESTIMATORS),
    *(
        pytest.param(name, "gaussian", marks=pytest.mark.slow)
        for name in ESTIMATORS
        if name != "exact"
    ),
]


def fit(name, X):
    return clone(ESTIMATORS[name]).fit(X)


@cache
def fitted(name, table):
    return fit(name, TABLES[table])


def numbers(model):
    return {
        name: getattr(model, name).copy()
        for name in ("adjacency_", "edge_weights_", "edge_probabilities_", "edge_ranking_")
    }


def assert_same(found, expected):
    np.testing.assert_array_equal(found["adjacency_"], expected["adjacency_"])
    for name in ("edge_probabilities_", "edge_ranking_"):
        np.testing.assert_allclose(found[name], expected[name], atol=1e-7, err_msg=name)


@pytest.mark.parametrize(("name", "table"), CASES)
def test_columns_in_another_order(name, table):
    X = TABLES[table]
    order = np.random.default_rng(0).permutation(X.shape[1])
    at = np.ix_(order, order)
    expected = {key: value[at] for key, value in numbers(fitted(name, table)).items()}
    assert_same(numbers(fit(name, X[:, order])), expected)


@pytest.mark.parametrize(("name", "table"), CASES)
def test_rows_in_another_order(name, table):
    X = TABLES[table]
    expected = numbers(fitted(name, table))
    found = numbers(fit(name, X[np.random.default_rng(1).permutation(len(X))]))
    for key, value in expected.items():
        np.testing.assert_array_equal(found[key], value)  # to the bit


@pytest.mark.parametrize(("name", "table"), CASES)
def test_negated_columns(name, table):
    X = TABLES[table]
    signs = np.where(np.random.default_rng(2).random(X.shape[1]) < 0.5, -1.0, 1.0)
    expected = fitted(name, table)
    graph, signed = numbers(expected), expected.edges_.set_index(["source", "target"])["sign"]
    found = fit(name, X * signs)
    assert_same(numbers(found), graph)
    turned = found.edges_.set_index(["source", "target"])["sign"]
    for (u, v), sign in signed.items():
        assert turned[u, v] == sign * signs[int(u[1:])] * signs[int(v[1:])]


def test_folds_fall_on_the_same_rows():
    X = TABLES["copulas"]
    model = RootedForests(PairCopulas(families=["gaussian"], cv=3)).fit(X)
    first = model.potentials_.fold_parameters_.copy()
    model.fit(X[::-1])
    np.testing.assert_array_equal(model.potentials_.fold_parameters_, first)


def test_canonical_columns_go_there_and_back():
    evidence = PairDensities(
        np.random.default_rng(0).normal(size=(9, 10)), n_parameters=np.arange(10)
    )
    canonical = Canonical(evidence)
    pairs = np.arange(10.0)
    np.testing.assert_array_equal(canonical.to_table(canonical.evidence.n_parameters), pairs)
    sums = canonical.evidence.log_density.sum(axis=0)
    np.testing.assert_allclose(canonical.to_table(sums), evidence.log_density.sum(axis=0))
    whole = canonical.places([[0, 2], [1, 3, 4]])
    assert sorted(np.concatenate(whole)) == [0, 1, 2, 3, 4]
    assert {int(k) for k in canonical.nodes[whole[0]]} in ({0, 2}, {1, 3, 4})
