"""Rules that choose a penalty: StARS, extended BIC, cross-validation, rotation information.

A rule sees a :class:`Problem`, which knows how to make a path of graphs from rows, and does not
care which solver makes it. Only :class:`EBIC` and :class:`CrossValidation` need a likelihood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any, Protocol

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from spinney.baselines.paths import (
    GlassoPath,
    GraphPath,
    PathSolver,
    log_likelihood,
    unit_variances,
)
from spinney.exceptions import InputError

__all__ = [
    "EBIC",
    "RULES",
    "Choice",
    "CrossValidation",
    "FixedPenalty",
    "Problem",
    "RotationInformation",
    "SelectionRule",
    "StabilityChoice",
    "Stars",
    "check_rule",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Problem:
    """What a rule may look at.

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

    def paths(self, row_sets: Iterable[NDArray[np.intp]]) -> list[GraphPath]:
        """Make the path of each set of rows, at the penalties of the whole table."""

        def one(rows: NDArray[np.intp]) -> GraphPath:
            return self.solve(self.correlation(self.scores[rows]), self.path.penalties)

        # Threads: the kernels release the interpreter's lock.
        jobs = (delayed(one)(rows) for rows in row_sets)
        return list(Parallel(n_jobs=self.n_jobs, prefer="threads")(jobs))

    def glasso(self, rule: str) -> GlassoPath:
        """Return the path with its precision matrices, or say that there are none."""
        if not isinstance(self.path, GlassoPath):
            raise InputError(
                f"{rule} needs a likelihood, which neighbourhood selection has not. "
                "Use selection='stars' or 'ric'."
            )
        return self.path


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


@dataclass(frozen=True, eq=False)
class StabilityChoice(Choice):
    """A choice with the share of subsamples in which each edge appeared.

    Attributes
    ----------
    frequencies : array of shape (m, d, d)
        For each penalty of the path.
    """

    frequencies: Floats


class SelectionRule(Protocol):
    """What every rule offers."""

    def choose(self, problem: Problem) -> Choice:
        """Choose a penalty."""
        ...


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

    Notes
    -----
    If the variability stays below the threshold all along the path, the smallest penalty is
    chosen, as the definition has it. huge then returns its largest, an empty graph.
    If it is reached at once, the largest is chosen, as in huge. With few columns that is common:
    at the largest penalty the one strongest edge comes and goes, and among d = 4 columns it alone
    is a sixth of all pairs.

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
        if self.n_subsamples < 2:
            raise InputError(f"StARS needs at least 2 subsamples, got {self.n_subsamples!r}.")
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
        n = len(problem.scores)
        rows = [
            problem.rng.choice(n, size=self.rows(n), replace=False)
            for _ in range(self.n_subsamples)
        ]
        counts = np.zeros(problem.path.adjacency.shape)
        for path in problem.paths(rows):
            counts += path.adjacency
        return self.choose_by_frequencies(problem.path.penalties, counts / self.n_subsamples)

    def choose_by_frequencies(self, penalties: Floats, frequencies: Floats) -> StabilityChoice:
        """Choose a penalty, given the shares of subsamples with each edge, shape (m, d, d)."""
        d = frequencies.shape[-1]
        variability = (4.0 * frequencies * (1.0 - frequencies)).sum(axis=(1, 2)) / (d * (d - 1))
        reached = np.flatnonzero(variability >= self.threshold)
        index = max(int(reached[0]) - 1, 0) if reached.size else len(penalties) - 1
        return StabilityChoice(float(penalties[index]), variability, frequencies)


@dataclass(frozen=True)
class EBIC:
    r"""Extended Bayesian information criterion.

    .. math:: -2 \ell(\hat\Theta_\lambda) + |E| \log n + 4 \gamma |E| \log d

    with the unpenalised log-likelihood at the penalised estimate, as in huge.

    Parameters
    ----------
    gamma : float
        Extra price of an edge in large tables; 0 gives BIC.

    Notes
    -----
    huge 1.3.5 counts variables without any neighbour as if their variance were not penalised,
    while all others are; here all are treated alike, so the two may choose neighbouring penalties.

    References
    ----------
    .. [1] R. Foygel and M. Drton (2010). Extended Bayesian information criteria for Gaussian
       graphical models. NeurIPS 23.

    Examples
    --------
    >>> EBIC().gamma
    0.5
    """

    gamma: float = 0.5

    def __post_init__(self) -> None:
        if not self.gamma >= 0.0:
            raise InputError(f"gamma must be zero or positive, got {self.gamma!r}.")

    def choose(self, problem: Problem) -> Choice:
        """Choose a penalty; the criterion is eBIC, smaller is better."""
        path = problem.glasso("eBIC")
        n, d = problem.scores.shape
        S = problem.correlation(problem.scores)
        fit = np.array([log_likelihood(precision, S) for precision in path.precisions])
        price = np.log(n) + 4.0 * self.gamma * np.log(d)
        criterion = -2.0 * n * fit + price * path.n_edges
        return Choice(float(path.penalties[criterion.argmin()]), criterion)


