"""How many threads a baseline uses: no more than it was told."""

import threading

import numpy as np
import pytest

from spinney.exceptions import InputError
from spinney.models.baselines import GraphicalLasso, NeighbourhoodSelection, Stars
from tests.conftest import blas_threads
from tests.models.baselines.cases import chain


def watched(estimator):
    """Make an estimator note where its paths are solved: which threads, and BLAS's number."""
    seen = []
    solve = estimator._solve

    def noted(S, penalties):
        seen.append((threading.get_ident(), blas_threads()))
        return solve(S, penalties)

    estimator._solve = noted
    return estimator, seen


@pytest.mark.parametrize("kind", [GraphicalLasso, NeighbourhoodSelection])
@pytest.mark.parametrize("n_jobs", [1, 2, None])
def test_no_more_threads_than_asked_for(two_blas_threads, kind, n_jobs):
    estimator, seen = watched(kind(selection=Stars(0.9), n_jobs=n_jobs))
    estimator.fit(chain(np.random.default_rng(0), 60, 5))
    assert len(seen) == 21  # all rows, and twenty subsamples
    threads = {thread for thread, _ in seen[1:]}
    assert len(threads) <= (n_jobs or 1)
    if n_jobs != 2:
        assert threads == {threading.get_ident()}
    assert {n for _, n in seen} == ({2} if n_jobs is None else {1})
    assert blas_threads() == 2  # as it was


def test_an_error_gives_the_threads_back(two_blas_threads):
    with pytest.raises(InputError, match="needs a likelihood"):
        NeighbourhoodSelection("ebic", n_jobs=1).fit(chain(np.random.default_rng(0), 60, 5))
    assert blas_threads() == 2


def test_no_threads_are_refused():
    with pytest.raises(InputError, match="n_jobs must be a number of threads"):
        GraphicalLasso(n_jobs=0).fit(chain(np.random.default_rng(0), 60, 5))
