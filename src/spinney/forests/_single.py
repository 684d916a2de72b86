"""One network, read and split into wide numbers: what samplers, counts and modes start from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import pair_nodes
from spinney.exceptions import InputError
from spinney.forests._input import read_ground, read_matrices
from spinney.forests._wide import from_log, from_plain

__all__ = ["WideNetwork", "read_network"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class WideNetwork(NamedTuple):
    """The arguments that all wide kernels begin with; `ground` is empty for spanning trees."""

    d: int
    first: Integers
    second: Integers
    mantissas: Floats
    exponents: Integers
    ground: Floats
    ground_exponents: Integers


def read_network(W: ArrayLike, ground: ArrayLike, log: bool) -> tuple[WideNetwork, Floats, Floats]:
    """Read one matrix; return it as wide numbers, its log-weights by pair, and the root weights.

    Examples
    --------
    >>> network, log_weights, _ = read_network([[0, 4], [4, 0]], 1.0, log=False)
    >>> network.exponents, log_weights.round(3)
    (array([2]), array([1.386]))
    """
    pairs, shape, d = read_matrices(W, log=log, as_log=log)
    if shape:
        raise InputError("W must be one matrix, shape (d, d); loop over the stack.")
    roots = read_ground(ground, d)
    first, second = (nodes.astype(np.int64) for nodes in pair_nodes(d))
    mantissas, exponents = from_log(pairs[0]) if log else from_plain(pairs[0])
    ground_mantissas, ground_exponents = from_plain(roots if roots.any() else np.empty(0))
    network = WideNetwork(
        d, first, second, mantissas, exponents, ground_mantissas, ground_exponents
    )
    with np.errstate(divide="ignore"):
        log_weights = pairs[0] if log else np.log(pairs[0])
    return network, log_weights, roots