@dataclass(frozen=True)
class CrossValidation:
    """Largest Gaussian log-likelihood of rows that were left out.

    Parameters
    ----------
    n_folds : int
        Number of folds (at most one per two rows).

    Notes
    -----
    Left-out rows are standardised by the mean and deviation of the others, and so is the model:
    a penalty on variances, which inflates them all, has no say here. Nonparanormal scores are
    made once, from all rows: the margins have seen the left-out rows, the graph has not.

    Examples
    --------
    >>> CrossValidation(10).n_folds
    10
    """

    n_folds: int = 5

    def __post_init__(self) -> None:
        if self.n_folds < 2:
            raise InputError(f"Cross-validation needs at least 2 folds, got {self.n_folds!r}.")

    def choose(self, problem: Problem) -> Choice:
        """Choose a penalty; the criterion is the mean held-out log-likelihood of a row."""
        problem.glasso("Cross-validation")
        n = len(problem.scores)
        fold_of_row = problem.rng.permutation(np.arange(n) % min(self.n_folds, n // 2))
        folds = [np.flatnonzero(fold_of_row == k) for k in range(fold_of_row.max() + 1)]
        others = [np.flatnonzero(fold_of_row != k) for k in range(len(folds))]
        criterion = np.zeros(len(problem.path))
        for left_out, kept, path in zip(folds, others, problem.paths(others), strict=True):
            training = problem.normal_scores[kept]
            scale = training.std(axis=0)
            scale[scale == 0.0] = 1.0
            rows = (problem.normal_scores[left_out] - training.mean(axis=0)) / scale
            moments = rows.T @ rows / len(rows)
            assert isinstance(path, GlassoPath)  # the same solver made the path of all rows
            gains = [log_likelihood(unit_variances(p), moments) for p in path.precisions]
            criterion += len(left_out) / n * np.array(gains)
        return Choice(float(problem.path.penalties[criterion.argmax()]), criterion)


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
        if self.n_rotations < 1:
            raise InputError(f"RIC needs at least one rotation, got {self.n_rotations!r}.")

    def choose(self, problem: Problem) -> Choice:
        """Choose a penalty; the criterion is the largest correlation at each rotation tried."""
        n, d = problem.scores.shape
        shifts = problem.rng.permutation(np.arange(1, n))[: self.n_rotations]
        off = ~np.eye(d, dtype=bool)
        largest = []
        for shift in shifts:
            rotated = np.roll(problem.scores, -shift, axis=0)
            between = problem.correlation(np.hstack([rotated, problem.scores]))[:d, d:]
            largest.append(float(np.abs(between[off]).max()))
        return Choice(min(largest), np.array(largest))


@dataclass(frozen=True)
class FixedPenalty:
    """No choice: the penalty is given.

    Parameters
    ----------
    penalty : float
        The penalty, on the scale of correlations.

    Examples
    --------
    >>> FixedPenalty(0.3).penalty
    0.3
    """

    penalty: float

    def __post_init__(self) -> None:
        if not self.penalty > 0.0:
            raise InputError(f"A penalty must be positive, got {self.penalty!r}.")

    def choose(self, problem: Problem) -> Choice:
        """Return the given penalty; there is no criterion."""
        return Choice(float(self.penalty), np.empty(0))


RULES: dict[str, Callable[[], SelectionRule]] = {
    "stars": Stars,
    "ebic": EBIC,
    "cv": CrossValidation,
    "ric": RotationInformation,
}
"""Rules by name, each with its defaults."""


def check_rule(selection: Any) -> SelectionRule:
    """Read a rule: a name, a penalty, or an object with ``choose``."""
    if isinstance(selection, str) and selection in RULES:
        return RULES[selection]()
    if isinstance(selection, Real) and not isinstance(selection, bool):
        return FixedPenalty(float(selection))
    if not isinstance(selection, str | type) and callable(getattr(selection, "choose", None)):
        rule: SelectionRule = selection
        return rule
    names = ", ".join(repr(name) for name in RULES)
    raise InputError(
        f"selection must be one of {names}, a penalty, or a rule such as Stars(0.05); "
        f"got {selection!r}."
    )
