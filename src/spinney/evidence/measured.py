"""What every group of channels starts from: names of channels, scores, correlations, and rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

import numpy as np

from spinney._core.arrays import Bools, Floats, Ints
from spinney.evidence.matrices import (
    block_sums,
    pairwise_correlation,
    permutation_variance,
    shrunk_inverse,
)
from spinney.scores import Scores

Parity = Literal["even", "odd"]
Unit = Literal["plain", "deviate"]

FEWEST_ROWS = 10
"""Independent rows below which nothing is known of a pair."""


@dataclass(frozen=True)
class Channel:
    """One number that is known of every pair.

    Attributes
    ----------
    name : str
        Its name.
    parity : {"even", "odd"}
        Whether it stays as it is when one column of the pair is negated, or changes its sign.
    group : str
        What it is about, for those who leave out a whole group.
    meaning : str
        What it says, in one line.
    unit : {"plain", "deviate"}
        Whether it is a plain number of moderate size, or a standard normal deviate for independent
        pairs.
    """

    name: str
    parity: Parity
    group: str
    meaning: str
    unit: Unit = "plain"


def channels_of(parity: Parity, group: str, **meanings: str) -> tuple[Channel, ...]:
    """Name channels of a group; those whose names end in "_z" are deviates."""
    return tuple(
        Channel(name, parity, group, meaning, "deviate" if name.endswith("_z") else "plain")
        for name, meaning in meanings.items()
    )


even, odd = partial(channels_of, "even"), partial(channels_of, "odd")


@dataclass(frozen=True, eq=False)
class Measured:
    """Scores of a table and what follows from them, each computed once.

    Attributes
    ----------
    scores : Scores
        Scores of all columns, and facts of each.
    """

    scores: Scores

    @property
    def d(self) -> int:
        """Number of columns."""
        return len(self.scores.counts)

    @cached_property
    def common(self) -> Floats:
        """Rows with both values, shape (d, d)."""
        n, d = self.scores.present.shape
        if self.scores.present.all():
            return np.full((d, d), float(n))
        here = self.scores.present.astype(float)
        return here.T @ here

    @cached_property
    def rows(self) -> Floats:
        """Independent rows that these are worth, shape (d, d)."""
        return self.common * self.scores.row_shares

    @cached_property
    def known(self) -> Bools:
        """Pairs with at least ten independent rows, shape (d, d)."""
        return self.rows >= FEWEST_ROWS

    @cached_property
    def apart(self) -> Floats:
        """How far each pair has rows of its own, shape (d, d): 0 without gaps, up to 1."""
        apart = 1.0 - np.sqrt(self.common / max(len(self.scores.present), 1))
        np.fill_diagonal(apart, 0.0)
        return apart

    @cached_property
    def ridge_rows(self) -> Floats:
        """Rows by which ridges are measured, shape (d, d).

        What a column explains in these rows does not depend on whether they are independent. So
        the correlations of slow columns enter an inverse in full, and dependent rows make its
        ridge larger by their share over all pairs.
        """
        shares = self.scores.row_shares[np.triu_indices(self.d, 1)]
        return self.common * (shares.mean() if shares.size else 1.0)

    def scaled(self, worth: Floats) -> Floats:
        """Rows that a ridge is worth in units of each pair's independent rows, shape (d, d)."""
        return worth * self.rows / np.maximum(self.ridge_rows, 1e-12)

    @cached_property
    def seen(self) -> Bools:
        """Pairs with at least ten rows in common, independent or not, shape (d, d)."""
        return self.common >= FEWEST_ROWS

    @cached_property
    def R(self) -> Floats:  # noqa: N802 - the usual letter
        """Correlations of all scores, shape (q, q); those of pairs that were not seen are 0."""
        scores, owners = self.scores, self.scores.owners
        R = pairwise_correlation(scores.values, scores.present, owners)
        seen = self.seen.copy()
        np.fill_diagonal(seen, False)  # scores of one column are uncorrelated by construction
        if not seen.all():
            R *= seen[np.ix_(owners, owners)]
        np.fill_diagonal(R, 1.0)
        return R

    @cached_property
    def score(self) -> Floats:
        """Correlations of normal scores, 0 for nominal columns, shape (d, d)."""
        starts = self.scores.starts
        score = self.R[np.ix_(starts, starts)].copy()
        score[self.scores.nominal] = score[:, self.scores.nominal] = 0.0
        return score

    @cached_property
    def squares(self) -> Floats:
        """Sum of squared correlations of the scores of two columns, shape (d, d)."""
        return block_sums(self.R**2, self.scores.starts)

    def inverse_of(self, places: Ints, worth: Floats) -> Floats:
        """Inverse of the correlations of some scores, drawn to 0: :func:`shrunk_inverse`."""
        at = np.ix_(self.scores.owners[places], self.scores.owners[places])
        return shrunk_inverse(self.R[np.ix_(places, places)], self.ridge_rows[at], worth[at])

    @cached_property
    def information(self) -> Floats:
        """Mutual information of the scores of two columns, were they normal; in nats a row."""
        return information(self.R, self.scores.starts, self.scores.counts)

    @cached_property
    def moments(self) -> tuple[Floats, Floats]:
        """As :meth:`moments_of` all scores."""
        return self.moments_of(np.arange(len(self.scores.owners)))

    def moments_of(self, places: Ints) -> tuple[Floats, Floats]:
        """Mean and variance of m times the squared correlations of scores, by permutation.

        Of two columns, shape (d, d) each; `places` are those of the scores, increasing, one of
        each column at least.
        """
        rows, counts = self.rows, np.bincount(self.scores.owners[places], minlength=self.d)
        p, leverage = counts.astype(float), self.leverage_of(places)
        variance = permutation_variance(
            rows, p[:, None], p[None, :], leverage[:, None], leverage[None, :]
        )
        mean = np.multiply.outer(p, p) * rows / np.maximum(rows - 1.0, 1.0)
        return mean, rows**2 * variance

    def leverage_of(self, places: Ints) -> Floats:
        """N times the sum of squared leverages of the rows in some scores of each column.

        `places` are increasing, and hold one score of each column at least.
        """
        scores = self.scores
        starts = np.searchsorted(scores.owners[places], np.arange(self.d))
        own = np.add.reduceat(scores.values[:, places] ** 2, starts, axis=1)
        return np.einsum("ij,ij->j", own, own) / np.maximum(scores.present.sum(axis=0), 1)


