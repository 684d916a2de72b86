"""One column of a pair given the other, from their potential and the margins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from spinney._core.arrays import Floats, Ints
from spinney.exceptions import InputError
from spinney.pairs.cells.kernels import N_BINS, bin_of
from spinney.pairs.cells.logistic import log_ratio

GRID = 400 * N_BINS
"""Equal steps of a continuous column's distribution in a class; bins end at steps."""


@dataclass(frozen=True, eq=False)
class Potential:
    """One pair's log w, seen from a given column to the other.

    Attributes
    ----------
    source_levels : int
        Levels of the given column, zero if it is continuous.
    masses : array
        Masses of the other column's levels; none if it is continuous.
    source_is_class : bool
        Whether the given column is the one whose classes are modelled.
    table : array of shape (cells, classes), optional
        Log w by cell of the other side and class.
    coefficients : array of shape (classes, 4), optional
        Classes given a continuous column. Neither means independence.
    """

    source_levels: int
    masses: Floats
    source_is_class: bool
    table: Floats | None = None
    coefficients: Floats | None = None


def conditional_probabilities(potential: Potential, values: ArrayLike) -> Floats:
    """Probabilities of the other column's levels; see :meth:`PairTables.conditional`.

    Examples
    --------
    >>> half = np.array([0.5, 0.5])
    >>> table = np.log([[1.5, 0.5], [0.5, 1.5]])
    >>> conditional_probabilities(Potential(2, half, True, table), [0, -1])
    array([[0.75, 0.25],
           [0.5 , 0.5 ]])
    """
    if not potential.masses.size:
        raise InputError("A continuous column has no levels; use quantile or draw for it.")
    log_w = np.zeros((np.size(values), potential.masses.size))
    if potential.source_levels:
        codes = _read_codes(potential, values)
        there = codes >= 0
        if potential.table is not None:
            by_source = potential.table.T if potential.source_is_class else potential.table
            log_w[there] = by_source[codes[there]]
    else:
        u = np.atleast_1d(np.asarray(values, dtype=float))
        there = ~np.isnan(u)
        if not ((u[there] > 0) & (u[there] < 1)).all():
            raise InputError("Values of a continuous column must lie strictly between 0 and 1.")
        log_w[there] = _log_w_at(potential, u[there])
    p = potential.masses * np.exp(log_w)
    return p / p.sum(axis=1, keepdims=True)


def conditional_quantiles(potential: Potential, codes: ArrayLike, q: ArrayLike) -> Floats:
    """Quantiles of the other, continuous column; see :meth:`PairTables.quantile`.

    The class's density w(k, u) is taken as constant over each of 2800 equal steps of u, and
    divided by its integral, which is one but for rounding and the sample.

    Examples
    --------
    >>> conditional_quantiles(Potential(2, np.empty(0), True), [0, 1], [0.25, 0.75]).round(6)
    array([0.25, 0.75])
    """
    if potential.masses.size or not potential.source_levels:
        raise InputError("Quantiles are of a continuous column given classes; use conditional.")
    codes, q = _read_codes(potential, codes), np.atleast_1d(np.asarray(q, dtype=float))
    if q.shape != codes.shape or not ((q >= 0) & (q <= 1)).all():
        raise InputError("q must hold a probability for each of the codes.")
    result = q.copy()
    edges = np.linspace(0.0, 1.0, GRID + 1)
    density = np.exp(_log_w_at(potential, (edges[1:] + edges[:-1]) / 2))
    for k in np.unique(codes[codes >= 0]):
        steps = np.concatenate([[0.0], np.cumsum(density[:, k])])
        result[codes == k] = np.interp(q[codes == k], steps / steps[-1], edges)
    return result


def _log_w_at(potential: Potential, u: Floats) -> Floats:
    """Log w of all classes at some values of the continuous column, shape (n, classes)."""
    if potential.coefficients is not None:
        return log_ratio(potential.coefficients, ndtri(u))
    if potential.table is not None:
        return potential.table[bin_of(u)]
    return np.zeros((u.size, potential.masses.size or potential.source_levels))


def _read_codes(potential: Potential, values: ArrayLike) -> Ints:
    given = np.atleast_1d(np.asarray(values))
    if given.dtype.kind not in "iu" or (given >= potential.source_levels).any():
        raise InputError(
            f"Codes must be whole numbers below {potential.source_levels}, or -1 where nothing is "
            "known."
        )
    return given.astype(np.int64)
