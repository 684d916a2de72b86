"""A path of Gaussian graphs as the selection rules see it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from spinney.exceptions import InputError
from spinney.models.baselines.paths import (
    GlassoPath,
    GraphPath,
    PathSolver,
    log_likelihood,
    unit_variances,
)
from spinney.models.baselines.scores import ColumnScales

__all__ = ["PathProblem"]

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PathProblem:
    """The :class:`spinney.models.selection.Problem` of a penalised baseline.

    Attributes
    ----------
    scores : array of shape (n, d)
        Rows to draw from.
    normal_scores : array of shape (n, d)
        The same rows on the scale of the Gaussian model, where its density is. Differs from
        `scores` for rank correlations, which take the table as it is.
    correlation : callable
        Correlation matrix of rows of `scores`.
    solve : callable
        From a correlation matrix and penalties to a :class:`GraphPath`.
    path : GraphPath
        The graphs of all rows.
    rng : numpy Generator
        All that is random comes from here.
    n_jobs : int or None
        Threads.
    """

    scores: Floats
    normal_scores: Floats
    correlation: Callable[[Floats], Floats]
    solve: PathSolver
    path: GraphPath
    rng: np.random.Generator
    n_jobs: int | None = None

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.scores)

    @property
    def n_nodes(self) -> int:
        """Number of columns."""
        return self.scores.shape[1]

    @property
    def penalties(self) -> Floats:
        """Penalties of the path, decreasing."""
        return self.path.penalties

    @property
    def n_edges(self) -> NDArray[np.int64]:
        """Number of edges at each penalty."""
        return self.path.n_edges

    def graphs(self, row_sets: Iterable[Rows]) -> list[NDArray[np.bool_]]:
        """Learn the graphs of each set of rows, at the penalties of the whole table."""
        return [path.adjacency for path in self._paths(row_sets)]

    def log_likelihood(self) -> Floats:
        """Gaussian log-likelihood of all rows at each penalty, without the penalty.

        huge 1.3.5 counts variables without any neighbour as if their variance were not penalised,
        while all others are; here all are treated alike, so that with eBIC the two may choose
        neighbouring penalties.
        """
        path = _with_precisions(self.path)
        S = self.correlation(self.scores)
        return self.n_samples * np.array([log_likelihood(P, S) for P in path.precisions])

    def held_out_log_likelihood(self, folds: Sequence[Rows]) -> Floats:
        """Gaussian log-likelihood of the rows of each fold under the model of all others.

        Left-out rows are standardised by the mean and deviation of the others, and the model is
        scaled to variances of one, so that a penalty on variances, which inflates them all, has
        no say. Nonparanormal scores are made once, from all rows: the margins have seen the rows
        that are left out, the graph has not.
        """
        _with_precisions(self.path)
        everything = np.arange(self.n_samples)
        others = [np.setdiff1d(everything, fold) for fold in folds]
        gains = np.empty((len(folds), len(self.path)))
        for k, path in enumerate(self._paths(others)):
            rows = ColumnScales.fit(self.normal_scores[others[k]]).apply(
                self.normal_scores[folds[k]]
            )
            moments = rows.T @ rows / len(rows)
            models = [unit_variances(P) for P in _with_precisions(path).precisions]
            gains[k] = [len(rows) * log_likelihood(P, moments) for P in models]
        return gains

    def rotated_correlation(self, shift: int) -> float:
        """Find the largest absolute correlation of a column with another rotated by some rows."""
        d = self.n_nodes
        rotated = np.roll(self.scores, -shift, axis=0)
        between = self.correlation(np.hstack([rotated, self.scores]))[:d, d:]
        return float(np.abs(between[~np.eye(d, dtype=bool)]).max())

    def _paths(self, row_sets: Iterable[Rows]) -> list[GraphPath]:
        def one(rows: Rows) -> GraphPath:
            return self.solve(self.correlation(self.scores[rows]), self.path.penalties)

        # Threads: the kernels release the interpreter's lock.
        jobs = (delayed(one)(rows) for rows in row_sets)
        return list(Parallel(n_jobs=self.n_jobs, require="sharedmem")(jobs))


def _with_precisions(path: GraphPath) -> GlassoPath:
    """Return a path that has precision matrices, or say that there are none."""
    if not isinstance(path, GlassoPath):
        raise InputError(
            "The rule needs a likelihood, which neighbourhood selection does not have. "
            "Use selection='stars' or 'ric'."
        )
    return path
