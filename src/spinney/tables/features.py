"""Which columns an estimator was fitted on, kept and compared as scikit-learn does."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from sklearn.utils.validation import validate_data

from spinney._validation import as_frame
from spinney.tables.mixed import MixedTable

__all__ = ["compare_features", "keep_features"]


def keep_features(estimator: Any, X: Any) -> None:
    """Set ``n_features_in_`` and, for data frames, ``feature_names_in_``.

    They are of all columns of the table that was given, those left out included.
    """
    validate_data(estimator, _shaped(X), reset=True, skip_check_array=True)


def compare_features(estimator: Any, X: Any, table: MixedTable) -> None:
    """Refuse rows whose columns are not those of the fit, in scikit-learn's words.

    `table` is the fitted one. A data frame need not have the columns that were left out, and may
    have others beside: its columns are found by name.
    """
    frame = as_frame(X)
    if frame is not None and hasattr(estimator, "feature_names_in_"):
        names = {str(name) for name in frame.columns}
        if names.issuperset(table.names) and names != set(table.names_in or table.names):
            return
    validate_data(estimator, _shaped(X), reset=False, skip_check_array=True)


def _shaped(X: Any) -> Any:
    """Find something with the shape and names of X that scikit-learn can read."""
    if isinstance(X, MixedTable):
        names = list(X.names_in or X.names)
        return pd.DataFrame(np.zeros((1, len(names))), columns=names)
    if isinstance(X, pd.DataFrame) or as_frame(X) is not None:
        return X
    return np.asarray(X)
