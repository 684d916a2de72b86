"""Tables of any width whose graph is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from spinney.simulate import (
    Simulated,
    copula_forest,
    gaussian,
    gaussian_mrf,
    hub_graph,
    independent,
    t_cliques,
)

__all__ = ["KINDS", "REPORTING", "TUNING", "linear_causes", "mixture"]

TUNING = range(900, 1000)
"""Seeds that the correction of prior odds was chosen on."""
REPORTING = range(1, 100)
"""Seeds of all that is reported."""
BLOCK = 25
"""Columns of a component of :func:`mixture`."""
SHARES = (0.58, 0.27, 0.1, 0.05)
"""How many columns have no parent, one, two and three."""


def linear_causes(n: int, d: int, seed: int) -> Simulated:
    """Draw a table whose columns are sums of up to three earlier ones, and its moral graph."""
    rng = np.random.default_rng([seed, n, d])
    X = rng.normal(size=(n, d))
    parents = np.zeros((d, d), dtype=bool)
    for child in range(1, d):
        count = min(int(rng.choice(len(SHARES), p=SHARES)), child)
        if not count:
            continue
        above = rng.choice(child, count, replace=False)
        sizes = rng.uniform(0.6, 1.0, count) * rng.choice([-1.0, 1.0], count)
        noise = rng.uniform(0.2, 0.7)
        signal = X[:, above] @ (sizes / np.sqrt((sizes**2).sum()))
        X[:, child] = np.sqrt(1.0 - noise) * signal + np.sqrt(noise) * X[:, child]
        X[:, child] /= X[:, child].std()
        parents[above, child] = True
    graph = parents | parents.T | (parents.astype(int) @ parents.T.astype(int) > 0)
    np.fill_diagonal(graph, False)
    return Simulated(X, graph, "causes", {"n": n, "d": d}, seed)


KINDS: dict[str, Callable[[int, int, int], Simulated]] = {
    "gaussian": lambda n, d, seed: gaussian_mrf(n, d, 2.0, max(d // 20, 1), random_state=seed),
    "connected": lambda n, d, seed: gaussian_mrf(n, d, 3.0, 1, random_state=seed),
    "t-cliques": lambda n, d, seed: t_cliques(n, d, 3.0, random_state=seed),
    "copula-forest": lambda n, d, seed: copula_forest(n, d, 1, random_state=seed, tau=(0.15, 0.6)),
    "hubs": lambda n, d, seed: gaussian(n, hub_graph(d, max(d // 25, 1), seed), random_state=seed),
    "causes": linear_causes,
    "independent": lambda n, d, seed: independent(n, d, random_state=seed),
}
"""Truths by name: from rows, columns and seed."""


def mixture(n: int, d: int, seed: int) -> Simulated:
    """Draw a table of components of 25 columns, in random order.

    In turn a Gaussian field of mean degree two, a copula forest and, every fifth time, columns
    without any edge. A table with more columns has more of the same components.
    """
    X, adjacency = np.empty((n, d)), np.zeros((d, d), dtype=bool)
    places = np.random.default_rng([seed, d]).permutation(d)
    for k, start in enumerate(range(0, d, BLOCK)):
        nodes = places[start : start + BLOCK]
        own = 1000 * seed + k
        if k % 5 == 4 or len(nodes) < 3:
            part = independent(n, len(nodes), random_state=own)
        elif k % 2:
            part = copula_forest(n, len(nodes), 1, random_state=own)
        else:
            part = gaussian_mrf(n, len(nodes), 2.0, 1, random_state=own)
        X[:, nodes] = part.X
        adjacency[np.ix_(nodes, nodes)] = part.adjacency
    return Simulated(X, adjacency, "mixture", {"n": n, "d": d}, seed)
