r"""What every model of the package is: a distribution over forests given edge weights.

.. math:: P_\beta(F) = \frac1{Z(\beta)} \prod_{e \in F} \beta_e, \qquad
          p(x) = w_0(x) \, \frac{Z(\beta \circ W(x))}{Z(\beta)}

The models differ only in the forests that Z sums over.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from spinney import forests
from spinney._core.arrays import Floats, Ints
from spinney._core.pairs import to_matrix


@dataclass(frozen=True)
class EnsembleValue:
    r"""Log-partitions and their gradient.

    Attributes
    ----------
    log_partition : array of shape (n,)
        :math:`\log Z(\beta \circ W^j)`; -inf where no forest has positive weight.
    gradient : array of shape (n_pairs,) or (n, n_pairs)
        :math:`\partial / \partial \beta_e` of their sum, or of each.
    """

    log_partition: Floats
    gradient: Floats


def no_forest(n_samples: int, n_pairs: int, per_sample: bool) -> EnsembleValue:
    """Return the value where the positive weights leave no forest to sum over."""
    slope = np.full((n_samples, n_pairs) if per_sample else n_pairs, np.nan)
    return EnsembleValue(np.full(n_samples, -np.inf), slope)


class Ensemble(ABC):
    """A family of forests on `n_nodes` nodes.

    Parameters
    ----------
    n_nodes : int
        Number of nodes d.
    threads : int, optional
        Most threads that sums are computed on.
    """

    rows_at_a_time: ClassVar[int] = 2048
    """Rows whose edge probabilities are computed together, so that memory stays bounded."""

    def __init__(self, n_nodes: int, threads: int | None = None) -> None:
        self.n_nodes = n_nodes
        self.threads = threads

    @property
    def n_pairs(self) -> int:
        """Number of pairs of nodes."""
        return self.n_nodes * (self.n_nodes - 1) // 2

    @cached_property
    def _no_evidence(self) -> Floats:
        """One sample in which every pair has density one, as under the prior."""
        return np.ones((1, self.n_pairs))

    @abstractmethod
    def evaluate(
        self, beta: Floats, W: Floats, *, log: bool = False, per_sample: bool = False
    ) -> EnsembleValue:
        """Evaluate the log-partition of every sample.

        Parameters
        ----------
        beta : array of shape (n_pairs,)
            Edge weights, at least zero.
        W : array of shape (n, n_pairs)
            Weights of each sample.
        log : bool
            Whether `W` holds log-weights.
        per_sample : bool
            Whether the gradient is wanted for each sample rather than summed.
        """

    def both(self, W: Floats, log: bool) -> Callable[[Floats], tuple[EnsembleValue, EnsembleValue]]:
        """Prepare samples once, for weights that change.

        Returns a function of the weights that evaluates the prior, and the samples with their
        gradients summed.
        """
        return lambda beta: (self.evaluate_prior(beta), self.evaluate(beta, W, log=log))

    @abstractmethod
    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Ints:
        """Draw forests from the prior; each as a row of parents, -1 for a root."""

    def evaluate_prior(self, beta: Floats) -> EnsembleValue:
        r"""Evaluate :math:`\log Z(\beta)` and its gradient, the effective resistances."""
        return self.evaluate(beta, self._no_evidence)

    def edge_probabilities(self, beta: Floats) -> Floats:
        r"""Prior probability :math:`\beta_e R_e(\beta)` of each edge."""
        return np.clip(beta * self.evaluate_prior(beta).gradient, 0.0, 1.0)

    def posterior_edge_probabilities(self, beta: Floats, log_density: Floats) -> Floats:
        r"""Probability :math:`\beta_e w_e R_e(\beta \circ W)` of each edge given each sample."""
        result = np.empty(log_density.shape)
        for part in self._batches(len(log_density)):
            found = self.evaluate(beta, log_density[part], log=True, per_sample=True)
            result[part] = beta * found.gradient
        return np.clip(result, 0.0, 1.0)

    def log_likelihood_ratio(self, beta: Floats, log_density: Floats) -> Floats:
        r"""Log-density of each sample relative to independence, :math:`\log p(x) / w_0(x)`."""
        result = np.empty(len(log_density))
        for part in self._batches(len(log_density)):
            result[part] = self._log_partition(beta, log_density[part])
        return result - self.evaluate_prior(beta).log_partition[0]

    def _log_partition(self, beta: Floats, log_density: Floats) -> Floats:
        return self.evaluate(beta, log_density, log=True).log_partition

    def _batches(self, n_samples: int) -> Iterator[slice]:
        for begin in range(0, n_samples, self.rows_at_a_time):
            yield slice(begin, begin + self.rows_at_a_time)


class Determinants(Ensemble):
    """A family whose Z is a determinant, or a product of some."""

    @abstractmethod
    def evaluator(self, beta: Floats) -> forests.Evaluator | None:
        """Return what evaluates samples under these weights; None if they leave no forest."""

    def evaluate(
        self, beta: Floats, W: Floats, *, log: bool = False, per_sample: bool = False
    ) -> EnsembleValue:
        """Evaluate; see :class:`Ensemble`."""
        return self._evaluate(self.evaluator(beta), forests.Samples(W, log=log), per_sample)

    def both(self, W: Floats, log: bool) -> Callable[[Floats], tuple[EnsembleValue, EnsembleValue]]:
        """Prepare samples, for weights that change; see :class:`Ensemble`."""
        samples, prior = forests.Samples(W, log=log), forests.Samples(self._no_evidence)

        def evaluate(beta: Floats) -> tuple[EnsembleValue, EnsembleValue]:
            evaluator = self.evaluator(beta)
            return self._evaluate(evaluator, prior), self._evaluate(evaluator, samples)

        return evaluate

    def _evaluate(
        self, evaluator: forests.Evaluator | None, W: forests.Samples, per_sample: bool = False
    ) -> EnsembleValue:
        if evaluator is None:
            return no_forest(len(W), self.n_pairs, per_sample)
        found = evaluator.evaluate(W, per_sample=per_sample)
        return EnsembleValue(found.log_partition, found.weighted_resistance)


def sample_trees(
    beta: Floats,
    blocks: list[Ints],
    n_samples: int,
    rng: np.random.Generator,
) -> Ints:
    """Draw a spanning tree of each block of nodes; rows of parents, -1 for a root."""
    weights = to_matrix(beta)
    parents = np.full((n_samples, len(weights)), -1, dtype=np.int64)
    for block in blocks:
        if len(block) == 1 or n_samples == 0:
            continue
        drawn = forests.sample(weights[np.ix_(block, block)], 0.0, n_samples, random_state=rng)
        parents[:, block] = np.where(drawn.parents < 0, -1, block[drawn.parents])
    return parents
