"""What the kernels see of a table: a cell and a score for every value."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from spinney.pairs.pseudo import PseudoTable

__all__ = [
    "CONTINUOUS",
    "LEVELS",
    "NOMINAL",
    "N_BINS",
    "Columns",
    "bin_of",
    "level_scores",
    "read_columns",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

NOMINAL, LEVELS, CONTINUOUS = 0, 1, 2
"""Kinds of columns: levels without order, levels with one, and ranks."""

N_BINS = 7
"""Equal parts of (0, 1) that a continuous column is cut into for a table. Odd, so that the median
is inside of one whichever way the column is turned."""


class Columns(NamedTuple):
    """A table by columns."""

    kind: Ints  # (d,)
    n_cells: Ints  # (d,) levels, or bins of a continuous column
    cells: Ints  # (d, n) level or bin of each value, -1 where it is missing
    scores: Floats  # (d, n) normal scores of continuous columns; not read elsewhere
    level_scores: Floats  # (d, most levels) scores of ordered levels; not read elsewhere


def bin_of(u: Floats) -> Ints:
    """Find the bin of values between 0 and 1; a value between two bins is in the inner one.

    So a column that is turned around has the same bins, turned around.

    Examples
    --------
    >>> bin_of(np.array([0.1, 1 / 7, 0.5, 6 / 7, 0.9]))
    array([0, 1, 3, 5, 6])
    """
    # Ranks over n + 1 are to hit an edge on both sides or on neither, whatever rounding does.
    depth = np.floor(np.minimum(u, 1.0 - u) * N_BINS + 1e-9).astype(np.int64)
    return np.where(u < 0.5, depth, N_BINS - 1 - depth)


def level_scores(masses: Floats) -> Floats:
    r"""Give ordered levels scores: normal quantiles of the middles of their masses, standardised.

    .. math:: z_b \propto \Phi^{-1}\Bigl(\sum_{c < b} p_c + p_b / 2\Bigr), \qquad
              \sum_b p_b z_b = 0, \quad \sum_b p_b z_b^2 = 1

    Examples
    --------
    >>> level_scores(np.array([0.25, 0.5, 0.25])).round(3)
    array([-1.414,  0.   ,  1.414])
    """
    share = masses / masses.sum()
    # From both ends, so that reversed levels have the same scores reversed, to the bit.
    below = np.cumsum(share) - share / 2
    above = np.cumsum(share[::-1])[::-1] - share / 2
    z = (ndtri(below) - ndtri(above)) / 2
    z = z - share @ z
    spread = np.sqrt(share @ (z * z))
    return z / spread if spread > 0 else z


def read_columns(table: PseudoTable) -> Columns:
    """Lay out a table for the kernels.

    Examples
    --------
    >>> from spinney.pairs.pseudo import PseudoTable
    >>> nan = np.nan
    >>> table = PseudoTable(
    ...     u=np.array([[0.3, nan], [nan, nan]]),
    ...     codes=np.array([[-1, 1], [-1, 0]]),
    ...     masses=(np.empty(0), np.array([0.5, 0.5])),
    ...     nominal=np.array([False, True]),
    ...     names=("a", "b"),
    ... )
    >>> read_columns(table).cells
    array([[ 2, -1],
           [ 1,  0]])
    """
    n_levels = table.n_levels
    continuous = n_levels == 0
    kind = np.where(continuous, CONTINUOUS, np.where(table.nominal, NOMINAL, LEVELS))
    u = np.ascontiguousarray(table.u.T)
    cells = np.array(table.codes.T, dtype=np.int64, order="C")
    scores = np.full(u.shape, np.nan)
    by_level = np.full((len(kind), max(int(n_levels.max(initial=0)), 1)), np.nan)
    for column in range(len(kind)):
        if continuous[column]:
            there = ~np.isnan(u[column])
            cells[column, there] = bin_of(u[column, there])
            scores[column, there] = ndtri(u[column, there])
        elif kind[column] == LEVELS:
            by_level[column, : n_levels[column]] = level_scores(table.masses[column])
    return Columns(
        kind.astype(np.int64),
        np.where(continuous, N_BINS, n_levels).astype(np.int64),
        cells,
        scores,
        by_level,
    )
