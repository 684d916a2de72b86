r"""Whether a table is like those that the judge has seen.

A table's evidence is summarised by a few dozen numbers (:func:`table_summary`): its size, and how
strong and how even the evidence is over its pairs. They do not depend on the order of the columns,
nor on their signs (odd channels count by their absolute values). A :class:`Cloud` describes the
distribution of these numbers over the tables of training, and finds tables that lie outside it.

Most summaries depend on the size of a table (of ten rows, even independent columns look
correlated), so each is compared with tables of the same size: with x the summary and
s = (log d, log n),

.. math:: r = \frac{x - \mu(s)}{\sigma(s)}, \qquad z = \Phi^{-1}\bigl(\hat F(r)\bigr)

where :math:`\mu` and :math:`\log \sigma` are cubic polynomials fitted by least squares and
:math:`\hat F` interpolates quantiles (sizes, missing values and levels are taken as they are). A
table has two scores, the largest :math:`|z|` of a single summary and the joint (Mahalanobis)
distance :math:`\sqrt{(z - m)^T \Sigma^{-1} (z - m)}`. The limits come from tables that were not
used for the fit, so the rate of false alarms holds for any shape of the distribution (split
conformal p-values [1]_, [2]_). Each score raises an alarm at half of ``FALSE_ALARMS``.

References
----------
.. [1] V. Vovk, A. Gammerman and G. Shafer (2005). Algorithmic learning in a random world. Springer.
.. [2] S. Bates, E. Candès, L. Lei, Y. Romano and M. Sesia (2023). Testing for outliers with
   conformal p-values. Annals of Statistics 51, 149-178.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from spinney._core.arrays import Floats
from spinney._core.pairs import to_matrix
from spinney.evidence.evidence import CHANNELS, PLACES, Evidence, judge_inputs
from spinney.notices import Notice

FALSE_ALARMS = 0.004
"""Share of the world's own tables that :meth:`Cloud.outside` takes for out of distribution."""
ROOM = 2.0
"""How many times the rows seen with so many columns a table may have before it is told."""
LEAST_SCALE = 1e-3
"""Spread of a summary that is the same in all tables."""
N_TAILS = 64
_TAIL = np.array([0.001, 0.002, 0.005, 0.01, 0.02, 0.05])
LEVELS = np.concatenate([_TAIL, np.linspace(0.1, 0.9, 17), 1.0 - _TAIL[::-1]])
"""Probabilities whose quantiles are kept of each summary."""
_SCORES = ndtri(LEVELS)
PREFIX = "cloud_"
"""What the names of stored arrays begin with."""
TIED = 0.02
"""Share of tied pairs of rows from which on a column has many ties."""
N_SIZES = 2
"""The first summaries: log d and log n."""
N_FREE = 8
"""The first summaries again, with gaps, levels and ties: those that do not depend on the size."""


LOOKED_AT = {
    **{"information": 0.3, "score": 0.3, "score_z": 3.0, "shapes_z": 3.0, "partial_free": 0.2},
    **{"partial": 0.1, "partial_shapes_z": 3.0, "least_z": 3.0, "most_z": 3.0},
}
"""Channels that are summarised over pairs, and from where on a pair is strong."""
SUMMARY_NAMES = (
    *("log_d", "log_n", "gaps", "gaps_most", "ties_one", "ties_both", "nominal", "tied"),
    *("first_eigenvalue", "second_eigenvalue", "flatness", "collinearity"),
    *("neighbour", "loneliest", "hub"),
    *(f"{c}_{s}" for c in LOOKED_AT for s in ("mean", "median", "high", "top", "strong")),
)
"""The summaries: sizes; shares of pairs with gaps, ties and nominal columns; eigenvalues of the
correlations; each column's largest correlation; the busiest column; and the mean, three quantiles
and the share of strong pairs of channels."""
_QUANTILES = (0.5, 0.9, 0.99)
_ODD = {channel.name for channel in CHANNELS if channel.parity == "odd"}
_STRONG = np.array(list(LOOKED_AT.values()))
_LEAST_EIGENVALUE = 1e-3


def table_summary(evidence: Evidence) -> Floats:
    """Summarise the evidence of a table by the numbers in ``SUMMARY_NAMES``.

    Parameters
    ----------
    evidence : Evidence
        From :func:`spinney.evidence.measure`.

    Returns
    -------
    array of shape (n_summaries,)
        Finite always.

    Examples
    --------
    >>> from spinney.evidence import measure
    >>> from spinney.simulate import gaussian_mrf
    >>> summary = table_summary(measure(gaussian_mrf(50, 4, random_state=0).table))
    >>> SUMMARY_NAMES[:2], summary[:2].round(2)
    (('log_d', 'log_n'), array([1.39, 3.91]))
    """
    read = judge_inputs(evidence.values)
    return summarise(read, evidence.n_nodes, evidence.n_samples)


