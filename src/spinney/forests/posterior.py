r"""Posterior of one forest that several rows share: from a few rows to all of them.

The weights of such a forest are given by logarithms of any size. A forest of the whole is a forest
of each connected component C of the pairs that may be edges, so

.. math:: Z = \prod_C Z_C, \qquad P(e) = w_e R_e(C) \quad \text{for } e \text{ in } C .
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import floor

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.choices import read_random_state
from spinney._core.pairs import PairIndex, n_nodes
from spinney._core.progress import progress_bar
from spinney._core.threads import run_in_threads
from spinney.exceptions import InputError
from spinney.forests import inputs
from spinney.forests.evaluation import solve
from spinney.forests.inputs import Pattern, Samples, Want
from spinney.forests.sampling import sample_sets
from spinney.pairs.densities import PairDensities

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
        self.index = index = PairIndex(n_nodes, pairs)
        self.n_nodes = n_nodes
        self.n_listed = len(index)
        places = np.arange(len(index)) if possible is None else np.flatnonzero(possible)
        first, second = (nodes[places].astype(np.int64) for nodes in index.ends)
        component = np.zeros(n_nodes, dtype=np.int64)  # all pairs are solved together
        if pairs is not None:
            component = inputs.connected_labels(first, second, n_nodes)
        label = _grouped(np.bincount(component), n_nodes)[component]
        self.groups = [
            (
                nodes,
                Pattern(len(nodes), *ends, places[own], np.ones(len(own)), np.ones(len(nodes))),
            )
            for nodes, own, ends in inputs.split_nodes(label, first, second)
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
        matrix = self.index.matrix(log_weights, -np.inf, -np.inf)
        return sample_sets(matrix, [nodes for nodes, _ in self.groups], n_samples, rng, log=True)


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
    weights = inputs.read_float_array(log_weights, "log_weights")
    if weights.ndim not in (1, 2):
        raise InputError(
            "log_weights must have a column per pair, shape (n_pairs,) or (n_networks, n_pairs); "
            f"it has shape {weights.shape}."
        )
    rows = np.atleast_2d(weights)
    inputs.check_weights(rows, "log_weights", log=True)
    inputs.check_positive(root_weight=root_weight)
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


SUBSETS_AT_ONCE = 8
"""Subsets of one size whose forests are summed side by side."""

CUT = 0.25
"""An edge is kept if for some number of rows below n its probability passes this."""

LARGEST_SHARE = 0.8


def default_sizes(n: int) -> tuple[int, ...]:
    """4, 8, 16, … as long as they are below 0.8 n; then 0.8 n; then n.

    Examples
    --------
    >>> default_sizes(100)
    (4, 8, 16, 32, 64, 80, 100)
    >>> default_sizes(3)
    (3,)
    """
    largest = floor(LARGEST_SHARE * n)
    doubling = [2**k for k in range(2, n.bit_length() + 1) if 2**k < largest]
    return (*doubling, *((largest,) if largest >= 4 else ()), n)


@dataclass(frozen=True)
class Ladder:
    """What :func:`ladder` returns.

    Attributes
    ----------
    sizes : array of shape (n_sizes,)
        Numbers m of rows that share a forest, increasing.
    n_subsets : array of shape (n_sizes,)
        How many subsets of each size were averaged.
    probabilities : array of shape (n_sizes, n_listed)
        Mean posterior probability of each listed pair over the subsets of each size.
    n_samples : int
        Rows of the table.
    pairs : int64 array of shape (n_listed,) or None
        Numbers of the listed pairs, in the order of ``np.triu_indices(d, 1)``; None if all pairs
        are listed. Of those that are not, every probability is zero.
    """

    sizes: Ints
    n_subsets: Ints
    probabilities: Floats
    n_samples: int
    pairs: Ints | None = None

    @property
    def mean(self) -> Floats:
        """Mean over the sizes below n: what ranks edges best."""
        return self._below().mean(axis=0)

    @property
    def maximum(self) -> Floats:
        """Maximum over the sizes below n: what tells edges from others.

        In a clique of four an edge's probability cannot pass 1/2 on average, and with many rows one
        tree of the clique outweighs the others; with few rows the trees still share.
        """
        return self._below().max(axis=0)

    def select(self, cut: float = CUT) -> Bools:
        """Keep the pairs whose :attr:`maximum` passes `cut`.

        The default was chosen on tuning tables, for the fewest wrong edges; see
        ``docs/models.md``.
        """
        if not 0 <= cut <= 1:
            raise InputError(f"cut must be a probability, not {cut!r}.")
        return self.maximum > cut

    def _below(self) -> Floats:
        below = self.sizes < self.n_samples
        return self.probabilities[below] if below.any() else self.probabilities


def log_evidence(
    evidence: PairDensities,
    subsets: Sequence[ArrayLike] | None = None,
    *,
    edge_weight: float | None = None,
    root_weight: float = 1.0,
) -> Floats:
    r"""Log-weight of every pair in the posterior of one forest shared by some rows.

    .. math:: \ell_e = \log\beta + \sum_{j \in S} \log w_e(x^j)
              - \tfrac{k_e}{2} \log \Bigl(|S| \frac{n_e}{n}\Bigr)

    Parameters
    ----------
    evidence : PairDensities
        Log-densities of the pairs, with the parameters :math:`k_e` of each and the rows
        :math:`n_e` in which both of its values are there. A pair without parameters is independent
        and no edge: a forest with it says the same as the forest without, and is counted once. In a
        part of the table a pair has the same share of rows as in the whole.
    subsets : sequence of arrays of row numbers, optional
        The rows that share a forest, sets of one size; all rows by default.
    edge_weight : float, optional
        Prior weight :math:`\beta` of an edge; by default ``root_weight / d``.
    root_weight : float
        Prior weight of a root.

    Returns
    -------
    array of shape (n_subsets, n_listed), or (n_listed,) without `subsets`
        Of the listed pairs, which are all pairs unless the evidence says otherwise.

    Notes
    -----
    The cost is that of the Bayesian information criterion, an approximation to the logarithm of
    the marginal likelihood. Laplace's approximation with the actual curvature, and the integral
    itself over a uniform prior on Kendall's tau (Gaussian pairs, 64 nodes, each subset by its own
    rows), rank the edges of Gaussian fields no better (average precision within 0.006 in each of
    six settings).

    With all :math:`n_{pairs}` edges of weight :math:`\beta = \alpha/d` the number of trees is
    :math:`1 + \mathrm{Binomial}(d - 1, 1/2)` in the prior: half as many edges as nodes, and no
    more of them per node when there are more columns.

    References
    ----------
    .. [1] G. Schwarz (1978). Estimating the dimension of a model. Annals of Statistics 6.

    Examples
    --------
    >>> evidence = PairDensities([[0.5, 0.0, 1.0], [1.5, 0.0, 0.0]], n_parameters=[1, 0, 2])
    >>> log_evidence(evidence, edge_weight=1.0).round(3)
    array([1.653,  -inf, 0.307])
    """
    value = root_weight / max(evidence.n_nodes, 1) if edge_weight is None else edge_weight
    inputs.check_positive(root_weight=root_weight, edge_weight=value)
    rows = [np.arange(evidence.n_samples)] if subsets is None else [np.sort(s) for s in subsets]
    parameters = evidence.listed_parameters
    own_rows = len(rows[0]) * (evidence.listed_rows / evidence.n_samples)
    # A parameter never pays for itself, however few of the rows a pair has.
    cost = 0.5 * np.log(np.maximum(own_rows, 1.0)) * parameters
    weights = evidence.subset_sums(rows) + (np.log(value) - cost)
    weights[:, parameters == 0] = -np.inf
    return weights[0] if subsets is None else weights


def ladder(
    evidence: PairDensities,
    sizes: Iterable[int] | None = None,
    n_subsets: int = 40,
    *,
    edge_weight: float | None = None,
    root_weight: float = 1.0,
    random_state: int | np.random.Generator | None = 0,
    threads: int | None = None,
    progress: bool = False,
) -> Ladder:
    r"""Average the posterior of one shared forest over random subsets of several sizes.

    .. math:: \bar P_m(e) = \frac1K \sum_{k=1}^K P\bigl(e \in F \mid x^j, j \in S_k\bigr),
              \qquad |S_k| = m

    With one row (m = 1) each sample has a forest of its own, as in the founding paper; with all
    rows there is one forest for all. In between, evidence is strong enough to see an edge and weak
    enough not to bet everything on one tree.

    Parameters
    ----------
    evidence : PairDensities
        What is known of the pairs, all or listed ones.
    sizes : iterable of int, optional
        Numbers of rows; by default those of :func:`default_sizes`.
    n_subsets : int
        Subsets of each size below n. They are drawn without replacement until the rows run out:
        disjoint subsets vary less than independent ones.
    edge_weight, root_weight : float
        Prior weights, as in :func:`log_evidence`.
    random_state : int or Generator
        Seed of the subsets. They depend on it, on n, on `sizes` and on `n_subsets` alone.
    threads : int, optional
        Most threads to use; by default all processors, or ``NUMBA_NUM_THREADS`` if that is less.
        Results do not depend on it.
    progress : bool
        Whether to show a progress bar.

    Returns
    -------
    Ladder
        Of the listed pairs. Those that are not listed are no edges.

    Raises
    ------
    InputError
        If shapes do not agree, or a number is out of its range.

    Examples
    --------
    Three columns in a chain. Its ends depend on each other too, and the more rows share a forest,
    the better that is explained by the way over the middle:

    >>> from spinney import PairCopulas
    >>> from spinney.pairs.margins import pseudo_observations
    >>> X = np.random.default_rng(0).normal(size=(200, 3)).cumsum(axis=1)
    >>> U = pseudo_observations(X)
    >>> from spinney.pairs.densities import PairDensities
    >>> evidence = PairDensities(PairCopulas(families=["gaussian"]).fit(U).log_density(U))
    >>> ladder(evidence, sizes=(5, 20, 200)).probabilities[:, 1].round(1)
    array([0.3, 0.1, 0. ])
    """
    n_subsets = inputs.read_count(n_subsets, "n_subsets")
    n = evidence.n_samples
    given = default_sizes(n) if sizes is None else sizes
    wanted = sorted({inputs.read_count(m, "Each of sizes", most=n) for m in given})
    if not wanted:
        raise InputError("sizes must name at least one number of rows.")
    rng = read_random_state(random_state)
    subsets = [draw_subsets(n, m, n_subsets, rng) for m in wanted]
    counts = np.array([len(chosen) for chosen in subsets])
    batches = [
        (level, chosen[k : k + SUBSETS_AT_ONCE])
        for level, chosen in enumerate(subsets)
        for k in range(0, len(chosen), SUBSETS_AT_ONCE)
    ]
    batches.reverse()  # the largest subsets take longest, so they go first
    network = PairNetwork(evidence.n_nodes, evidence.pairs, evidence.listed_parameters > 0)
    sums: list[Floats] = [np.empty(0)] * len(batches)
    with progress_bar(int(counts.sum()), "shared forests", progress) as advance:

        def job(k: int) -> None:
            rows = batches[k][1]
            weights = log_evidence(evidence, rows, edge_weight=edge_weight, root_weight=root_weight)
            sums[k] = network.solve(weights, root_weight).probabilities.sum(axis=0)
            advance(len(rows))

        run_in_threads([partial(job, k) for k in range(len(batches))], threads)
    probabilities = np.zeros((len(wanted), len(evidence.listed_parameters)))
    for (level, _), part in zip(batches, sums, strict=True):  # in a fixed order
        probabilities[level] += part
    probabilities /= counts[:, None]
    return Ladder(np.array(wanted), counts, probabilities, n, evidence.pairs)


def draw_subsets(n: int, m: int, count: int, rng: np.random.Generator) -> list[Ints]:
    """Draw subsets of m rows: shuffle, deal out, and shuffle again when too few rows are left.

    Examples
    --------
    >>> [len(rows) for rows in draw_subsets(10, 4, 3, np.random.default_rng(0))]
    [4, 4, 4]
    """
    if m == n:
        return [np.arange(n)]
    chosen: list[Ints] = []
    while len(chosen) < count:
        shuffled = rng.permutation(n)
        chosen += [np.sort(shuffled[k : k + m]) for k in range(0, n - m + 1, m)]
    return chosen[:count]
