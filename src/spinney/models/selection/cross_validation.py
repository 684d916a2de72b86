"""Cross-validation: the penalty under which rows that were left out are likeliest."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from spinney._core.storable import storable
from spinney.exceptions import InputError
from spinney.models.selection.problem import Choice, Problem

__all__ = ["CrossValidation", "draw_folds"]


def draw_folds(n: int, n_folds: int, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """Split n rows at random into folds whose sizes differ by one at most.

    Examples
    --------
    >>> [fold.tolist() for fold in draw_folds(5, 2, np.random.default_rng(0))]
    [[0, 1, 3], [2, 4]]
    """
    fold_of_row = rng.permutation(np.arange(n) % n_folds)
    return [np.flatnonzero(fold_of_row == k) for k in range(n_folds)]


@storable("CrossValidation")
@dataclass(frozen=True)
class CrossValidation:
    """Largest log-likelihood of rows that were left out.

    Parameters
    ----------
    n_folds : int
        Number of folds (at most one per two rows).

    Notes
    -----
    Folds are drawn by position: reordering the rows gives other folds.

    Examples
    --------
    >>> CrossValidation(10).n_folds
    10
    """

    n_folds: int = 5

    def __post_init__(self) -> None:
        if not isinstance(self.n_folds, Integral) or self.n_folds < 2:
            raise InputError(
                f"Cross-validation needs a whole number of at least 2 folds, got {self.n_folds!r}."
            )

    def choose(self, problem: Problem) -> Choice:
        """Choose a penalty; the criterion is the mean held-out log-likelihood of a row."""
        n = problem.n_samples
        folds = draw_folds(n, min(self.n_folds, n // 2), problem.rng)
        criterion = problem.held_out_log_likelihood(folds).sum(axis=0) / n
        return Choice(float(problem.penalties[criterion.argmax()]), criterion)
