r"""Survey weights: rows that stand for more or fewer than one.

A row of weight w counts as w equal rows. Weights are brought to whole numbers, and rows are
repeated so often; the repeats of one row are a unit (:mod:`spinney.scores.dependent_rows`). So all
ranks, correlations and other evidence are weighted, and rows count as

.. math:: \left(\sum w\right)^2 / \sum w^2

independent ones [1]_, because the repeats of a row are wholly alike.

References
----------
.. [1] L. Kish (1965). Survey sampling. Wiley.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney.exceptions import InputError
from spinney.tables.reading import split_column
from spinney.tables.table import Table

__all__ = ["repeat_rows", "split_weights", "times_of"]

Floats = NDArray[np.float64]

PER_ROW, FEWEST, MOST = 10, 2_000, 40_000
"""Rows that each row is repeated to on average, and bounds on all of them."""


def split_weights(X: Any, weights: Any) -> tuple[Any, Floats | None]:
    """Take out of a table the column with the weight of each row.

    Parameters
    ----------
    X : as in :func:`spinney.tables.read_table`
        The table. One whose rows were repeated is left as it is.
    weights : name or position of a column, one number for each row, or None
        The weights.

    Raises
    ------
    InputError
        If a weight is missing, negative or no number, or if all are zero.
    """
    if weights is None or (isinstance(X, Table) and X.weighted):
        return X, None
    X, name, labels = split_column(X, weights, "weights")
    try:
        found = np.asarray(labels, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"'{name}' holds weights, so it must hold numbers alone.") from None
    bad = np.flatnonzero(~np.isfinite(found) | (found < 0.0))
    if bad.size:
        raise InputError(
            f"Weights must be numbers from 0 up; {bad.size:,} of {found.size:,} in '{name}' are "
            f"not (first: row {bad[0] + 1}). Give these rows a weight, or leave them out."
        )
    if not found.any():
        raise InputError(f"All weights in '{name}' are 0, so no row counts. Name another column.")
    return X, found


def times_of(weights: Floats) -> NDArray[np.int64]:
    """How often each row is repeated.

    Whole numbers are divided by what they have in common. Others are scaled to ten for each row on
    average and rounded, so that their sum is right.

    Examples
    --------
    >>> times_of(np.array([2.0, 4.0, 0.0, 6.0])), times_of(np.array([0.7, 0.7]))
    (array([1, 2, 0, 3]), array([1, 1]))
    """
    least, n = float(weights[weights > 0.0].min()), len(weights)
    for scaled in (weights, weights / least):
        whole = np.rint(scaled)
        if np.allclose(scaled, whole, rtol=0.0, atol=1e-9) and whole.sum() <= max(MOST, 2 * n):
            times = whole.astype(np.int64)
            return np.asarray(times // np.gcd.reduce(times))
    total = int(np.clip(PER_ROW * n, FEWEST, max(MOST, 2 * n)))
    ends = np.rint(np.cumsum(weights) * (total / weights.sum()))
    return np.diff(ends, prepend=0.0).astype(np.int64)


def repeat_rows(table: Table, weights: Floats) -> Table:
    """Repeat the rows of a table by their weights; the repeats of one row are a unit."""
    times = times_of(weights)
    if (times == times[0]).all():
        return replace(table, units=None)  # all rows count alike
    rows = np.repeat(np.arange(len(table)), times)
    return replace(table, values=table.values[rows], units=rows.astype(np.int64), weighted=True)
