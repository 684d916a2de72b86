"""What a fitted copula says about its pair: its tau and its tails, many pairs at once."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney.pairs.copulas.registry import FAMILIES

__all__ = ["describe"]


def describe(
    family: NDArray[Any], parameters: NDArray[Any], flip_u: NDArray[Any], flip_v: NDArray[Any]
) -> pd.DataFrame:
    """Tabulate copulas that are given by name, parameters and the variables that they mirror.

    Columns: ``family, parameters, tau, lower_tail, upper_tail``.

    Examples
    --------
    >>> describe(np.array(["joe"]), np.array([[2.0, np.nan]]), np.array([1]), np.array([1]))
      family parameters       tau  lower_tail  upper_tail
    0    joe     (2.0,)  0.355066    0.585786         0.0
    """
    tau, lower, upper = np.zeros((3, len(family)))
    listed = np.empty(len(family), dtype=object)
    for name in np.unique(family):
        cls, rows = FAMILIES[str(name)], np.flatnonzero(family == name)
        values = parameters[rows, : len(cls.bounds)]
        listed[rows] = [tuple(row) for row in values.tolist()]
        tau[rows] = cls.kendall(*values.T)
        lower[rows], upper[rows] = cls.tails(*values.T)
    one, both = flip_u != flip_v, (flip_u == 1) & (flip_v == 1)
    return pd.DataFrame(
        {
            "family": family,
            "parameters": listed,
            "tau": np.where(one, -tau, tau),
            # Mirroring both variables exchanges the two corners, mirroring one leaves both empty.
            "lower_tail": np.where(one, 0.0, np.where(both, upper, lower)),
            "upper_tail": np.where(one, 0.0, np.where(both, lower, upper)),
        }
    )
