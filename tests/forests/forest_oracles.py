"""Independent answers: Laplacian determinants and inverses in exact-enough arithmetic."""

import mpmath
import numpy as np

from spinney._core.pairs import pair_nodes


def random_weights(rng, d, spread=1.0, density=1.0):
    """Draw a symmetric matrix, log-uniform over 10 ** ±spread, zero where no edge is."""
    W = 10.0 ** rng.uniform(-spread, spread, (d, d)) * (rng.random((d, d)) < density)
    W = np.triu(W, 1)
    return W + W.T


def mp_forest(weights, ground, digits):
    """Log-partition and edge marginals from det and inverse of the Laplacian, by definition.

    `weights` is a matrix of mpf; `digits` must exceed the spread of the weights, for here
    everything cancels.
    """
    with mpmath.workdps(digits):
        d = len(weights)
        roots = [mpmath.mpf(float(g)) for g in ground]
        size = d if any(roots) else d - 1  # ground the last node of a tree
        Q = [[-weights[i][j] for j in range(size)] for i in range(size)]
        for i in range(size):
            Q[i][i] = roots[i] + sum(weights[i][j] for j in range(d) if j != i)
        inverse = [[mpmath.mpf(i == j) for j in range(size)] for i in range(size)]
        determinant = mpmath.mpf(1)
        for k in range(size):  # Gauss-Jordan; the matrix is positive definite
            pivot = Q[k][k]
            determinant *= pivot
            Q[k] = [x / pivot for x in Q[k]]
            inverse[k] = [x / pivot for x in inverse[k]]
            for i in range(size):
                factor = Q[i][k]
                if i != k and factor:
                    Q[i] = [a - factor * b for a, b in zip(Q[i], Q[k], strict=True)]
                    inverse[i] = [
                        a - factor * b for a, b in zip(inverse[i], inverse[k], strict=True)
                    ]

        def green(i, j):
            return inverse[i][j] if i < size and j < size else mpmath.mpf(0)

        marginals = np.zeros((d, d))
        for u, v in zip(*pair_nodes(d), strict=True):
            resistance = green(u, u) + green(v, v) - 2 * green(u, v)
            marginals[u, v] = marginals[v, u] = float(weights[u][v] * resistance)
        return float(mpmath.log(determinant)), marginals


def mp_weights(W, log=False):
    """Turn numbers, or their logarithms, into mpf without rounding them."""
    with mpmath.workdps(60):
        read = (
            (lambda x: mpmath.exp(mpmath.mpf(float(x)))) if log else lambda x: mpmath.mpf(float(x))
        )
        return [[read(x) for x in row] for row in np.asarray(W)]
