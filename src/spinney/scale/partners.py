"""The strongest pairs of each column of a wide table, found block by block."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._core.arrays import Floats, Ints
from spinney._core.pairs import pair_ends, pair_numbers
from spinney._core.progress import progress_bar
from spinney.evidence.matrices import chi_squared_deviate, normal_deviate, permutation_variance
from spinney.evidence.measured import FEWEST_ROWS, Measured
from spinney.scores import Scores

Singles = NDArray[np.float32]

PARTNERS = 50
"""Pairs of each column that are kept: its strongest."""
BLOCK = 250
"""Columns that are compared with all others at a time."""
SMALLEST_SPREAD = 1e-9


class Partners(NamedTuple):
    """Strong pairs of columns.

    Attributes
    ----------
    first, second : int arrays of shape (n_listed,)
        Their columns, the smaller one first; pairs in the order of ``np.triu_indices(d, 1)``.
    strength : array of shape (n_listed,)
        A standard normal deviate for independent pairs, or the larger of two.
    """

    first: Ints
    second: Ints
    strength: Floats


def find_partners(scores: Scores, partners: int = PARTNERS, progress: bool = False) -> Partners:
    r"""Find the strongest pairs of each column.

    A pair's strength is the size of :math:`\sqrt m \operatorname{artanh} r` of its normal scores,
    or the deviate of the squared correlations of all its scores, whichever is larger. No matrix of
    all scores by all scores is held: of 5,000 columns it would have 3 GiB.

    Parameters
    ----------
    scores : Scores
        Scores of all columns.
    partners : int
        Pairs of each column that are kept.
    progress : bool
        Whether to show a progress bar.

    Examples
    --------
    >>> from spinney.scores import read_scores
    >>> from spinney.tables import read_table
    >>> x = np.random.default_rng(0).normal(size=(200, 40))
    >>> x[:, 3] = x[:, 2] ** 2 + 0.5 * x[:, 3]
    >>> found = find_partners(read_scores(read_table(x)), 1)
    >>> strongest = found.strength.argmax()
    >>> int(found.first[strongest]), int(found.second[strongest])
    (2, 3)
    """
    d = len(scores.counts)
    kept = min(partners, d - 1)
    values = scores.values.astype(np.float32)
    here = None if scores.present.all() else scores.present.astype(np.float32)
    leverage = Measured(scores).leverage_of(np.arange(len(scores.owners)))
    numbers, strengths = [], []
    with progress_bar(d, "partners", progress) as advance:
        for low in range(0, d, BLOCK):
            block = np.arange(low, min(low + BLOCK, d))
            strength = _strengths(scores, block, values, here, leverage)
            best = np.argpartition(-strength, kept - 1, axis=1)[:, :kept]
            own = np.take_along_axis(strength, best, 1)
            row, column = np.nonzero(own > 0.0)
            numbers.append(pair_numbers(block[row], best[row, column], d))
            strengths.append(own[row, column])
            advance(len(block))
    listed, at = np.unique(np.concatenate(numbers), return_index=True)
    return Partners(*pair_ends(listed, d), np.concatenate(strengths)[at])


def _strengths(
    scores: Scores, block: Ints, values: Singles, here: Singles | None, leverage: Floats
) -> Floats:
    """Strengths of the pairs of some neighbouring columns with all columns, 0 with themselves."""
    starts, ends = scores.starts, scores.starts + scores.counts
    low, high = starts[block[0]], ends[block[-1]]
    own = values[:, low:high]
    r = own.T @ values
    if here is None:
        common = np.full((len(block), len(starts)), float(len(values)))
        r /= len(values)
    else:
        there, counts = here[:, block], scores.counts[block]
        common = (there.T @ here).astype(float)
        spread = ((own * own).T @ here)[:, scores.owners]
        spread *= (there.T @ (values * values)).repeat(counts, axis=0)
        r /= np.sqrt(np.maximum(spread, SMALLEST_SPREAD))
    rows = common * scores.row_shares[block]
    straight = normal_deviate(r[np.ix_(starts[block] - low, starts)], rows)
    straight[scores.nominal[block]] = straight[:, scores.nominal] = 0.0
    r *= r
    summed = np.add.reduceat(np.add.reduceat(r, starts, axis=1), starts[block] - low, axis=0)
    p = scores.counts.astype(float)
    variance = permutation_variance(rows, p[block, None], p, leverage[block, None], leverage)
    mean = np.multiply.outer(p[block], p) * rows / np.maximum(rows - 1.0, 1.0)
    strength = np.maximum(
        np.abs(straight), chi_squared_deviate(rows * summed, mean, rows**2 * variance)
    )
    strength[rows < FEWEST_ROWS] = 0.0
    strength[np.arange(len(block)), block] = 0.0
    return strength
