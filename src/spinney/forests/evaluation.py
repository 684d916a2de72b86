"""The hot path: log-partitions and weighted resistances of n samples under one set of weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import as_writeable, reduction
from spinney._core.pairs import n_nodes as count_nodes
from spinney._core.pairs import n_pairs, pair_nodes, to_matrix
from spinney._core.threads import run_in_threads
from spinney.exceptions import DataWarning, InputError
from spinney.forests import inputs
from spinney.forests._extended_range import WideNetwork, from_log, from_plain, run_wide
from spinney.forests._lanes import solve_in_lanes
from spinney.forests.inputs import Pattern, Samples, Want

ENGINES = ("auto", "dense", "sparse", "log")
ROWS_PER_CHUNK = 8


@dataclass(frozen=True)
class Evaluation:
    r"""What :func:`evaluate` returns.

    Attributes
    ----------
    log_partition : array of shape (n,)
        :math:`\log Z(\beta \circ W^j)` of each sample.
    weighted_resistance : array of shape (n_pairs,) or (n, n_pairs)
        :math:`\sum_j w_e^j R_e(\beta \circ W^j)`, the gradient of their sum in :math:`\beta_e`;
        with ``per_sample`` the terms of that sum.
    engine : str
        What did the work: "dense", "sparse", or "log"; "mixed" if sets of nodes differ.
    n_wide : int
        Samples whose weights were out of the range of plain numbers (for all that an elimination
        makes of them: 1e-140 to 1e140) and went through the log engine.
    """

    log_partition: Floats
    weighted_resistance: Floats
    engine: str
    n_wide: int


def evaluate(
    beta: ArrayLike,
    W: ArrayLike | Samples,
    ground: ArrayLike = 1.0,
    *,
    pairs: ArrayLike | None = None,
    n_nodes: int | None = None,
    partition: Sequence[ArrayLike] | None = None,
    log: bool = False,
    per_sample: bool = False,
    engine: str = "auto",
    threads: int | None = None,
) -> Evaluation:
    r"""Evaluate :math:`\log Z(\beta \circ W^j)` of every sample, and the gradient of their sum.

    .. math:: \frac{\partial}{\partial \beta_e} \sum_j \log Z(\beta \circ W^j)
              = \sum_j w_e^j\, R_e(\beta \circ W^j)

    Parameters
    ----------
    beta : array of shape (n_pairs,)
        Edge weights, at least zero, pairs in the order of ``np.triu_indices(d, 1)``.
    W : array of shape (n, n_pairs), or Samples
        Weights of each sample, at least zero. :class:`Samples` are read and checked only once.
    ground : float or array of shape (d,)
        Root weight; zero gives spanning trees.
    pairs : array of shape (n_columns, 2), optional
        The nodes that each column joins, where `beta` and `W` do not list all pairs.
    n_nodes : int, optional
        Number of nodes d; needed with `pairs` if the last nodes have no pair.
    partition : sequence of node sets, optional
        Evaluate each set of nodes by itself and add the results. Pairs across sets are ignored:
        their weighted resistance is zero.
    log : bool
        Whether `W` holds log-weights (`beta` never does).
    per_sample : bool
        Whether resistances are wanted for each sample rather than their sum. Times `beta` they
        are the edge probabilities of each sample.
    engine : {"auto", "dense", "sparse", "log"}
        "auto" weighs dense tiles against sparse elimination by their known cost. Samples whose
        weights are out of the range of plain numbers go through the log engine in any case.
    threads : int, optional
        Most threads to use; by default all processors, or ``NUMBA_NUM_THREADS`` if that is less.
        Results do not depend on it.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        If a weight is negative, infinite or NaN, or shapes do not agree.

    Warns
    -----
    DataWarning
        If there is no spanning tree of positive weight in some sample: its log-partition is -inf
        and its resistances, and with them their sum, are NaN.

    References
    ----------
    .. [1] M. Meila and T. Jaakkola (2006). Tractable Bayesian learning of tree belief networks.
       Statistics and Computing 16.

    Examples
    --------
    >>> result = evaluate([1.0, 1.0, 0.0], [[2.0, 1.0, 3.0], [1.0, 1.0, 1.0]])
    >>> np.exp(result.log_partition).round(9)
    array([13.,  8.])
    >>> result.weighted_resistance.round(3)
    array([1.394, 1.24 , 3.538])
    """
    evaluator = Evaluator(
        beta,
        ground,
        pairs=pairs,
        n_nodes=n_nodes,
        partition=partition,
        engine=engine,
        threads=threads,
    )
    return evaluator.evaluate(W, log=log, per_sample=per_sample)


class Evaluator:
    """Weights under which several tables of samples are evaluated.

    Work that depends on the weights alone is done once: checks, and the split into sets of nodes.

    Parameters
    ----------
    beta, ground, pairs, n_nodes, partition, engine, threads
        As in :func:`evaluate`.

    Examples
    --------
    >>> evaluator = Evaluator([1.0, 1.0, 0.0])
    >>> np.exp(evaluator.evaluate([[2.0, 1.0, 3.0]]).log_partition).round(9)
    array([13.])
    >>> np.exp(evaluator.evaluate([[1.0, 1.0, 1.0]]).log_partition).round(9)
    array([8.])
    """

    def __init__(
        self,
        beta: ArrayLike,
        ground: ArrayLike = 1.0,
        *,
        pairs: ArrayLike | None = None,
        n_nodes: int | None = None,
        partition: Sequence[ArrayLike] | None = None,
        engine: str = "auto",
        threads: int | None = None,
    ) -> None:
        self._how = engine, threads
        weights = as_writeable(inputs.read_float_array(beta, "beta"))
        if weights.ndim != 1:
            raise InputError(f"beta must have one weight per pair; its shape is {weights.shape}.")
        inputs.check_weights(weights, "beta", log=False)
        d, first, second = _read_pairs(pairs, n_nodes, len(weights))
        roots = inputs.read_ground(ground, d)
        self._n_columns = len(weights)
        self._roots = roots
        self._patterns = [
            Pattern(len(nodes), *ends, own, weights[own], roots[nodes])
            for nodes, own, ends in inputs.split_nodes(_read_partition(partition, d), first, second)
            # The one tree of a node alone has no edge.
            if len(nodes) > 1 or roots[nodes].any()
        ]

    def evaluate(
        self,
        W: ArrayLike | Samples,
        *,
        log: bool = False,
        per_sample: bool = False,
    ) -> Evaluation:
        """Evaluate the samples of a table, as :func:`evaluate` does."""
        samples = inputs.read_samples(W, log, self._n_columns)
        want: Want = "each" if per_sample else "sum"
        found = solve(self._patterns, samples, want, *self._how)
        if found.log_partition.min(initial=0.0) == -np.inf:
            empty = np.flatnonzero(found.log_partition == -np.inf)
            found.weighted_resistance[empty if per_sample else slice(None)] = np.nan
            warn(inputs.no_tree(self._roots, f"sample {empty[0]}"), DataWarning, stacklevel=3)
        return found


def solve(
    patterns: Sequence[Pattern],
    samples: Samples,
    want: Want,
    engine: str = "auto",
    threads: int | None = None,
) -> Evaluation:
    """Evaluate log-partitions, and ``w R`` summed over samples or of each one.

    Samples out of range are solved in numbers without bounds. Wrong weights are among them: the
    lanes look at every weight anyway.

    Parameters
    ----------
    patterns : sequence of Pattern
        Networks that share no node: what they say is added up. Columns of none of them get zero.
    samples : Samples
    want : {"partition", "sum", "each"}
    engine : {"auto", "dense", "sparse", "log"}
        What does the work; "auto" takes the quickest, by known costs.
    threads : int, optional
        Most threads; by default all processors, or ``NUMBA_NUM_THREADS`` if that is less.
    """
    if engine not in ENGINES:
        raise InputError(f"engine must be one of {', '.join(ENGINES)}; it is {engine!r}.")
    threads = inputs.read_threads(threads)
    n, n_columns = samples.table.shape
    log_partition = np.zeros(n)
    shapes = {"partition": (n, 0), "sum": (n_columns,), "each": (n, n_columns)}
    # Columns stand in their order in every pattern.
    whole = want != "partition" and [len(pattern.columns) for pattern in patterns] == [n_columns]
    resistance = np.empty(0) if whole else np.zeros(shapes[want])
    names, n_wide = set(), 0
    for pattern in patterns:
        if n and pattern.in_range and engine != "log":
            own, found, name, left = solve_in_lanes(engine, pattern, samples, want, threads)
        else:
            own, name, left = np.zeros(n), "log", np.arange(n)
            found = np.zeros((n, len(pattern.columns)) if want == "each" else len(pattern.columns))
        if len(left):
            samples.check()
            others = _solve_rows(pattern, samples, left, want, threads, own)
            if want == "each":
                found[left] = others
            elif want == "sum":
                found = found + others.sum(axis=0)
        log_partition += own
        if whole:
            resistance = found
        elif want != "partition":
            resistance[..., pattern.columns] = found
        names.add(name)
        n_wide = max(n_wide, len(left))
    name = "mixed" if len(names) > 1 else next(iter(names), "dense")
    return Evaluation(log_partition, resistance, name, n_wide)


def _solve_rows(
    pattern: Pattern,
    samples: Samples,
    rows: Ints,
    want: Want,
    threads: int | None,
    log_partition: Floats,
) -> Floats:
    """Write the log-partitions of some samples; return ``w R`` of each unless only they count."""
    weights = samples.table[np.ix_(rows, pattern.columns)]
    weight, exponent = from_log(weights) if samples.log else from_plain(weights)
    ground = from_plain(pattern.ground if pattern.grounded else np.empty(0))
    beta = from_plain(pattern.beta)
    network = WideNetwork(pattern.d, pattern.first, pattern.second, *beta, *ground)
    each = np.zeros(weights.shape if want != "partition" else (0, 0))

    def job(part: slice) -> None:
        run_wide(network, rows[part], weight[part], exponent[part], log_partition, each[part])

    parts = range(0, len(rows), ROWS_PER_CHUNK)
    run_in_threads([partial(job, slice(k, k + ROWS_PER_CHUNK)) for k in parts], threads)
    return each


@lru_cache(maxsize=8)
def _all_pairs(d: int) -> tuple[Ints, Ints]:
    first, second = pair_nodes(d)
    return first.astype(np.int64), second.astype(np.int64)


def _read_pairs(
    pairs: ArrayLike | None, n_nodes: int | None, n_columns: int
) -> tuple[int, Ints, Ints]:
    if pairs is None:
        # No pairs may mean no nodes or one.
        d = count_nodes(n_columns) if n_nodes is None else inputs.read_count(n_nodes, "n_nodes")
        if d * (d - 1) // 2 != n_columns:
            raise InputError(f"{d} nodes have {d * (d - 1) // 2} pairs; beta has {n_columns}.")
        return d, *_all_pairs(d)
    nodes = inputs.read_integers(pairs)
    if nodes is not None and not nodes.size:
        nodes = nodes.reshape(-1, 2)
    if nodes is None or nodes.shape != (n_columns, 2):
        what = "something else" if nodes is None else f"shape {nodes.shape}"
        raise InputError(
            f"pairs must hold two node numbers per column, shape ({n_columns}, 2); it is {what}."
        )
    d = int(nodes.max(initial=0)) + 1 if n_nodes is None else inputs.read_count(n_nodes, "n_nodes")
    first, second = nodes.min(axis=1), nodes.max(axis=1)
    wrong = np.flatnonzero((first == second) | (first < 0) | (second >= d))
    if len(wrong):
        raise InputError(
            f"pairs[{wrong[0]}] = {nodes[wrong[0]].tolist()} joins no two of {d} nodes."
        )
    code = first * d + second
    rising = bool((code[1:] > code[:-1]).all())  # as most callers list them
    if not rising and len(np.unique(code)) < n_columns:
        raise InputError("pairs lists a pair twice. Add up the weights of parallel edges first.")
    return d, first, second


def _read_partition(partition: Sequence[ArrayLike] | None, d: int) -> Ints:
    """Return the number of each node's set."""
    label = np.zeros(d, dtype=np.int64)
    if partition is None:
        return label
    parts = [inputs.read_integers(part) for part in partition] if np.iterable(partition) else [None]
    read = [part for part in parts if part is not None and part.ndim == 1]
    listed = np.sort(np.concatenate([*read, np.empty(0, dtype=np.int64)]))
    if len(read) < len(parts) or not np.array_equal(listed, np.arange(d)):
        raise InputError(
            f"partition must be sets of node numbers that hold every node 0 … {d - 1} in exactly "
            f"one set, such as [[0, 1], [2]]; it is {partition!r}."
        )
    for number, part in enumerate(read):
        label[part] = number
    return label


