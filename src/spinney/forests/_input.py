"""Checks of the arguments of the forest algebra: weights, matrices, counts, root weights."""

from __future__ import annotations

from collections.abc import Set
from numbers import Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats, Ints
from spinney._core.pairs import pair_nodes
from spinney.exceptions import InputError

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
