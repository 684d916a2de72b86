r"""Layout of a component: by springs, or by forces if it has hundreds or thousands of nodes.

Springs of Kamada and Kawai [3]_ keep any two nodes as far apart as there are edges on the shortest
path between them. Their energy is the stress of multidimensional scaling, lowered at each step by
minimising a parabola above it [4]_.

By forces, any two nodes repel each other by :math:`C m_i m_j / r^2`, with
:math:`m = \sqrt{1 + k}` for a node of :math:`k` edges; neighbours attract each other by
:math:`\sqrt r`, and a node moves by its force over :math:`m`. So hubs keep apart, with their leaves
around them, and outer parts do not drift away [1]_. Repulsion is summed on a grid by fast Fourier
transforms, and exactly for near nodes: a step takes milliseconds for thousands of nodes. The start
is a linear projection of the distances to a few nodes [2]_, which unfolds the component as a whole.

References
----------
.. [1] Y. Hu (2005). Efficient and high quality force-directed graph drawing. The Mathematica
   Journal 10, 37-71.
.. [2] U. Brandes and C. Pich (2007). Eigensolver methods for progressive multidimensional scaling
   of large data. Graph Drawing 2006, 42-53.
.. [3] T. Kamada and S. Kawai (1989). An algorithm for drawing general undirected graphs.
   Information Processing Letters 31, 7-15.
.. [4] E. R. Gansner, Y. Koren and S. North (2005). Graph drawing by stress majorization. Graph
   Drawing 2004, 239-250.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import scipy
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

__all__ = ["push_field", "relax_by_forces", "relax_by_springs"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

SEED = 20261116
STEPS = 260
FIRST_STEP, LAST_STEP = 1.5, 0.02
"""Longest move of a node in the first and in the last step."""
PIVOTS = 60
CELLS = 128
"""Cells along a side of the grid."""
NEAR = 4.0
"""Distance in cells up to which repulsion is exact."""
SOFTENING = 1.0
"""Squared distance, in cells, that softens repulsion on the grid."""
CLOSEST = 0.01
"""Squared distance, in cells, below which repulsion is constant."""


MOST_STEPS, STILL, MOMENTUM = 500, 1e-5, 0.9
"""Most steps by springs, the move, in edges, that ends them, and the share of the last move that is
added to the next: without it, a path straightens out ever more slowly."""


def relax_by_springs(ends: Ints, n: int, start: int = 0) -> Floats:
    """Lay out one component of some nodes, from a circle.

    Parameters and result are as in :func:`relax_by_forces`, but the unit is the length of an edge.
    The nodes stand in their own order on the circle at `start` 0, in others at 1, 2, …

    Examples
    --------
    >>> path = np.array([[0, 1], [1, 2]])
    >>> round(float(np.linalg.norm(np.diff(relax_by_springs(path, 3)[[0, 2]], axis=0))), 2)
    2.0
    """
    joined = csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))
    apart = shortest_path(joined, directed=False, unweighted=True)
    np.fill_diagonal(apart, np.inf)
    inverse = np.linalg.pinv(_laplacian(apart**-2.0))
    order = np.random.default_rng(start).permutation(n) if start else np.arange(n)
    turn = 2 * np.pi * order / n
    at = np.column_stack([np.cos(turn), np.sin(turn)]) * n / 4
    ahead = at
    for _ in range(MOST_STEPS):
        distance = np.linalg.norm(ahead[:, None] - ahead, axis=2)
        moved = inverse @ (_laplacian(1.0 / (apart * np.maximum(distance, 1e-9))) @ ahead)
        still = np.abs(moved - ahead).max() < STILL
        ahead, at = moved + MOMENTUM * (moved - at), moved
        if still:
            break
    return at


def _laplacian(weights: Floats) -> Floats:
    return np.asarray(np.diag(weights.sum(axis=1)) - weights)


def relax_by_forces(ends: Ints, n: int) -> Floats:
    """Lay out one component with many nodes, reproducibly.

    Parameters
    ----------
    ends : int array of shape (m, 2)
        Its edges.
    n : int
        Its nodes.

    Returns
    -------
    array of shape (n, 2)
        In units in which C is 1.

    Examples
    --------
    >>> ring = np.column_stack([np.arange(40), np.roll(np.arange(40), -1)])
    >>> radius = np.linalg.norm(relax_by_forces(ring, 40), axis=1)
    >>> bool(np.ptp(radius) < 0.2 * radius.mean())
    True
    """
    at = _linear_picture(ends, n)
    first, second = ends[:, 0], ends[:, 1]
    mass = np.sqrt(1.0 + np.bincount(ends.ravel(), minlength=n))
    for step in np.geomspace(FIRST_STEP, LAST_STEP, STEPS):
        along = at[second] - at[first]
        length = np.maximum(np.linalg.norm(along, axis=1), 1e-9)
        pull = along / np.sqrt(length)[:, None]
        force = mass[:, None] * push_field(at, mass)
        for k in (0, 1):
            force[:, k] += np.bincount(first, pull[:, k], n) - np.bincount(second, pull[:, k], n)
        force /= mass[:, None]
        size = np.linalg.norm(force, axis=1)
        # Where forces nearly balance, a node moves less.
        at += force * (np.minimum(step, size) / np.maximum(size, 1e-12))[:, None]
    return at - at.mean(axis=0)


def push_field(at: Floats, mass: Floats) -> Floats:
    r"""Sum the repulsion at each node, :math:`\sum_j m_j (x_i - x_j) / |x_i - x_j|^3`.

    Parameters
    ----------
    at : array of shape (n, 2)
        Positions of the nodes.
    mass : array of shape (n,)
        Mass of each node.

    Examples
    --------
    >>> push_field(np.array([[0.0, 0.0], [2.0, 0.0]]), np.ones(2))[:, 0].round(2)
    array([-0.25,  0.25])
    """
    low = at.min(axis=0)
    cell = max(float((at.max(axis=0) - low).max()), 1e-9) / (CELLS - 2)
    place = (at - low) / cell
    corner = np.minimum(place.astype(np.int64), CELLS - 2)
    share = place - corner
    corners = [(i, j) for i in (0, 1) for j in (0, 1)]
    weights = [
        (share[:, 0] if i else 1.0 - share[:, 0]) * (share[:, 1] if j else 1.0 - share[:, 1])
        for i, j in corners
    ]
    flat = [(corner[:, 0] + i) * CELLS + corner[:, 1] + j for i, j in corners]
    spread = np.zeros(CELLS**2)
    for cells, weight in zip(flat, weights, strict=True):
        spread += np.bincount(cells, weight * mass, CELLS**2)
    known = scipy.fft.rfft2(spread.reshape(CELLS, CELLS), s=(2 * CELLS, 2 * CELLS))
    force = np.zeros_like(at)
    for k, kernel in enumerate(_kernels()):
        field = scipy.fft.irfft2(known * kernel, s=(2 * CELLS, 2 * CELLS))[:CELLS, :CELLS].ravel()
        for cells, weight in zip(flat, weights, strict=True):
            force[:, k] += weight * field[cells]
    # The grid softens repulsion between near nodes; add the difference.
    one, other = scipy.spatial.cKDTree(place).query_pairs(NEAR, output_type="ndarray").T
    apart = place[one] - place[other]
    square = (apart**2).sum(axis=1)
    lacking = np.maximum(square, CLOSEST) ** -1.5 - (square + SOFTENING) ** -1.5
    push = apart * lacking[:, None]
    for k in (0, 1):
        force[:, k] += np.bincount(one, mass[other] * push[:, k], len(at))
        force[:, k] -= np.bincount(other, mass[one] * push[:, k], len(at))
    return force / cell**2


@cache
def _kernels() -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Transform both components of the softened repulsion between cells."""
    steps = scipy.fft.fftfreq(2 * CELLS, 1.0 / (2 * CELLS))
    x, y = steps[:, None], steps[None, :]
    softened = (x**2 + y**2 + SOFTENING) ** 1.5
    return scipy.fft.rfft2(x / softened), scipy.fft.rfft2(y / softened)


