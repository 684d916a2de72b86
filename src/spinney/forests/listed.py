r"""Rooted forests of wide tables: only some pairs are listed, and components are solved apart.

.. math:: Z = \prod_C Z_C, \qquad P(e) = w_e R_e(C) \quad \text{for } e \text{ in } C

A forest of the whole is a forest of each connected component C, so that its sum is a product and
the probability of an edge is a matter of its component alone. This is exact: nothing is left out
but what :func:`spinney.forests.forest_posterior` leaves out at its tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array, csgraph

from spinney._core.pairs import PairIndex, pair_ends
from spinney.forests._networks import Networks, Pattern
from spinney.forests._rewriting import LARGEST_LOG, margins, rewrite_listed
from spinney.forests._solve import solve
from spinney.forests.context import Context
from spinney.forests.log_weights import BATCH_SIZE, ForestPosterior, Want
from spinney.forests.samples import Samples
from spinney.forests.sampling import sample
from spinney.forests.threads import run_in_threads

__all__ = ["ListedNetwork", "listed_posterior", "solve_listed"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TOGETHER = 256
"""Components of fewer nodes are solved together, up to so many nodes: each call costs something,
and elimination keeps them apart by itself."""
MOST_GROUPS = 16
"""Small components fill so many groups at most: layouts of that many patterns are remembered."""
SPARSE_DEGREE = 8.0
"""Mean degree up to which sparse elimination is looked into. Beyond, fill eats its gain, and on
thousands of nodes looking alone takes longer than the dense tiles do."""
ALWAYS_TRIED = 128
"""Up to so many nodes it is looked into in any case."""

_ONE_THREAD = Context(threads=1)


@dataclass(frozen=True)
class Group:
    """Components that are solved together.

    Attributes
    ----------
    columns : array
        Places of its edges among the listed pairs.
    nodes : array
        Its nodes.
    pattern : Pattern
        Its nodes, counted from zero, and edges.
    dense : bool
        Whether dense tiles are taken without looking further.
    """

    columns: Integers
    nodes: Integers
    pattern: Pattern
    dense: bool


class ListedNetwork:
    """The pairs that may be edges, cut into connected components.

    Parameters
    ----------
    n_nodes : int
        Number of nodes d.
    pairs : array of shape (n_listed,), optional
        Numbers of the listed pairs in the order of ``np.triu_indices(d, 1)``, rising; all pairs by
        default. The others are no edges.
    possible : bool array of shape (n_listed,), optional
        Which of them can be edges at all; by default all.

    Examples
    --------
    Six nodes in three components, one of them a node alone:

    >>> network = ListedNetwork(6, [0, 1, 12])  # 0-1, 0-2 and 3-4
    >>> network.labels, network.n_components
    (array([0, 0, 0, 1, 1, 2]), 3)
    """

    def __init__(
        self,
        n_nodes: int,
        pairs: ArrayLike | None = None,
        possible: NDArray[np.bool_] | None = None,
    ) -> None:
        numbers = PairIndex(n_nodes, pairs).listed
        self.n_nodes = n_nodes
        self.n_listed = len(numbers)
        places = np.arange(len(numbers)) if possible is None else np.flatnonzero(possible)
        first, second = pair_ends(numbers[places], n_nodes)
        graph = coo_array((np.ones(len(places), dtype=np.int8), (first, second)), (n_nodes,) * 2)
        count, labels = csgraph.connected_components(graph, directed=False)
        self.n_components: int = int(count)
        self.labels: Integers = labels.astype(np.int64)
        self.groups = self._cut(places, first, second)

    def _cut(self, places: Integers, first: Integers, second: Integers) -> tuple[Group, ...]:
        """Put components into groups, the largest first; a large one is a group of its own."""
        sizes = np.bincount(self.labels, minlength=self.n_components)
        room = max(TOGETHER, self.n_nodes // MOST_GROUPS)
        group_of = np.full(self.n_components, -1)
        filled, n_groups = room, 0
        for component in np.argsort(-sizes, kind="stable"):
            size = int(sizes[component])
            if size < 2:
                break
            if filled + size > room:
                filled, n_groups = 0, n_groups + 1
            filled += size
            group_of[component] = n_groups - 1
        node_group = group_of[self.labels]
        edge_group = node_group[first]
        local = np.empty(self.n_nodes, dtype=np.int64)
        groups = []
        nodes_by_group = np.argsort(node_group, kind="stable")
        edges_by_group = np.argsort(edge_group, kind="stable")
        node_bounds = np.searchsorted(node_group[nodes_by_group], np.arange(n_groups + 1))
        edge_bounds = np.searchsorted(edge_group[edges_by_group], np.arange(n_groups + 1))
        for g in range(n_groups):
            nodes = nodes_by_group[node_bounds[g] : node_bounds[g + 1]]
            edges = edges_by_group[edge_bounds[g] : edge_bounds[g + 1]]
            local[nodes] = np.arange(len(nodes))
            pattern = Pattern(
                len(nodes),
                local[first[edges]],
                local[second[edges]],
                np.arange(len(edges)),
                np.ones(len(edges)),
                np.ones(len(nodes)),
            )
            crowded = 2 * len(edges) > SPARSE_DEGREE * len(nodes) and len(nodes) > ALWAYS_TRIED
            groups.append(Group(places[edges], nodes, pattern, crowded))
        return tuple(groups)

    def sample(self, log_weights: Floats, n_samples: int, rng: np.random.Generator) -> Integers:
        """Draw forests with roots of weight one, the components one after the other.

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
        for group in self.groups:
            own, pattern = log_weights[group.columns], group.pattern
            matrix = np.full((pattern.d, pattern.d), -np.inf)
            matrix[pattern.first, pattern.second] = matrix[pattern.second, pattern.first] = own
            drawn = sample(matrix, 1.0, n_samples, log=True, random_state=rng).parents
            parents[:, group.nodes] = np.where(drawn < 0, -1, group.nodes[drawn])
        return parents


