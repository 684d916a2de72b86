"""A table of five unlike columns, and its pseudo-observations."""

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(120, 5)) @ rng.normal(size=(5, 5))
    X[:, 1] = np.exp(X[:, 1])
    X[:, 2] = rng.gamma(0.5, size=120)
    X[:, 3] = np.where(rng.random(120) < 0.5, X[:, 3] - 20.0, X[:, 3] + 20.0)
    return pd.DataFrame(X, columns=list("abcde"), index=[f"row {i}" for i in range(120)])


@pytest.fixture(scope="module")
def unit(table):
    return table.rank() / (len(table) + 1)
