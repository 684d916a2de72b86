"""A table of sample weights, read and checked once: what stays the same over a path."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import as_writeable
from spinney.exceptions import InputError
from spinney.forests._input import check_weights, read_float_array

LEAST_LOG = -700.0
"""Smaller log-weights are raised to this: still out of range, but not zero."""


class Samples:
    r"""Weights of every pair in every sample, ready to be evaluated many times.

    :func:`evaluate`, :func:`evaluate_unrooted` and :meth:`Evaluator.evaluate` take it in place of
    an array. It is read and checked here, once; logarithms are turned into weights once, at the
    first evaluation, and both tables are kept.

    Parameters
    ----------
    W : array of shape (n, n_pairs)
        Weights, at least zero. An array of doubles in C order is not copied and must not change.
    log : bool
        Whether `W` holds log-weights (``-inf``: no edge in that sample).

    Raises
    ------
    InputError
        If a weight is negative (unless it is a logarithm), infinite or NaN.

    Examples
    --------
    >>> from spinney import forests
    >>> samples = Samples([[2.0, 1.0, 3.0], [1.0, 1.0, 1.0]])
    >>> np.exp(forests.evaluate([1.0, 1.0, 0.0], samples).log_partition).round(9)
    array([13.,  8.])
    """

    log: bool
    table: Floats
    """Weights or log-weights, as they were given."""
    kept: bool
    """Whether they were made by the caller for many evaluations, and are therefore checked."""

    def __init__(self, W: ArrayLike, *, log: bool = False) -> None:
        table = as_writeable(read_float_array(W, "W"))
        if table.ndim != 2:
            raise InputError(
                f"W must have a row per sample and a column per pair; its shape is {table.shape}."
            )
        check_weights(table, "W", log=log)
        self.table, self.log, self.kept = table, log, True

    @classmethod
    def unchecked(cls, table: Floats, log: bool) -> Samples:
        """Wrap a table of doubles in C order; engines check its weights as they read them."""
        samples = cls.__new__(cls)
        samples.table, samples.log, samples.kept = table, log, False
        return samples

    def __len__(self) -> int:
        """Count the samples."""
        return len(self.table)

    def __repr__(self) -> str:
        """Say how large the table is."""
        kind = "log-weights" if self.log else "weights"
        return f"Samples({len(self)} samples, {self.table.shape[-1]} pairs, {kind})"

    # What follows is for engines.

    @cached_property
    def plain(self) -> Floats:
        """The table without logarithms; infinite or raised weights are out of range."""
        if not self.log:
            return self.table
        with np.errstate(over="ignore"):
            weights: Floats = np.exp(np.maximum(self.table, LEAST_LOG))
        weights[np.isneginf(self.table)] = 0.0
        return weights

    def check(self, rows: Ints | None = None) -> None:
        """Refuse wrong weights, in some samples or in all; those out of range are not wrong."""
        if self.kept:
            return
        if rows is None:
            check_weights(self.table, "W", log=self.log)
            return
        part = self.table[rows]
        wrong = np.isnan(part).any() or (part == np.inf).any()
        if wrong or (not self.log and (part < 0).any()):
            check_weights(self.table, "W", log=self.log)


def read_samples(W: ArrayLike | Samples, log: bool) -> Samples:
    """Read an array, checking its type only; Samples are returned unchanged."""
    if not isinstance(W, Samples):
        return Samples.unchecked(as_writeable(read_float_array(W, "W")), log)
    if log and not W.log:
        raise InputError(
            "log=True, but the Samples hold plain weights. Say log where they are made."
        )
    return W


def check_shapes(beta: Floats, samples: Samples) -> None:
    """Refuse weights and samples that are not of the same pairs."""
    if beta.ndim != 1 or samples.table.ndim != 2 or samples.table.shape[1] != len(beta):
        raise InputError(
            f"beta must have one weight per pair and W a row per sample and a column per pair; "
            f"their shapes are {beta.shape} and {samples.table.shape}."
        )
