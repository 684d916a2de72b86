"""Which pairs of a table show any sign of dependence."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy import special

from spinney._pairs import pair_numbers
from spinney.exceptions import InputError
from spinney.marginals import MixedMarginals
from spinney.screening.features import FEATURES, PRODUCTS, features_of, positions_of
from spinney.screening.screened import Screened
from spinney.tables import MixedTable, PseudoTable

__all__ = ["LEVEL", "PARTNERS", "Rows", "screen"]

LEVEL = 0.01
"""Share of independent pairs that pass."""
PARTNERS = 25
"""Strongest pairs of each column that pass in any case."""

BLOCK = 256


class Rows(Protocol):
    """Rows of a table whose columns have been read, as :func:`spinney.potentials.rows_of` does."""

    def pseudo(self) -> PseudoTable:
        """Pseudo-observations of the rows."""


def screen(
    table: MixedTable | PseudoTable | Rows,
    *,
    level: float = LEVEL,
    partners: int = PARTNERS,
    n_jobs: int | None = None,
) -> Screened:
    """Find the pairs of a table that show any sign of dependence.

    Parameters
    ----------
    table : MixedTable, PseudoTable or rows
        The table, or its pseudo-observations.
    level : float
        Share of independent pairs that pass by their statistics.
    partners : int
        Number of pairs of each column that pass in any case: its strongest.
    n_jobs : int, optional
        Threads; -1 takes all cores. The result does not depend on it.

    Examples
    --------
    >>> from spinney.tables import read_mixed
    >>> x = np.random.default_rng(0).normal(size=(200, 40))
    >>> x[:, 1] += x[:, 0]
    >>> screened = screen(read_mixed(x), level=1e-4, partners=0)
    >>> screened.first, screened.second
    (array([0]), array([1]))
    """
    pseudo = _read(table)
    n, d = pseudo.u.shape
    features = features_of(positions_of(pseudo, np.arange(d)))
    names = list(FEATURES)
    products = [(names.index(k), names.index(j)) for k, j in PRODUCTS]
    least = -special.ndtri(level / 2.0)
    numbers, strengths = [], []
    scale = np.float32(np.sqrt(n - 1.0) / n)
    for start in range(0, d, BLOCK):
        rows = np.arange(start, min(start + BLOCK, d))
        largest = np.zeros((rows.size, d), dtype=np.float32)
        for k, j in products:
            found = features.values[k][:, rows].T @ features.values[j]
            np.maximum(largest, np.abs(found) * scale, out=largest)
        largest[np.arange(rows.size), rows] = 0.0
        passed = largest > least
        if partners:
            most = min(partners, d - 1)
            order = np.argpartition(largest, d - most, axis=1)[:, d - most :]
            passed[np.arange(rows.size)[:, None], order] = True
            passed &= largest > 0.0
        u, v = np.nonzero(passed)
        numbers.append(pair_numbers(rows[u], v, d))
        strengths.append(largest[u, v])
    number, strength = np.concatenate(numbers), np.concatenate(strengths)
    pairs, inverse = np.unique(number, return_inverse=True)
    best = np.zeros(pairs.size, dtype=np.float32)
    np.maximum.at(best, inverse, strength)
    return Screened(d, pairs, best, float(level), int(partners))


def _read(table: MixedTable | PseudoTable | Rows) -> PseudoTable:
    """Find the pseudo-observations of what was given."""
    if isinstance(table, PseudoTable):
        return table
    if isinstance(table, MixedTable):
        return MixedMarginals(smooth=None).fit(table).pseudo(table)
    if hasattr(table, "pseudo"):
        return table.pseudo()
    raise InputError(
        f"A screening reads a MixedTable, a PseudoTable or rows, not a {type(table).__name__}. "
        "Use spinney.tables.read_mixed(table) first."
    )
