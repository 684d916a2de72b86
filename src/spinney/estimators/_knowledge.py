"""What is known about edges beforehand, as one factor of the penalty per pair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._pairs import pair_index, pair_nodes, to_pairs
from spinney._validation import column_position
from spinney.exceptions import InputError

__all__ = ["Knowledge", "read_knowledge"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Knowledge:
    """Knowledge about pairs.

    Attributes
    ----------
    penalty_factors : array of shape (n_pairs,)
        Factor of the penalty: zero for edges that are required, infinity for those forbidden.
    required : array of int
        Positions of the pairs that are edges in any case.
    """

    penalty_factors: Floats
    required: NDArray[np.int64]


def read_knowledge(
    names: tuple[str, ...],
    required: Iterable[Sequence[Any]] | None,
    forbidden: Iterable[Sequence[Any]] | None,
    separate: Sequence[Sequence[Any]] | None,
    penalty_weights: ArrayLike | None,
) -> Knowledge:
    """Turn required and forbidden edges, separate groups and weights into penalty factors."""
    d = len(names)
    penalty_factors = np.ones(d * (d - 1) // 2)
    if penalty_weights is not None:
        penalty_factors = _read_weights(penalty_weights, d)
    groups = np.full(d, -1)
    for number, group in enumerate(separate or ()):
        for column in group:
            position = column_position(column, names, "separate")
            if groups[position] >= 0:
                raise InputError(f"separate lists column {column!r} in two groups.")
            groups[position] = number
    first, second = pair_nodes(d)
    known = (groups[first] >= 0) & (groups[second] >= 0)
    penalty_factors[known & (groups[first] != groups[second])] = np.inf
    for edge in forbidden or ():
        penalty_factors[_pair(edge, names, "forbidden")] = np.inf
    wanted = sorted({_pair(edge, names, "required") for edge in required or ()})
    for pair in wanted:
        if np.isinf(penalty_factors[pair]):
            u, v = names[first[pair]], names[second[pair]]
            raise InputError(f"The edge '{u}' - '{v}' is both required and forbidden.")
    penalty_factors[wanted] = 0.0
    return Knowledge(penalty_factors, np.array(wanted, dtype=np.int64))


def _read_weights(penalty_weights: ArrayLike, d: int) -> Floats:
    matrix = np.asarray(penalty_weights, dtype=float)
    if matrix.shape != (d, d) or not np.array_equal(matrix, matrix.T):
        raise InputError(
            f"penalty_weights must be a symmetric matrix of shape ({d}, {d}); it has shape "
            f"{matrix.shape}."
        )
    weights = to_pairs(matrix)
    if np.isnan(weights).any() or (weights < 0).any():
        raise InputError("penalty_weights must not be negative or missing.")
    return weights


def _pair(edge: Sequence[Any], names: tuple[str, ...], what: str) -> int:
    if isinstance(edge, str) or len(edge) != 2:
        raise InputError(f"{what} must list pairs of columns; {edge!r} is none.")
    i, j = (column_position(column, names, what) for column in edge)
    if i == j:
        raise InputError(f"{what} joins column {edge[0]!r} to itself.")
    return int(pair_index(i, j, len(names)))
