"""StARS: the smallest penalty whose graphs stay the same over subsamples of the rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import n_pairs
from spinney._core.storable import storable
from spinney.exceptions import DataWarning, InputError
from spinney.models.selection.problem import Choice, Problem

__all__ = ["StabilityChoice", "Stars"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class StabilityChoice(Choice):
    """A choice with the share of subsamples in which each edge appeared.

    Attributes
    ----------
    frequencies : array of shape (m, d, d)
        For each penalty of the path.
    """

    frequencies: Floats


@storable("Stars")
@dataclass(frozen=True)
class Stars:
    r"""Stability approach to regularisation selection (StARS).

    With :math:`\hat\theta_{ij}(\lambda)` the share of subsamples in which an edge appears, the
    variability is the mean of :math:`4 \hat\theta_{ij} (1 - \hat\theta_{ij})` over pairs, between
    0 and 1. Coming from large penalties, the last is chosen before the variability first reaches
    the threshold.

    Parameters
    ----------
    threshold : float
        Largest variability; 0.1 is the default of the R package huge. The authors' instability
        :math:`D` has 2 in place of 4: their proposal of 0.05 is 0.1 here and in huge.
    n_subsamples : int
        Number of subsamples.
    subsample_ratio : float, optional
        Share of the rows in a subsample. By default huge's rule: 0.8 for up to 144 rows,
        :math:`10 / \sqrt{n}` beyond; the number of rows is rounded down.

    Warns
    -----
    DataWarning
        If the threshold is reached at the largest penalty already and its graph has no edge.

    Notes
    -----
    If the variability stays below the threshold all along the path, the smallest penalty is
    chosen, as the definition has it. huge then returns its largest, an empty graph.

    If it is reached at once, the largest is chosen, as in huge, with a warning. The path starts
    where the strongest edge of the whole table vanishes, so there that edge is in about half of
    the subsamples, however strong it is. Among many columns this is one pair of very many; among
    d = 4 it is a sixth of all pairs, which is more than the default threshold. The same happens
    where many edges are about as strong as the strongest, as among nearly deterministic columns.

    Subsamples are drawn by position: reordering the rows gives other subsamples.

    References
    ----------
    .. [1] H. Liu, K. Roeder and L. Wasserman (2010). Stability approach to regularization
       selection (StARS) for high dimensional graphical models. NeurIPS 23.

    Examples
    --------
    >>> Stars(0.05).rows(500), Stars(0.05).rows(50)
    (223, 40)
    """

    threshold: float = 0.1
    n_subsamples: int = 20
    subsample_ratio: float | None = None

    def __post_init__(self) -> None:
        if not 0.0 < self.threshold <= 1.0:
            raise InputError(f"StARS' threshold must lie in (0, 1], got {self.threshold!r}.")
        if not isinstance(self.n_subsamples, Integral) or self.n_subsamples < 2:
            raise InputError(
                f"StARS needs a whole number of at least 2 subsamples, got {self.n_subsamples!r}."
            )
        if self.subsample_ratio is not None and not 0.0 < self.subsample_ratio < 1.0:
            raise InputError(
                f"subsample_ratio must lie between 0 and 1, got {self.subsample_ratio!r}."
            )

    def rows(self, n: int) -> int:
        """Count the rows in a subsample of n."""
        ratio = self.subsample_ratio
        if ratio is None:
            ratio = 10.0 * np.sqrt(n) / n if n > 144 else 0.8
        return max(int(np.floor(n * ratio)), 3)

    def choose(self, problem: Problem) -> StabilityChoice:
        """Choose a penalty; the criterion is the variability."""
        n = problem.n_samples
        rows = [
            problem.rng.choice(n, size=self.rows(n), replace=False)
            for _ in range(self.n_subsamples)
        ]
        counts = np.zeros((len(problem.penalties), problem.n_nodes, problem.n_nodes))
        for graphs in problem.graphs(rows):
            counts += graphs
        choice = self.choose_by_frequencies(problem.penalties, counts / self.n_subsamples)
        first = float(choice.criterion[0])
        if first >= self.threshold and problem.n_edges[0] == 0:
            warnings.warn(
                f"StARS found no edge: at the largest penalty the variability is {first:.2g} "
                f"already, and the threshold is {self.threshold:g}. There the strongest edges are "
                "in about half of the subsamples, and they are a large share of only "
                f"{n_pairs(problem.n_nodes)} pairs. Use a threshold above {first:.2g}, or another "
                "rule: selection='ebic', 'cv' or 'ric'.",
                DataWarning,
                stacklevel=3,
            )
        return choice

    def choose_by_frequencies(self, penalties: Floats, frequencies: Floats) -> StabilityChoice:
        """Choose a penalty, given the shares of subsamples with each edge, shape (m, d, d)."""
        d = frequencies.shape[-1]
        variability = (4.0 * frequencies * (1.0 - frequencies)).sum(axis=(1, 2)) / (d * (d - 1))
        reached = np.flatnonzero(variability >= self.threshold)
        index = max(int(reached[0]) - 1, 0) if reached.size else len(penalties) - 1
        return StabilityChoice(float(penalties[index]), variability, frequencies)
