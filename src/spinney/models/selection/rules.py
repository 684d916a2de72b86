"""Rules that choose a penalty on a path: extended BIC, a given penalty, and all rules by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from spinney._core.storable import storable
from spinney.exceptions import InputError
from spinney.models.selection.criteria import extended_bic
from spinney.models.selection.cross_validation import CrossValidation
from spinney.models.selection.problem import Choice, Problem, SelectionRule
from spinney.models.selection.rotation import RotationInformation
from spinney.models.selection.stars import Stars

__all__ = ["EBIC", "RULES", "FixedPenalty", "check_rule"]


@storable("EBIC")
@dataclass(frozen=True)
class EBIC:
    r"""Smallest extended Bayesian information criterion, :func:`spinney.models.selection.extended_bic`.

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

    gamma: float = 0.5

    def __post_init__(self) -> None:
        if not self.gamma >= 0.0:
            raise InputError(f"gamma must be zero or positive, got {self.gamma!r}.")

    def choose(self, problem: Problem) -> Choice:
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


@storable("FixedPenalty")
@dataclass(frozen=True)
class FixedPenalty:
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

    penalty: float

    def __post_init__(self) -> None:
        if not 0.0 < self.penalty < np.inf:
            raise InputError(f"A penalty must be positive and finite, got {self.penalty!r}.")

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