def information(R: Floats, starts: Ints, counts: Ints) -> Floats:
    r"""Mutual information of the scores of two columns, were they normal, in nats a row.

    .. math:: -\tfrac12 \log \det (I - R_{uv} R_{vu})

    Parameters
    ----------
    R : array of shape (q, q)
        Correlations of all scores; those of one column lie side by side.
    starts, counts : int arrays of shape (d,)
        The first score of each column, and how many it has.

    Returns
    -------
    array of shape (d, d)
        Zero on the diagonal.

    Examples
    --------
    >>> information(np.array([[1.0, 0.6], [0.6, 1.0]]), np.arange(2), np.ones(2, int)).round(3)
    array([[0.   , 0.223],
           [0.223, 0.   ]])
    """
    d = len(starts)
    found = np.zeros((d, d))
    kinds = np.unique(counts)
    for a in kinds:
        for b in kinds[kinds >= a]:
            u, v = np.flatnonzero(counts == a), np.flatnonzero(counts == b)
            rows, columns = (starts[x][:, None] + np.arange(k) for x, k in ((u, a), (v, b)))
            B = R[rows[:, None, :, None], columns[None, :, None, :]]
            rest = np.linalg.det(np.eye(a) - B @ B.swapaxes(2, 3))
            found[np.ix_(u, v)] = -0.5 * np.log(np.clip(rest, 1e-8, 1.0))
            found[np.ix_(v, u)] = found[np.ix_(u, v)].T
    np.fill_diagonal(found, 0.0)
    return found
