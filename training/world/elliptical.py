"""Gaussian and Student values on any graph."""

from __future__ import annotations

import numpy as np
from scipy import linalg, special

from spinney._core.components import component_labels
from spinney.simulate.gaussian import precision_matrix
from training.world.source import (
    Bools,
    Floats,
    Source,
    Values,
    between,
    log_between,
    pick,
)

__all__ = [
    "PRECISIONS",
    "draw_precision",
    "gaussian_values",
    "hidden_causes",
    "normal_scores",
    "sample",
    "scaled_values",
    "uniform_cliques",
]

Rng = np.random.Generator

PRECISIONS = {"signs": 0.35, "huge": 0.08, "dominant": 0.2, "partial": 0.29, "singular": 0.08}
"""Ways to make a precision matrix, with their shares; see :func:`draw_precision`."""
SIGNS = {"random": 0.65, "attracting": 0.25, "repelling": 0.1}
"""Signs of the partial correlations: random, all positive, all negative."""
SMALLEST = 0.002
"""No precision matrix with unit diagonal has a smaller eigenvalue (but for "signs")."""


def draw_precision(rng: Rng, adjacency: Bools) -> tuple[Floats, str]:
    r"""Draw a precision matrix that is zero just where the graph has no edge.

    ``signs``, ``huge``
        :func:`~spinney.simulate.precision_matrix` with its own conventions: weights from
        U(low, 1), low ~ U(0.1, 0.9), smallest eigenvalue log-uniform in 0.02 … 1; v ~ U(0.1, 0.6),
        u log-uniform in 0.02 … 1.
    ``dominant``
        Weights from U(0.1, 1), diagonal equal to the sum of a row's absolute weights times
        1 + log-uniform(0.01 … 2).
    ``partial``
        Unit diagonal and partial correlations of sizes U(low, high), 0.05 ≤ low ≤ high ≤ 0.95,
        all multiplied by one number where the matrix would not be positive definite.
    ``singular``
        Like ``partial``, scaled up until the smallest eigenvalue is log-uniform in 0.002 … 0.03.

    Examples
    --------
    >>> P, _ = draw_precision(np.random.default_rng(0), np.array([[False, True], [True, False]]))
    >>> bool(P[0, 1] == P[1, 0] != 0)
    True
    """
    way = pick(rng, PRECISIONS)
    d = len(adjacency)
    if not adjacency.any():
        return np.eye(d), way
    if way == "signs":
        low = between(rng, 0.1, 0.9)
        smallest = log_between(rng, 0.02, 1.0)
        seed = int(rng.integers(2**62))
        return precision_matrix(
            adjacency, random_state=seed, strength=(low, 1.0), smallest=smallest
        ), way
    if way == "huge":
        v, u = between(rng, 0.1, 0.6), log_between(rng, 0.02, 1.0)
        return precision_matrix(adjacency, "huge", v=v, u=u), way
    if way == "dominant":
        weights = _signed(rng, adjacency, 0.1, 1.0)
        factor = 1 + log_between(rng, 0.01, 2.0)
        rows = np.abs(weights).sum(axis=1)
        return -weights + np.diag(np.where(rows > 0, factor * rows, 1.0)), way
    ends = np.sort(rng.uniform(0.05, 0.95, 2))
    weights = _signed(rng, adjacency, float(ends[0]), float(ends[1]))
    largest = float(np.linalg.eigvalsh(weights)[-1])
    if way == "singular":
        weights *= (1 - log_between(rng, SMALLEST, 0.03)) / largest
    else:
        room = 1 - log_between(rng, 0.01, 0.5)
        weights *= min(1.0, room / largest)
    return np.eye(d) - weights, way


def _signed(rng: Rng, adjacency: Bools, low: float, high: float) -> Floats:
    """Draw symmetric weights on the edges: partial correlations, up to scale."""
    u, v = np.nonzero(np.triu(adjacency))
    sizes = rng.uniform(low, high, len(u))
    signs = pick(rng, SIGNS)
    if signs == "random":
        sizes *= 2.0 * rng.integers(2, size=len(u)) - 1.0
    elif signs == "repelling":
        sizes = -sizes
    weights = np.zeros(adjacency.shape)
    weights[u, v] = weights[v, u] = sizes
    return weights


def sample(source: Source, precision: Floats) -> Floats:
    """Draw rows with a given precision matrix, scaled to variance one."""
    factor = np.linalg.cholesky(precision)
    inverse = linalg.solve_triangular(factor, np.eye(len(factor)), lower=True)
    # X = E L⁻¹ has covariance L⁻ᵀ L⁻¹ = Ω⁻¹; the columns of L⁻¹ are its standard deviations.
    inverse /= np.sqrt((inverse**2).sum(axis=0))
    return np.asarray(source.normals(len(factor)) @ inverse, dtype=float)


