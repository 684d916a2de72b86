"""Rotation information: the penalty that leaves no edge in a table without dependence."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np

from spinney._core.storable import storable
from spinney.exceptions import InputError
from spinney.models.selection.problem import Choice, Problem

__all__ = ["RotationInformation"]


@storable("RotationInformation")
@dataclass(frozen=True)
class RotationInformation:
    r"""Rotation information criterion (RIC).

    Rotating one of two columns by r rows destroys their dependence and keeps their margins. The
    penalty is the smallest, over rotations, of the largest rotated correlation: just enough to
    leave no edge in some table without dependence.

    Parameters
    ----------
    n_rotations : int
        Number of rotations that are tried (all, if there are fewer rows).

    Notes
    -----
    Rotations depend on the order of the rows, which should not be that of the values.

    References
    ----------
    .. [1] S. Lysen (2009). Permuted inclusion criterion: a variable selection technique. PhD
       thesis, University of Pennsylvania.
    .. [2] T. Zhao, H. Liu, K. Roeder, J. Lafferty and L. Wasserman (2012). The huge package for
       high-dimensional undirected graph estimation in R. JMLR 13, 1059-1062.

    Examples
    --------
    >>> RotationInformation().n_rotations
    20
    """

    n_rotations: int = 20

    def __post_init__(self) -> None:
        if not isinstance(self.n_rotations, Integral) or self.n_rotations < 1:
            raise InputError(
                f"RIC needs a whole number of at least one rotation, got {self.n_rotations!r}."
            )

    def choose(self, problem: Problem) -> Choice:
        """Choose a penalty; the criterion is the largest correlation at each rotation tried."""
        shifts = problem.rng.permutation(np.arange(1, problem.n_samples))[: self.n_rotations]
        largest = np.array([problem.rotated_correlation(int(shift)) for shift in shifts])
        return Choice(float(largest.min()), largest)
