"""Whatever backend the user has chosen for joblib: the same graph as without one."""

import logging
import warnings
from contextlib import contextmanager

import joblib
import numpy as np
import pytest
from sklearn.base import clone

from spinney import PairCopulas
from tests.test_one_meaning import NAMES, make

MADE = {name: make(name) for name in NAMES} | {"PairCopulas": PairCopulas()}
ESTIMATORS = {name: model for name, model in MADE.items() if hasattr(model, "n_jobs")}
LOKY = pytest.param("loky", marks=pytest.mark.slow)  # its processes take seconds to start
BACKENDS = [LOKY, "threading", "multiprocessing", "dask"]


def table():
    X = np.random.default_rng(3).normal(size=(60, 5))
    X[:, 1:] += 0.8 * X[:, :-1]
    return X


@contextmanager
def backend(name):
    """Set a backend of joblib; for Dask, start workers in threads of this process."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what backends say of themselves
        if name != "dask":
            with joblib.parallel_config(backend=name, n_jobs=2):
                yield
            return
        distributed = pytest.importorskip("distributed")
        with (
            distributed.LocalCluster(
                n_workers=1,
                threads_per_worker=2,
                processes=False,
                dashboard_address=None,
                silence_logs=logging.CRITICAL,
            ) as cluster,
            distributed.Client(cluster),
            joblib.parallel_config(backend="dask", n_jobs=2),
        ):
            yield


def numbers(fitted):
    """What was learned: a graph, or the fits of pairs."""
    names = ("adjacency_", "edge_weights_", "edge_probabilities_", "edge_frequencies_")
    names += ("simultaneous_frequencies_", "parameters_", "log_likelihood_")
    found = {name: getattr(fitted, name) for name in names if hasattr(fitted, name)}
    assert found
    return found


@pytest.fixture(scope="module")
def expected():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what estimators say of so small a table
        return {name: numbers(clone(model).fit(inputs(name))) for name, model in ESTIMATORS.items()}


def inputs(name):
    X = table()
    return (X.argsort(axis=0).argsort(axis=0) + 0.5) / len(X) if name == "PairCopulas" else X


@pytest.mark.parametrize("name", BACKENDS)
def test_every_estimator_learns_what_it_learns_without_a_backend(name, expected):
    with backend(name):
        for model, before in expected.items():
            found = numbers(clone(ESTIMATORS[model]).set_params(n_jobs=2).fit(inputs(model)))
            for what, value in before.items():
                np.testing.assert_array_equal(found[what], value, err_msg=f"{model}: {what}")