def gaussian_values(source: Source, adjacency: Bools) -> Values:
    """Draw Gaussian rows on a graph."""
    precision, way = draw_precision(source.rng, adjacency)
    X = sample(source, precision)
    return Values(X, adjacency, f"gaussian ({way})", True, precision=precision)


def scaled_values(source: Source, adjacency: Bools) -> Values:
    r"""Draw Student rows: Gaussian ones divided by :math:`\sqrt{S / \nu}`, S ~ χ² with ν degrees.

    There is one S for each connected component (ν log-uniform in 2 … 12) or, in one table of
    four, one in all (ν in 3 … 15). The truth is the graph of the Gaussian rows behind.
    """
    rng = source.rng
    precision, _ = draw_precision(rng, adjacency)
    X = sample(source, precision)
    if rng.uniform() < 0.25:
        labels, df = np.zeros(len(adjacency), dtype=np.int64), log_between(rng, 3.0, 15.0)
        law = "student (one scale)"
    else:
        labels, df = component_labels(adjacency), log_between(rng, 2.0, 12.0)
        law = "student (scale by component)"
    scales = _scales(source, int(labels.max()) + 1, df)
    return Values(
        normal_scores(X / scales[:, labels], df),
        adjacency,
        law,
        False,
        precision=precision,
        details={"df": df},
    )


def uniform_cliques(source: Source, adjacency: Bools) -> Values:
    r"""Draw separate cliques, each with a correlation matrix uniform over all of them.

    Student with ν log-uniform in 1 … 10 and one scale a clique, or Gaussian in one table of four;
    as :func:`~spinney.simulate.t_cliques`, for cliques of any size.
    """
    rng = source.rng
    labels = component_labels(adjacency)
    noise = source.normals(len(labels) + int(labels.max()) + 1)
    X = np.empty((source.n, len(labels)))
    for k in range(int(labels.max()) + 1):
        nodes = np.flatnonzero(labels == k)
        loadings = rng.standard_normal((len(nodes), len(nodes) + 1))
        loadings /= np.sqrt((loadings**2).sum(axis=1, keepdims=True))
        X[:, nodes] = noise[:, [*nodes.tolist(), len(labels) + k]] @ loadings.T
    if rng.uniform() < 0.25:
        return Values(X, adjacency, "uniform cliques", True)
    df = log_between(rng, 1.0, 10.0)
    X /= _scales(source, int(labels.max()) + 1, df)[:, labels]
    return Values(normal_scores(X, df), adjacency, "student cliques", False, details={"df": df})


def hidden_causes(source: Source, adjacency: Bools) -> Values:
    """Draw Gaussian rows with hidden parents, and leave their columns out.

    One to three hidden nodes are joined to 3 to 6 columns each. Whoever was joined to one is then
    joined to all others that were: the graph of the columns that are seen.
    """
    rng, d = source.rng, len(adjacency)
    hidden = int(rng.integers(1, 4))
    larger = np.zeros((d + hidden, d + hidden), dtype=bool)
    larger[:d, :d] = adjacency
    for k in range(d, d + hidden):
        children = rng.choice(d, min(d, int(rng.integers(3, 7))), replace=False)
        larger[k, children] = larger[children, k] = True
    weights = _signed(rng, larger, 0.2, 0.9)
    largest = float(np.linalg.eigvalsh(weights)[-1])
    precision = np.eye(d + hidden) - weights * min(1.0, (1 - log_between(rng, 0.02, 0.4)) / largest)
    X = sample(source, precision)[:, :d]
    return Values(
        X, without_hidden(larger, d), "gaussian (hidden causes)", True, details={"hidden": hidden}
    )


def without_hidden(larger: Bools, d: int) -> Bools:
    """Graph of the first d nodes when the others are not seen: their neighbours are joined."""
    seen = larger.copy()
    for k in range(len(larger) - 1, d - 1, -1):
        near = np.flatnonzero(seen[k, :k])
        seen[np.ix_(near, near)] = True
    np.fill_diagonal(seen, False)
    return seen[:d, :d]


def _scales(source: Source, k: int, df: float) -> Floats:
    """Draw √(χ²/ν), from normal inputs so that rows may depend on each other in time."""
    if source.independent:
        chi = source.rng.chisquare(df, (source.n, k))
    else:
        chi = np.asarray(special.chdtri(df, special.ndtr(source.normals(k))), dtype=float)
    return np.asarray(np.sqrt(np.maximum(chi, 1e-12) / df), dtype=float)


def normal_scores(T: Floats, df: float) -> Floats:
    """Map t quantiles to normal ones from the lower tail, which keeps digits."""
    tail = special.stdtr(df, -np.abs(T))
    return np.asarray(-np.sign(T) * special.ndtri(np.maximum(tail, 1e-300)), dtype=float)
