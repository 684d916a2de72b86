"""Dependence of any shape: correlations of polynomials of the ranks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from spinney._core.pairs import pair_nodes, to_matrix, to_pairs
from spinney.evidence.channels import Measured, compress, even
from spinney.evidence.correlations import (
    block_sizes,
    chi_squared_deviate,
    null_spread,
    shrunk_inverse,
    stacked_scores,
)

__all__ = ["CHANNELS", "channels"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

CHANNELS = even(
    "shapes",
    shapes_z="s(z), z the normal deviate of m times the squared correlations of all polynomials of "
    "the ranks up to degree 4, but for that of the ranks themselves [Neyman's smooth test]",
    partial_shapes_z="s(z) of the size of the pair's block in their inverse correlation matrix",
)


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of the group "shapes".

    A pair whose columns have k and l polynomials (of a nominal column: classes less one) has k l
    correlations. If the pair is independent they are independent, and m times the sum of
    their squares is chi-squared: not for a monotone dependence alone, which the first of them sees,
    but for a ring, a wave, or a variance that moves.
    """
    scores, gains = measured.scores, measured.gains
    d = scores.normal.shape[1]
    columns = tuple(np.flatnonzero(shape.any(axis=0)) for shape in scores.shapes)
    R, owners = stacked_scores(measured, scores.shapes, columns)
    # Bends of a slow column are faster than the column itself.
    rows = gains.n_rows * np.sqrt(scores.row_shares)
    apart = 1.0 - np.sqrt(gains.n_rows / len(scores.present))
    first, second = pair_nodes(d)
    counts = np.bincount(owners, minlength=d)
    squares = _sums_by_owner(_sums_by_owner(R**2, owners, d).T, owners, d)
    ranks = np.zeros((d, d))
    ranks[np.ix_(columns[0], columns[0])] = R[: columns[0].size, : columns[0].size] ** 2
    straight = to_pairs(ranks)
    degrees = counts[first] * counts[second]
    ordered = ~(scores.nominal[first] | scores.nominal[second])
    bent = np.where(ordered, degrees - 1, degrees)
    rest = rows * (to_pairs(squares) - np.where(ordered, straight, 0.0))
    marginal = np.where(bent > 0, chi_squared_deviate(rest, bent), 0.0)
    q = len(R)
    worth = q * (1.0 + 2.0 * apart)
    both = np.ix_(owners, owners)
    inverse = shrunk_inverse(R, to_matrix(rows)[both], to_matrix(worth, diagonal=q)[both])
    sizes, _ = block_sizes(inverse, owners, d)
    partial = rows * (to_pairs(sizes) / null_spread(rows, worth, q, apart)) ** 2
    found = {"shapes_z": marginal, "partial_shapes_z": chi_squared_deviate(partial, degrees)}
    return {name: np.where(gains.known, compress(z), 0.0) for name, z in found.items()}


def _sums_by_owner(values: Floats, owners: Ints, d: int) -> Floats:
    """Sum the rows of each owner."""
    ones = sparse.csr_array(
        (np.ones(len(owners)), (owners, np.arange(len(owners)))), (d, len(owners))
    )
    return np.asarray(ones @ values)
