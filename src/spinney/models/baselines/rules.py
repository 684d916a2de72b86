"""Rules that choose a penalty, and what they need of a path of graphs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import (
    Interval,
    InvalidParameterError,
    validate_parameter_constraints,
)

from spinney._core.pairs import n_pairs
from spinney.exceptions import DataWarning, InputError
from spinney.models.selection import extended_bic

if TYPE_CHECKING:
    from spinney.models.baselines.penalised import PathProblem

__all__ = [
    "EBIC",
    "RULES",
    "Choice",
    "CrossValidation",
    "FixedPenalty",
    "RotationInformation",
    "SelectionRule",
    "StabilityChoice",
    "Stars",
    "check_rule",
    "draw_folds",
]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Choice:
    """The penalty that a rule chose.

    Attributes
    ----------
    penalty : float
        The penalty, on the path or between its points.
    criterion : array
        What was compared along the path; its meaning depends on the rule.
    """

    penalty: float
    criterion: Floats


class SelectionRule(Protocol):
    """What every rule offers."""

    def choose(self, problem: PathProblem) -> Choice:
        """Choose a penalty."""
        ...


@dataclass(frozen=True, eq=False)
class StabilityChoice(Choice):
    """A choice with the share of subsamples in which each edge appeared.

    Attributes
    ----------
    frequencies : array of shape (m, d, d)
        For each penalty of the path.
    """

    frequencies: Floats


@dataclass(frozen=True)
class _Checked:
    """Base of the rules: checks their parameters."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {}

    def __post_init__(self) -> None:
        try:
            validate_parameter_constraints(
                self._parameter_constraints, asdict(self), caller_name=type(self).__name__
            )
        except InvalidParameterError as error:
            raise InputError(str(error)) from None


@dataclass(frozen=True)
class Stars(_Checked):
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

    def choose(self, problem: PathProblem) -> StabilityChoice:
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


def draw_folds(n: int, n_folds: int, rng: np.random.Generator) -> list[NDArray[np.intp]]:
    """Split n rows at random into folds whose sizes differ by one at most.

    Examples
    --------
    >>> [fold.tolist() for fold in draw_folds(5, 2, np.random.default_rng(0))]
    [[0, 1, 3], [2, 4]]
    """
    fold_of_row = rng.permutation(np.arange(n) % n_folds)
    return [np.flatnonzero(fold_of_row == k) for k in range(n_folds)]


@dataclass(frozen=True)
class CrossValidation(_Checked):
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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_folds": [Interval(Integral, 2, None, closed="left")]
    }

    n_folds: int = 5

    def choose(self, problem: PathProblem) -> Choice:
        """Choose a penalty; the criterion is the mean held-out log-likelihood of a row."""
        n = problem.n_samples
        folds = draw_folds(n, min(self.n_folds, n // 2), problem.rng)
        criterion = problem.held_out_log_likelihood(folds).sum(axis=0) / n
        return Choice(float(problem.penalties[criterion.argmax()]), criterion)


@dataclass(frozen=True)
class RotationInformation(_Checked):
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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_rotations": [Interval(Integral, 1, None, closed="left")]
    }

    n_rotations: int = 20

    def choose(self, problem: PathProblem) -> Choice:
        """Choose a penalty; the criterion is the largest correlation at each rotation tried."""
        shifts = problem.rng.permutation(np.arange(1, problem.n_samples))[: self.n_rotations]
        largest = np.array([problem.rotated_correlation(int(shift)) for shift in shifts])
        return Choice(float(largest.min()), largest)


@dataclass(frozen=True)
class EBIC(_Checked):
    r"""Smallest extended BIC, :func:`spinney.models.selection.extended_bic`.

    .. math:: -2 \ell(\hat\Theta_\lambda) + |E| \log n + 4 \gamma |E| \log d

    with the unpenalised log-likelihood at the penalised estimate, as in huge.

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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "gamma": [Interval(Real, 0, None, closed="left")]
    }

    gamma: float = 0.5

    def choose(self, problem: PathProblem) -> Choice:
        """Choose a penalty; the criterion is eBIC, smaller is better."""
        n, d = problem.n_samples, problem.n_nodes
        points = zip(problem.log_likelihood(), problem.n_edges, strict=True)
        criterion = np.array(
            [
                extended_bic(float(fit), int(edges), n_samples=n, n_nodes=d, gamma=self.gamma)
                for fit, edges in points
            ]
        )
        return Choice(float(problem.penalties[criterion.argmin()]), criterion)


@dataclass(frozen=True)
class FixedPenalty(_Checked):
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

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "penalty": [Interval(Real, 0, None, closed="neither")]
    }

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


def check_rule(selection: Any) -> SelectionRule:
    """Read a rule: a name, a penalty, or an object with ``choose``.

    Examples
    --------
    >>> check_rule("stars"), check_rule(0.2)
    (Stars(threshold=0.1, n_subsamples=20, subsample_ratio=None), FixedPenalty(penalty=0.2))
    """
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
