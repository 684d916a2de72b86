r"""Rooted forests whose weights are given by logarithms of any size: many networks at once.

A network is *in range* if none of its log-weights, relative to the root weight, is so large that
plain doubles could not hold it. Networks in range are solved side by side; each of the others is
rewritten first.

Where only some pairs are listed, connected components C are solved apart,

.. math:: Z = \prod_C Z_C, \qquad P(e) = w_e R_e(C) \quad \text{for } e \text{ in } C ,

for a forest of the whole is a forest of each component. This is exact: nothing is left out but
what is negligible at the tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csgraph

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.pairs import PairIndex, n_nodes
from spinney._core.threads import run_in_threads
from spinney.exceptions import InputError
from spinney.forests._engines import solve
from spinney.forests._input import (
    check_positive,
    check_weights,
    read_float_array,
    read_threads,
)
from spinney.forests._layout import UNIT
from spinney.forests._rewriting import LARGEST_LOG, Edges, margins, rewrite
from spinney.forests.samples import Networks, Pattern, Samples
from spinney.forests.sampling import sample

Want = Literal["each", "partition"]

BATCH_SIZE = UNIT
"""Networks that are solved together: side by side, or a few at a time where registers are small.

The same on every processor: networks of a batch share the pattern of all their edges, so that a
result might depend on it in its last digits."""

TOGETHER = 256
"""Smaller components are solved together, up to this many nodes: each call has a cost, and
elimination keeps components apart by itself."""
MOST_GROUPS = 16
"""Most groups of small components: layouts of this many patterns are cached."""
SPARSE_DEGREE = 8.0
"""Mean degree up to which sparse elimination is tried. Beyond, fill cancels its gain, and on
thousands of nodes the ordering alone takes longer than the dense tiles."""
ALWAYS_TRIED = 128
"""Up to this many nodes sparse elimination is always tried."""


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
    narrow : bool
        Whether a batch is solved on the pattern of the edges that any of its networks has.
    engine : str
        "dense" if dense tiles are taken without looking further, else "auto".
    """

    columns: Ints
    nodes: Ints
    pattern: Pattern
    narrow: bool
    engine: str

    @cached_property
    def edges(self) -> Edges:
        """Its edges, sorted by node."""
        return Edges.of(self.pattern.d, self.pattern.first, self.pattern.second)


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
    >>> network.labels, network.n_components
    (array([0, 0, 0, 1, 1, 2]), 3)
    """

    def __init__(
        self, n_nodes: int, pairs: ArrayLike | None = None, possible: Bools | None = None
    ) -> None:
        index = PairIndex(n_nodes, pairs)
        self.n_nodes = n_nodes
        self.n_listed = len(index)
        if pairs is None:  # one component
            self.n_components, self.labels = 1, np.zeros(n_nodes, dtype=np.int64)
            every = np.arange(n_nodes)
            self.groups: tuple[Group, ...] = (
                Group(index.listed, every, _pattern(n_nodes, *index.ends), True, "auto"),
            )
            return
        places = np.arange(len(index)) if possible is None else np.flatnonzero(possible)
        first, second = (nodes[places] for nodes in index.ends)
        graph = coo_array((np.ones(len(places), dtype=np.int8), (first, second)), (n_nodes,) * 2)
        count, labels = csgraph.connected_components(graph, directed=False)
        self.n_components = int(count)
        self.labels = labels.astype(np.int64)
        self.groups = self._cut(places, first, second)

    def _cut(self, places: Ints, first: Ints, second: Ints) -> tuple[Group, ...]:
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
        for g in range(n_groups):
            nodes, edges = np.flatnonzero(node_group == g), np.flatnonzero(edge_group == g)
            local[nodes] = np.arange(len(nodes))
            pattern = _pattern(len(nodes), local[first[edges]], local[second[edges]])
            crowded = 2 * len(edges) > SPARSE_DEGREE * len(nodes) and len(nodes) > ALWAYS_TRIED
            groups.append(
                Group(places[edges], nodes, pattern, False, "dense" if crowded else "auto")
            )
        return tuple(groups)

    def sample(self, log_weights: Floats, n_samples: int, rng: np.random.Generator) -> Ints:
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


def _pattern(d: int, first: Ints, second: Ints) -> Pattern:
    """Edges that samples alone give weights to, and roots of weight one."""
    n_edges = len(first)
    return Pattern(d, first, second, np.arange(n_edges), np.ones(n_edges), np.ones(d))


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
    tolerance: float = 1e-10,
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
    tolerance : float
        Most by which a probability may be off for the sake of speed (besides rounding). Edges
        that are negligible at this tolerance get probability zero.
    threads : int, optional
        Most threads to use; by default all processors, or ``NUMBA_NUM_THREADS`` if that is less.
        Results do not depend on it.

    Returns
    -------
    ForestPosterior

    Raises
    ------
    InputError
        If a log-weight is NaN or +inf, or a number is out of its range.

    Notes
    -----
    :func:`edge_marginals` with ``log=True`` gives the same without a tolerance, a
    hundred times slower for weights beyond the range of doubles.

    Examples
    --------
    A triangle with two weights that no double can hold. One edge of the three is left out:

    >>> forest_posterior([5000.0, 5000.0, 4999.0]).probabilities.round(3)
    array([0.788, 0.788, 0.424])
    """
    return _posterior(log_weights, network, root_weight, tolerance, "each", threads)


