"""The front door: sums over all trees or forests of a matrix, or of a stack of matrices."""

from __future__ import annotations

from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats
from spinney._core.pairs import pair_nodes, to_matrix
from spinney.exceptions import DataWarning, InputError
from spinney.forests import inputs
from spinney.forests.evaluation import solve
from spinney.forests.inputs import Pattern, Samples
from spinney.forests.reference import eliminate, greens_function, grounded_network

LARGEST_LOG = 600.0
"""Logarithm of the largest weight, relative to a root's, that numbers of trees depend on."""


def log_partition(
    W: ArrayLike,
    ground: ArrayLike = 1.0,
    *,
    log: bool = False,
    engine: str = "auto",
    threads: int | None = None,
) -> float | Floats:
    r"""Sum over all rooted forests, or all spanning trees, as a logarithm.

    .. math:: Z = \sum_F \prod_{e \in F} W_e \prod_{T \in F} \sum_{i \in T} g_i
                = \det(\operatorname{diag}(g) + L(W))

    Parameters
    ----------
    W : array of shape (..., d, d)
        Symmetric non-negative edge weights; the diagonal is ignored.
    ground : float or array of shape (d,)
        Root weight of each node. Zero for all gives spanning trees.
    log : bool
        Whether `W` holds log-weights (``-inf``: no edge).
    engine, threads
        As in :func:`evaluate`.

    Returns
    -------
    float or array of shape (...)

    Raises
    ------
    InputError
        If a weight is negative, infinite or NaN, or a matrix is not symmetric.

    Warns
    -----
    DataWarning
        If a graph has no spanning tree (or no forest with positive root weights): -inf.

    References
    ----------
    .. [1] P. Chebotarev and E. Shamis (1997). The matrix-forest theorem and measuring relations
       in small social groups. Automation and Remote Control 58.

    Examples
    --------
    Three nodes, all weights one: sixteen rooted forests, three spanning trees.

    >>> W = np.ones((3, 3))
    >>> np.exp([log_partition(W), log_partition(W, ground=0.0)]).round(9)
    array([16.,  3.])
    """
    pattern, samples, shape = _read(W, ground, log)
    values = solve([pattern], samples, "partition", engine, threads).log_partition
    empty = np.flatnonzero(values == -np.inf)
    if len(empty):
        which = f"matrix {empty[0]}" if shape else "W"
        warn(inputs.no_tree(pattern.ground, which), DataWarning, stacklevel=2)
    return values.reshape(shape) if shape else float(values[0])


def edge_marginals(
    W: ArrayLike,
    ground: ArrayLike = 1.0,
    *,
    log: bool = False,
    engine: str = "auto",
    threads: int | None = None,
) -> Floats:
    r"""Probability that each edge lies in a random rooted forest or spanning tree.

    .. math:: P(e \in F) = W_e \, R_e(W), \qquad
              P(F) \propto \prod_{e \in F} W_e \prod_{T \in F} \sum_{i \in T} g_i

    Parameters
    ----------
    W : array of shape (..., d, d)
        Symmetric non-negative edge weights; the diagonal is ignored.
    ground : float or array of shape (d,)
        Root weight of each node. Zero for all gives spanning trees.
    log : bool
        Whether `W` holds log-weights (``-inf``: no edge).
    engine, threads
        As in :func:`evaluate`.

    Returns
    -------
    array of shape (..., d, d)
        Symmetric, zero diagonal. With ``ground=0`` the upper triangle sums to d - 1.

    Raises
    ------
    InputError
        If a weight is negative, infinite or NaN, a matrix is not symmetric, or there is no tree
        or forest of positive weight to be in.

    References
    ----------
    .. [1] P. Chebotarev and E. Shamis (1997). The matrix-forest theorem and measuring relations
       in small social groups. Automation and Remote Control 58.

    Examples
    --------
    >>> edge_marginals([[0, 2], [2, 0]]).round(3)
    array([[0. , 0.8],
           [0.8, 0. ]])
    """
    pattern, samples, shape = _read(W, ground, log)
    found = solve([pattern], samples, "each", engine, threads)
    empty = np.flatnonzero(found.log_partition == -np.inf)
    if len(empty):
        which = f"matrix {empty[0]}" if shape else "W"
        raise InputError(inputs.no_tree(pattern.ground, which))
    marginals = np.minimum(found.weighted_resistance, 1.0)  # certain edges may round to 1 + eps
    return to_matrix(marginals).reshape(*shape, pattern.d, pattern.d)


def _read(W: ArrayLike, ground: ArrayLike, log: bool) -> tuple[Pattern, Samples, tuple[int, ...]]:
    pairs, shape, d = inputs.read_matrices(W, log=log, as_log=log)
    first, second = (nodes.astype(np.int64) for nodes in pair_nodes(d))
    present = ((pairs > -np.inf) if log else (pairs > 0)).any(axis=0)
    columns = np.flatnonzero(present)
    roots = inputs.read_ground(ground, d)
    pattern = Pattern(d, first[columns], second[columns], columns, np.ones(len(columns)), roots)
    return pattern, Samples.unchecked(pairs, log), shape


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
    pairs, d = inputs.read_matrix(W, log=log, as_log=True)
    roots = inputs.read_ground(ground, d)
    # Only ratios to the root weights matter, and beyond these bounds an edge is certain or none.
    unit = float(roots.max()) or 1.0
    bounded = np.clip(pairs[0] - np.log(unit), -LARGEST_LOG, LARGEST_LOG)
    weights = np.where(pairs[0] > -np.inf, np.exp(bounded), 0.0)
    totals, shares = eliminate(grounded_network(to_matrix(weights), roots / unit))
    if not totals.all():
        raise InputError(inputs.no_tree(roots, "W"))
    if not roots.any():
        sure: Floats = np.eye(d + 1)[1]
        return sure
    scale = np.sqrt(roots / unit)
    scaled = scale[:, None] * greens_function(totals, shares) * scale
    chances = np.clip(np.linalg.eigvalsh(scaled), 0.0, 1.0)
    chances[-1] = 1.0  # (D + L) 1 = D 1: there is always a tree
    distribution = np.array([1.0])
    for chance in chances:  # all terms positive: nothing cancels
        distribution = np.convolve(distribution, [1 - chance, chance])
    return distribution
