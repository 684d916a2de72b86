"""One forest for m rows, for m from a few to all: the profile over m, its mean and its maximum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import floor
from numbers import Integral

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.choices import read_random_state
from spinney._core.progress import progress_bar
from spinney._core.storable import storable
from spinney._core.threads import run_in_threads
from spinney.exceptions import InputError
from spinney.forests import BATCH_SIZE, Network, solve_batch
from spinney.forests._input import check_positive
from spinney.forests.posterior.log_evidence import (
    edge_log_weights,
    edge_weight_or_default,
    read_evidence,
    read_subsets,
    row_shares,
)
from spinney.pairs.densities import PairDensities

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


@storable("Ladder")
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


def ladder(
    log_density: ArrayLike | PairDensities,
    n_parameters: ArrayLike | None = None,
    sizes: Iterable[int] | None = None,
    n_subsets: int = 40,
    *,
    n_rows: ArrayLike | None = None,
    edge_weight: float | None = None,
    root_weight: float = 1.0,
    tolerance: float = 1e-10,
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
    log_density : PairDensities, or array of shape (n, n_pairs)
        What is known of the pairs, all or listed ones; or log-densities of the pairs' copulas,
        pairs in the order of ``np.triu_indices(d, 1)``.
    n_parameters : array of shape (n_pairs,)
        For an array: parameters of each copula; none means independent, which is no edge.
    sizes : iterable of int, optional
        Numbers of rows; by default those of :func:`default_sizes`.
    n_subsets : int
        Subsets of each size below n. They are drawn without replacement until the rows run out:
        disjoint subsets vary less than independent ones.
    n_rows, edge_weight, root_weight
        Rows of each pair and prior weights, as in :func:`log_evidence`.
    tolerance : float
        As in :func:`forest_posterior`.
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
    >>> log_density = PairCopulas(families=["gaussian"]).fit(U).log_density(U)
    >>> ladder(log_density, [1, 1, 1], sizes=(5, 20, 200)).probabilities[:, 1].round(1)
    array([0.3, 0.1, 0. ])
    """
    shared = _read_posterior(log_density, n_parameters, n_rows, edge_weight, root_weight, tolerance)
    if not isinstance(n_subsets, Integral) or n_subsets < 1:
        raise InputError(f"n_subsets must be a positive whole number, not {n_subsets!r}.")
    n = shared.evidence.n_samples
    wanted = _read_sizes(default_sizes(n) if sizes is None else sizes, n)
    rng = read_random_state(random_state)
    subsets = [draw_subsets(n, m, n_subsets, rng) for m in wanted]
    counts = np.array([len(chosen) for chosen in subsets])
    batches = [
        (level, subsets[level][k : k + BATCH_SIZE])
        for level in range(len(wanted))
        for k in range(0, len(subsets[level]), BATCH_SIZE)
    ]
    batches.reverse()  # the largest subsets take longest, so they go first
    sums: list[Floats] = [np.empty(0)] * len(batches)
    with progress_bar(int(counts.sum()), "shared forests", progress) as advance:

        def job(k: int) -> None:
            sums[k] = shared.probabilities(batches[k][1]).sum(axis=0)
            advance(len(batches[k][1]))

        run_in_threads([partial(job, k) for k in range(len(batches))], threads)
    probabilities = np.zeros((len(wanted), shared.n_listed))
    for (level, _), part in zip(batches, sums, strict=True):  # in a fixed order
        probabilities[level] += part
    probabilities /= counts[:, None]
    return Ladder(np.array(wanted), counts, probabilities, n, shared.evidence.pairs)


@dataclass(frozen=True)
class SharedPosterior:
    """What the posteriors of all subsets have in common: evidence, prior, pairs.

    Attributes
    ----------
    evidence : PairDensities
        What is known of the pairs.
    edge_weight, root_weight : float
        Prior weights.
    tolerance : float
        As in :func:`forest_posterior`.
    shares : array of shape (n_listed,) or None
        Share of the rows that each pair has; None if every pair has all of them.
    network : Network
        The pairs that may be edges.
    """

    evidence: PairDensities
    edge_weight: float
    root_weight: float
    tolerance: float
    shares: Floats | None
    network: Network

    @property
    def n_listed(self) -> int:
        """Pairs that are listed."""
        return len(self.evidence.listed_parameters)

    def log_weights(self, subsets: Sequence[Ints]) -> Floats:
        """Compute the log-weight of each listed pair for the rows of each subset."""
        sums = self.evidence.subset_sums(subsets)
        size = len(subsets[0])
        return edge_log_weights(
            sums, self.evidence.listed_parameters, size, self.edge_weight, self.shares
        )

    def probabilities(self, subsets: Sequence[Ints]) -> Floats:
        """Compute the probability of each listed pair for the rows of each subset."""
        rows = self.log_weights(subsets)
        return solve_batch(rows, self.network, self.root_weight, self.tolerance)[0]


def _read_posterior(
    log_density: ArrayLike | PairDensities,
    n_parameters: ArrayLike | None,
    n_rows: ArrayLike | None,
    edge_weight: float | None,
    root_weight: float,
    tolerance: float,
) -> SharedPosterior:
    evidence = read_evidence(log_density, n_parameters, n_rows)
    prior = edge_weight_or_default(edge_weight, root_weight, evidence.n_nodes)
    check_positive(tolerance=tolerance)
    possible = evidence.listed_parameters > 0
    network = Network(evidence.n_nodes, evidence.pairs, possible)
    return SharedPosterior(evidence, prior, root_weight, tolerance, row_shares(evidence), network)


def shared_forest_probabilities(
    log_density: ArrayLike | PairDensities,
    n_parameters: ArrayLike | None = None,
    subsets: Iterable[ArrayLike] | None = None,
    *,
    edge_weight: float | None = None,
    root_weight: float = 1.0,
    tolerance: float = 1e-10,
    threads: int | None = None,
) -> Floats:
    """Posterior edge probabilities of one forest that all rows share, or the rows of each subset.

    Parameters
    ----------
    log_density, n_parameters
        As in :func:`ladder`.
    subsets : iterable of arrays of row numbers, optional
        Sets of rows of one size, each with a forest of its own. By default all rows share one.
    edge_weight, root_weight, tolerance, threads
        As in :func:`ladder`.

    Returns
    -------
    array of shape (n_listed,), or (n_subsets, n_listed)

    Examples
    --------
    >>> shared_forest_probabilities([[3.0, 1.0, 2.0], [1.0, 0.0, 2.0]], [1, 1, 1]).round(3)
    array([0.912, 0.085, 0.912])
    """
    shared = _read_posterior(log_density, n_parameters, None, edge_weight, root_weight, tolerance)
    rows = read_subsets(None if subsets is None else list(subsets), shared.evidence.n_samples)
    probabilities = np.empty((len(rows), shared.n_listed))

    def job(k: int) -> None:
        part = slice(k, k + BATCH_SIZE)
        probabilities[part] = shared.probabilities(rows[part])

    run_in_threads([partial(job, k) for k in range(0, len(rows), BATCH_SIZE)], threads)
    return probabilities[0] if subsets is None else probabilities


def _read_sizes(sizes: Iterable[int], n: int) -> list[int]:
    wanted = list(sizes)
    for m in wanted:
        if not isinstance(m, Integral) or not 1 <= m <= n:
            raise InputError(f"sizes must be whole numbers of rows, 1 to {n}; {m!r} is none.")
    if not wanted:
        raise InputError("sizes must name at least one number of rows.")
    return sorted({int(m) for m in wanted})


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
