"""Trees and forests of two trees, one for each side of some cuts (the paper's §5.2)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from spinney import forests
from spinney._core.pairs import to_matrix
from spinney.exceptions import InputError
from spinney.models.objectives.ensemble import Ensemble, EnsembleValue, no_forest, sample_trees
from spinney.models.objectives.trees import Trees, blocks_of, evaluator_of_blocks

__all__ = ["CutTrees", "smallest_cut_sides"]

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Integers = NDArray[np.int64]

TIED = 1e-11
"""Relative difference up to which the weights of two cuts are taken for the same."""

MOST_LOG = 600.0
"""Logarithm of the steepest slope of one sample; the sum over any table is still a double."""


def smallest_cut_sides(beta: Floats, k: int) -> Booleans:
    """Find the `k` smallest cuts of the weights; True for nodes that are cut off from node 0.

    Where the last of them tie with others, all of those are taken, or none if that would make more
    than 2 k: never some, for which ones would depend on the order of the nodes. The trivial cut,
    which cuts off nothing, is always the first and not counted.
    """
    matrix = to_matrix(beta)
    trivial = np.zeros((1, len(matrix)), dtype=np.bool_)
    found = forests.smallest_cuts(matrix, 2 * k, ties="none")
    n_cuts = len(found.weights)
    if n_cuts > k:
        last = found.weights[k - 1]
        n_cuts = int(np.searchsorted(found.weights, last + TIED * abs(last), side="right"))
    return np.concatenate([trivial, found.sides[:n_cuts]])


class CutTrees(Ensemble):
    r"""Forests of one or two trees, two only along the given cuts.

    .. math:: Z(\beta) = \sum_{(A, B) \in \mathcal C} \det Q(\beta_A) \det Q(\beta_B)

    A forest of two trees belongs to one cut only, so none is counted twice.

    Parameters
    ----------
    sides : bool array of shape (n_cuts, d)
        One side of each cut. The trivial cut, all of one side, stands for the trees.
    context : forests.Context, optional
        As in :class:`Ensemble`.

    Examples
    --------
    All three trees, and the one forest that leaves the last node alone.

    >>> ensemble = CutTrees([[0, 0, 0], [0, 0, 1]])
    >>> np.exp(ensemble.evaluate_prior(np.ones(3)).log_partition).round(6)
    array([4.])
    """

    def __init__(self, sides: ArrayLike, context: forests.Context | None = None) -> None:
        given = np.atleast_2d(np.asarray(sides, dtype=bool))
        given = given ^ given[:, :1]  # the same cut, seen from node 0
        self.sides: Booleans = np.unique(given, axis=0)
        if len(self.sides) < len(given):
            raise InputError("A cut is listed twice; its forests would be counted twice.")
        super().__init__(self.sides.shape[1], context)
        self._parts = [Trees(self.n_nodes, blocks_of(side), self.context) for side in self.sides]

    def evaluate(
        self, beta: Floats, W: Floats, *, log: bool = False, per_sample: bool = False
    ) -> EnsembleValue:
        """Evaluate; see :class:`Ensemble`."""
        (found,) = self._evaluate(beta, [(W, log)])
        return found if per_sample else _summed(found)

    def both(self, W: Floats, log: bool) -> Callable[[Floats], tuple[EnsembleValue, EnsembleValue]]:
        """Prepare samples, for weights that change; see :class:`Ensemble`."""
        tables = [(self._no_evidence, False), (W, log)]

        def evaluate(beta: Floats) -> tuple[EnsembleValue, EnsembleValue]:
            prior, each = self._evaluate(beta, tables)
            return _summed(prior), _summed(each)

        return evaluate

    def _evaluate(self, beta: Floats, tables: list[tuple[Floats, bool]]) -> list[EnsembleValue]:
        """Evaluate tables of samples, each with whether it holds logarithms; gradients of each."""
        sums = [_Sum(len(W), self.n_pairs) for W, _ in tables]
        nearly: list[tuple[Trees, Trees]] = []
        for part in self._parts:
            sets = part.connected(beta)
            if len(sets) > len(part.blocks):
                if len(sets) == len(part.blocks) + 1:
                    nearly.append((part, Trees(self.n_nodes, sets)))
                continue
            evaluator = evaluator_of_blocks(beta, part.blocks, self.context)
            for total, (W, log) in zip(sums, tables, strict=True):
                found = evaluator.evaluate(W, log=log, per_sample=True)
                total.add(found.log_partition, found.weighted_resistance)
        values = [total.value() for total in sums]
        if np.isneginf(values[0].log_partition).all():  # no cut has a forest, or no sample
            return values
        # A cut that lacks one edge to have forests adds nothing to Z, but to its slope in the
        # weights, all zero, of the edges that would do: without it no edge could ever come back.
        for part, split in nearly:
            evaluator = evaluator_of_blocks(beta, split.blocks, self.context)
            missing = part.inside & ~split.inside
            for value, (W, log) in zip(values, tables, strict=True):
                gain = evaluator.evaluate(W, log=log).log_partition - value.log_partition
                log_w = W[:, missing] if log else np.log(W[:, missing])
                steep = np.minimum(log_w + gain[:, None], MOST_LOG)
                value.gradient[:, missing] += np.exp(steep)
        return values

    def cut_probabilities(self, beta: Floats) -> Floats:
        """Prior probability of each cut, in the order of `sides`."""
        terms = [part.evaluate_prior(beta).log_partition[0] for part in self._parts]
        probabilities: Floats = np.exp(np.array(terms) - logsumexp(terms))
        return probabilities

    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Integers:
        """Draw forests; see :class:`Ensemble`."""
        counts = rng.multinomial(n_samples, self.cut_probabilities(beta))
        drawn = [
            sample_trees(beta, part.blocks, int(count), rng)
            for part, count in zip(self._parts, counts, strict=True)
            if count
        ]
        # Forests of one cut stand together; a sample is in no order.
        parents = np.concatenate(drawn or [np.empty((0, self.n_nodes), dtype=np.int64)])
        return parents[rng.permutation(n_samples)]


class _Sum:
    """Sums of Z over cuts: the largest term of each sample so far is the unit it is held in."""

    def __init__(self, n_samples: int, n_pairs: int) -> None:
        self._largest = np.full(n_samples, -np.inf)
        self._total = np.zeros(n_samples)
        self._slope = np.zeros((n_samples, n_pairs))

    def add(self, log_partition: Floats, gradient: Floats) -> None:
        """Add a term to the sum of each sample; `gradient` is that of its logarithm."""
        unit = np.maximum(self._largest, log_partition)
        held, added = np.exp(self._largest - unit), np.exp(log_partition - unit)
        self._total = self._total * held + added
        self._slope *= held[:, None]
        self._slope += added[:, None] * gradient
        self._largest = unit

    def value(self) -> EnsembleValue:
        """Return the logarithm of each sum and its gradient."""
        if not self._total.any():
            return no_forest(*self._slope.shape, per_sample=True)
        log_partition = self._largest + np.log(self._total)
        return EnsembleValue(log_partition, self._slope / self._total[:, None])


def _summed(value: EnsembleValue) -> EnsembleValue:
    return EnsembleValue(value.log_partition, value.gradient.sum(axis=0))
