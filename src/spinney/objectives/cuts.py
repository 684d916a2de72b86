"""Trees and forests of two trees, one for each side of some cuts (the paper's §5.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from spinney import forests
from spinney._pairs import to_matrix
from spinney.exceptions import InputError
from spinney.objectives.ensemble import Ensemble, EnsembleValue, no_forest, sample_trees
from spinney.objectives.trees import Trees, blocks_of

__all__ = ["CutTrees", "smallest_cut_sides"]

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Integers = NDArray[np.int64]


def smallest_cut_sides(beta: Floats, k: int) -> Booleans:
    """Find the `k` smallest cuts of the weights; True for nodes that are cut off from node 0.

    The trivial cut, which cuts off nothing, is always the first and not counted.
    """
    matrix = to_matrix(beta)
    trivial = np.zeros((1, len(matrix)), dtype=np.bool_)
    return np.concatenate([trivial, forests.smallest_cuts(matrix, k).sides])


class CutTrees(Ensemble):
    r"""Forests of one or two trees, two only along the given cuts.

    .. math:: Z(\beta) = \sum_{(A, B) \in \mathcal C} \det Q(\beta_A) \det Q(\beta_B)

    A forest of two trees belongs to one cut only, so none is counted twice.

    Parameters
    ----------
    sides : bool array of shape (n_cuts, d)
        One side of each cut. The trivial cut, all of one side, stands for the trees.

    Examples
    --------
    All three trees, and the one forest that leaves the last node alone.

    >>> ensemble = CutTrees([[0, 0, 0], [0, 0, 1]])
    >>> np.exp(ensemble.evaluate_prior(np.ones(3)).log_partition).round(6)
    array([4.])
    """

    def __init__(self, sides: ArrayLike) -> None:
        given = np.atleast_2d(np.asarray(sides, dtype=bool))
        given = given ^ given[:, :1]  # the same cut, seen from node 0
        self.sides: Booleans = np.unique(given, axis=0)
        if len(self.sides) < len(given):
            raise InputError("A cut is listed twice; its forests would be counted twice.")
        super().__init__(self.sides.shape[1])
        self._parts = [Trees(self.n_nodes, blocks_of(side)) for side in self.sides]

    def evaluate(
        self, beta: Floats, W: Floats, *, log: bool = False, per_sample: bool = False
    ) -> EnsembleValue:
        """Evaluate; see :class:`Ensemble`."""
        # Summed up cut by cut: the largest term of each sample so far is the unit it is held in.
        largest = np.full(len(W), -np.inf)
        total = np.zeros(len(W))
        slope = np.zeros((len(W), self.n_pairs))
        nearly: list[tuple[Trees, Trees]] = []
        for part in self._parts:
            sets = part.connected(beta)
            if len(sets) > len(part.blocks):
                if len(sets) == len(part.blocks) + 1:
                    nearly.append((part, Trees(self.n_nodes, sets)))
                continue
            found = part.evaluate_connected(beta, W, log=log, per_sample=True)
            unit = np.maximum(largest, found.log_partition)
            held = np.exp(largest - unit)
            added = np.exp(found.log_partition - unit)
            total = total * held + added
            slope *= held[:, None]
            slope += added[:, None] * found.gradient
            largest = unit
        if not total.any():
            return no_forest(len(W), self.n_pairs, per_sample)
        log_partition = largest + np.log(total)
        each = slope / total[:, None]
        # A cut that lacks one edge to have forests adds nothing to Z, but to its slope in the
        # weights, all zero, of the edges that would do: without it no edge could ever come back.
        for part, split in nearly:
            found = split.evaluate_connected(beta, W, log=log, per_sample=False)
            missing = part.inside & ~split.inside
            log_w = W[:, missing] if log else np.log(W[:, missing])
            each[:, missing] += np.exp(log_w + (found.log_partition - log_partition)[:, None])
        return EnsembleValue(log_partition, each if per_sample else each.sum(axis=0))

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