def summarise(values: NDArray[np.floating], d: int, n: int) -> Floats:
    """Summarise evidence as the judge reads it, of all pairs of d columns with n rows."""
    own = dict(zip(PLACES, np.asarray(values, dtype=np.float64).T, strict=True))
    looked = np.array([np.abs(own[c]) if c in _ODD else own[c] for c in LOOKED_AT])
    strong = (looked > _STRONG[:, None]).mean(axis=1)
    over_pairs = [looked.mean(axis=1), *np.quantile(looked, _QUANTILES, axis=1), strong]
    gaps = 1.0 - np.expm1(own["rows"]) / np.exp(own["all_rows"])
    tied, tied_least = own["tied"], own["tied_least"]
    table = [np.log(d), np.log(n), gaps.mean(), gaps.max(), (tied > TIED).mean()]
    table += [(tied_least > TIED).mean(), own["nominal"].mean(), tied.mean()]
    summaries = table, _matrix_summaries(own["score"]), np.stack(over_pairs, axis=1).ravel()
    return np.concatenate(summaries)


def _matrix_summaries(correlations: Floats) -> Floats:
    """Summarise the matrix of correlations by its eigenvalues and its columns."""
    matrix = to_matrix(correlations)
    d, strongest, busy = len(matrix), np.abs(matrix).max(axis=1), (matrix**2).sum(axis=1)
    eigenvalues = np.linalg.eigvalsh(matrix + np.eye(d))
    flatness = d / (d + busy.sum())  # (sum of eigenvalues)^2 / (d times the sum of squares)
    collinearity = np.log(np.maximum(eigenvalues, _LEAST_EIGENVALUE)).mean()
    columns = np.median(strongest), strongest.min(), busy.max() / max(busy.mean(), 1e-12)
    return np.array([*eigenvalues[[-1, -2]] / d, flatness, collinearity, *columns])


def log_work(sizes: Floats) -> Floats:
    """Logarithm of pairs times rows: large tables may be known only as narrow or as short ones."""
    log_d, log_n = np.moveaxis(sizes, -1, 0)
    return log_d + np.log(np.maximum(np.expm1(log_d), LEAST_SCALE)) + log_n


def size_terms(sizes: Floats, ranges: Floats) -> Floats:
    """Polynomial terms up to the third degree in log d and log n, each scaled to -1 … 1.

    A cubic must not be trusted outside, so sizes beyond the ranges count as the nearest inside:
    d first, then n, then as many rows as tables with so many pairs have at most.
    """
    inside = np.clip(sizes, *ranges[:N_SIZES].T)
    excess = np.maximum(log_work(inside) - ranges[N_SIZES, 1], 0.0)
    inside = np.stack([inside[..., 0], inside[..., 1] - excess], axis=-1)
    middle = ranges[:N_SIZES].mean(axis=1)
    half = np.maximum(np.ptp(ranges[:N_SIZES], axis=1) / 2.0, LEAST_SCALE)
    d, n = np.moveaxis((inside - middle) / half, -1, 0)
    terms = [d**i * n**j for i in range(4) for j in range(4 - i)]
    return np.stack(terms, axis=-1)


def adjust(x: Floats, sizes: Floats, location: Floats, log_scale: Floats) -> Floats:
    """Take out what the size of a table explains: r = (x - μ) / σ."""
    terms = size_terms(x[..., :N_SIZES], sizes)
    return (x - terms @ location) / np.exp(terms @ log_scale)


def normal_scores(adjusted: Floats, quantiles: Floats) -> Floats:
    """Score adjusted summaries by their quantiles at ``LEVELS``, a row for each summary."""
    scores = [_score(adjusted[..., k], knots) for k, knots in enumerate(quantiles)]
    return np.stack(scores, axis=-1)


def _score(r: Floats, knots: Floats) -> Floats:
    """Score one summary; beyond its range, a straight line goes on from the median."""
    places, scores, middle = _read_knots(knots.tobytes())
    below = np.minimum(r - places[0], 0.0) / max(middle - places[0], LEAST_SCALE)
    above = np.maximum(r - places[-1], 0.0) / max(places[-1] - middle, LEAST_SCALE)
    return np.asarray(np.interp(r, places, scores) + _SCORES[-1] * (below + above))


@lru_cache(maxsize=256)  # of a few judges
def _read_knots(knots: bytes) -> tuple[Floats, Floats, float]:
    """Return the different quantiles, the score of each, and the median."""
    values = np.frombuffer(knots)
    # Equal quantiles (a share that is mostly zero) get the middle of their scores.
    places, which = np.unique(values, return_inverse=True)
    return places, np.bincount(which, weights=_SCORES) / np.bincount(which), np.median(values)


