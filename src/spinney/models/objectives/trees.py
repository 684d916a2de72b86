"""Spanning trees: of all nodes, of blocks known beforehand, or of what the weights connect."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney import forests
from spinney._core.components import pair_component_labels
from spinney._core.pairs import pair_nodes
from spinney.exceptions import InputError
from spinney.models.objectives.ensemble import Determinants, sample_trees

__all__ = ["InducedTrees", "Trees", "blocks_of", "evaluator_of_blocks"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def blocks_of(labels: ArrayLike) -> list[Integers]:
    """List the nodes of each label.

    Examples
    --------
    >>> [block.tolist() for block in blocks_of([0, 1, 0])]
    [[0, 2], [1]]
    """
    marks = np.asarray(labels, dtype=np.int64)
    nodes = np.argsort(marks, kind="stable")
    ends = np.cumsum(np.bincount(marks)).tolist()
    return [nodes[begin:end] for begin, end in pairwise([0, *ends]) if end > begin]


def evaluator_of_blocks(
    beta: Floats, blocks: Sequence[Integers], context: forests.Context
) -> forests.Evaluator:
    """Prepare weights for one spanning tree per block, where they connect each block."""
    return forests.Evaluator(
        beta, 0.0, n_nodes=sum(map(len, blocks)), partition=blocks, context=context
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
    context : forests.Context, optional
        As in :class:`Ensemble`.

    Examples
    --------
    Three trees on three nodes.

    >>> Trees(3).evaluate(np.ones(3), np.ones((1, 3))).log_partition.round(6)
    array([1.098612])
    """

    def __init__(
        self,
        n_nodes: int,
        blocks: Sequence[ArrayLike] | None = None,
        context: forests.Context | None = None,
    ) -> None:
        super().__init__(n_nodes, context)
        whole = [np.arange(n_nodes)]
        self.blocks = whole if blocks is None else [np.asarray(b, dtype=np.int64) for b in blocks]
        listed = np.sort(np.concatenate(self.blocks))
        if not np.array_equal(listed, np.arange(n_nodes)):
            raise InputError(f"Blocks must hold each node 0 … {n_nodes - 1} in exactly one set.")
        labels = np.empty(n_nodes, dtype=np.int64)
        for number, block in enumerate(self.blocks):
            labels[block] = number
        first, second = pair_nodes(n_nodes)
        self.inside = labels[first] == labels[second]
        """Pairs within a block: the others are never edges."""

    def evaluator(self, beta: Floats) -> forests.Evaluator | None:
        """Prepare these weights, if they connect each block; see :class:`Determinants`."""
        if len(self.connected(beta)) > len(self.blocks):
            return None
        return evaluator_of_blocks(beta, self.blocks, self.context)

    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Integers:
        """Draw forests; see :class:`Ensemble`."""
        return sample_trees(beta, self.blocks, n_samples, rng)

    def connected(self, beta: Floats) -> list[Integers]:
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

    def blocks(self, beta: Floats) -> list[Integers]:
        """Return the components."""
        return blocks_of(pair_component_labels(beta > 0, self.n_nodes))

    def evaluator(self, beta: Floats) -> forests.Evaluator:
        """Prepare these weights; see :class:`Determinants`."""
        return evaluator_of_blocks(beta, self.blocks(beta), self.context)

    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Integers:
        """Draw forests; see :class:`Ensemble`."""
        return sample_trees(beta, self.blocks(beta), n_samples, rng)
