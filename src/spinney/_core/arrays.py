"""Array types, named once for the signatures of the package."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def average_ranks(values: Floats) -> Floats:
    """Rank each column from 1, tied values by their mean rank; NaN stays NaN.

    As ``scipy.stats.rankdata``, whose import takes as long as learning from a small table.

    Examples
    --------
    >>> average_ranks(np.array([3.0, np.nan, 1.0, 1.0]))
    array([3. , nan, 1.5, 1.5])
    """
    return np.asarray(pd.DataFrame(values).rank(), dtype=float).reshape(np.shape(values))
