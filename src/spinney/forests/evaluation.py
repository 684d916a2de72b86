"""The hot path: log-partitions and weighted resistances of n samples under one set of weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Literal
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._pairs import n_nodes as count_nodes
from spinney._pairs import pair_nodes
from spinney.exceptions import DataWarning, InputError
from spinney.forests._input import check_weights, read_float_array, read_ground
from spinney.forests._lanes import LARGEST, SMALLEST, run_groups, workspace
from spinney.forests._layout import Layout, plan
from spinney.forests._threads import run_jobs
from spinney.forests._tiles import LANES
from spinney.forests._wide import from_log, from_plain, run_wide

__all__ = ["Evaluation", "Networks", "evaluate", "solve"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ENGINES = ("auto", "dense", "sparse", "log")

# A thread is worth waking for this much work, in the units of `Layout.cost`.
COST_PER_CHUNK = 500_000.0
MOST_CHUNKS = 16
WIDE_ROWS_PER_CHUNK = 8


@dataclass(frozen=True)
class Evaluation:
    r"""What :func:`evaluate` returns.

    Attributes
    ----------
    log_partition : array of shape (n,)
        :math:`\log Z(\beta \circ W^j)` of each sample.
    weighted_resistance : array of shape (n_columns,)
        :math:`\sum_j w_e^j R_e(\beta \circ W^j)`, the gradient of their sum in :math:`\beta_e`.
    columns : array of shape (n_columns,)
        The columns of `W` that it is for: all of them, in order, unless `at` chose some.
    engine : str
        What did the work: "dense", "sparse", or "log".
    n_wide : int
        Samples whose weights were too wild for plain numbers and went through the log engine.
    """

    log_partition: Floats
    weighted_resistance: Floats
    columns: Integers
    engine: str
    n_wide: int


@dataclass(frozen=True)
class Networks:
    """Networks of one pattern, checked: what the engines work on.

    ``W[:, columns]`` are the sample weights of the pattern's edges (logarithms if `log`), to be
    multiplied by `beta`; edge e joins ``first[e] < second[e]`` of `d` nodes.
    """

    d: int
    first: Integers
    second: Integers
    columns: Integers
    beta: Floats
    W: Floats
    ground: Floats
    log: bool = False


def evaluate(
    beta: ArrayLike,
    W: ArrayLike,
    ground: ArrayLike = 1.0,
    *,
    pairs: ArrayLike | None = None,
    n_nodes: int | None = None,
    at: str | ArrayLike = "all",
    partition: Sequence[ArrayLike] | None = None,
    log: bool = False,
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
    W : array of shape (n, n_pairs)
        Weights of each sample, at least zero.
    ground : float or array of shape (d,)
        Root weight; zero gives spanning trees.
    pairs : array of shape (n_columns, 2), optional
        The nodes that each column joins, where `beta` and `W` do not list all pairs.
    n_nodes : int, optional
        Number of nodes d; needed with `pairs` if the last nodes have no pair.
    at : "all", "support", or array of column numbers
        Which resistances are wanted. "support", the columns with positive `beta`, is enough
        for a gradient step and much cheaper where `beta` is sparse.
    partition : sequence of node sets, optional
        Evaluate each set of nodes on its own and add up. Pairs across sets count for nothing:
        their weighted resistance is zero.
    log : bool
        Whether `W` holds log-weights (`beta` never does).
    engine : {"auto", "dense", "sparse", "log"}
        "auto" weighs dense tiles against sparse elimination by their known cost. Samples whose
        weights are too wild for plain numbers go through the log engine in any case.
    threads : int, optional
        Most threads to use; all processors by default. Results do not depend on it.

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
        If there is no spanning tree of positive weight: the log-partition is -inf and the
        resistances are NaN.

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
    weights = read_float_array(beta, "beta")
    samples = read_float_array(W, "W")
    _check_shapes(weights, samples)
    check_weights(weights, "beta", log=False)
    d, first, second = _read_pairs(pairs, n_nodes, len(weights))
    roots = read_ground(ground, d)
    wanted = _read_columns(at, weights)
    columns = wanted
    if not isinstance(at, str) or at != "all":
        pattern = weights > 0
        pattern[wanted] = True
        columns = np.flatnonzero(pattern)
        first, second = first[columns], second[columns]
    parts = [np.arange(d)] if partition is None else _read_partition(partition, d)
    log_partition = np.zeros(len(samples))
    total = np.zeros(len(weights))
    names, n_wide = set(), 0
    for part in parts:
        own, nodes = columns, (first, second)
        if len(parts) > 1:
            place = np.full(d, -1)
            place[part] = np.arange(len(part))
            inside = (place[first] >= 0) & (place[second] >= 0)
            own, nodes = columns[inside], (place[first[inside]], place[second[inside]])
        networks = Networks(len(part), *nodes, own, weights[own], samples, roots[part], log)
        value, resistance, name, wild = solve(networks, engine=engine, threads=threads)
        log_partition += value
        total[own] = resistance
        names.add(name)
        n_wide = max(n_wide, wild)
    if log_partition.min(initial=0.0) == -np.inf:
        empty = np.flatnonzero(log_partition == -np.inf)
        total[:] = np.nan
        warn(no_tree(roots, f"sample {empty[0]}"), DataWarning, stacklevel=2)
    name = names.pop() if len(names) == 1 else "mixed"
    return Evaluation(log_partition, total[wanted], wanted, name, n_wide)


def no_tree(ground: Floats, which: str) -> str:
    """Say in words what a log-partition of -inf means."""
    if ground.any():
        return (
            f"In {which} some component holds no node with a positive root weight, so there is no "
            "rooted forest and the log-partition is -inf. Give every node a root weight."
        )
    return (
        f"In {which} the edges of positive weight do not connect all nodes, so there is no "
        "spanning tree and the log-partition is -inf. Use ground > 0, or a partition."
    )


def _check_shapes(beta: Floats, W: Floats) -> None:
    if beta.ndim != 1 or W.ndim != 2 or W.shape[1] != len(beta):
        raise InputError(
            f"beta must have one weight per pair and W a row per sample and a column per pair; "
            f"their shapes are {beta.shape} and {W.shape}."
        )


@lru_cache(maxsize=8)
def _all_pairs(d: int) -> tuple[Integers, Integers]:
    first, second = pair_nodes(d)
    return first.astype(np.int64), second.astype(np.int64)


def _read_pairs(
    pairs: ArrayLike | None, n_nodes: int | None, n_columns: int
) -> tuple[int, Integers, Integers]:
    if pairs is None:
        # Nothing tells no pairs of no nodes from no pairs of one.
        d = count_nodes(n_columns) if n_nodes is None else n_nodes
        if d * (d - 1) // 2 != n_columns:
            raise InputError(f"{d} nodes have {d * (d - 1) // 2} pairs; beta has {n_columns}.")
        return d, *_all_pairs(d)
    listed = np.asarray(pairs)
    if listed.shape != (n_columns, 2) or listed.dtype.kind not in "iu":
        raise InputError(
            f"pairs must hold two node numbers per column, shape ({n_columns}, 2); "
            f"it has shape {listed.shape} and type {listed.dtype}."
        )
    nodes = listed.astype(np.int64)
    d = int(nodes.max(initial=0)) + 1 if n_nodes is None else n_nodes
    first, second = nodes.min(axis=1), nodes.max(axis=1)
    wrong = np.flatnonzero((first == second) | (first < 0) | (second >= d))
    if len(wrong):
        raise InputError(
            f"pairs[{wrong[0]}] = {nodes[wrong[0]].tolist()} joins no two of {d} nodes."
        )
    code = first * d + second
    if len(np.unique(code)) < n_columns:
        raise InputError("pairs lists a pair twice. Add up the weights of parallel edges first.")
    return d, first, second


def _read_columns(at: str | ArrayLike, beta: Floats) -> Integers:
    if isinstance(at, str):
        if at == "all":
            return np.arange(len(beta))
        if at == "support":
            return np.flatnonzero(beta > 0)
        raise InputError(f"at must be 'all', 'support' or column numbers; it is {at!r}.")
    columns = np.asarray(at)
    if columns.ndim != 1 or (columns.size and columns.dtype.kind not in "iu"):
        raise InputError("at must be 'all', 'support' or a list of column numbers.")
    if columns.size and not (columns.min() >= 0 and columns.max() < len(beta)):
        raise InputError(f"at names a column outside 0 … {len(beta) - 1}.")
    return columns.astype(np.int64)


def _read_partition(partition: Sequence[ArrayLike], d: int) -> list[Integers]:
    parts = [np.sort(np.asarray(part, dtype=np.int64).ravel()) for part in partition]
    listed = np.sort(np.concatenate([*parts, np.empty(0, dtype=np.int64)]))
    if not np.array_equal(listed, np.arange(d)):
        raise InputError(f"partition must hold every node 0 … {d - 1} in exactly one set.")
    return [part for part in parts if len(part)]


def solve(
    networks: Networks,
    *,
    want: Literal["partition", "sum", "each"] = "sum",
    engine: str = "auto",
    threads: int | None = None,
) -> tuple[Floats, Floats, str, int]:
    """Run the engine that fits: log-partitions, and ``w R`` summed over samples or of each one.

    Returns the two, the engine's name, and how many samples took the wide path. Bad weights are
    found on the way (a kernel looks at each anyway) and reported by sample and column.
    """
    if engine not in ENGINES:
        raise InputError(f"engine must be one of {', '.join(ENGINES)}; it is {engine!r}.")
    n, n_edges = len(networks.W), len(networks.columns)
    log_partition = np.zeros(n)
    each = np.zeros((n, n_edges)) if want == "each" else np.empty((0, n_edges))
    total = np.zeros(n_edges)
    name = "log"
    wide_rows = np.arange(n)
    grounded = bool(networks.ground.max(initial=0.0) > 0)
    calm = not grounded or _are_calm(networks.ground)
    if engine != "log" and calm and n:
        layout = plan(networks.d, networks.first, networks.second, grounded, engine)
        name = "sparse" if len(layout.row_start) else "dense"
        safe = _run_lanes(networks, layout, grounded, want, threads, log_partition, total, each)
        wide_rows = _empty if safe.all() else np.flatnonzero(~np.repeat(safe, LANES)[:n])
    if len(wide_rows):
        _check_rows(networks, wide_rows)
        wide = _run_wide(networks, wide_rows, grounded, want, threads, log_partition)
        if want == "each":
            each[wide_rows] = wide
        elif want == "sum":
            total += wide.sum(axis=0)
    return log_partition, each if want == "each" else total, name, len(wide_rows)


_empty = np.empty(0, dtype=np.int64)


def _are_calm(ground: Floats) -> bool:
    lowest = ground.min()
    if lowest == 0:
        lowest = ground[ground > 0].min()
    return bool(lowest >= SMALLEST and ground.max() <= LARGEST)


def _run_lanes(
    networks: Networks,
    layout: Layout,
    grounded: bool,
    want: str,
    threads: int | None,
    log_partition: Floats,
    total: Floats,
    each: Floats,
) -> NDArray[np.bool_]:
    W = networks.W
    if networks.log:
        # Clipped, so that what would overflow or vanish is still seen to be out of bounds.
        W = np.where(np.isneginf(W), 0.0, np.exp(np.clip(W, -700.0, 700.0)))
    n_groups = -(-len(W) // LANES)
    safe = np.zeros(n_groups, dtype=np.bool_)
    # The cut depends on the size alone, not on the threads, so results repeat to the bit.
    n_chunks = int(min(n_groups, MOST_CHUNKS, max(1, n_groups * layout.cost // COST_PER_CHUNK)))
    cuts = [n_groups * k // n_chunks for k in range(n_chunks + 1)]
    n_edges = len(networks.columns)
    totals = np.zeros((n_chunks, n_edges))
    ground = networks.ground if grounded else np.empty(0)
    least = networks.beta.min(initial=1.0)
    if least == 0:
        least = networks.beta[networks.beta > 0].min(initial=1.0)
    floor = 1e-300 / max(1e-300, least)
    width = max(16 * layout.n_blocks * layout.stride, int(layout.row_size.max(initial=0)))
    rooms = (
        layout.n_cells,
        2 * width,
        n_edges + LANES,
        8 * layout.n_blocks + len(layout.row_start) + 7,
        n_edges if want == "sum" else 0,
    )

    def job(chunk: int) -> None:
        cells, buffers, raw, per_node, sums = workspace(*rooms)
        run_groups(
            W,
            networks.columns,
            networks.beta,
            floor,
            ground,
            layout,
            cuts[chunk],
            cuts[chunk + 1],
            cells,
            buffers,
            raw,
            per_node,
            log_partition,
            safe,
            sums,
            each,
            totals[chunk],
        )

    run_jobs([partial(job, chunk) for chunk in range(n_chunks)], threads)
    if want == "sum":
        total += totals.sum(axis=0)
    return safe


def _run_wide(
    networks: Networks,
    rows: Integers,
    grounded: bool,
    want: str,
    threads: int | None,
    log_partition: Floats,
) -> Floats:
    weights = networks.W[np.ix_(rows, networks.columns)]
    weight, weight_exponent = from_log(weights) if networks.log else from_plain(weights)
    beta, beta_exponent = from_plain(networks.beta)
    ground, ground_exponent = from_plain(networks.ground if grounded else np.empty(0))
    each = np.zeros(weights.shape if want != "partition" else (0, 0))

    def job(part: slice) -> None:
        run_wide(
            networks.d,
            networks.first,
            networks.second,
            rows[part],
            beta * weight[part],
            np.where(beta > 0, beta_exponent + weight_exponent[part], 0),
            weight[part],
            weight_exponent[part],
            ground,
            ground_exponent,
            log_partition,
            each[part],
        )

    parts = range(0, len(rows), WIDE_ROWS_PER_CHUNK)
    run_jobs([partial(job, slice(k, k + WIDE_ROWS_PER_CHUNK)) for k in parts], threads)
    return each


def _check_rows(networks: Networks, rows: Integers) -> None:
    """Tell weights that are merely wild from those that are wrong."""
    part = networks.W[rows]
    bad_row = np.isnan(part).any(axis=1) | (part == np.inf).any(axis=1)
    if not networks.log:
        bad_row |= (part < 0).any(axis=1)
    if bad_row.any():
        check_weights(networks.W, "W", log=networks.log)
