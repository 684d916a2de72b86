"""Rules that choose a penalty, and what they choose from."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.utils._param_validation import (
    Interval,
    InvalidParameterError,
    validate_parameter_constraints,
)

from spinney._core.arrays import Floats
from spinney._core.pairs import n_pairs
from spinney.exceptions import DataWarning, InputError
from spinney.models._base import COUNT, NOT_NEGATIVE, POSITIVE
from spinney.models.baselines import paths
from spinney.models.baselines.paths import GlassoPath, GraphPath, PathSolver
from spinney.models.baselines.scores import ColumnScales
from spinney.models.selection import extended_bic

Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class PathProblem:
    """A table with a path of graphs, one per penalty from large to small: what rules choose from.

    Attributes
    ----------
    scores : array of shape (n, d)
        Rows to draw from.
    normal_scores : array of shape (n, d)
        The same rows on the scale of the Gaussian model, where its density is. Differs from
        `scores` for rank correlations, which take the table unchanged.
    correlation : callable
        Correlation matrix of rows of `scores`.
    solve : callable
        From a correlation matrix and penalties to a :class:`GraphPath`.
    path : GraphPath
        The graphs of all rows.
    rng : numpy Generator
        Source of random numbers.
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

    def paths(self, row_sets: Iterable[Rows]) -> list[GraphPath]:
        """Learn the path of each set of rows, at the penalties of the whole table."""

        def one(rows: Rows) -> GraphPath:
            return self.solve(self.correlation(self.scores[rows]), self.path.penalties)

        # Threads: linear algebra releases the interpreter's lock.
        jobs = (delayed(one)(rows) for rows in row_sets)
        return list(Parallel(n_jobs=self.n_jobs, require="sharedmem")(jobs))


@dataclass(frozen=True, eq=False)
class Choice:
    """The penalty that a rule chose.

    Attributes
    ----------
    penalty : float
        The penalty, on the path or between its points.
    criterion : array
        What was compared along the path; its meaning depends on the rule.
    frequencies : array of shape (m, d, d), optional
        With StARS, for each penalty of the path, the share of subsamples with each edge.
    """

    penalty: float
    criterion: Floats
    frequencies: Floats | None = None