def solve_listed(
    rows: Floats,
    network: ListedNetwork,
    root_weight: float,
    tolerance: float,
    *,
    want: Want = "each",
    context: Context = _ONE_THREAD,
) -> tuple[Floats, Floats]:
    """Solve a few networks on this thread, and check nothing; see :func:`solve_batch`.

    Parameters
    ----------
    rows : array of shape (n_networks, n_listed)
        Log-weights of the listed pairs, finite or -inf; best :data:`BATCH_SIZE` networks.
    network : ListedNetwork
        Which pairs these are.
    root_weight, tolerance, want, context
        As in :func:`solve_batch`.

    Returns
    -------
    probabilities : array of shape (n_networks, n_listed), or (n_networks, 0) if not wanted
    log_partitions : array of shape (n_networks,)

    Examples
    --------
    >>> network = ListedNetwork(4, [0, 5])  # 0-1 and 2-3: two components
    >>> probabilities, log_partitions = solve_listed(np.log([[3.0, 1.0]]), network, 1.0, 1e-10)
    >>> probabilities.round(3), np.exp(log_partitions).round(9)  # 7 · 3
    (array([[0.857, 0.667]]), array([21.]))
    """
    log_root = np.log(root_weight)
    probabilities = np.zeros((len(rows), network.n_listed if want == "each" else 0))
    log_partition = np.full(len(rows), network.n_nodes * log_root)
    for group in network.groups:
        # Only ratios to the root weight matter, so that roots may weigh one from here on.
        own = np.take(rows, group.columns, axis=1) - log_root
        each, of_group = _solve_group(own, group, tolerance, want, context)
        log_partition += of_group
        if want == "each":
            probabilities[:, group.columns] = each
    return np.minimum(probabilities, 1.0, out=probabilities), log_partition


def _solve_group(
    rows: Floats, group: Group, tolerance: float, want: Want, context: Context
) -> tuple[Floats, Floats]:
    n, n_edges = rows.shape
    each = np.zeros((n, n_edges if want == "each" else 0))
    log_partition = np.zeros(n)
    if group.dense and context.engine == "auto":
        context = replace(context, engine="dense")
    out_of_range = rows.max(axis=1, initial=-np.inf) > LARGEST_LOG
    for i in np.flatnonzero(out_of_range):
        each[i], log_partition[i] = _solve_rewritten(rows[i], group, tolerance, want, context)
    others = np.flatnonzero(~out_of_range)
    if len(others):
        part = rows if len(others) == n else rows[others]
        negligible, _ = margins(group.pattern.d, tolerance)
        part[part < -negligible] = -np.inf
        networks = Networks(group.pattern, Samples.unchecked(part, log=True))
        found = solve(networks, want, context)
        log_partition[others] = found.log_partition
        if want == "each":
            each[others] = found.resistance
    return each, log_partition


def _solve_rewritten(
    row: Floats, group: Group, tolerance: float, want: Want, context: Context
) -> tuple[Floats, float]:
    """Solve a network that no double can hold, by its rewritten form."""
    pattern = group.pattern
    d = pattern.d
    plain = rewrite_listed(row, pattern.first, pattern.second, d, tolerance)
    n_edges = len(plain.first)
    rewritten = Pattern(
        d + 1, plain.first, plain.second, np.arange(n_edges), np.ones(n_edges), np.zeros(d + 1)
    )
    networks = Networks(rewritten, Samples.unchecked(plain.log_weights[None], log=True))
    log_partition, each, *_ = solve(networks, want, context)
    total = float(log_partition[0]) + plain.log_scale
    if want == "partition":
        return np.zeros(0), total
    probabilities = np.zeros(len(row))
    probabilities[plain.pairs] = plain.shares * each[0, plain.edges]
    return probabilities, total


def listed_posterior(
    log_weights: Floats,
    network: ListedNetwork,
    *,
    root_weight: float = 1.0,
    tolerance: float = 1e-10,
    want: Want = "each",
    context: Context = _ONE_THREAD,
) -> ForestPosterior:
    """Edge probabilities of many networks of listed pairs, on threads.

    Parameters
    ----------
    log_weights : array of shape (n_networks, n_listed)
        Log-weights of the listed pairs, finite or -inf.
    network : ListedNetwork
        Which pairs these are.
    root_weight, tolerance : float
        As in :func:`spinney.forests.forest_posterior`.
    want : {"each", "partition"}
        Whether probabilities are wanted.
    context : Context
        How to compute.

    Returns
    -------
    ForestPosterior
        Of shape (n_networks, n_listed), or (n_networks, 0) if probabilities are not wanted.

    Examples
    --------
    >>> network = ListedNetwork(4, [0, 5])
    >>> listed_posterior(np.array([[5000.0, 0.0]]), network).probabilities.round(3)
    array([[1.   , 0.667]])
    """
    one = context if context.threads == 1 else replace(context, threads=1)
    probabilities = np.zeros((len(log_weights), network.n_listed if want == "each" else 0))
    log_partition = np.zeros(len(log_weights))

    def job(part: slice) -> None:
        probabilities[part], log_partition[part] = solve_listed(
            log_weights[part], network, root_weight, tolerance, want=want, context=one
        )

    parts = [slice(k, k + BATCH_SIZE) for k in range(0, len(log_weights), BATCH_SIZE)]
    run_in_threads([partial(job, part) for part in parts], context.threads)
    return ForestPosterior(probabilities, log_partition)
