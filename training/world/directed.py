"""Values made by causes: linear and nonlinear directed graphs, whose truth is the moral graph."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np

from training.world.source import Bools, Floats, Source, Values, between, pick, spread

__all__ = ["EFFECTS", "MOST_PARENTS", "NOISES", "directed_values", "moral", "orient"]

Rng = np.random.Generator

MOST_PARENTS = 4
"""Parents of a node; further ones are dropped, so that moral graphs stay sparse."""
EFFECTS: dict[str, Callable[[Floats], Floats]] = {
    "linear": lambda x: x,
    "tanh": lambda x: 1.5 * np.tanh(1.5 * x),
    "quadratic": lambda x: x + 0.5 * (x * x - 1),
    "square": lambda x: (x * x - 1) / np.sqrt(2.0),
    "size": lambda x: 1.7 * (np.abs(x) - 0.8),
    "sine": lambda x: 1.4 * np.sin(2.0 * x),
    "cosine": lambda x: 1.4 * np.cos(2.0 * x),
    "step": np.sign,
}
"""What a parent does to its child; scaled to a variance near one for a standard normal parent."""
CURVES = {
    "linear": 0.2,
    "tanh": 0.2,
    "quadratic": 0.15,
    "square": 0.1,
    "size": 0.08,
    "sine": 0.12,
    "cosine": 0.05,
    "step": 0.1,
}
"""Shares of the effects in nonlinear tables."""
NOISES: dict[str, Callable[[Floats], Floats]] = {
    "normal": lambda e: e,
    "skewed": lambda e: np.exp(0.8 * e) - np.exp(0.32),
    "heavy": lambda e: np.sinh(1.2 * e) / 1.6,
    "two humps": lambda e: 0.45 * e + np.sign(e),
    "short": lambda e: np.tanh(e) * 1.5,
}
"""Noises, as functions of a standard normal one (which keeps series in time as they are)."""
NOISE_SHARES = {"normal": 0.5, "skewed": 0.15, "heavy": 0.15, "two humps": 0.1, "short": 0.1}
INTERACTING = 0.15
"""Chance that two parents act by their product, in nonlinear tables."""
MULTIPLIED = 0.15
"""Chance that a parent changes the size of the noise instead of the mean, in nonlinear tables."""


def orient(rng: Rng, adjacency: Bools, outward: bool) -> tuple[Bools, list[int]]:
    """Give every edge a direction; entry (u, v) says that u is a parent of v.

    Parameters
    ----------
    rng : Generator
        Where numbers come from.
    adjacency : array of shape (d, d)
        The graph. Nodes keep at most :data:`MOST_PARENTS` parents.
    outward : bool
        Away from the first node of each component, so that trees have no node with two parents;
        otherwise along a random order of the nodes.

    Returns
    -------
    parents : boolean array of shape (d, d)
        The directed graph.
    order : list of int
        The nodes, parents before children.
    """
    d = len(adjacency)
    if outward:
        graph = nx.from_numpy_array(adjacency)
        order: list[int] = []
        for component in nx.connected_components(graph):
            root = min(component)
            order += [root, *(child for _, child in nx.bfs_edges(graph, root))]
    else:
        order = rng.permutation(d).tolist()
    place = np.empty(d, dtype=np.int64)
    place[order] = np.arange(d)
    parents = adjacency & (place[:, None] < place)
    for node in np.flatnonzero(parents.sum(axis=0) > MOST_PARENTS).tolist():
        too_many = np.flatnonzero(parents[:, node])
        parents[rng.choice(too_many, len(too_many) - MOST_PARENTS, replace=False), node] = False
    return parents, order


def moral(parents: Bools) -> Bools:
    """Join parents with their children and with each other [1]_.

    References
    ----------
    .. [1] S. L. Lauritzen (1996). Graphical Models, section 3.2.2.

    Examples
    --------
    >>> parents = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> int(moral(parents).sum()) // 2
    3
    """
    married = parents.astype(np.int64) @ parents.T.astype(np.int64) > 0
    joined = parents | parents.T | married
    np.fill_diagonal(joined, False)
    return joined


def directed_values(source: Source, adjacency: Bools, *, curved: bool, outward: bool) -> Values:
    """Draw rows node by node from the parents to the children.

    A child is the sum of its parents' effects (of random sizes and signs) and of noise whose
    share of the variance is drawn for the table. In curved tables effects are drawn from
    :data:`EFFECTS`, and two parents may act by their product, or one on the size of the noise.
    """
    rng = source.rng
    parents, order = orient(rng, adjacency, outward)
    noise = source.normals(len(order))
    kind = pick(rng, NOISE_SHARES)
    noise = NOISES[kind](noise)
    noise /= spread(noise)
    rest = np.sort(rng.uniform(0.02, 0.95, 2))  # range of the noise's share of the variance
    uneven = rng.uniform() < 0.3
    X = np.empty_like(noise)
    for node in order:
        above = np.flatnonzero(parents[:, node]).tolist()
        if not above:
            X[:, node] = noise[:, node]
            continue
        share = between(rng, *rest)
        signal, loudness = _effects(rng, X[:, above], curved, uneven)
        value = np.sqrt(1 - share) * signal + np.sqrt(share) * loudness * noise[:, node]
        value -= np.median(value)
        X[:, node] = np.clip(value / spread(value[:, None])[0], -1e3, 1e3)
    law = f"{'curved' if curved else 'linear'} causes"
    gaussian = not curved and kind == "normal"
    return Values(X, moral(parents), law, gaussian, details={"noise": kind, "outward": outward})


def _effects(rng: Rng, above: Floats, curved: bool, uneven: bool) -> tuple[Floats, Floats]:
    """Mean of a child and factor of its noise, from the columns of its parents."""
    k = above.shape[1]
    sizes = rng.uniform(0.15 if uneven else 0.6, 1.0, k) * (2.0 * rng.integers(2, size=k) - 1.0)
    sizes /= np.sqrt((sizes**2).sum())
    loudness = np.ones(len(above))
    if not curved:
        signal = above @ sizes
    else:
        tame = 4 * np.tanh(above / 4)  # squares of far values would leave nothing but themselves
        signal = np.zeros(len(above))
        free = list(range(k))
        if k >= 2 and rng.uniform() < INTERACTING:
            a, b = free.pop(), free.pop()
            signal += sizes[a] * tame[:, a] * tame[:, b]
        for j in free:
            if rng.uniform() < MULTIPLIED:
                loudness = loudness * np.exp(0.8 * np.sign(sizes[j]) * tame[:, j])
            else:
                signal += sizes[j] * EFFECTS[pick(rng, CURVES)](tame[:, j])
    size = float(spread(signal[:, None])[0])
    return (signal / size if size > 1e-9 else signal), loudness