RESISTANCES_AT_ONCE = 4_000_000
"""Resistances that are in memory together, all pairs of some samples."""


def edge_covariance(
    beta: Floats,
    W: Floats,
    nodes: Ints,
    n_nodes: int,
    ground: float = 1.0,
    *,
    threads: int | None = None,
) -> Floats:
    r"""Sum over samples of the covariance of edges in a random rooted forest.

    .. math:: \operatorname{Cov}(e, f) = -K_{ef}^2, \quad
              \operatorname{Var}(e) = K_{ee} (1 - K_{ee}), \qquad
              K_{ef} = \tfrac12 \sqrt{w_e w_f} \, (R_{ad} + R_{bc} - R_{ac} - R_{bd})

    for :math:`e = \{a, b\}` and :math:`f = \{c, d\}`: edges of a random forest are a determinantal
    process whose kernel is the transfer current [1]_. It is the Hessian of the log-partition in the
    logarithms of the weights.

    Parameters
    ----------
    beta : array of shape (n_edges,)
        Edge weights.
    W : array of shape (n, n_edges)
        Weights of each sample, which those are multiplied by.
    nodes : array of shape (n_edges, 2)
        The nodes that each edge joins.
    n_nodes : int
        Number of nodes.
    ground : float
        Root weight, positive.
    threads : int, optional
        As in :func:`evaluate`.

    Returns
    -------
    array of shape (n_edges, n_edges)

    Notes
    -----
    Differences of resistances lose digits where weights span many decades. The result is
    meant for the direction of a step, for which that is good enough.

    References
    ----------
    .. [1] R. Burton and R. Pemantle (1993). Local characteristics, entropy and limit theorems for
       spanning trees and domino tilings via transfer-impedances. Annals of Probability 21.

    Examples
    --------
    One edge of weight 3: it is in six of seven rooted forests.

    >>> edge_covariance(np.array([3.0]), np.ones((1, 1)), np.array([[0, 1]]), 2).round(6)
    array([[0.122449]])
    """
    first, second = np.ascontiguousarray(nodes.T)
    total = np.zeros((len(beta), len(beta)))
    everywhere = n_pairs(n_nodes)
    if not len(beta):
        return total
    # The row of each pair; that of a node and itself is one past the last.
    rows = to_matrix(np.arange(everywhere), diagonal=everywhere).astype(np.int64)
    columns = rows[first, second]
    weights = np.zeros(everywhere)
    weights[columns] = beta
    evaluator = Evaluator(weights, ground, n_nodes=n_nodes, threads=threads)
    at_once = max(1, RESISTANCES_AT_ONCE // everywhere)
    for begin in range(0, len(W), at_once):
        part = W[begin : begin + at_once]
        samples = np.ones((len(part), everywhere))
        samples[:, columns] = part
        found = evaluator.evaluate(samples, per_sample=True).weighted_resistance
        # One row per pair, so that the loop over samples is the inner one.
        resistance = np.zeros((everywhere + 1, len(part)))
        np.divide(found.T, samples.T, out=resistance[:-1], where=samples.T > 0)
        weight = np.ascontiguousarray((beta * part).T)
        _add_covariance(resistance, weight, first, second, rows, total)
    lower = np.tril(total, -1)
    return total + lower.T


@reduction
def _add_covariance(
    resistance: Floats, weight: Floats, first: Ints, second: Ints, rows: Ints, total: Floats
) -> None:
    """Add to the lower triangle; `resistance` has a row per pair and `weight` one per edge."""
    for e in range(len(first)):
        a, b = first[e], second[e]
        x, own = weight[e], resistance[rows[a, b]]
        variance = 0.0
        for j in range(own.size):
            p = x[j] * own[j]
            variance += p * (1.0 - p)
        total[e, e] += variance
        for f in range(e):
            c, d = first[f], second[f]
            ad, bc = resistance[rows[a, d]], resistance[rows[b, c]]
            ac, bd = resistance[rows[a, c]], resistance[rows[b, d]]
            y = weight[f]
            shared = 0.0
            for j in range(own.size):
                current = ad[j] + bc[j] - ac[j] - bd[j]
                shared += x[j] * y[j] * current * current
            total[e, f] -= 0.25 * shared
