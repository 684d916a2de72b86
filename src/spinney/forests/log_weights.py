r"""Rooted forests whose weights are given by logarithms of any size: many networks at once.

A forest of the whole is a forest of each connected component C of the pairs that may be edges, so

.. math:: Z = \prod_C Z_C, \qquad P(e) = w_e R_e(C) \quad \text{for } e \text{ in } C .
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csgraph

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.pairs import PairIndex, n_nodes
from spinney.exceptions import InputError
from spinney.forests._input import check_positive, check_weights, read_float_array
from spinney.forests.evaluation import solve
from spinney.forests.samples import Pattern, Samples, Want, split_nodes
from spinney.forests.sampling import sample

NEGLIGIBLE = -60.0
r"""Edges of smaller log-weight, relative to a root's, are left out.

The way over the ground bounds a resistance by 2, so that an edge has a probability of at most
:math:`2 e^{-60}`, and all pairs of 5,000 nodes together :math:`2 \cdot 10^{-19}`."""

TOGETHER = 256
"""Smaller components are solved together, up to this many nodes: each call has a cost, and
elimination keeps components apart by itself."""
MOST_GROUPS = 16
"""Most groups of small components: layouts of this many patterns are cached."""


class PairNetwork:
    """The pairs that may be edges, cut into connected components if they are not all.

    Parameters
    ----------
    n_nodes : int
        Number of nodes d.
    pairs : array of shape (n_listed,), optional
        Numbers of the listed pairs in the order of ``np.triu_indices(d, 1)``, rising; all pairs by
        default. The others are no edges.
    possible : bool array of shape (n_listed,), optional
        Which of the listed pairs can be edges at all; by default all.

    Examples
    --------
    Six nodes in three components, one of them a node alone:

    >>> network = PairNetwork(6, [0, 1, 12])  # 0-1, 0-2 and 3-4
    >>> found = network.solve(np.log([[3.0, 1.0, 1.0]]))
    >>> found.probabilities.round(3), np.exp(found.log_partition).round(9)  # 18 · 3 · 1
    (array([[0.833, 0.611, 0.667]]), array([54.]))
    """

    def __init__(
        self, n_nodes: int, pairs: ArrayLike | None = None, possible: Bools | None = None
    ) -> None:
        index = PairIndex(n_nodes, pairs)
        self.n_nodes = n_nodes
        self.n_listed = len(index)
        places = np.arange(len(index)) if possible is None else np.flatnonzero(possible)
        first, second = (nodes[places].astype(np.int64) for nodes in index.ends)
        component = np.zeros(n_nodes, dtype=np.int64)  # all pairs are solved together
        if pairs is not None:
            ones = np.ones(len(places), dtype=np.int8)
            graph = coo_array((ones, (first, second)), (n_nodes, n_nodes))
            component = csgraph.connected_components(graph, directed=False)[1].astype(np.int64)
        label = _grouped(np.bincount(component), n_nodes)[component]
        self.groups = [
            (nodes, Pattern(len(nodes), *ends, places[own], np.ones(len(own)), np.ones(len(nodes))))
            for nodes, own, ends in split_nodes(label, first, second)
            if len(own)
        ]
        """The nodes of each group, and the pattern of its edges; nodes alone are in none."""

    def solve(
        self,
        log_weights: Floats,
        root_weight: float = 1.0,
        *,
        want: Want = "each",
        threads: int | None = 1,
    ) -> ForestPosterior:
        """Solve networks, unchecked; see :func:`forest_posterior`.

        Parameters
        ----------
        log_weights : array of shape (n_networks, n_listed)
            Log-weights of the listed pairs, finite or -inf.
        root_weight : float
            Weight of a root.
        want : {"each", "partition"}
            Whether edge probabilities are wanted.
        threads : int, optional
            Most threads to use.
        """
        log_root = np.log(root_weight)
        # Only ratios to the root weight matter: from here on roots weigh one.
        relative = log_weights - log_root
        relative[relative < NEGLIGIBLE] = -np.inf
        patterns = [pattern for _, pattern in self.groups]
        found = solve(patterns, Samples.unchecked(relative, log=True), want, threads=threads)
        probabilities = np.minimum(found.weighted_resistance, 1.0)
        return ForestPosterior(probabilities, found.log_partition + self.n_nodes * log_root)

    def sample(self, log_weights: Floats, n_samples: int, rng: np.random.Generator) -> Ints:
        """Draw forests with roots of weight one, the groups of components one after the other.

        Parameters
        ----------
        log_weights : array of shape (n_listed,)
            Log-weights of the listed pairs, -inf for no edge.
        n_samples : int
            How many.
        rng : Generator
            Source of the draws.

        Returns
        -------
        array of shape (n_samples, d)
            Parents, -1 for a root; see :class:`spinney.forests.SampledForests`.
        """
        parents = np.full((n_samples, self.n_nodes), -1, dtype=np.int64)
        for nodes, pattern in self.groups:
            matrix = np.full((pattern.d, pattern.d), -np.inf)
            own = log_weights[pattern.columns]
            matrix[pattern.first, pattern.second] = matrix[pattern.second, pattern.first] = own
            drawn = sample(matrix, 1.0, n_samples, log=True, random_state=rng).parents
            parents[:, nodes] = np.where(drawn < 0, -1, nodes[drawn])
        return parents


def _grouped(sizes: Ints, n_nodes: int) -> Ints:
    """Give components of these sizes numbers of groups: alone ones 0, then small and large ones.

    Examples
    --------
    >>> _grouped(np.array([400, 200, 1, 300, 100, 20]), 1021)
    array([3, 1, 0, 4, 2, 2])
    """
    room = max(TOGETHER, n_nodes // MOST_GROUPS)
    alone, large = sizes == 1, sizes > room
    small = 1 + (np.cumsum(np.where(alone | large, 0, sizes)) - 1) // room
    own = small.max(initial=0) + np.cumsum(large)
    return np.where(alone, 0, np.where(large, own, small))


@dataclass(frozen=True)
class ForestPosterior:
    """What :func:`forest_posterior` returns.

    Attributes
    ----------
    probabilities : array of shape (n_pairs,) or (n_networks, n_pairs)
        Probability that each pair is an edge of the forest.
    log_partition : float or array of shape (n_networks,)
        Logarithm of the sum over all rooted forests.
    """

    probabilities: Floats
    log_partition: float | Floats


def forest_posterior(
    log_weights: ArrayLike,
    *,
    network: PairNetwork | None = None,
    root_weight: float = 1.0,
    threads: int | None = None,
) -> ForestPosterior:
    r"""Edge probabilities of a random rooted forest whose weights are given by their logarithms.

    .. math:: P(F) \propto \prod_{e \in F} e^{\ell_e} \prod_{T \in F} \alpha |T|

    Parameters
    ----------
    log_weights : array of shape (n_pairs,) or (n_networks, n_pairs)
        Log-weights of the pairs, in the order of ``np.triu_indices(d, 1)``; -inf for no edge.
    network : PairNetwork, optional
        Which pairs the log-weights are for; by default all.
    root_weight : float
        Weight :math:`\alpha > 0` of a root.
    threads : int, optional
        Most threads to use; by default all processors, or ``NUMBA_NUM_THREADS`` if that is less.
        Results do not depend on it.

    Returns
    -------
    ForestPosterior
        Edges whose weight is below :math:`e^{-60}` that of a root get probability zero.

    Raises
    ------
    InputError
        If a log-weight is NaN or +inf, or a number is out of its range.

    Examples
    --------
    A triangle with two weights that no double can hold. One edge of the three is left out:

    >>> forest_posterior([5000.0, 5000.0, 4999.0]).probabilities.round(3)
    array([0.788, 0.788, 0.424])
    """
    weights = read_float_array(log_weights, "log_weights")
    if weights.ndim not in (1, 2):
        raise InputError(
            "log_weights must have a column per pair, shape (n_pairs,) or (n_networks, n_pairs); "
            f"it has shape {weights.shape}."
        )
    rows = np.atleast_2d(weights)
    check_weights(rows, "log_weights", log=True)
    check_positive(root_weight=root_weight)
    if network is None:
        possible = rows.max(axis=0, initial=-np.inf) > -np.inf
        network = PairNetwork(n_nodes(rows.shape[1]), possible=possible)
    if rows.shape[1] != network.n_listed:
        raise InputError(
            f"{network.n_listed} pairs are listed, but log_weights has {rows.shape[1]}."
        )
    found = network.solve(rows, root_weight, threads=threads)
    if weights.ndim == 2:
        return found
    return ForestPosterior(found.probabilities[0], np.ravel(found.log_partition).item())
