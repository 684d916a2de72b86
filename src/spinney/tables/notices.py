"""What is said of a table before anything is learned from it."""

from __future__ import annotations

import warnings
from typing import Any

from spinney.exceptions import DataWarning
from spinney.tables.advice import few_rows, looks_transposed
from spinney.tables.columns import ColumnSource
from spinney.tables.gaps import warn_of_speaking_gaps
from spinney.tables.mixed import Table
from spinney.tables.reading import warn_of_left_out

__all__ = ["describe_gaps", "warn_of_table"]


def warn_of_table(table: Table, X: Any) -> None:
    """Say in a sentence each what a user should know: columns left out, gaps, few rows.

    `X` is what it was read from: names of rows help to tell whether it lies on its side.
    """
    warn_of_left_out(table)
    warn_of_speaking_gaps(table)
    # A long table in a file has far more rows than columns, as it should.
    on_its_side = None if isinstance(X, ColumnSource) else looks_transposed(X)
    for sentence in (few_rows(table), on_its_side):
        if sentence is not None:
            warnings.warn(sentence, DataWarning, stacklevel=5)


def describe_gaps(table: Table) -> str:
    """Count the gaps in words.

    Examples
    --------
    >>> import numpy as np
    >>> from spinney.tables import Column
    >>> values = np.array([[1.0, 2.0], [np.nan, 3.0]])
    >>> describe_gaps(Table(values, (Column("a", "continuous"), Column("b", "continuous"))))
    'gaps: 1 of 4 values (25 %), in 1 column; 1 of 2 rows is complete'
    """
    gaps = ~table.present
    n, d = gaps.shape
    columns, complete = int(gaps.any(axis=0).sum()), int((~gaps.any(axis=1)).sum())
    return (
        f"gaps: {gaps.sum()} of {n * d} values ({100 * gaps.mean():.2g} %), "
        f"in {columns} column{'' if columns == 1 else 's'}; "
        f"{complete} of {n} rows {'is' if complete == 1 else 'are'} complete"
    )
