r"""What is minimised: minus the mean log-likelihood, its convex part, and the L1 penalty."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spinney._core.arrays import Floats
from spinney._core.protocols import Objective, Probe, Step
from spinney.models.objectives.ensemble import Ensemble
from spinney.pairs.densities import PairDensities

STEEPEST = 1e300
"""Largest slope that is returned."""


class NegativeLogLikelihood:
    r"""Minus the mean log-likelihood relative to independence, as a function of the weights.

    .. math:: f(\beta) = \log Z(\beta) - \frac1n \sum_j \log Z(\beta \circ W^j), \qquad
              \frac{\partial f}{\partial \beta_e}
              = R_e(\beta) - \frac1n \sum_j w_e^j R_e(\beta \circ W^j)

    Parameters
    ----------
    ensemble : Ensemble
        The forests that Z sums over.
    evidence : PairDensities
        Pair densities.
    advance : callable, optional
        Called with 1 after each sum over all rows, to show progress.
    """

    def __init__(
        self,
        ensemble: Ensemble,
        evidence: PairDensities,
        advance: Callable[[int], None] = lambda steps: None,
    ) -> None:
        self.ensemble = ensemble
        self.evidence = evidence
        self._advance = advance
        self._both = ensemble.both(evidence.W, evidence.log)

    def evaluate(self, beta: Floats) -> tuple[float, Floats]:
        """Return value and gradient; infinity where no forest has positive weight."""
        value, prior, mean = self._parts(beta)
        return value, prior - mean

    def probe(self, beta: Floats) -> Probe:
        """Return the value, and the probability of each edge before and after the samples."""
        value, prior, mean = self._parts(beta)
        return Probe(value, beta * prior, beta * mean)

    def _parts(self, beta: Floats) -> tuple[float, Floats, Floats]:
        prior, each = self._both(beta)
        self._advance(1)
        if np.isneginf(prior.log_partition[0]):
            return np.inf, np.zeros_like(beta), np.zeros_like(beta)
        value = float(prior.log_partition[0] - each.log_partition.mean())
        # An infinite slope is still a slope: steps are scaled by it.
        slope = np.minimum(each.gradient / self.evidence.n_samples, STEEPEST)
        return value, prior.gradient, slope


class ConvexPart:
    r"""The convex part of the tree model's objective, on a simplex.

    .. math:: g(\beta) = -\frac1n \sum_j \log \det Q(\beta \circ W^j), \qquad
              \beta \ge 0, \ \sum_e \beta_e = d - k

    where k is the number of blocks. Its minimiser is where non-convex objectives start from [1]_.

    Notes
    -----
    `step` is the EM map: β becomes the mean posterior probability of each edge. As g is convex and
    g(cβ) = g(β) - (d - k) log c, a point is at most ``(d - k) (max_e mean_j w_e R_e - 1)`` above
    the minimum; that certificate is the violation.

    References
    ----------
    .. [1] Y. Lin, S. Zhu, D. D. Lee and B. Taskar (2009). Learning sparse Markov network structure
       via ensemble-of-trees models. AISTATS.
    """

    def __init__(self, ensemble: Ensemble, evidence: PairDensities, n_edges: int) -> None:
        self.ensemble = ensemble
        self.evidence = evidence
        self.n_edges = n_edges

    def evaluate(self, beta: Floats) -> tuple[float, Floats]:
        """Return value and gradient."""
        found = self.ensemble.evaluate(beta, self.evidence.W, log=self.evidence.log)
        return -float(found.log_partition.mean()), -found.gradient / len(self.evidence.W)

    def step(self, beta: Floats) -> Step:
        """Return the value and where the EM map leads, from any scale back to the simplex."""
        on_simplex = beta * (self.n_edges / beta.sum()) if self.n_edges else beta
        value, gradient = self.evaluate(on_simplex)
        above = self.n_edges * max(float(-gradient.min(initial=0.0)) - 1.0, 0.0)
        return Step(value, -gradient * on_simplex, above)


class L1:
    r"""An objective plus :math:`\lambda \sum_e \lambda_e \beta_e`, for weights at least zero.

    Parameters
    ----------
    objective : Objective
        Any.
    penalty : float or array of shape (n_pairs,)
        λ, or one for each pair.
    """

    def __init__(self, objective: Objective, penalty: float | Floats) -> None:
        self.objective = objective
        self.penalty = penalty

    def evaluate(self, beta: Floats) -> tuple[float, Floats]:
        """Return value and gradient."""
        value, gradient = self.objective.evaluate(beta)
        return value + float(np.sum(self.penalty * beta)), gradient + self.penalty
