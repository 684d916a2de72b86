"""Fixtures shared by all tests."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import settings
from threadpoolctl import threadpool_info, threadpool_limits

# A first call compiles, so time says nothing; derandomised, so that a run can be repeated.
# `make test-all` asks for the thorough profile; tests that say a number of examples mean it.
ALWAYS = settings(deadline=None, derandomize=True, print_blob=True)
settings.register_profile("quick", ALWAYS, max_examples=30)
settings.register_profile("thorough", ALWAYS, max_examples=100)
settings.load_profile("quick")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261115)


def blas_threads() -> int:
    """Count the threads that linear algebra may use now."""
    return max(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas")


@pytest.fixture
def two_blas_threads() -> Iterator[None]:
    with threadpool_limits(limits=2, user_api="blas"):
        if blas_threads() != 2:
            pytest.skip("this linear algebra library has one thread only")
        yield
