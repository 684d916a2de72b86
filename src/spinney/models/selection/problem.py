"""What a selection rule may ask of a path of graphs, and what it answers.

A rule knows nothing of the solver behind a path: it asks a :class:`Problem` for graphs or
likelihoods, of all rows or of some, and returns a :class:`Choice`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Choice", "Problem", "SelectionRule"]

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


class Problem(Protocol):
    """A table with a path of graphs, one per penalty from large to small."""

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        ...

    @property
    def n_nodes(self) -> int:
        """Number of columns."""
        ...

    @property
    def penalties(self) -> Floats:
        """Penalties of the path, decreasing."""
        ...

    @property
    def n_edges(self) -> NDArray[np.int64]:
        """Edges of each graph of the whole table."""
        ...

    @property
    def rng(self) -> np.random.Generator:
        """Where all that is random comes from."""
        ...

    def graphs(self, row_sets: Iterable[Rows]) -> Iterable[NDArray[np.bool_]]:
        """Learn the graphs of each set of rows at all penalties, shape (m, d, d) each."""
        ...

    def log_likelihood(self) -> Floats:
        """Log-likelihood of all rows at each penalty, without the penalty, shape (m,).

        InputError where the model has no likelihood.
        """
        ...

    def held_out_log_likelihood(self, folds: Sequence[Rows]) -> Floats:
        """Log-likelihood of the rows of each fold under the model of all others.

        Shape (n_folds, m), sums over rows. InputError where the model has no likelihood.
        """
        ...

    def rotated_correlation(self, shift: int) -> float:
        """Find the largest absolute correlation of a column with another rotated by some rows."""
        ...


@dataclass(frozen=True, eq=False)
class Choice:
    """The penalty that a rule chose.

    Attributes
    ----------
    penalty : float
        The penalty, on the path or between its points.
    criterion : array
        What was compared along the path; what it means is said by the rule.
    """

    penalty: float
    criterion: Floats


class SelectionRule(Protocol):
    """What every rule offers."""

    def choose(self, problem: Problem) -> Choice:
        """Choose a penalty."""
        ...
