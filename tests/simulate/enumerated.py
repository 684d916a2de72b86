"""All configurations of a small forest of levels, with their probabilities."""

from itertools import product

import numpy as np


def margins(data):
    """Margins of the columns, each from a table of one of its edges."""
    found = {}
    for (u, v), table in data.pair_tables.items():
        found.setdefault(u, table.sum(axis=1))
        found.setdefault(v, table.sum(axis=0))
    return [found[k] for k in range(data.X.shape[1])]


def joint(data):
    """Probabilities of all configurations, one axis per column."""
    single = margins(data)
    p = np.empty([len(m) for m in single])
    for x in product(*(range(len(m)) for m in single)):
        p[x] = np.prod([m[k] for m, k in zip(single, x, strict=True)])
        for (u, v), table in data.pair_tables.items():
            p[x] *= table[x[u], x[v]] / (single[u][x[u]] * single[v][x[v]])
    return p


def margin(p, u, v):
    """Probabilities of a pair, u < v."""
    return p.sum(axis=tuple(k for k in range(p.ndim) if k not in (u, v)))


def walsh(values):
    """Coefficients of products of spins: entry (1, 0, 1) belongs to s_0 s_2."""
    for axis in range(values.ndim):
        low, high = np.take(values, 0, axis), np.take(values, 1, axis)
        values = np.stack([(low + high) / 2, (high - low) / 2], axis)
    return values
