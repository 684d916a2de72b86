"""Which columns an estimator was fitted on, kept and compared as scikit-learn does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from spinney.exceptions import InputError
from spinney.tables.advice import warn_of_table
from spinney.tables.columns import as_frame
from spinney.tables.drawing import Drawn, RowsToUse, draw_rows, rows_to_use
from spinney.tables.reading import Kinds, Missing, read_rows, read_table
from spinney.tables.rows import count_copies_once, repeat_rows, split_units, split_weights
from spinney.tables.table import Table
from spinney.tables.table_file import TableFile

if TYPE_CHECKING:
    from sklearn.utils import Tags


class ReadsKindsMixin:
    """An estimator that takes tables of all kinds, with parameters `kind` and `missing`.

    Unless its `potentials` are a word: Gaussian ones, of plain numbers.
    """

    potentials: Any
    kind: Kinds | None
    missing: Missing

    @property
    def _reads_kinds(self) -> bool:
        """Whether tables of all kinds can be given, also as a Table that has been read."""
        return not isinstance(self.potentials, str)

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()  # type: ignore[misc]  # BaseEstimator comes later
        tags.input_tags.string = self._reads_kinds
        tags.input_tags.allow_nan = self._reads_kinds and self.missing != "error"
        return tags

    def _read_to_learn(
        self,
        X: Any,
        rows: RowsToUse = "all",
        precision: float | None = None,
        seed: int = 0,
        unit: Any = None,
        weights: Any = None,
    ) -> Table:
        """Read the table to learn from, keep its columns, and give warnings.

        Of a longer table than :func:`~spinney.tables.rows_to_use` asks for, rows are drawn.
        `unit` is as in :func:`~spinney.tables.split_units`, `weights` as in
        :func:`~spinney.tables.rows.split_weights`. Of rows that come many times over, the
        distinct ones are kept.
        """
        frame = None if isinstance(X, TableFile) else as_frame(X)
        if unit is not None and weights is not None:
            raise InputError(
                "unit and weights exclude each other: spinney has no effective sample size of "
                "weighted rows within units. Give one of them."
            )
        X, codes = split_units(X if frame is None else frame, unit)
        X, numbers = split_weights(X, weights)
        n = len(X) if hasattr(X, "__len__") else 0  # what has no rows is refused later
        if numbers is not None:
            codes = np.arange(n)  # so that it is known which rows are left
        m = rows_to_use(n, rows, precision)
        drawn: dict[str, Any] = {}
        if m < n:
            drawn = {"keep": draw_rows(n, m, seed), "drawn": Drawn(m, n, seed)}
        table = read_table(X, kind=self.kind, missing=self.missing, unit=codes, **drawn)
        check_features(self, X, reset=True)
        if not isinstance(X, Table):  # its reader has warned already
            warn_of_table(table, X)
        if numbers is not None:
            return repeat_rows(table, numbers[table.units])
        return count_copies_once(table)

    def _read_to_score(self, X: Any, fitted: Table) -> Table:
        """Read new rows as the fitted table was read.

        Rows whose columns are not those of the fit are refused in scikit-learn's words. A data
        frame need not have the columns that were left out, and may have others beside: its columns
        are found by name.
        """
        frame = as_frame(X)
        names = set() if frame is None else {str(name) for name in frame}
        by_name = hasattr(self, "feature_names_in_") and names.issuperset(fitted.names)
        if not by_name or names == set(fitted.names_in or fitted.names):
            check_features(self, X, reset=False)
        return read_rows(X, fitted.columns, names_in=fitted.names_in)


def check_features(estimator: Any, X: Any, *, reset: bool) -> None:
    """Keep (``reset=True``) or compare the columns that `estimator` was fitted on.

    Sets ``n_features_in_`` and, for data frames, ``feature_names_in_``, as scikit-learn does. They
    are of all columns of the table that was given, those left out included.
    """
    shaped = _shaped(X)
    if reset:
        names = list(getattr(shaped, "columns", ()))
        estimator.n_features_in_ = np.shape(shaped)[1]
        estimator.__dict__.pop("feature_names_in_", None)
        if names and all(isinstance(name, str) for name in names):
            estimator.feature_names_in_ = np.array(names, dtype=object)
        return
    from sklearn.utils.validation import validate_data  # takes a second, which learning can spare

    validate_data(estimator, shaped, reset=False, skip_check_array=True)


def _shaped(X: Any) -> Any:
    """Find something with the shape and names of X that scikit-learn can read."""
    if isinstance(X, Table):
        names = list(X.names_in or X.names)
        return pd.DataFrame(np.zeros((1, len(names))), columns=names)
    frame = as_frame(X)
    if frame is None:
        return np.asarray(X)
    if len({isinstance(name, str) for name in frame.columns}) > 1:  # refused by scikit-learn
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    return frame
