r"""The forest algebra written to be read: plain numpy, one network at a time.

A rooted forest on d nodes is a spanning tree of the *grounded network*, in which one more node,
the ground, is joined to node i by its root weight :math:`g_i`. So there is only one theorem to
compute with, and only one elimination. With no ground the last node plays its part.

The fast kernels are tested against this module. What is asked once, for one network, calls it.
"""

from __future__ import annotations

import numpy as np

from spinney._core.arrays import Floats


def grounded_network(W: Floats, ground: Floats) -> Floats:
    """Add the ground as a last node, unless every root weight is zero.

    Parameters
    ----------
    W : array of shape (d, d)
        Symmetric edge weights; the diagonal is ignored.
    ground : array of shape (d,)
        Root weight of each node.

    Returns
    -------
    array of shape (d + 1, d + 1) or (d, d)

    Examples
    --------
    >>> grounded_network(np.array([[0.0, 2.0], [2.0, 0.0]]), np.ones(2))
    array([[0., 2., 1.],
           [2., 0., 1.],
           [1., 1., 0.]])
    """
    d = len(W)
    size = d + 1 if np.any(ground > 0) else d
    network = np.zeros((size, size))
    network[:d, :d] = W
    if size > d:
        network[:d, d] = network[d, :d] = ground
    np.fill_diagonal(network, 0.0)
    return network


def eliminate(network: Floats) -> tuple[Floats, Floats]:
    r"""Eliminate all nodes but the last, without a subtraction (star-mesh transformation).

    Removing node k joins its neighbours among each other:

    .. math:: s_k = \sum_{j>k} w_{kj}, \quad p_{kj} = w_{kj} / s_k, \quad
              w_{ij} \leftarrow w_{ij} + p_{ki}\, w_{kj}, \qquad Z = \prod_k s_k .

    Returns
    -------
    totals : array of shape (N - 1,)
        The conductances :math:`s_k`. A zero says that the network is not connected.
    shares : array of shape (N, N)
        Row k holds :math:`p_{kj}` for j > k: where a walk from k, watched on the nodes not yet
        eliminated, goes next. Zero elsewhere.

    References
    ----------
    .. [1] W. K. Grassmann, M. I. Taksar and D. P. Heyman (1985). Regenerative analysis and steady
       state distributions for Markov chains. Operations Research 33.

    Examples
    --------
    >>> totals, shares = eliminate(np.ones((4, 4)))  # Cayley: 4 ** 2 trees
    >>> float(totals.prod().round(12))
    16.0
    """
    w = np.array(network, dtype=float)  # a copy: elimination overwrites it
    size = len(w)
    totals = np.zeros(max(size - 1, 0))
    shares = np.zeros_like(w)
    for k in range(size - 1):
        rest = slice(k + 1, None)
        totals[k] = w[k, rest].sum()
        if totals[k] > 0:
            shares[k, rest] = w[k, rest] / totals[k]
        w[rest, rest] += np.outer(shares[k, rest], w[k, rest])  # the diagonal is never read
    return totals, shares


def log_partition_reference(W: Floats, ground: Floats) -> float:
    """Sum over trees or forests, as a logarithm; see :func:`spinney.forests.log_partition`.

    Examples
    --------
    >>> round(log_partition_reference(np.array([[0.0, 2.0], [2.0, 0.0]]), np.ones(2)), 6)
    1.609438
    """
    totals, _ = eliminate(grounded_network(W, ground))
    with np.errstate(divide="ignore"):
        return float(np.log(totals).sum())


def resistances(totals: Floats, shares: Floats) -> Floats:
    r"""Find the effective resistance of every pair, from the last eliminated node back.

    .. math:: y = R\,p_k, \qquad R_{ku} = 1/s_k + y_u - \tfrac12\, p_k^\top y .

    The one subtraction is harmless: with :math:`R_{ij} = |x_i - x_j|^2`, the last two terms are
    :math:`|x_u - \sum_j p_{kj} x_j|^2`, and what cancels is at most :math:`(d-1)/s_k` (Foster).

    Examples
    --------
    >>> resistances(*eliminate(np.array([[0, 2, 1], [2, 0, 1], [1, 1, 0.0]]))).round(3)
    array([[0. , 0.4, 0.6],
           [0.4, 0. , 0.6],
           [0.6, 0.6, 0. ]])
    """
    size = len(shares)
    R = np.zeros((size, size))
    for k in reversed(range(size - 1)):
        rest = slice(k + 1, None)
        p = shares[k, rest]
        y = R[rest, rest] @ p
        R[k, rest] = R[rest, k] = 1 / totals[k] + y - 0.5 * (p @ y)
    return R


def greens_function(totals: Floats, shares: Floats) -> Floats:
    r"""Invert the grounded Laplacian, entry by entry to full accuracy.

    .. math:: G_{ku} = \sum_{j>k} p_{kj} G_{ju} + [u = k]/s_k

    Every term is positive. The last node is the ground, where G vanishes.

    Examples
    --------
    >>> greens_function(*eliminate(np.array([[0, 2, 1], [2, 0, 1], [1, 1, 0.0]]))).round(3)
    array([[0.6, 0.4],
           [0.4, 0.6]])
    """
    size = len(shares) - 1
    G = np.zeros((size, size))
    for k in reversed(range(size)):
        rest = slice(k + 1, None)
        G[k, rest] = G[rest, k] = G[rest, rest] @ shares[k, k + 1 : size]
        G[k, k] = 1 / totals[k] + shares[k, k + 1 : size] @ G[rest, k]
    return G
