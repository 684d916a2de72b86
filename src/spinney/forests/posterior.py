"""Posterior of one forest that several rows share: from a few rows to all of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import floor

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.choices import read_random_state
from spinney._core.progress import progress_bar
from spinney._core.threads import run_in_threads
from spinney.exceptions import InputError
from spinney.forests._input import check_positive, read_count
from spinney.forests.log_weights import PairNetwork
from spinney.pairs.densities import PairDensities

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
    check_positive(root_weight=root_weight, edge_weight=value)
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
    n_subsets = read_count(n_subsets, "n_subsets")
    n = evidence.n_samples
    given = default_sizes(n) if sizes is None else sizes
    wanted = sorted({read_count(m, "Each of sizes", most=n) for m in given})
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
