"""A table of sample weights, read and checked once: what stays the same over a path."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.compile import as_writeable
from spinney.exceptions import InputError
from spinney.forests._input import check_weights, read_count, read_float_array, read_integers

__all__ = ["Samples", "read_samples"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

LEAST_LOG = -700.0
"""Smaller log-weights are raised to this: out of range all the same, but seen to be there."""


class Samples:
    r"""Weights of every pair in every sample, ready to be evaluated many times.

    :func:`evaluate`, :func:`evaluate_unrooted` and :meth:`Evaluator.evaluate` take it in place of
    an array. It is read and checked here, once; logarithms are turned into weights once, at the
    first evaluation, and both tables are kept.

    Parameters
    ----------
    W : array of shape (n, n_pairs), or (n, n_columns) with `columns`
        Weights, at least zero. An array of doubles in C order is not copied and must not change.
    log : bool
        Whether `W` holds log-weights (``-inf``: no edge in that sample).
    columns : array of pair numbers, optional
        The pair that each column of `W` is for. The other pairs are *absent*: nothing is known of
        them, so that they weigh one, as in the prior. They share one stored column.
    n_pairs : int, optional
        How many pairs there are; needed with `columns`, and only then.

    Raises
    ------
    InputError
        If a weight is negative (unless it is a logarithm), infinite or NaN, or shapes do not agree.

    Examples
    --------
    >>> from spinney import forests
    >>> samples = Samples([[2.0, 1.0, 3.0], [1.0, 1.0, 1.0]])
    >>> np.exp(forests.evaluate([1.0, 1.0, 0.0], samples).log_partition).round(9)
    array([13.,  8.])

    The second pair is absent:

    >>> samples = Samples([[2.0, 3.0], [1.0, 1.0]], columns=[0, 2], n_pairs=3)
    >>> samples.weights
    array([[2., 1., 3.],
           [1., 1., 1.]])
    """

    log: bool
    n_pairs: int
    table: Floats
    """Stored weights (of the engines); with absent pairs one more column, which is theirs."""

    def __init__(
        self,
        W: ArrayLike,
        *,
        log: bool = False,
        columns: ArrayLike | None = None,
        n_pairs: int | None = None,
    ) -> None:
        table = as_writeable(read_float_array(W, "W"))
        if table.ndim != 2:
            raise InputError(
                f"W must have a row per sample and a column per pair; its shape is {table.shape}."
            )
        check_weights(table, "W", log=log)
        if (columns is None) != (n_pairs is None):
            raise InputError("Give columns and n_pairs together, or neither.")
        places = None
        if columns is not None:
            places = _read_places(columns, read_count(n_pairs, "n_pairs", least=0), table.shape[1])
            table = _with_one_more(table, log)
        self._set(table, log, places, checked=True)

    def _set(self, table: Floats, log: bool, places: Integers | None, *, checked: bool) -> None:
        self.table = table
        self.log = log
        self.n_pairs = table.shape[-1] if places is None else len(places)
        self._places = places
        self._checked = checked
        self._plain = None if log else table

    @classmethod
    def unchecked(cls, table: Floats, log: bool) -> Samples:
        """Wrap a table of doubles in C order whose weights are looked at on the way."""
        samples = cls.__new__(cls)
        samples._set(table, log, None, checked=False)
        return samples

    def __len__(self) -> int:
        """Count the samples."""
        return len(self.table)

    def __repr__(self) -> str:
        """Say how large the table is."""
        kind = "log-weights" if self.log else "weights"
        return f"Samples({len(self)} samples, {self.n_pairs} pairs, {kind})"

    @property
    def shape(self) -> tuple[int, ...]:
        """Numbers of samples and of pairs."""
        return (*self.table.shape[:-1], self.n_pairs)

    @property
    def weights(self) -> Floats:
        """The weights or log-weights of all pairs, to be read only."""
        view = self.table.view() if self._places is None else self.table[:, self._places]
        view.flags.writeable = False
        return view

    def take(self, columns: ArrayLike) -> Samples:
        """Restrict the samples to some pairs, which are copied, in the order given.

        Examples
        --------
        >>> Samples([[2.0, 1.0, 3.0]]).take([2, 0]).weights
        array([[3., 2.]])
        """
        pairs = read_integers(columns)
        if pairs is None or pairs.ndim != 1:
            raise InputError(f"columns must be a list of pair numbers; it is {columns!r}.")
        if pairs.size and not (pairs.min() >= 0 and pairs.max() < self.n_pairs):
            raise InputError(f"columns names a pair outside 0 … {self.n_pairs - 1}.")
        stored, places = self.columns_of(pairs), None
        if self._places is not None:
            absent = self.table.shape[1] - 1
            kept = stored[stored != absent]
            places = np.full(len(pairs), len(kept))
            places[stored != absent] = np.arange(len(kept))
            stored = np.append(kept, absent)
        part = Samples.__new__(Samples)
        part._set(np.ascontiguousarray(self.table[:, stored]), self.log, places, checked=True)
        if not self._checked:
            part._checked = False
        return part

    # What follows is for engines.

    @property
    def plain(self) -> Floats:
        """The stored table without logarithms; infinite or raised weights are out of range."""
        if self._plain is None:
            with np.errstate(over="ignore"):
                weights = np.exp(np.maximum(self.table, LEAST_LOG))
            weights[np.isneginf(self.table)] = 0.0
            self._plain = weights
        return self._plain

    def columns_of(self, pairs: Integers) -> Integers:
        """Find the columns of the stored table that hold these pairs."""
        return pairs if self._places is None else self._places[pairs]

    def are_columns(self, n_pairs: int) -> bool:
        """Tell whether so many pairs are all of them, each with its own column, in order."""
        return self._places is None and n_pairs == self.table.shape[1]

    @property
    def kept(self) -> bool:
        """Whether somebody has made them to be evaluated many times."""
        return self._checked

    def check(self, rows: Integers | None = None) -> None:
        """Refuse wrong weights, in some samples or in all; those out of range are not wrong."""
        if self._checked:
            return
        if rows is None:
            check_weights(self.table, "W", log=self.log)
            return
        part = self.table[rows]
        wrong = np.isnan(part).any() or (part == np.inf).any()
        if wrong or (not self.log and (part < 0).any()):
            check_weights(self.table, "W", log=self.log)


def read_samples(W: ArrayLike | Samples, log: bool) -> Samples:
    """Read an array, unchecked but for its type; or return what has been read before."""
    if not isinstance(W, Samples):
        return Samples.unchecked(as_writeable(read_float_array(W, "W")), log)
    if log and not W.log:
        raise InputError(
            "log=True, but the Samples hold plain weights. Say log where they are made."
        )
    return W


def _read_places(columns: ArrayLike, n_pairs: int, n_columns: int) -> Integers:
    pairs = read_integers(columns)
    if pairs is None or pairs.shape != (n_columns,):
        raise InputError(f"columns must be a pair number for each of the {n_columns} columns of W.")
    if pairs.size and not (pairs.min() >= 0 and pairs.max() < n_pairs):
        raise InputError(f"columns names a pair outside 0 … {n_pairs - 1}.")
    if len(np.unique(pairs)) < n_columns:
        raise InputError("columns names a pair twice.")
    places = np.full(n_pairs, n_columns)
    places[pairs] = np.arange(n_columns)
    return places


def _with_one_more(table: Floats, log: bool) -> Floats:
    """Add the column of all absent pairs."""
    longer = np.empty((table.shape[0], table.shape[1] + 1))
    longer[:, :-1] = table
    longer[:, -1] = 0.0 if log else 1.0
    return longer
