"""Evidence and networks drawn at random, and what happens to evidence when columns change."""

from dataclasses import asdict

import numpy as np
from benchmarks.judge.random_network import random_network

from spinney._core.pairs import n_pairs, pair_nodes, to_matrix, to_pairs
from spinney.judge import Settings

SMALL = Settings(n_even=5, n_odd=3, width=12, odd_width=6, triangle_width=4, n_blocks=3)
WITHOUT = Settings(**{**asdict(SMALL), "triangles": False})


def evidence(settings, d, seed=0, size=4.0):
    """Draw evidence, some of it beyond the bounds of :func:`random_network`."""
    rng = np.random.default_rng(seed)
    shapes = (n_pairs(d), settings.n_even), (n_pairs(d), settings.n_odd)
    return tuple((size * rng.normal(size=shape)).astype(np.float32) for shape in shapes)


def negated(odd, signs):
    """Evidence that is odd, after columns were multiplied with signs."""
    u, v = pair_nodes(len(signs))
    return odd * (signs[u] * signs[v]).astype(np.float32)[:, None]


def reordered(values, order):
    """Rows of pairs, after columns were put into another order."""
    one_by_one = [to_pairs(to_matrix(column)[np.ix_(order, order)]) for column in values.T]
    return np.stack(one_by_one, axis=1).astype(np.float32)


def network(settings=SMALL, seed=0):
    return random_network(settings, seed)
