"""What goes in: tables of sample weights, patterns of edges, and checks of all arguments."""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import cached_property
from itertools import pairwise
from numbers import Real
from typing import Any, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import coo_array, csgraph

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import as_writeable
from spinney._core.pairs import pair_nodes
from spinney.exceptions import InputError

Want = Literal["partition", "sum", "each"]

SMALLEST = 1e-140
LARGEST = 1e140
"""Weights within these bounds are *in range*: nothing overflows, and what underflows is negligible.

A fill edge :math:`p_{ki} w_{kj} = p_{kj} w_{ki}` below 1e-158 is fainter than both
:math:`w_{ki}` and :math:`w_{kj}` by 1e-18. Beside it runs the path through the main neighbour of k,
which conducts nearly as well as the fainter of the two: the sum would round the fill away. The
share of an edge that does matter, 1e-158 over a total of 1e142 at most, is a normal number; were it
to underflow, a fill as strong as the edge itself would be lost.
"""

LEAST_LOG = -700.0
"""Smaller log-weights are raised to this: still out of range, but not zero."""


class Samples:
    r"""Weights of every pair in every sample, ready to be evaluated many times.

    :func:`evaluate`, :func:`evaluate_unrooted` and :meth:`Evaluator.evaluate` take it in place of
    an array. It is read and checked here, once; logarithms are turned into weights once, at the
    first evaluation, and both tables are kept.

    Parameters
    ----------
    W : array of shape (n, n_pairs)
        Weights, at least zero. An array of doubles in C order is not copied and must not change.
    log : bool
        Whether `W` holds log-weights (``-inf``: no edge in that sample).

    Raises
    ------
    InputError
        If a weight is negative (unless it is a logarithm), infinite or NaN.

    Examples
    --------
    >>> from spinney import forests
    >>> samples = Samples([[2.0, 1.0, 3.0], [1.0, 1.0, 1.0]])
    >>> np.exp(forests.evaluate([1.0, 1.0, 0.0], samples).log_partition).round(9)
    array([13.,  8.])
    """

    log: bool
    table: Floats
    """Weights or log-weights, as they were given."""

    def __init__(self, W: ArrayLike, *, log: bool = False) -> None:
        table = as_writeable(read_float_array(W, "W"))
        if table.ndim != 2:
            raise InputError(
                f"W must have a row per sample and a column per pair; its shape is {table.shape}."
            )
        self.table, self.log, self._checked = table, log, False
        self.check()

    @classmethod
    def unchecked(cls, table: Floats, log: bool) -> Samples:
        """Wrap a table of doubles in C order, to be checked only if a sample is out of range."""
        samples = cls.__new__(cls)
        samples.table, samples.log, samples._checked = table, log, False
        return samples

    def check(self) -> None:
        """Refuse wrong weights; those out of range are not wrong."""
        if not self._checked:
            check_weights(self.table, "W", log=self.log)
            self._checked = True

    def __len__(self) -> int:
        """Count the samples."""
        return len(self.table)

    @cached_property
    def plain(self) -> Floats:
        """The table without logarithms; infinite or raised weights are out of range."""
        if not self.log:
            return self.table
        with np.errstate(over="ignore"):
            weights: Floats = np.exp(np.maximum(self.table, LEAST_LOG))
        weights[np.isneginf(self.table)] = 0.0
        return weights


def read_samples(W: ArrayLike | Samples, log: bool, n_columns: int) -> Samples:
    """Read an array, checking its type and shape only; Samples may be given, too."""
    samples = W
    if not isinstance(samples, Samples):
        samples = Samples.unchecked(as_writeable(read_float_array(W, "W")), log)
    elif log and not samples.log:
        raise InputError(
            "log=True, but the Samples hold plain weights. Say log where they are made."
        )
    if samples.table.ndim != 2 or samples.table.shape[1] != n_columns:
        raise InputError(
            f"W must have a row per sample and {n_columns} columns, one per pair; its shape is "
            f"{samples.table.shape}."
        )
    return samples


class Pattern:
    """What networks share: their edges, the weights that samples are multiplied by, and roots.

    Edge e joins ``first[e] < second[e]`` of `d` nodes; its weight in sample j is
    ``beta[e] * w[j, columns[e]]``, where columns are pair numbers. Properties of these
    are computed once.

    Attributes
    ----------
    grounded : bool
        Whether any node has a root weight.
    in_range : bool
        Whether plain doubles can hold the root weights and what becomes of them.
    floor : float
        The smallest sample weight that no beta can make vanish.
    """

    def __init__(
        self, d: int, first: Ints, second: Ints, columns: Ints, beta: Floats, ground: Floats
    ) -> None:
        self.d = d
        self.first = first
        self.second = second
        self.columns = columns
        self.beta = beta
        self.ground = ground
        highest = float(np.maximum.reduce(ground, initial=0.0))
        self.grounded = highest > 0
        self.in_range = not self.grounded or (
            highest <= LARGEST and _least_positive(ground) >= SMALLEST
        )
        self.floor = float(1e-300 / max(1e-300, min(1.0, _least_positive(beta))))

    @cached_property
    def support(self) -> Pattern:
        """The edges of positive weight alone."""
        present = np.flatnonzero(self.beta)
        return Pattern(
            self.d,
            self.first[present],
            self.second[present],
            self.columns[present],
            self.beta[present],
            self.ground,
        )


