"""What must hold between the parts of fitted pair tables that come from a file."""

from __future__ import annotations

from typing import Any

import numpy as np

from spinney._core.pairs import n_pairs
from spinney.exceptions import InputError
from spinney.pairs.cells._block import CANDIDATES, INDEPENDENCE
from spinney.pairs.cells.columns import NOMINAL, read_columns

__all__ = ["check_fitted_parts"]


def check_fitted_parts(potentials: Any) -> None:
    """Refuse `PairTables` whose parts do not fit together: compiled kernels trust their shapes."""
    table, pairs, folds = potentials._table, potentials.pairs_, potentials.fold_of_row_
    n, d, listed = len(table), table.n_columns, pairs.size
    every = n_pairs(d)
    if pairs.ndim != 1 or (np.diff(pairs) <= 0).any() or not ((pairs >= 0) & (pairs < every)).all():
        raise InputError(f"its PairTables list pairs that are not among {every}, rising")
    if folds.shape != (n,) or (folds < 0).any():
        raise InputError("its PairTables do not give each row a fold")
    for name in ("n_rows_", "held_out_", "_candidate"):
        if getattr(potentials, name).shape != (listed,):
            raise InputError(f"{name} of its PairTables is not of shape {(listed,)}")
    for name in ("log_likelihood_", "log_bayes_factors_", "criterion_", "_counts"):
        if getattr(potentials, name).shape != (listed, len(CANDIDATES)):
            raise InputError(
                f"{name} of its PairTables is not of shape {(listed, len(CANDIDATES))}"
            )
    candidate = potentials._candidate
    if not ((candidate >= INDEPENDENCE) & (candidate < len(CANDIDATES))).all():
        raise InputError("its PairTables chose something that is no candidate")
    layout, columns = potentials._layout(), read_columns(table)
    if (columns.kind[layout.classes] != NOMINAL).any():
        raise InputError("its PairTables list a pair without a nominal column")
    if potentials._numbers.shape != (int(layout.size.sum()) * (int(folds.max(initial=0)) + 2),):
        raise InputError("its PairTables have lost some of their numbers")
    outside = (columns.cells >= columns.n_cells[:, None]) | (columns.cells < -1)
    if outside.any():
        raise InputError("its PairTables have codes beyond their columns' levels")