def _linear_picture(ends: Ints, n: int) -> Floats:
    """Place nodes by their distances to some nodes that are far from each other."""
    ones = np.ones(2 * len(ends))
    both = np.concatenate([ends, ends[:, ::-1]])
    graph = csr_array((ones, both.T), shape=(n, n))
    pivot, columns = int(np.bincount(both[:, 0], minlength=n).argmax()), []
    nearest = np.full(n, np.inf)
    for _ in range(min(PIVOTS, n)):
        columns.append(shortest_path(graph, method="D", unweighted=True, indices=pivot))
        nearest = np.minimum(nearest, columns[-1])
        pivot = int(np.argmax(nearest))
    distances = np.column_stack(columns)
    squares = distances**2
    centred = squares.mean(axis=0) + squares.mean(axis=1)[:, None] - squares - squares.mean()
    values, vectors = np.linalg.eigh(centred.T @ centred)
    axes = vectors[:, [-1, -2]]
    # The signs of eigenvectors are arbitrary; fixed, the picture does not depend on LAPACK.
    axes = axes * np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])
    at = centred @ axes
    at[:, 1] *= min(1.0, float(np.sqrt(values[-2] / max(values[-1], 1e-300))) + 0.3)
    lengths = np.linalg.norm(at[ends[:, 0]] - at[ends[:, 1]], axis=1)
    at /= max(float(np.sqrt((lengths**2).mean())), 1e-9)
    # Nodes in the same place, such as leaves of a hub, are separated at random.
    return at + 0.3 * np.random.default_rng(SEED).normal(size=at.shape)
