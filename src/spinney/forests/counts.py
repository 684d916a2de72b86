"""How many trees a random rooted forest has."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney.exceptions import InputError
from spinney.forests._networks import no_tree
from spinney.forests._single import read_network
from spinney.forests._wide import wide_greens_function, wide_walk_length

__all__ = ["expected_trees", "tree_count_distribution"]

Floats = NDArray[np.float64]


def expected_trees(W: ArrayLike, ground: ArrayLike = 1.0, *, log: bool = False) -> float:
    r"""Mean number of trees of a random rooted forest.

    .. math:: \sum_i P(i \text{ is a root}) = \sum_i g_i\,(\operatorname{diag}(g) + L)^{-1}_{ii}

    Parameters are those of :func:`log_partition`, for one matrix. A spanning tree, ``ground=0``, is
    one tree.

    Raises
    ------
    InputError
        If there is no tree or forest of positive weight.

    Examples
    --------
    Two nodes: one tree with probability 0.8, two with 0.2.

    >>> round(expected_trees([[0, 2], [2, 0]]), 9)
    1.2
    """
    scaled, _ = _scaled_greens_function(W, ground, log)
    return 1.0 if scaled is None else float(np.trace(scaled))


def tree_count_distribution(W: ArrayLike, ground: ArrayLike = 1.0, *, log: bool = False) -> Floats:
    r"""Distribution of the number of trees of a random rooted forest.

    Marking each root by z, the partition function is :math:`\det(zD + L)`, D = diag(g). As a
    polynomial in z it has real roots only, so the number of trees is a sum of independent
    Bernoulli variables. Their probabilities are the eigenvalues of
    :math:`D^{1/2} (D + L)^{-1} D^{1/2}`; for equal root weights :math:`\alpha/(\alpha + \mu_i)`
    with :math:`\mu_i` those of L.

    Parameters are those of :func:`log_partition`, for one matrix.

    Returns
    -------
    array of shape (d + 1,)
        Entry k is the probability of k trees.

    References
    ----------
    .. [1] J. B. Hough, M. Krishnapur, Y. Peres and B. Virag (2006). Determinantal processes and
       independence. Probability Surveys 3.

    Examples
    --------
    >>> tree_count_distribution([[0, 2], [2, 0]]).round(9)
    array([0. , 0.8, 0.2])
    """
    scaled, d = _scaled_greens_function(W, ground, log)
    if scaled is None:
        sure: Floats = np.eye(d + 1)[1]
        return sure
    chances = np.clip(np.linalg.eigvalsh(scaled), 0.0, 1.0)
    chances[-1] = 1.0  # (D + L) 1 = D 1: there is always a tree
    distribution = np.array([1.0])
    for chance in chances:  # all terms positive: nothing cancels
        longer = np.zeros(len(distribution) + 1)
        longer[:-1] = (1 - chance) * distribution
        longer[1:] += chance * distribution
        distribution = longer
    return distribution


def _scaled_greens_function(
    W: ArrayLike, ground: ArrayLike, log: bool
) -> tuple[Floats | None, int]:
    """Return :math:`D^{1/2} (D + L)^{-1} D^{1/2}`, or None for spanning trees, and d."""
    network, _, roots = read_network(W, ground, log)
    if not roots.any():
        if wide_walk_length(*network) < 0:
            raise InputError(no_tree(roots, "W"))
        return None, network.d
    scaled: Floats = wide_greens_function(*network)
    if np.isnan(scaled).any():
        raise InputError(no_tree(roots, "W"))
    return scaled, network.d