@dataclass(frozen=True)
class SelectionRule(ABC):
    """Base of the rules: checks their parameters."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {}

    def __post_init__(self) -> None:
        try:
            validate_parameter_constraints(
                self._parameter_constraints, asdict(self), caller_name=type(self).__name__
            )
        except InvalidParameterError as error:
            raise InputError(str(error)) from None

    @abstractmethod
    def choose(self, problem: PathProblem) -> Choice:
        """Choose a penalty."""


def _precisions(path: GraphPath) -> Floats:
    """Return the precision matrices of a path, or refuse one without them."""
    if not isinstance(path, GlassoPath):
        raise InputError(
            "The rule needs a likelihood, which neighbourhood selection does not have. "
            "Use selection='stars' or 'ric'."
        )
    return path.precisions


@dataclass(frozen=True)
class Stars(SelectionRule):
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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "threshold": [Interval(Real, 0, 1, closed="right")],
        "n_subsamples": [Interval(Integral, 2, None, closed="left")],
        "subsample_ratio": [Interval(Real, 0, 1, closed="neither"), None],
    }

    threshold: float = 0.1
    n_subsamples: int = 20
    subsample_ratio: float | None = None

    def rows(self, n: int) -> int:
        """Count the rows in a subsample of n."""
        ratio = self.subsample_ratio
        if ratio is None:
            ratio = 10.0 * np.sqrt(n) / n if n > 144 else 0.8
        return max(int(np.floor(n * ratio)), 3)

    def choose(self, problem: PathProblem) -> Choice:
        """Choose a penalty; the criterion is the variability."""
        n, d = problem.scores.shape
        rows = [
            problem.rng.choice(n, size=self.rows(n), replace=False)
            for _ in range(self.n_subsamples)
        ]
        counts = np.zeros((len(problem.path), d, d))
        for path in problem.paths(rows):
            counts += path.adjacency
        choice = self.choose_by_frequencies(problem.path.penalties, counts / self.n_subsamples)
        first = float(choice.criterion[0])
        if first >= self.threshold and problem.path.n_edges[0] == 0:
            warnings.warn(
                f"StARS found no edge: at the largest penalty the variability is {first:.2g} "
                f"already, and the threshold is {self.threshold:g}. There the strongest edges are "
                "in about half of the subsamples, and they are a large share of only "
                f"{n_pairs(d)} pairs. Use a threshold above {first:.2g}, or another "
                "rule: selection='ebic', 'cv' or 'ric'.",
                DataWarning,
                stacklevel=3,
            )
        return choice

    def choose_by_frequencies(self, penalties: Floats, frequencies: Floats) -> Choice:
        """Choose a penalty, given the shares of subsamples with each edge, shape (m, d, d)."""
        d = frequencies.shape[-1]
        variability = (4.0 * frequencies * (1.0 - frequencies)).sum(axis=(1, 2)) / (d * (d - 1))
        reached = np.flatnonzero(variability >= self.threshold)
        index = max(int(reached[0]) - 1, 0) if reached.size else len(penalties) - 1
        return Choice(float(penalties[index]), variability, frequencies)


@dataclass(frozen=True)
class CrossValidation(SelectionRule):
    """Largest log-likelihood of rows that were left out.

    Parameters
    ----------
    n_folds : int
        Number of folds (at most one per two rows).

    Notes
    -----
    Folds are drawn by position: reordering the rows gives other folds. Rows that are left out are
    standardised by the mean and deviation of the others, and the model is scaled to variances of
    one, so that a penalty on variances, which inflates them all, has no say. Nonparanormal scores
    are made once, from all rows: the margins have seen the rows that are left out, the graph has
    not.

    Examples
    --------
    >>> CrossValidation(10).n_folds
    10
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_folds": [Interval(Integral, 2, None, closed="left")]
    }

    n_folds: int = 5

    def choose(self, problem: PathProblem) -> Choice:
        """Choose a penalty; the criterion is the mean held-out log-likelihood of a row."""
        _precisions(problem.path)
        n, Z = len(problem.scores), problem.normal_scores
        n_folds = min(self.n_folds, n // 2)
        fold_of_row = problem.rng.permutation(np.arange(n) % n_folds)
        folds = [np.flatnonzero(fold_of_row == k) for k in range(n_folds)]
        others = [np.setdiff1d(np.arange(n), fold) for fold in folds]
        criterion = np.zeros(len(problem.path))
        for fold, rest, path in zip(folds, others, problem.paths(others), strict=True):
            rows = ColumnScales.fit(Z[rest]).apply(Z[fold])
            moments = rows.T @ rows / len(rows)
            models = [paths.unit_variances(P) for P in _precisions(path)]
            criterion += [len(rows) * paths.log_likelihood(P, moments) / n for P in models]
        return Choice(float(problem.path.penalties[criterion.argmax()]), criterion)


@dataclass(frozen=True)
class RotationInformation(SelectionRule):
    r"""Rotation information criterion (RIC).

    Rotating one of two columns by r rows destroys their dependence and keeps their margins. The
    penalty is the smallest, over rotations, of the largest rotated correlation: just enough to
    leave no edge in some table without dependence.

    Parameters
    ----------
    n_rotations : int
        Number of rotations (all, if there are fewer rows).

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {"n_rotations": [COUNT]}

    n_rotations: int = 20

    def choose(self, problem: PathProblem) -> Choice:
        """Choose a penalty; the criterion is the largest correlation at each rotation tried."""
        n, d = problem.scores.shape
        off_diagonal = ~np.eye(d, dtype=bool)
        largest = []
        for shift in problem.rng.permutation(np.arange(1, n))[: self.n_rotations]:
            rotated = np.roll(problem.scores, -shift, axis=0)
            between = problem.correlation(np.hstack([rotated, problem.scores]))[:d, d:]
            largest.append(np.abs(between[off_diagonal]).max())
        return Choice(float(min(largest)), np.array(largest))


@dataclass(frozen=True)
class EBIC(SelectionRule):
    r"""Smallest extended BIC, :func:`spinney.models.selection.extended_bic`.

    .. math:: -2 \ell(\hat\Theta_\lambda) + |E| \log n + 4 \gamma |E| \log d

    with the unpenalised log-likelihood at the penalised estimate, as in huge. huge 1.3.5 counts
    variables without any neighbour as if their variance were not penalised, while all others are;
    here all are treated alike, so that the two may choose neighbouring penalties.

    Parameters
    ----------
    gamma : float
        Extra cost of an edge in tables of many columns; 0 gives BIC.

    References
    ----------
    .. [1] R. Foygel and M. Drton (2010). Extended Bayesian information criteria for Gaussian
       graphical models. NeurIPS 23.

    Examples
    --------
    >>> EBIC().gamma
    0.5
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"gamma": [NOT_NEGATIVE]}

    gamma: float = 0.5

    def choose(self, problem: PathProblem) -> Choice:
        """Choose a penalty; the criterion is eBIC, smaller is better."""
        (n, d), path = problem.scores.shape, problem.path
        S = problem.correlation(problem.scores)
        fits = n * np.array([paths.log_likelihood(P, S) for P in _precisions(path)])
        criterion = extended_bic(fits, path.n_edges, n, d, self.gamma)
        return Choice(float(path.penalties[criterion.argmin()]), criterion)


@dataclass(frozen=True)
class FixedPenalty(SelectionRule):
    """No choice: the penalty is given.

    Parameters
    ----------
    penalty : float
        The penalty, in the units of the path.

    Examples
    --------
    >>> FixedPenalty(0.3).penalty
    0.3
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {"penalty": [POSITIVE]}

    penalty: float

    def choose(self, problem: PathProblem) -> Choice:
        """Return the given penalty; there is no criterion."""
        return Choice(float(self.penalty), np.empty(0))


RULES: dict[str, Callable[[], SelectionRule]] = {
    "stars": Stars,
    "ebic": EBIC,
    "cv": CrossValidation,
    "ric": RotationInformation,
}
"""Rules by name, each with its defaults."""


def read_rule(selection: str | float | SelectionRule) -> SelectionRule:
    """Read a rule: a name, a penalty, or a rule.

    Examples
    --------
    >>> read_rule("stars"), read_rule(0.2)
    (Stars(threshold=0.1, n_subsamples=20, subsample_ratio=None), FixedPenalty(penalty=0.2))
    """
    if isinstance(selection, str):
        return RULES[selection]()
    return selection if isinstance(selection, SelectionRule) else FixedPenalty(selection)
