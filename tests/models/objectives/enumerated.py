"""Independent answers for every ensemble: its forests, listed one by one.

Forests are told apart by their edges. They are found here by adding edges one at a time and never
by the package's own elimination, determinants or sums over subsets.
"""

from functools import cache
from itertools import combinations

import numpy as np
from scipy.special import logsumexp


@cache
def acyclic_sets(d):
    """Every acyclic set of pairs, as a bool matrix, with the labels of the trees of each."""
    pairs = list(combinations(range(d), 2))
    chosen, trees = [()], [tuple(range(d))]
    for e, (u, v) in enumerate(pairs):
        for edges, labels in list(zip(chosen, trees, strict=True)):
            if labels[u] != labels[v]:
                low, high = sorted((labels[u], labels[v]))
                chosen.append((*edges, e))
                trees.append(tuple(low if label == high else label for label in labels))
    incidence = np.zeros((len(chosen), len(pairs)), dtype=bool)
    for k, edges in enumerate(chosen):
        incidence[k, list(edges)] = True
    return incidence, trees


def partition_of(labels):
    """The sets of nodes with equal labels, as a set of sets."""
    return frozenset(
        frozenset(k for k, label in enumerate(labels) if label == mark) for mark in set(labels)
    )


def forests_of(d, admitted):
    """Incidence matrix of the forests whose partition of the nodes is admitted."""
    incidence, trees = acyclic_sets(d)
    kept = [k for k, labels in enumerate(trees) if admitted(partition_of(labels))]
    return incidence[kept]


def log_weights(incidence, log_pairs):
    """Log-weight of each forest; -inf where it uses a pair of weight zero."""
    # A sum and not a product of matrices: zero times -inf would be no number.
    return np.where(incidence, log_pairs, 0.0).sum(axis=1)


def log_partition(incidence, beta, log_density):
    """log Z(β ∘ W) for each row of log-densities."""
    with np.errstate(divide="ignore"):
        log_beta = np.log(beta)
    return np.array([logsumexp(log_weights(incidence, log_beta + row)) for row in log_density])


def edge_probabilities(incidence, beta, log_density):
    """Probability of every edge for each row of log-densities."""
    return beta * gradient(incidence, beta, log_density)


def gradient(incidence, beta, log_density):
    """d log Z / d β_e of each row, also where β_e is zero: forests with e, without its weight."""
    with np.errstate(divide="ignore"):
        log_beta = np.log(beta)
    result = np.zeros(log_density.shape)
    for j, row in enumerate(log_density):
        logs = log_beta + row
        total = logsumexp(log_weights(incidence, logs))
        for e in range(len(beta)):
            rest = logs.copy()
            rest[e] = row[e]
            with_e = log_weights(incidence[incidence[:, e]], rest)
            result[j, e] = np.exp(logsumexp(with_e) - total) if with_e.size else 0.0
    return result