def _least_positive(values: Floats) -> float:
    """Find the smallest positive number; infinity if there is none."""
    least = float(np.minimum.reduce(values, initial=np.inf))
    return least if least > 0 else float(values[values > 0].min(initial=np.inf))


def connected_labels(first: Ints, second: Ints, n_nodes: int) -> Ints:
    """Label the nodes by the connected component of some pairs, the smallest node first.

    Examples
    --------
    >>> connected_labels(np.array([0]), np.array([2]), 3)
    array([0, 1, 0])
    """
    graph = coo_array((np.ones(len(first), dtype=np.int8), (first, second)), (n_nodes, n_nodes))
    return csgraph.connected_components(graph, directed=False)[1].astype(np.int64)


def split_nodes(
    label: Ints, first: Ints, second: Ints
) -> Iterator[tuple[Ints, Ints, tuple[Ints, Ints]]]:
    """Yield the nodes of each label, the pairs within, and what those join, counted within.

    Examples
    --------
    >>> label, first, second = np.array([1, 0, 1]), np.array([0, 0, 1]), np.array([1, 2, 2])
    >>> [(nodes.tolist(), pairs.tolist()) for nodes, pairs, _ in split_nodes(label, first, second)]
    [([1], []), ([0, 2], [1])]
    """
    if not label.any():  # as most often
        yield np.arange(len(label)), np.arange(len(first)), (first, second)
        return
    place = np.empty(len(label), dtype=np.int64)
    inside = np.flatnonzero(label[first] == label[second])
    pairs = by_label(label[first[inside]], int(label.max(initial=-1)) + 1)
    for nodes, own in zip(by_label(label), pairs, strict=True):
        place[nodes] = np.arange(len(nodes))
        columns = inside[own]
        yield nodes, columns, (place[first[columns]], place[second[columns]])


def by_label(label: Ints, n_labels: int = 0) -> list[Ints]:
    """List the places of each label.

    Examples
    --------
    >>> [places.tolist() for places in by_label(np.array([2, 0, 2]))]
    [[1], [], [0, 2]]
    """
    ends = np.cumsum(np.bincount(label, minlength=n_labels)).tolist()
    order = np.argsort(label, kind="stable")
    return [order[begin:end] for begin, end in pairwise([0, *ends])]


def no_tree(ground: Floats, which: str) -> str:
    """Explain a log-partition of -inf."""
    if ground.any():
        return (
            f"In {which} some component holds no node with a positive root weight, so there is no "
            "rooted forest and the log-partition is -inf. Give every node a root weight."
        )
    return (
        f"In {which} the edges of positive weight do not connect all nodes, so there is no "
        "spanning tree and the log-partition is -inf. Use ground > 0, or a partition."
    )


SYMMETRY_TOLERANCE = 1e-12


def read_float_array(values: Any, name: str) -> Floats:
    """Read an array of real numbers."""
    try:
        array = np.asarray(values)
        if array.dtype.kind == "c":
            raise InputError(f"{name} holds complex numbers; weights are real.")
        return np.asarray(array, dtype=float, order="C")
    except (TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} must be an array of numbers ({error}).") from error


def read_integers(values: Any) -> Ints | None:
    """Read a list, an array or a set of whole numbers, not booleans; None for anything else.

    Examples
    --------
    >>> read_integers({2, 0}), read_integers([]), read_integers([0.5])
    (array([0, 2]), array([], dtype=int64), None)
    """
    try:
        array = np.asarray(sorted(values) if isinstance(values, Set) else values)
    except (TypeError, ValueError):  # a set of what cannot be ordered; a ragged list
        return None
    return array.astype(np.int64) if array.dtype.kind in "iu" or not array.size else None


