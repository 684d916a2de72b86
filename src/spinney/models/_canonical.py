"""Columns in an order of their own, for models whose search would feel the order of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import to_matrix, to_pairs
from spinney.models.solvers import SolverResult
from spinney.pairs.densities import PairDensities

__all__ = ["Canonical"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

DIGITS = 9
"""Decimals of log-densities that are kept. The next ones differ between a column and its negative,
and say nothing."""


class Canonical:
    """Densities of pairs with the columns in an order that depends on what they hold.

    The paper's models are not minimisers of anything (EF-λ), or of something that is flat in many
    directions (trees, cuts): the last digits of a sum, which depend on the order of the columns,
    can tip a search to one side or the other. Here columns are sorted by what their pairs gain in
    all, so that the same table leads to the same search however its columns stand.

    Parameters
    ----------
    evidence : PairDensities
        In the order of the table.

    Attributes
    ----------
    evidence : PairDensities
        In the canonical order, log-densities rounded to nine decimals.
    nodes : array of shape (d,)
        The columns of the table in that order.

    Examples
    --------
    >>> evidence = PairDensities(np.array([[0.0, 2.0, 1.0]]))  # columns 0 and 2 gain most
    >>> canonical = Canonical(evidence)
    >>> canonical.nodes
    array([2, 0, 1])
    >>> canonical.evidence.log_density
    array([[2., 1., 0.]])
    >>> canonical.to_table(np.array([2.0, 1.0, 0.0]))
    array([0., 2., 1.])
    """

    def __init__(self, evidence: PairDensities) -> None:
        rounded = evidence.log_density.round(DIGITS)
        gains = to_matrix(rounded.sum(axis=0).round(DIGITS - 3), diagonal=-np.inf)
        self.nodes: Integers = np.lexsort(np.sort(-gains, axis=1).T[::-1]).astype(np.int64)
        positions = to_matrix(np.arange(evidence.n_pairs))[np.ix_(self.nodes, self.nodes)]
        self._pairs = to_pairs(positions).astype(np.int64)
        self.evidence = PairDensities(
            np.ascontiguousarray(rounded[:, self._pairs]),
            evidence.n_parameters[self._pairs],
            evidence.n_rows[self._pairs],
            n_nodes=evidence.n_nodes,
        )

    def to_table(self, values: Floats) -> Floats:
        """Put one number per pair back in the order of the table."""
        result = np.empty_like(values)
        result[self._pairs] = values
        return result

    def solved(self, result: SolverResult) -> SolverResult:
        """Put a solver's weights back in the order of the table."""
        return replace(result, beta=self.to_table(result.beta))

    def places(self, blocks: Sequence[Sequence[int]]) -> list[Integers]:
        """Find sets of columns in the canonical order, the one that holds the first of it first."""
        place = np.empty_like(self.nodes)
        place[self.nodes] = np.arange(len(self.nodes))
        return sorted((np.sort(place[np.asarray(block)]) for block in blocks), key=lambda b: b[0])
