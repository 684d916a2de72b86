"""What comes in as a data frame goes out as one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

__all__ = ["like"]


def like(values: NDArray[np.float64], X: Any) -> Any:
    """Put `values` into the kind of container that `X` is: same column names, same row labels."""
    if isinstance(X, pd.Series):
        X = X.to_frame()
    if isinstance(X, pd.DataFrame):
        return pd.DataFrame(values, index=X.index, columns=X.columns)
    if hasattr(X, "columns") and hasattr(X, "to_numpy"):  # polars, and others of its kind
        return type(X)({name: values[:, k] for k, name in enumerate(X.columns)})
    return values