def forest_log_partition(
    log_weights: ArrayLike,
    *,
    network: PairNetwork | None = None,
    root_weight: float = 1.0,
    tolerance: float = 1e-10,
    threads: int | None = None,
) -> float | Floats:
    r"""Sum over all rooted forests, as a logarithm, without the edge probabilities.

    .. math:: \log \sum_F \prod_{e \in F} e^{\ell_e} \prod_{T \in F} \alpha |T|

    Parameters
    ----------
    log_weights, network, root_weight, threads
        As in :func:`forest_posterior`.
    tolerance : float
        Most by which the result may be off for the sake of speed (besides rounding): forests that
        are left out have at most this probability.

    Returns
    -------
    float or array of shape (n_networks,)

    Raises
    ------
    InputError
        If a log-weight is NaN or +inf, or a number is out of its range.

    Examples
    --------
    Two nodes that are joined, with either as the root, or not:

    >>> float(np.exp(forest_log_partition([np.log(3.0)])).round(9))  # 2 · 3 + 1
    7.0
    """
    found = _posterior(log_weights, network, root_weight, tolerance, "partition", threads)
    return found.log_partition


def _posterior(
    log_weights: ArrayLike,
    network: PairNetwork | None,
    root_weight: float,
    tolerance: float,
    want: Want,
    threads: int | None,
) -> ForestPosterior:
    """Solve batches of networks on threads."""
    rows, single = _read_rows(log_weights)
    check_positive(root_weight=root_weight, tolerance=tolerance)
    pairs = PairNetwork(n_nodes(rows.shape[1])) if network is None else network
    if rows.shape[1] != pairs.n_listed:
        raise InputError(f"{pairs.n_listed} pairs are listed, but log_weights has {rows.shape[1]}.")
    probabilities = np.zeros(rows.shape if want == "each" else (len(rows), 0))
    log_partition = np.zeros(len(rows))

    def job(part: slice) -> None:
        probabilities[part], log_partition[part] = solve_batch(
            rows[part], pairs, root_weight, tolerance, want=want
        )

    parts = [slice(k, k + BATCH_SIZE) for k in range(0, len(rows), BATCH_SIZE)]
    run_in_threads([partial(job, part) for part in parts], read_threads(threads))
    if single:
        return ForestPosterior(probabilities[0], float(log_partition[0]))
    return ForestPosterior(probabilities, log_partition)


def _read_rows(log_weights: ArrayLike) -> tuple[Floats, bool]:
    """Read log-weights as one row per network; tell whether a single network was given."""
    weights = read_float_array(log_weights, "log_weights")
    if weights.ndim not in (1, 2):
        raise InputError(
            "log_weights must have a column per pair, shape (n_pairs,) or (n_networks, n_pairs); "
            f"it has shape {weights.shape}."
        )
    rows = np.atleast_2d(weights)
    check_weights(rows, "log_weights", log=True)
    return rows, weights.ndim == 1


