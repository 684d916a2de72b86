"""What fitted pairs with a nominal column say, in the columns in which copulas are described."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.pairs import pair_nodes

__all__ = ["describe"]


def describe(
    names: tuple[str, ...],
    positions: NDArray[np.int64],
    family: NDArray[Any],
    information: NDArray[np.float64],
) -> pd.DataFrame:
    r"""Tabulate pairs that are given by position, family and mutual information in nats.

    The ``strength`` is Linfoot's informational coefficient of correlation,

    .. math:: \sqrt{1 - e^{-2 I}},

    which is the absolute correlation of a normal pair with mutual information I.

    References
    ----------
    .. [1] E. H. Linfoot (1957). An informational measure of correlation. Information and Control
       1, 85-89.

    Examples
    --------
    >>> table = describe(("a", "b"), np.array([0]), np.array(["table"]), np.array([0.5]))
    >>> table[["u", "v", "family", "tau", "strength"]].round(2)
       u  v family  tau  strength
    0  a  b  table  NaN       0.8
    """
    first, second = pair_nodes(len(names))
    column = np.array(names, dtype=object)
    # Levels without order have neither ranks nor tails; of independence both are known.
    nothing = np.where(family == "independence", 0.0, np.nan)
    parameters = np.empty(len(positions), dtype=object)
    parameters[:] = [()] * len(positions)
    return pd.DataFrame(
        {
            "u": column[first[positions]],
            "v": column[second[positions]],
            "family": family,
            "rotation": np.zeros(len(positions), dtype=np.int64),
            "parameters": parameters,
            "tau": nothing,
            "lower_tail": nothing,
            "upper_tail": nothing,
            "mutual_information": information,
            "strength": np.sqrt(-np.expm1(-2.0 * information)),
        }
    )
