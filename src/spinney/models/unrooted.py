"""Forests without roots: spanning trees of blocks, at most k trees, and trees along cuts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import logsumexp

from spinney import forests
from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.component_kernels import pair_component_labels
from spinney._core.pairs import pair_nodes, to_matrix
from spinney.exceptions import InputError
from spinney.forests.inputs import by_label
from spinney.forests.sampling import sample_sets
from spinney.forests.unrooted import MAX_NODES
from spinney.models.objectives import Determinants, Ensemble, EnsembleValue, no_forest


def blocks_of(labels: ArrayLike) -> list[Ints]:
    """List the nodes of each label.

    Examples
    --------
    >>> [block.tolist() for block in blocks_of([0, 1, 0])]
    [[0, 2], [1]]
    """
    return [nodes for nodes in by_label(np.asarray(labels, dtype=np.int64)) if nodes.size]


def evaluator_of_blocks(
    beta: Floats, blocks: Sequence[Ints], threads: int | None
) -> forests.Evaluator:
    """Prepare weights for one spanning tree per block, where they connect each block."""
    partition = blocks if len(blocks) > 1 else None
    return forests.Evaluator(
        beta, 0.0, n_nodes=sum(map(len, blocks)), partition=partition, threads=threads
    )


class Trees(Determinants):
    r"""Maximal forests of a partition: one spanning tree per block.

    .. math:: Z(\beta) = \prod_V \det Q(\beta_V)

    One block of all nodes is the ensemble of trees (the paper's §3).

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    blocks : sequence of node sets, optional
        Components known beforehand; one of all nodes by default.
    threads : int, optional
        As in :class:`Ensemble`.

    Examples
    --------
    Three trees on three nodes.

    >>> Trees(3).evaluate(np.ones(3), np.ones((1, 3))).log_partition.round(6)
    array([1.098612])
    """

    def __init__(
        self, n_nodes: int, blocks: Sequence[ArrayLike] | None = None, threads: int | None = None
    ) -> None:
        super().__init__(n_nodes, threads)
        whole = [np.arange(n_nodes)]
        self.blocks = whole if blocks is None else [np.asarray(b, dtype=np.int64) for b in blocks]
        labels = np.empty(n_nodes, dtype=np.int64)
        for number, block in enumerate(self.blocks):
            labels[block] = number
        first, second = pair_nodes(n_nodes)
        self.block_of_pair = np.where(labels[first] == labels[second], labels[first], -1)
        """The block that holds each pair; -1 for pairs across blocks, which are never edges."""
        self.inside = self.block_of_pair >= 0

    def evaluator(self, beta: Floats) -> forests.Evaluator | None:
        """Prepare these weights, if they connect each block; see :class:`Determinants`."""
        if len(self.connected(beta)) > len(self.blocks):
            return None
        return evaluator_of_blocks(beta, self.blocks, self.threads)

    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Ints:
        """Draw forests; see :class:`Ensemble`."""
        return sample_sets(to_matrix(beta), self.blocks, n_samples, rng, 0.0)

    def connected(self, beta: Floats) -> list[Ints]:
        """Return what the weights connect within the blocks: the blocks, or finer sets."""
        return blocks_of(pair_component_labels(self.inside & (beta > 0), self.n_nodes))


class InducedTrees(Determinants):
    r"""Maximal forests of the partition that the positive weights induce (the paper's §5.3).

    .. math:: Z(\beta) = \prod_{V \in \operatorname{components}(\beta)} \det Q(\beta_V)

    A pair across components has weight and gradient zero, so components may split but never join.

    Examples
    --------
    >>> beta = np.array([2.0, 0.0, 0.0])  # joins the first two of three nodes
    >>> InducedTrees(3).evaluate_prior(beta).log_partition.round(6)
    array([0.693147])
    """

    def blocks(self, beta: Floats) -> list[Ints]:
        """Return the components."""
        return blocks_of(pair_component_labels(beta > 0, self.n_nodes))

    def evaluator(self, beta: Floats) -> forests.Evaluator:
        """Prepare these weights; see :class:`Determinants`."""
        return evaluator_of_blocks(beta, self.blocks(beta), self.threads)

    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Ints:
        """Draw forests; see :class:`Ensemble`."""
        return sample_sets(to_matrix(beta), self.blocks(beta), n_samples, rng, 0.0)


class FewTrees(Ensemble):
    r"""Unrooted forests of at most `max_trees` trees.

    .. math:: Z(\beta) = \sum_{\mathbf V} \prod_{V \in \mathbf V} \det Q(\beta_V)

    over all partitions of the nodes into at most `max_trees` sets.

    Parameters
    ----------
    n_nodes : int
        Number of nodes, at most 12.
    max_trees : int, optional
        Most trees; all forests by default.
    threads : int, optional
        As in :class:`Ensemble`.

    Examples
    --------
    Three trees and three forests of two trees on three nodes.

    >>> np.exp(FewTrees(3, 2).evaluate_prior(np.ones(3)).log_partition).round(6)
    array([6.])
    """

    def __init__(
        self, n_nodes: int, max_trees: int | None = None, threads: int | None = None
    ) -> None:
        if n_nodes > MAX_NODES:
            raise InputError(
                f"ExactForests visits every partition and is meant for {MAX_NODES} variables; the "
                f"table has {n_nodes}. Use ForestsLambda."
            )
        super().__init__(n_nodes, threads)
        self.max_trees = max_trees

    def evaluate_tables(
        self, beta: Floats, tables: Sequence[forests.Samples], per_sample: bool = False
    ) -> list[EnsembleValue]:
        """Evaluate; see :class:`Ensemble`."""
        most = self.n_nodes if self.max_trees is None else self.max_trees
        if pair_component_labels(beta > 0, self.n_nodes).max(initial=0) + 1 > most:
            return [no_forest(len(table), self.n_pairs, per_sample) for table in tables]
        found = [
            forests.evaluate_unrooted(
                beta, table, self.max_trees, per_sample=per_sample, threads=self.threads
            )
            for table in tables
        ]
        return [EnsembleValue(one.log_partition, one.gradient) for one in found]

    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Ints:
        """Draw forests; see :class:`Ensemble`."""
        drawn = forests.sample_unrooted(
            to_matrix(beta), self.max_trees, n_samples, random_state=rng
        )
        return drawn.parents


TIED = 1e-11
"""Relative difference up to which the weights of two cuts are taken for the same."""

MOST_LOG = 600.0
"""Logarithm of the steepest slope of one sample; the sum over any table is still a double."""


def smallest_cut_sides(beta: Floats, k: int) -> Bools:
    """Find the `k` smallest cuts of the weights; True for nodes that are cut off from node 0.

    Where the last of them tie with others, all of those are taken, or none if that would make more
    than 2 k: never some, for which ones would depend on the order of the nodes. The trivial cut,
    which cuts off nothing, is always the first and not counted.
    """
    matrix = to_matrix(beta)
    trivial = np.zeros((1, len(matrix)), dtype=np.bool_)
    found = forests.smallest_cuts(matrix, 2 * k + 1)
    n_cuts = len(found.weights)
    if n_cuts > k:
        last = found.weights[k - 1]
        n_cuts = int(np.searchsorted(found.weights, last * (1.0 + TIED), side="right"))
        if n_cuts > 2 * k:
            n_cuts = int(np.searchsorted(found.weights, last * (1.0 - TIED), side="left"))
    return np.concatenate([trivial, found.sides[:n_cuts]])


class CutTrees(Ensemble):
    r"""Forests of one or two trees, two only along the given cuts.

    .. math:: Z(\beta) = \sum_{(A, B) \in \mathcal C} \det Q(\beta_A) \det Q(\beta_B)

    A forest of two trees belongs to one cut only, so none is counted twice.

    Parameters
    ----------
    sides : bool array of shape (n_cuts, d)
        One side of each cut. The trivial cut, all of one side, stands for the trees.
    threads : int, optional
        As in :class:`Ensemble`.

    Examples
    --------
    All three trees, and the one forest that leaves the last node alone.

    >>> ensemble = CutTrees([[0, 0, 0], [0, 0, 1]])
    >>> np.exp(ensemble.evaluate_prior(np.ones(3)).log_partition).round(6)
    array([4.])
    """

    def __init__(self, sides: ArrayLike, threads: int | None = None) -> None:
        given = np.atleast_2d(np.asarray(sides, dtype=bool))
        given = given ^ given[:, :1]  # the same cut, seen from node 0
        self.sides: Bools = np.unique(given, axis=0)
        super().__init__(self.sides.shape[1], threads)
        self._parts = [Trees(self.n_nodes, blocks_of(side), self.threads) for side in self.sides]

    def evaluate_tables(
        self, beta: Floats, tables: Sequence[forests.Samples], per_sample: bool = False
    ) -> list[EnsembleValue]:
        """Evaluate; see :class:`Ensemble`."""
        # The largest term of each sample so far, and the sums of Z and its slope in that unit.
        sums = [
            (np.full(n, -np.inf), np.zeros(n), np.zeros((n, self.n_pairs)))
            for n in map(len, tables)
        ]
        nearly: list[tuple[Trees, Trees]] = []
        for part in self._parts:
            sets = part.connected(beta)
            if len(sets) > len(part.blocks):
                if len(sets) == len(part.blocks) + 1:
                    nearly.append((part, Trees(self.n_nodes, sets)))
                continue
            evaluator = evaluator_of_blocks(beta, part.blocks, self.threads)
            for k, table in enumerate(tables):
                found = evaluator.evaluate(table, per_sample=True)
                largest, total, slope = sums[k]
                unit = np.maximum(largest, found.log_partition)
                held, added = np.exp(largest - unit), np.exp(found.log_partition - unit)
                slope *= held[:, None]
                slope += added[:, None] * found.weighted_resistance
                sums[k] = unit, total * held + added, slope
        if not sums[0][1].any():  # no cut has a forest, or no sample
            return [no_forest(len(table), self.n_pairs, per_sample) for table in tables]
        values = [
            EnsembleValue(largest + np.log(total), slope / total[:, None])
            for largest, total, slope in sums
        ]
        # A cut that is one edge short of having forests adds nothing to Z, but to the slope of Z in
        # the zero weights of the missing edges: without that term no edge could ever come back.
        for part, split in nearly:
            evaluator = evaluator_of_blocks(beta, split.blocks, self.threads)
            missing = part.inside & ~split.inside
            for value, table in zip(values, tables, strict=True):
                gain = evaluator.evaluate(table).log_partition - value.log_partition
                w = table.table[:, missing]
                log_w = w if table.log else np.log(w)
                steep = np.minimum(log_w + gain[:, None], MOST_LOG)
                value.gradient[:, missing] += np.exp(steep)
        if per_sample:
            return values
        return [EnsembleValue(one.log_partition, one.gradient.sum(axis=0)) for one in values]

    def cut_probabilities(self, beta: Floats) -> Floats:
        """Prior probability of each cut, in the order of `sides`."""
        terms = [part.evaluate_prior(beta).log_partition[0] for part in self._parts]
        return np.exp(np.array(terms) - logsumexp(terms))

    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Ints:
        """Draw forests; see :class:`Ensemble`."""
        counts = rng.multinomial(n_samples, self.cut_probabilities(beta))
        drawn = [
            part.sample(beta, int(count), rng)
            for part, count in zip(self._parts, counts, strict=True)
            if count
        ]
        # Forests of one cut are adjacent; a sample has no order.
        parents = np.concatenate(drawn or [np.empty((0, self.n_nodes), dtype=np.int64)])
        return parents[rng.permutation(n_samples)]
