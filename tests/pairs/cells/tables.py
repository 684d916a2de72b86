"""Tables for the tests, as pair potentials see them."""

import numpy as np

from spinney.pairs.pseudo import PseudoTable


def pseudo_table(columns, names=None):
    """Build a table from ("nominal" | "levels" | "continuous", values), NaN where missing."""
    n, d = len(columns[0][1]), len(columns)
    u, codes = np.full((n, d), np.nan), np.full((n, d), -1)
    masses = []
    for j, (kind, given) in enumerate(columns):
        values = np.asarray(given, dtype=float)
        there = ~np.isnan(values)
        if kind == "continuous":
            u[there, j] = (values[there].argsort().argsort() + 1) / (there.sum() + 1)
            masses.append(np.empty(0))
        else:
            codes[there, j] = values[there]
            counts = np.bincount(codes[there, j])
            masses.append(counts / counts.sum())
    nominal = np.array([kind == "nominal" for kind, _ in columns])
    return PseudoTable(u, codes, tuple(masses), nominal, tuple(names or map(str, range(d))))


def draw(probabilities, rng):
    """Draw a code for each row of probabilities."""
    steps = np.cumsum(probabilities, axis=1)[:, :-1]
    return (rng.random(len(steps))[:, None] > steps).sum(axis=1)
