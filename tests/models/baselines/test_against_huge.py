"""The lasso baselines against stored results of R huge on the same twenty tables.

How they were made stands in tests/data/make_huge_oracle.py.
"""

import numpy as np
import pytest

from spinney.models.baselines import (
    GraphicalLasso,
    RotationInformation,
    Stars,
    glasso_path,
    neighbourhood_path,
    penalty_path,
)
from tests.data.huge_tables import COLUMNS, N_TABLES, ROWS, small_table, table
from tests.models.baselines.cases import huge_supports, oracle, unpack

TABLES = range(N_TABLES)
THRESHOLDS = [0.05, 0.1]


def n_different(one, other):
    return int(np.triu(one ^ other).sum())


@pytest.fixture(scope="module")
def paths():
    found = []
    for k in TABLES:
        S = np.corrcoef(table(k).T)
        found.append(glasso_path(S, penalty_path(S)))
    return found


def test_the_oracle_says_where_it_comes_from():
    assert oracle()["versions"]["huge"] == "1.3.5"
    assert oracle()["date"].startswith("2026-")
    assert len(oracle()["tables"]) == N_TABLES


def test_paths_have_the_penalties_of_huge(paths):
    for path, theirs in zip(paths, oracle()["tables"], strict=True):
        np.testing.assert_allclose(path.penalties, theirs["penalties"], rtol=1e-12)


def test_paths_have_the_supports_of_huge(paths):
    for path, theirs in zip(paths, oracle()["tables"], strict=True):
        np.testing.assert_array_equal(path.adjacency, huge_supports(theirs["glasso"], COLUMNS))


@pytest.mark.parametrize("k", [0, 1])
def test_precision_matrices_are_those_of_huge(paths, k):
    # huge stops at a relative change of 1e-4, and its own matrix is not quite symmetric.
    theirs = np.array(oracle()["tables"][k]["last_precision"])
    np.testing.assert_allclose(paths[k].precisions[-1], theirs, atol=5e-3)


def test_neighbourhoods_have_the_supports_of_huge():
    differences = []
    for k, theirs in zip(TABLES, oracle()["tables"], strict=True):
        path = neighbourhood_path(np.corrcoef(table(k).T), theirs["penalties"])
        supports = huge_supports(theirs["neighbourhoods"], COLUMNS)
        differences += [n_different(a, b) for a, b in zip(path.adjacency, supports, strict=True)]
    # huge's lasso stops at a relative change of 1e-4, so a few of up to 250 edges come or go.
    assert np.mean(differences) < 0.2
    assert max(differences) <= 3


@pytest.mark.slow
def test_stars_on_the_subsamples_of_huge_chooses_the_graphs_of_huge(paths):
    for k, path, theirs in zip(TABLES, paths, oracle()["tables"], strict=True):
        X = table(k)
        subsamples = [unpack(code, len(X)) for code in theirs["subsamples"]]
        assert {int(rows.sum()) for rows in subsamples} == {Stars().rows(len(X))}
        adjacency = [
            glasso_path(np.corrcoef(X[rows].T), path.penalties).adjacency for rows in subsamples
        ]
        frequencies = np.mean(adjacency, axis=0)
        for threshold in THRESHOLDS:
            choice = Stars(threshold).choose_by_frequencies(path.penalties, frequencies)
            np.testing.assert_allclose(choice.criterion, theirs["variability"], atol=1e-3)
            assert choice.penalty == path.penalties[theirs["chosen"][f"stars {threshold}"]]


@pytest.mark.slow
@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_stars_on_its_own_subsamples_stays_near_huge(threshold):
    differences = []
    for k, theirs in zip(TABLES, oracle()["tables"], strict=True):
        model = GraphicalLasso(selection=Stars(threshold), random_state=0).fit(table(k))
        index = theirs["chosen"][f"stars {threshold}"]
        chosen = huge_supports(theirs["glasso"], COLUMNS)[index]
        differences.append(n_different(model.adjacency_, chosen))
    assert np.mean(differences) <= 3.0


def test_ebic_chooses_the_graphs_of_huge(paths):
    for k, path, theirs in zip(TABLES, paths, oracle()["tables"], strict=True):
        model = GraphicalLasso(selection="ebic").fit(table(k))
        assert model.penalty_ == pytest.approx(path.penalties[theirs["chosen"]["ebic"]], rel=1e-9)
        if path.adjacency[-1].any(axis=0).all():  # elsewhere the two count lone nodes differently
            S = model.correlation_
            log_determinant = np.linalg.slogdet(path.precisions[-1])[1]
            ours = log_determinant - np.sum(S * path.precisions[-1])
            assert ours == pytest.approx(theirs["log_likelihood"][-1], abs=0.02)


def test_rotation_information_equals_that_of_huge():
    X = small_table()
    n = len(X)
    # With as many rotations as rows huge tries them all. It divides by n where the standard
    # deviation has n - 1, and so gives (n - 1) / n of a correlation.
    model = GraphicalLasso(selection=RotationInformation(n_rotations=n)).fit(X)
    assert model.penalty_ * (n - 1) / n == pytest.approx(oracle()["small"]["ric"], rel=1e-10)


def test_subsamples_have_the_sizes_of_huge():
    assert [Stars().rows(n) for n in (50, 144, 145, *ROWS, 500)] == [40, 115, 120, 40, 141, 223]