def read_count(value: Any, name: str, least: int = 1, most: int | None = None) -> int:
    """Read one whole number within bounds.

    Examples
    --------
    >>> read_count(np.int64(3), "k")
    3
    >>> read_count(2.5, "k")
    Traceback (most recent call last):
    spinney.exceptions.InputError: k must be a whole number, at least 1; it is 2.5.
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        bounds = f"at least {least}" if most is None else f"{least} to {most}"
        raise InputError(f"{name} must be a whole number, {bounds}; it is {value!r}.")
    return int(value)


def read_threads(threads: Any) -> int | None:
    """Read a number of threads, or None for the default."""
    return None if threads is None else read_count(threads, "threads")


def check_positive(**numbers: Any) -> None:
    """Refuse numbers that are not positive and finite."""
    for name, value in numbers.items():
        if not isinstance(value, Real) or not 0.0 < float(value) < np.inf:
            raise InputError(f"{name} must be positive and finite, not {value!r}.")


def read_ground(ground: ArrayLike, d: int) -> Floats:
    """Read root weights as one number per node.

    Examples
    --------
    >>> read_ground(1.0, 3)
    array([1., 1., 1.])
    """
    if isinstance(ground, float) and 0.0 <= ground < np.inf:  # the usual case, quickly
        return np.full(d, ground)
    array = read_float_array(ground, "ground")
    if array.ndim and array.shape != (d,):
        raise InputError(
            f"ground must be one number or one per node: {d} of them, not shape {array.shape}."
        )
    if not (np.isfinite(array).all() and (array >= 0).all()):
        raise InputError("ground holds a root weight that is negative, infinite or NaN.")
    return np.array(np.broadcast_to(array, (d,)))


def check_weights(values: Floats, name: str, *, log: bool) -> None:
    """Refuse NaN, infinity and, unless they are logarithms, negative weights."""
    if values.max(initial=0.0) < np.inf and (log or values.min(initial=0.0) >= 0):
        return  # the quick way; NaN fails the comparison
    where = _first_bad(values, log=log)
    if where is not None:
        _refuse(values[where], f"{name}[{', '.join(map(str, where))}]", log=log)


def read_matrices(W: ArrayLike, *, log: bool, as_log: bool) -> tuple[Floats, tuple[int, ...], int]:
    """Read one symmetric matrix or a stack of them.

    Returns
    -------
    pairs : array of shape (n, n_pairs)
        The upper triangles in the order of the pairs; logarithms if `as_log`.
    shape : tuple
        Shape of the stack, ``()`` for one matrix.
    d : int
        Number of nodes.

    Examples
    --------
    >>> read_matrices([[0, 2], [2, 0]], log=False, as_log=False)
    (array([[2.]]), (), 2)
    """
    matrices = read_float_array(W, "W")
    if matrices.ndim < 2 or matrices.shape[-1] != matrices.shape[-2] or matrices.shape[-1] == 0:
        raise InputError(
            f"W must be a square matrix or a stack of them, shape (..., d, d); "
            f"it has shape {matrices.shape}."
        )
    d = matrices.shape[-1]
    shape = matrices.shape[:-2]
    flat = matrices.reshape(-1, d, d).copy()
    flat[:, np.arange(d), np.arange(d)] = 0.0  # the diagonal is ignored
    bad = _first_bad(flat, log=log)
    if bad is not None:
        row, u, v = bad
        which = f" of matrix {row}" if shape else ""
        _refuse(flat[bad], f"The weight W[{u}, {v}]{which}", log=log)
    turned = flat.transpose(0, 2, 1)
    with np.errstate(invalid="ignore"):  # -inf and -inf are equal
        close = np.abs(flat - turned) <= SYMMETRY_TOLERANCE * np.abs(flat)
    different = np.argwhere((flat != turned) & ~close)
    if len(different):
        row, u, v = different[0]
        which = f" of matrix {row}" if shape else ""
        raise InputError(
            f"W{which} is not symmetric: W[{u}, {v}] = {flat[row, u, v]} but "
            f"W[{v}, {u}] = {flat[row, v, u]}. Use (W + W.T) / 2 if that is what you mean."
        )
    first, second = pair_nodes(d)
    upper = np.ascontiguousarray(flat[:, first, second])  # samples in rows, as kernels read them
    if as_log and not log:
        with np.errstate(divide="ignore"):
            upper = np.log(upper)
    elif log and not as_log:
        upper = np.exp(upper)
    return upper, shape, d


def read_matrix(W: ArrayLike, *, log: bool, as_log: bool) -> tuple[Floats, int]:
    """Read one symmetric matrix: its pairs, shape (1, n_pairs), and the number of nodes."""
    pairs, shape, d = read_matrices(W, log=log, as_log=as_log)
    if shape:
        raise InputError("W must be one matrix, shape (d, d); loop over the stack.")
    return pairs, d


def _first_bad(values: Floats, *, log: bool) -> tuple[int, ...] | None:
    bad = np.isnan(values) | (values == np.inf) if log else ~((values >= 0) & (values < np.inf))
    return tuple(int(i) for i in np.argwhere(bad)[0]) if bad.any() else None


def _refuse(value: float, place: str, *, log: bool) -> NoReturn:
    kind = "NaN" if np.isnan(value) else "infinite" if np.isinf(value) else "negative"
    cure = (
        "Log-weights are finite, or -inf for an absent edge."
        if log
        else "Weights are finite and at least zero; pass log=True for logarithms."
    )
    raise InputError(f"{place} is {kind} ({value}). {cure}")
