"""Channels of correlations, of squares, and of what the columns are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import pair_nodes, to_matrix, to_pairs
from spinney.evidence.correlations import (
    RIDGES,
    Stack,
    block_sizes,
    inverse_of,
    partial_correlation,
    ridge,
    stacked_correlation,
)
from spinney.evidence.gains import Gains
from spinney.evidence.scales import fisher_z, root, tame
from spinney.evidence.scores import Scores

__all__ = ["correlation_channels", "table_channels"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

MEDIUM = 1
"""The ridge that serves where there is but one."""
LARGEST_LATENT = 0.99
"""A correlation that levels blur is corrected to no more than that."""


def correlation_channels(scores: Scores, gains: Gains) -> dict[str, Floats]:
    """Compute the channels of the groups "correlations" and "squares"."""
    n, d = scores.normal.shape
    ordered = np.flatnonzero(~scores.nominal)
    bent = np.flatnonzero(scores.squares.any(axis=0))
    # Scores of all columns, then squares, then classes: one matrix for all correlations.
    arrays = scores.normal, scores.squares, scores.classes
    columns = ordered, bent, np.arange(scores.classes.shape[1])
    owners = np.concatenate([ordered, bent, scores.owners])
    known = to_matrix(gains.known, diagonal=1.0)[np.ix_(owners, owners)] > 0.0
    same = np.equal.outer(owners, owners)
    R = stacked_correlation(Stack(arrays, columns, scores.present, owners))
    R = np.where(known & ~same, R, 0.0)  # scores of one column are uncorrelated by construction
    np.fill_diagonal(R, 1.0)
    ridges = [ridge(n, d, strength) for strength in RIDGES]
    linear = np.concatenate([np.arange(ordered.size), np.arange(ordered.size + bent.size, len(R))])
    inverses = inverse_of(R[np.ix_(linear, linear)], ridges)
    spread = _Spread(d, ordered)
    partials = [spread(partial_correlation(x)[: ordered.size, : ordered.size]) for x in inverses]
    score = spread(R[: ordered.size, : ordered.size])
    latent, partial_latent = _latent(score, scores, gains, ridges[MEDIUM])
    found = {"tau": gains.tau}
    names = ("score", "latent", "partial_free", "partial", "partial_firm", "partial_latent")
    rows = np.sqrt(gains.n_rows)
    for name, r in zip(names, (score, latent, *partials, partial_latent), strict=True):
        found[name], found[f"{name}_z"] = r, tame(rows * fisher_z(r))

    inverse = inverse_of(R, [ridge(n, len(R), RIDGES[MEDIUM])])[0]
    sizes, counts = block_sizes(inverse, owners, d)
    any_kind = np.where(gains.known, to_pairs(sizes), 0.0)
    first, second = pair_nodes(d)
    surplus = gains.n_rows * any_kind**2 - np.where(gains.known, counts[first] * counts[second], 0)
    found["partial_any"], found["partial_any_z"] = fisher_z(any_kind), tame(root(surplus))

    bends = slice(ordered.size, ordered.size + bent.size)
    straight = slice(ordered.size)
    both, cross = _Spread(d, bent), _Spread(d, ordered, bent)
    partial = partial_correlation(inverse)
    squared = both(R[bends, bends])
    excess = np.where(both.there, squared - score**2, 0.0)
    found["squares"] = tame(rows * excess)
    found["bends"] = tame(rows * cross.size(R[straight, bends]))
    found["partial_squares"] = tame(rows * fisher_z(both(partial[bends, bends])))
    found["partial_bends"] = tame(rows * cross.size(partial[straight, bends]))
    return {name: np.where(gains.known, values, 0.0) for name, values in found.items()}


def table_channels(scores: Scores, gains: Gains) -> dict[str, Floats]:
    """Compute the channels of the group "table"."""
    n, d = scores.normal.shape
    first, second = pair_nodes(d)
    shown, levels = scores.shown, scores.levels
    whole = np.ones(len(first))
    return {
        "rows": np.log1p(gains.n_rows),
        "all_rows": np.log(n) * whole,
        "columns": np.log(d) * whole,
        "gaps": 1.0 - gains.n_rows / n,
        "shown_least": np.minimum(shown[first], shown[second]),
        "shown_most": np.maximum(shown[first], shown[second]),
        "levels_least": np.minimum(levels[first], levels[second]),
        "levels_most": np.maximum(levels[first], levels[second]),
        "nominal": scores.nominal[first].astype(float) + scores.nominal[second],
        "tied": np.maximum(scores.tied[first], scores.tied[second]),
    }


class _Spread:
    """Puts numbers of some columns in their places among all pairs, 0 elsewhere."""

    def __init__(
        self, d: int, rows: NDArray[np.intp], columns: NDArray[np.intp] | None = None
    ) -> None:
        self.d = d
        self.where = np.ix_(rows, rows if columns is None else columns)

    def _whole(self, matrix: Floats) -> Floats:
        whole = np.zeros((self.d, self.d))
        whole[self.where] = matrix
        return whole

    def __call__(self, matrix: Floats) -> Floats:
        """Spread a symmetric matrix."""
        return to_pairs(self._whole(matrix))

    def size(self, matrix: Floats) -> Floats:
        """Join the two entries that a pair has in a matrix of one score against another."""
        whole = self._whole(matrix) ** 2
        return np.sqrt(to_pairs(whole + whole.T))

    @property
    def there(self) -> Bools:
        """The pairs that have a place in the matrix."""
        return to_pairs(self._whole(np.ones([len(x.ravel()) for x in self.where]))) > 0.0


def _latent(score: Floats, scores: Scores, gains: Gains, strength: float) -> tuple[Floats, Floats]:
    """Correlations of the normal variables behind the columns, and their partial ones.

    By Kendall's tau where both columns are continuous, by that of the fitted copula where one has
    levels. Where that is independence, the correlation of scores is corrected for what the levels
    do not show.
    """
    first, second = pair_nodes(len(scores.shown))
    smooth = (scores.levels[first] == 0.0) & (scores.levels[second] == 0.0)
    blur = np.sqrt(np.maximum(scores.shown[first] * scores.shown[second], 1e-6))
    corrected = np.clip(score / blur, -LARGEST_LATENT, LARGEST_LATENT)
    by_tau = np.sin(0.5 * np.pi * np.where(smooth, gains.tau, gains.fitted_tau))
    ordered = ~(scores.nominal[first] | scores.nominal[second]) & gains.known
    latent = np.where(smooth | (gains.fitted_tau != 0.0), by_tau, corrected)
    latent = np.where(ordered, latent, 0.0)
    inverse = inverse_of(to_matrix(latent, diagonal=1.0), [strength])[0]
    return latent, np.where(ordered, to_pairs(partial_correlation(inverse)), 0.0)
