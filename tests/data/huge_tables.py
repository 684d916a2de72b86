"""The tables that huge and spinney are compared on: made anew each time, always the same."""

import numpy as np
from numpy.typing import NDArray

N_TABLES = 20
ROWS = (50, 200)
"""Even tables have few rows, odd ones many: huge's StARS draws subsamples in two ways."""
COLUMNS = 25


def table(k: int) -> NDArray[np.float64]:
    """Gaussian table number `k`: a random tree in which each node follows one before it."""
    # RandomState, because its stream is frozen for good; six digits, because files carry them.
    random = np.random.RandomState(k)
    X = random.standard_normal((ROWS[k % 2], COLUMNS))
    for column in range(1, COLUMNS):
        X[:, column] = 0.6 * X[:, random.randint(column)] + 0.8 * X[:, column]
    return X.round(6)


def small_table() -> NDArray[np.float64]:
    """Twenty rows of four columns: skewed, tied and plain."""
    X = np.random.RandomState(99).standard_normal((20, 4))
    X[:, 1] += X[:, 0]
    X[:, 2] = np.round(2.0 * X[:, 2] + X[:, 1])
    X[:, 3] = np.exp(2.0 * X[:, 3])
    return X.round(6)
