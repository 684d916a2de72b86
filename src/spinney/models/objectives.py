r"""What the models are, and what is minimised: ensembles of forests, the likelihood, penalties.

Every model is a distribution over forests given edge weights,

.. math:: P_\beta(F) = \frac1{Z(\beta)} \prod_{e \in F} \beta_e, \qquad
          p(x) = w_0(x) \, \frac{Z(\beta \circ W(x))}{Z(\beta)}

The models differ only in the forests that Z sums over: here all forests, each tree with a marked
root; those without roots are in :mod:`spinney.models.unrooted`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from spinney import forests
from spinney._core.arrays import Floats, Ints
from spinney._core.pairs import pair_ends, pair_nodes
from spinney._core.protocols import Objective, Probe, Step
from spinney.forests.inputs import connected_labels, split_nodes
from spinney.forests.sampling import sample_sets
from spinney.pairs.densities import PairDensities


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
    def no_evidence(self) -> forests.Samples:
        """One sample in which every pair has density one, as under the prior."""
        return forests.Samples(np.ones((1, self.n_pairs)))

    @abstractmethod
    def evaluate_tables(
        self, beta: Floats, tables: Sequence[forests.Samples], per_sample: bool = False
    ) -> list[EnsembleValue]:
        """Evaluate the log-partition of every sample of some tables, under the same weights.

        Parameters
        ----------
        beta : array of shape (n_pairs,)
            Edge weights, at least zero.
        tables : sequence of forests.Samples
            Weights of each sample.
        per_sample : bool
            Whether the gradient is wanted for each sample rather than summed.
        """

    def evaluate(
        self, beta: Floats, W: Floats, *, log: bool = False, per_sample: bool = False
    ) -> EnsembleValue:
        """Evaluate one table of weights, or of their logarithms."""
        return self.evaluate_tables(beta, [forests.Samples(W, log=log)], per_sample)[0]

    @abstractmethod
    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Ints:
        """Draw forests from the prior; each as a row of parents, -1 for a root."""

    def evaluate_prior(self, beta: Floats) -> EnsembleValue:
        r"""Evaluate :math:`\log Z(\beta)` and its gradient, the effective resistances."""
        return self.evaluate_tables(beta, [self.no_evidence])[0]

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

    def evaluate_tables(
        self, beta: Floats, tables: Sequence[forests.Samples], per_sample: bool = False
    ) -> list[EnsembleValue]:
        """Evaluate; see :class:`Ensemble`."""
        evaluator = self.evaluator(beta)
        if evaluator is None:
            return [no_forest(len(table), self.n_pairs, per_sample) for table in tables]
        found = [evaluator.evaluate(table, per_sample=per_sample) for table in tables]
        return [EnsembleValue(one.log_partition, one.weighted_resistance) for one in found]


class Rooted(Determinants):
    r"""Rooted forests: every tree counts once for each of its nodes.

    .. math:: Z(\beta) = \det(I + L(\beta))
              = \sum_F \prod_{e \in F} \beta_e \prod_{T \in F} |T|

    A root weighs one, which gives the weights of edges their unit. Nodes without a listed pair are
    not looked at.

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    pairs : array of int, optional
        Numbers of the listed pairs in the order of ``np.triu_indices(d, 1)``; by default all.
        Weights are listed in this order. Other pairs are never edges.
    threads : int, optional
        As in :class:`Ensemble`.

    References
    ----------
    .. [1] P. Chebotarev and E. Shamis (1997). The matrix-forest theorem and measuring relations in
       small social groups. Automation and Remote Control 58, 1505-1514.

    Examples
    --------
    One pair of weight 3: no edge (two roots), or one tree with either root.

    >>> np.exp(Rooted(2).evaluate_prior(np.array([3.0])).log_partition).round(6)
    array([7.])

    A table of 3,000 columns, of which two pairs are listed; one of them is an edge:

    >>> ensemble = Rooted(3000, pairs=[0, 7000])
    >>> ensemble.edge_probabilities(np.array([3.0, 0.0])).round(3)
    array([0.857, 0.   ])
    """

    def __init__(
        self, n_nodes: int, pairs: ArrayLike | None = None, threads: int | None = None
    ) -> None:
        super().__init__(n_nodes, threads)
        self.pairs = None if pairs is None else np.asarray(pairs, dtype=np.int64)

    @property
    def n_pairs(self) -> int:
        """Number of pairs that weights are listed for."""
        return super().n_pairs if self.pairs is None else len(self.pairs)

    @cached_property
    def nodes(self) -> Ints:
        """The nodes that each listed pair joins, shape (n_listed, 2)."""
        d, pairs = self.n_nodes, self.pairs
        ends = pair_nodes(d) if pairs is None else pair_ends(pairs, d)
        return np.column_stack(ends).astype(np.int64)

    @cached_property
    def _touched(self) -> tuple[Ints, Ints]:
        """Nodes that have a listed pair, and the pairs in their numbers."""
        touched, local = np.unique(self.nodes, return_inverse=True)
        return touched, local.reshape(-1, 2).astype(np.int64)

    @property
    def n_solved(self) -> int:
        """Number of nodes that take part in an elimination."""
        return len(self._touched[0])

    def restrict(self, columns: ArrayLike) -> Rooted:
        """Return the same forests on some of the listed pairs."""
        chosen = np.asarray(columns, dtype=np.int64)
        pairs = chosen if self.pairs is None else self.pairs[chosen]
        return Rooted(self.n_nodes, pairs, self.threads)

    def evaluator(self, beta: Floats) -> forests.Evaluator:
        """Prepare these weights, for the nodes that have a pair; see :class:`Determinants`."""
        pairs = None if self.pairs is None else self._touched[1]
        d = max(self.n_solved, 1)
        return forests.Evaluator(beta, pairs=pairs, n_nodes=d, threads=self.threads)

    def components(self, columns: Ints) -> list[Ints]:
        """Sort some of the listed pairs by the component of their graph, the smallest node first.

        Examples
        --------
        >>> Rooted(5, pairs=[0, 2, 9]).components(np.arange(3))  # 0-1, 0-3 and 3-4
        [array([0, 1, 2])]
        """
        first, second = self.nodes[columns].T
        labels = connected_labels(first, second, self.n_nodes)
        parts = [own for _, own, _ in split_nodes(labels, first, second)]
        return [columns[own] for own in parts if len(own)]

    def curvature(self, beta: Floats, W: Floats) -> Floats:
        r"""Hessian of minus the mean log-likelihood in the logarithms of the weights.

        .. math:: \operatorname{Cov}(e, f) - \frac1n \sum_j \operatorname{Cov}(e, f \mid x^j)
        """
        nodes = self._touched[1]
        prior, each = (
            forests.edge_covariance(beta, rows, nodes, self.n_solved, threads=self.threads)
            for rows in (self.no_evidence.table, W)
        )
        return prior - each / len(W)

    def edge_probabilities(self, beta: Floats) -> Floats:
        """Prior probability of each edge; see :class:`Ensemble`. Zero weights are left out."""
        edges = np.flatnonzero(beta)
        result = np.zeros(self.n_pairs)
        result[edges] = Determinants.edge_probabilities(self.restrict(edges), beta[edges])
        return result

    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Ints:
        """Draw forests, each component of listed edges by itself; see :class:`Ensemble`."""
        first, second = self.nodes.T
        weights = np.zeros((self.n_nodes, self.n_nodes))
        weights[first, second] = weights[second, first] = beta
        sets = [np.arange(self.n_nodes)]
        if self.pairs is not None:
            parts = self.components(np.flatnonzero(beta))
            sets = [np.unique(self.nodes[columns]) for columns in parts]
        return sample_sets(weights, sets, n_samples, rng)


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
        samples = forests.Samples(evidence.W, log=evidence.log)
        self._tables = ensemble.no_evidence, samples

    def evaluate(self, beta: Floats) -> tuple[float, Floats]:
        """Return value and gradient; infinity where no forest has positive weight."""
        value, prior, mean = self._parts(beta)
        return value, prior - mean

    def probe(self, beta: Floats) -> Probe:
        """Return the value, and the probability of each edge before and after the samples."""
        value, prior, mean = self._parts(beta)
        return Probe(value, beta * prior, beta * mean)

    def _parts(self, beta: Floats) -> tuple[float, Floats, Floats]:
        prior, each = self.ensemble.evaluate_tables(beta, self._tables)
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
        self._samples = forests.Samples(evidence.W, log=evidence.log)

    def evaluate(self, beta: Floats) -> tuple[float, Floats]:
        """Return value and gradient."""
        (found,) = self.ensemble.evaluate_tables(beta, [self._samples])
        return -float(found.log_partition.mean()), -found.gradient / len(self._samples)

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
