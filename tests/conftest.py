"""Fixtures shared by all tests."""

import numpy as np
import pytest
from hypothesis import settings

# A first call compiles, so time says nothing; derandomised, so that a run can be repeated.
settings.register_profile("spinney", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("spinney")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261115)