def solve_batch(
    rows: Floats,
    network: PairNetwork,
    root_weight: float,
    tolerance: float,
    *,
    want: Want = "each",
) -> tuple[Floats, Floats]:
    """Solve a few networks on this thread, unchecked: for jobs that run in threads.

    Parameters
    ----------
    rows : array of shape (n_networks, n_listed)
        Log-weights of the listed pairs, finite or -inf; best :data:`BATCH_SIZE` networks.
    network : PairNetwork
        Which pairs these are.
    root_weight, tolerance : float
        As in :func:`forest_posterior`.
    want : {"each", "partition"}
        Whether edge probabilities are wanted.

    Returns
    -------
    probabilities : array of shape (n_networks, n_listed), or (n_networks, 0) if not wanted
    log_partitions : array of shape (n_networks,)

    Examples
    --------
    >>> network = PairNetwork(4, [0, 5])  # 0-1 and 2-3: two components
    >>> probabilities, log_partitions = solve_batch(np.log([[3.0, 1.0]]), network, 1.0, 1e-10)
    >>> probabilities.round(3), np.exp(log_partitions).round(9)  # 7 · 3
    (array([[0.857, 0.667]]), array([21.]))
    """
    log_root = np.log(root_weight)
    probabilities = np.zeros((len(rows), network.n_listed if want == "each" else 0))
    log_partition = np.full(len(rows), network.n_nodes * log_root)
    for group in network.groups:
        # Only ratios to the root weight matter: from here on roots weigh one.
        own = np.take(rows, group.columns, axis=1) - log_root
        each, of_group = _solve_group(own, group, tolerance, want)
        log_partition += of_group
        if want == "each":
            probabilities[:, group.columns] = each
    return np.minimum(probabilities, 1.0, out=probabilities), log_partition


def _solve_group(rows: Floats, group: Group, tolerance: float, want: Want) -> tuple[Floats, Floats]:
    n, n_edges = rows.shape
    each = np.zeros((n, n_edges if want == "each" else 0))
    log_partition = np.zeros(n)
    out_of_range = rows.max(axis=1, initial=-np.inf) > LARGEST_LOG
    for i in np.flatnonzero(out_of_range):
        each[i], log_partition[i] = _solve_rewritten(rows[i], group, tolerance, want)
    others = np.flatnonzero(~out_of_range)
    if len(others):
        part = rows if len(others) == n else rows[others]
        # The path through the ground is a bottleneck of one, and enough: searching for better ones,
        # or a pattern for each batch, costs what it gains.
        negligible, _ = margins(group.pattern.d, tolerance)
        part[part < -negligible] = -np.inf
        pattern = _narrowed(group.pattern, part) if group.narrow else group.pattern
        found = solve(Networks(pattern, Samples.unchecked(part, log=True)), want, group.engine, 1)
        log_partition[others] = found.log_partition
        if want == "each":
            each[np.ix_(others, pattern.columns)] = found.resistance
    return each, log_partition


def _narrowed(pattern: Pattern, rows: Floats) -> Pattern:
    """Keep the edges that any of the networks has."""
    columns = np.flatnonzero((rows > -np.inf).any(axis=0))
    ends = pattern.first[columns], pattern.second[columns]
    return Pattern(pattern.d, *ends, columns, np.ones(len(columns)), pattern.ground)


def _solve_rewritten(
    row: Floats, group: Group, tolerance: float, want: Want
) -> tuple[Floats, float]:
    """Solve a network that no double can hold, by its rewritten form."""
    plain = rewrite(row, group.edges, tolerance)
    edges, size = np.arange(len(plain.first)), group.pattern.d + 1
    pattern = Pattern(size, plain.first, plain.second, edges, np.ones(len(edges)), np.zeros(size))
    networks = Networks(pattern, Samples.unchecked(plain.log_weights[None], log=True))
    log_partition, each, *_ = solve(networks, want, group.engine, 1)
    total = float(log_partition[0]) + plain.log_scale
    if want == "partition":
        return np.zeros(0), total
    probabilities = np.zeros(len(row))
    probabilities[plain.pairs] = plain.shares * each[0, plain.edges]
    return probabilities, total
