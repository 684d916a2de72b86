"""What is known about edges beforehand, as one factor of the penalty per pair."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.choices import column_position
from spinney._core.knowledge import both_required_and_forbidden, read_pairs
from spinney._core.pairs import pair_nodes, to_pairs
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
    n_candidates : int
        Pairs of the whole table that may be edges and need not.
    """

    penalty_factors: Floats
    required: NDArray[np.int64]
    n_candidates: int

    def among(self, pairs: NDArray[np.int64] | None) -> Knowledge:
        """Restrict it to listed pairs, all required ones among them; None: all pairs are listed.

        Others are no candidates for the model, but they were for the search: their number stays.
        """
        if pairs is None:
            return self
        required = np.searchsorted(pairs, self.required)
        return Knowledge(self.penalty_factors[pairs], required, self.n_candidates)


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
    if (groups >= 0).any():
        first, second = pair_nodes(d)
        known = (groups[first] >= 0) & (groups[second] >= 0)
        penalty_factors[known & (groups[first] != groups[second])] = np.inf
    penalty_factors[read_pairs(forbidden, names, "forbidden")] = np.inf
    wanted = read_pairs(required, names, "required")
    for pair in wanted[np.isinf(penalty_factors[wanted])]:
        raise both_required_and_forbidden(int(pair), names)
    penalty_factors[wanted] = 0.0
    n_candidates = int(np.isfinite(penalty_factors).sum()) - len(wanted)
    return Knowledge(penalty_factors, wanted, n_candidates)


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