@dataclass(frozen=True, eq=False)
class Cloud:
    """How the summaries of the training tables are spread.

    Fitted when a judge is trained, and stored with it as plain arrays (:meth:`to_arrays`).

    Attributes
    ----------
    sizes : array of shape (3, 2)
        Least and largest of log d, of log n and of the logarithm of pairs times rows.
    location, log_scale : arrays of shape (n_terms, n_summaries)
        Coefficients of the polynomials.
    quantiles : array of shape (n_summaries, n_levels)
        Of the adjusted summaries r, at ``LEVELS``.
    center : array of shape (n_summaries,)
        Mean of z.
    whitening : array of shape (n_summaries, n_summaries)
        Takes z less its mean to coordinates without correlation, of variance about one.
    single_tail, joint_tail : arrays of shape (n_tails,)
        Scores that a share 1, …, 1 / (m + 1) of the tables reaches, evenly spaced in its logarithm.
    n_tables : array of shape (2,)
        Tables to fit, and tables to read the tails off.
    """

    sizes: Floats
    location: Floats
    log_scale: Floats
    quantiles: Floats
    center: Floats
    whitening: Floats
    single_tail: Floats
    joint_tail: Floats
    n_tables: Floats

    def normal_scores(self, summaries: ArrayLike) -> Floats:
        """Place summaries in the cloud: standard normal over the world's tables of a size.

        Parameters
        ----------
        summaries : array of shape (..., n_summaries)
            Of one table or of many.

        Returns
        -------
        array of the same shape
            Beyond the outermost quantiles it goes on in a straight line.
        """
        x = np.asarray(summaries, dtype=np.float64)
        adjusted = adjust(x, self.sizes, self.location, self.log_scale)
        return normal_scores(adjusted, self.quantiles)

    def limits(self, summary: Floats) -> Floats:
        """Range of each summary that 99.8 % of the world's tables of the same size lie in.

        Returns
        -------
        array of shape (n_summaries, 2)
        """
        terms = size_terms(summary[:N_SIZES], self.sizes)
        middle = (terms @ self.location)[:, None]
        scale = np.exp(terms @ self.log_scale)[:, None]
        return middle + scale * self.quantiles[:, [0, -1]]

    def outside(self, summary: Floats) -> bool:
        """Tell whether a table lies beyond the world's tables of its size.

        Either a single summary does, or all together do; where the size itself is beyond
        (:meth:`sizes_beyond`), only the first counts.

        Parameters
        ----------
        summary : array of shape (n_summaries,)
            From :func:`table_summary`.

        Returns
        -------
        bool
            False for 996 of 1,000 tables of the world.
        """
        z = self.normal_scores(summary)
        low, high = self.limits(summary).T
        single, joint = self.cuts
        beyond = (np.abs(z) > single) & ~((low <= summary) & (summary <= high))
        if beyond[N_SIZES:].any():
            return True
        return not self.sizes_beyond(summary) and float(self.joint_scores(z)) > joint

    def joint_scores(self, z: Floats) -> Floats:
        """Joint distances of tables, given the normal scores of their summaries."""
        return np.linalg.norm((z - self.center) @ self.whitening.T, axis=-1)

    @cached_property
    def _tails(self) -> Floats:
        """Logarithms of the shares that the stored tails belong to, from one down."""
        return np.linspace(0.0, -np.log(self.n_tables[1] + 1.0), N_TAILS)

    @cached_property
    def cuts(self) -> tuple[float, float]:
        """Single and joint score beyond which a table is an outlier: half the false alarms each."""
        share = -np.log(FALSE_ALARMS / 2.0)
        single, joint = (
            float(np.interp(share, -self._tails, tail))
            for tail in (self.single_tail, self.joint_tail)
        )
        return single, joint

    def sizes_beyond(self, summary: Floats) -> list[Notice]:
        """Say whether a table has fewer or more columns and rows than the judge has seen."""
        found = []
        for value, (low, high), noun in zip(
            summary[:N_SIZES], np.exp(self.sizes[:N_SIZES]), ("columns", "rows"), strict=True
        ):
            # The sizes are of a sample of tables: rounded, the limits that all were drawn within.
            size, least, most = round(np.exp(value)), round(low), int(float(f"{high:.2g}"))
            if not least <= size <= most:
                found.append(size_notice(noun, size, least, most))
        d, n = np.exp(summary[:N_SIZES])
        most = int(np.exp(self.sizes[N_SIZES, 1]) / (d * max(d - 1.0, 1.0)) * (1.0 + 1e-6))
        if not found and n > ROOM * most:
            seen = f"of {d:,.0f} columns, the judge has seen tables with {most:,} rows at most."
            found.append(Notice("unlike-training-work", f"The table has {n:,.0f} rows; {seen}"))
        return found

    def to_arrays(self) -> dict[str, NDArray[np.float32]]:
        """Give plain arrays with names that begin by ``cloud_``."""
        stored = {PREFIX + own.name: getattr(self, own.name) for own in fields(self)}
        return {name: np.asarray(array, dtype=np.float32) for name, array in stored.items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> Cloud:
        """Take what :meth:`to_arrays` gave; other arrays beside it are ignored."""
        names = [own.name for own in fields(cls)]
        return cls(**{name: np.asarray(arrays[PREFIX + name], dtype=np.float64) for name in names})


def size_notice(noun: str, size: int, least: int, most: int) -> Notice:
    """Say that a table has fewer or more columns, or rows, than the judge has seen."""
    seen = f"the judge has seen tables with {least:,} to {most:,}"
    facts = {"size": size, "least": least, "most": most}
    return Notice(f"unlike-training-{noun}", f"The table has {size:,} {noun}; {seen}.", facts=facts)
