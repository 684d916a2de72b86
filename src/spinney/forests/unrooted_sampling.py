"""Exact samples of unrooted forests of a few variables (the paper's §4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import to_matrix
from spinney.exceptions import InputError
from spinney.forests._input import read_count, read_random_state
from spinney.forests._subsets import draw_partitions, wide_tables
from spinney.forests._wide import from_log, from_plain
from spinney.forests.sampling import SampledForests, sample
from spinney.forests.unrooted import read_levels, read_one

__all__ = ["sample_unrooted"]

Integers = NDArray[np.int64]


def sample_unrooted(
    W: ArrayLike,
    max_trees: int | None = None,
    n_samples: int = 1,
    *,
    log: bool = False,
    random_state: Any = None,
) -> SampledForests:
    r"""Draw unrooted forests of at most `max_trees` trees with their exact probability.

    .. math:: P(F) \propto \prod_{e \in F} W_e

    First the partition of the nodes is drawn, set by set: with k sets left for the nodes S, the
    one that holds the smallest of them is A with probability
    :math:`t(A) F_{k-1}(S \setminus A) / F_k(S)`, where t(A) sums over the spanning trees of A and
    :math:`F_k(S)` over the forests of k trees on S; see :func:`log_partition_unrooted`. Then each
    set gets a spanning tree of its own. All samples that share a set, whatever the rest of their
    partitions, draw its trees together.

    Parameters
    ----------
    W : array of shape (d, d)
        Symmetric non-negative edge weights, d at most 12; the diagonal is ignored.
    max_trees : int, optional
        Most trees; all forests by default. One gives spanning trees.
    n_samples : int
        How many to draw, independently.
    log : bool
        Whether `W` holds log-weights (``-inf``: no edge).
    random_state : int, numpy Generator, or None
        Seed of the draws.

    Returns
    -------
    SampledForests
        Trees hang from their last nodes; ``method`` is ``"subsets"``.

    Raises
    ------
    InputError
        If there are more than 12 nodes, or no forest of so few trees.

    Examples
    --------
    With all weights one, three nodes have seven forests, and each edge is in three of them.

    >>> drawn = sample_unrooted(np.ones((3, 3)), n_samples=7000, random_state=0)
    >>> round(float(drawn.adjacency[:, 0, 1].mean()), 2)
    0.43
    >>> sample_unrooted(np.ones((3, 3)), max_trees=1, n_samples=5, random_state=0).n_trees
    array([1, 1, 1, 1, 1])
    """
    n_samples = read_count(n_samples, "n_samples", least=0)
    rng = read_random_state(random_state)
    pairs, d = read_one(W, log)
    levels = read_levels(d, max_trees)
    mantissas, exponents = from_log(pairs[0]) if log else from_plain(pairs[0])
    tables = wide_tables(d, mantissas, exponents, levels)
    if not tables[2][-1].any():
        raise InputError(
            f"The edges of positive weight leave more than {max_trees} components, so there is no "
            "forest of so few trees. Raise max_trees."
        )
    blocks = np.zeros((n_samples, d), dtype=np.int64)
    draw_partitions(d, levels, *tables, rng, blocks)
    parents = np.full((n_samples, d), -1, dtype=np.int64)
    _draw_trees(to_matrix(pairs[0]), log, blocks, rng, parents)
    return SampledForests(parents, "subsets")


def _draw_trees(
    weights: NDArray[np.float64],
    log: bool,
    blocks: Integers,
    rng: np.random.Generator,
    parents: Integers,
) -> None:
    """Fill in a spanning tree for each set of each sample, set by set in rising order."""
    order = np.argsort(blocks, axis=None, kind="stable")
    subsets, starts = np.unique(blocks.ravel()[order], return_index=True)
    stops = np.append(starts[1:], order.size)
    for subset, start, stop in zip(subsets.tolist(), starts, stops[: starts.size], strict=True):
        nodes = np.array([i for i in range(len(weights)) if subset >> i & 1], dtype=np.int64)
        if nodes.size < 2:  # a node alone is its own root; zeros fill the rows of `blocks`
            continue
        rows = order[start:stop] // blocks.shape[1]
        inside = np.ascontiguousarray(weights[np.ix_(nodes, nodes)])
        trees = sample(inside, 0.0, rows.size, log=log, random_state=rng).parents
        parents[np.ix_(rows, nodes)] = np.where(trees < 0, -1, nodes[trees])
