r"""Whether a table is like those that the judge has seen.

A table's evidence is boiled down to a few dozen numbers (:mod:`spinney.evidence.summaries`): its
size, and how strong and how even the evidence is over its pairs. A :class:`Cloud` knows how these
numbers are spread over the tables of the training world, and says in what a new table lies beyond
them.

Most summaries depend on the size of a table (of ten rows, even independent columns look
correlated), so each is compared with tables of the same size: with x the summary and
s = (log d, log n),

.. math:: r = \frac{x - \mu(s)}{\sigma(s)}, \qquad z = \Phi^{-1}\bigl(\hat F(r)\bigr)

where :math:`\mu` and :math:`\log \sigma` are cubic polynomials fitted by least squares and
:math:`\hat F` interpolates quantiles (sizes, gaps and levels are taken as they are). A table has
two scores, the largest :math:`|z|` of a single summary and the joint (Mahalanobis) distance
:math:`\sqrt{(z - m)^T \Sigma^{-1} (z - m)}`. How large is too large is read off tables that were
not used to fit all this, so that the rate of false alarms holds whatever the shape of the cloud
(split conformal p-values [1]_, [2]_): each score raises an alarm at half of :data:`FALSE_ALARMS`.

References
----------
.. [1] V. Vovk, A. Gammerman and G. Shafer (2005). Algorithmic learning in a random world. Springer.
.. [2] S. Bates, E. Candès, L. Lei, Y. Romano and M. Sesia (2023). Testing for outliers with
   conformal p-values. Annals of Statistics 51, 149-178.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from spinney.evidence.summaries import N_SIZES, SUMMARIES, Summary, SummaryVector
from spinney.exceptions import InputError
from spinney.notices import Notice

__all__ = ["FALSE_ALARMS", "Cloud", "Cuts", "Distance"]

Floats = NDArray[np.float64]

FALSE_ALARMS = 0.004
"""Share of the world's own tables that :meth:`Cloud.outside` takes for out of distribution."""
MOST_NOTICES = 3
ROOM = 2.0
"""How many times the rows seen with so many columns a table may have before it is told."""
LEAST_SCALE = 1e-3
"""Spread of a summary that is the same in all tables."""
N_TAILS = 64
_TAIL = np.array([0.001, 0.002, 0.005, 0.01, 0.02, 0.05])
LEVELS = np.concatenate([_TAIL, np.linspace(0.1, 0.9, 17), 1.0 - _TAIL[::-1]])
"""Probabilities whose quantiles are kept of each summary."""
_SCORES = ndtri(LEVELS)
_PREFIX = "cloud_"


def log_work(sizes: Floats) -> Floats:
    """Logarithm of pairs times rows: large tables may be known only as narrow or as short ones."""
    log_d, log_n = np.moveaxis(sizes, -1, 0)
    work: Floats = log_d + np.log(np.maximum(np.expm1(log_d), LEAST_SCALE)) + log_n
    return work


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


class ScoreMap(NamedTuple):
    """From an adjusted summary to its normal score: straight between places, and beyond."""

    places: Floats
    scores: Floats
    lower: float
    upper: float

    @classmethod
    def from_quantiles(cls, knots: Floats) -> ScoreMap:
        """Join the quantiles of one summary at :data:`LEVELS`."""
        # Equal quantiles (a share that is mostly zero) get the middle of their scores.
        places, which = np.unique(knots, return_inverse=True)
        scores = np.bincount(which, weights=_SCORES) / np.bincount(which)
        middle = float(np.median(knots))
        lower = _SCORES[-1] / max(middle - places[0], LEAST_SCALE)
        upper = _SCORES[-1] / max(places[-1] - middle, LEAST_SCALE)
        return cls(places, scores, lower, upper)

    def __call__(self, r: Floats) -> Floats:
        """Score adjusted summaries; out of the range, a straight line goes on from the median."""
        below = np.minimum(r - self.places[0], 0.0)
        above = np.maximum(r - self.places[-1], 0.0)
        z: Floats = np.interp(r, self.places, self.scores) + self.lower * below + self.upper * above
        return z


def score_maps(quantiles: Floats) -> list[ScoreMap]:
    """Make the map of each summary from its row of quantiles."""
    return [ScoreMap.from_quantiles(knots) for knots in quantiles]


def normal_scores(adjusted: Floats, maps: Sequence[ScoreMap]) -> Floats:
    """Score each column by its own map."""
    return np.stack([score(adjusted[..., k]) for k, score in enumerate(maps)], axis=-1)


class Distance(NamedTuple):
    """How far a table lies from the middle of the cloud.

    Attributes
    ----------
    distance : float
        Joint distance of all summaries, in standard deviations.
    tail_probability : float
        Share of the world's tables that lie at least as far; never below 1 / (m + 1), m the number
        of tables that it is read off.
    """

    distance: float
    tail_probability: float


class Cuts(NamedTuple):
    """Scores beyond which a table is out of distribution: of one summary, and of all together."""

    single: float
    joint: float


@dataclass(frozen=True, eq=False)
class Cloud:
    """How the summaries of the training tables are spread.

    Fitted when a judge is trained, and stored with it as plain arrays (:meth:`to_arrays`).

    Attributes
    ----------
    names : tuple of str
        The summaries; the first two are ``log_d`` and ``log_n``.
    sizes : array of shape (3, 2)
        Least and largest of log d, of log n and of the logarithm of pairs times rows.
    location, log_scale : arrays of shape (n_terms, n_summaries)
        Coefficients of the polynomials.
    quantiles : array of shape (n_summaries, n_levels)
        Of the adjusted summaries r, at :data:`LEVELS`.
    center : array of shape (n_summaries,)
        Mean of z.
    whitening : array of shape (n_summaries, n_summaries)
        Takes z less its mean to coordinates without correlation, of variance about one.
    single_tail, joint_tail : arrays of shape (n_tails,)
        Scores that a share 1, …, 1 / (m + 1) of the tables reaches, evenly spaced in its logarithm.
    n_tables : array of shape (2,)
        Tables to fit, and tables to read the tails off.
    """

    names: tuple[str, ...]
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
        if x.shape[-1:] != (len(self.names),):
            raise InputError(f"This cloud takes {len(self.names)} summaries; got shape {x.shape}.")
        adjusted = adjust(x, self.sizes, self.location, self.log_scale)
        return normal_scores(adjusted, self._maps)

    def distance(self, summary: SummaryVector | ArrayLike) -> Distance:
        """Measure the joint distance of one table from the middle of the cloud."""
        score = float(self.joint_scores(self.normal_scores(self._values(summary))))
        return Distance(score, self._tail_probability(score, self.joint_tail))

    def single(self, summary: SummaryVector | ArrayLike) -> Distance:
        """Measure how far the strangest single summary of a table lies from its middle."""
        score = float(self.single_scores(self.normal_scores(self._values(summary))))
        return Distance(score, self._tail_probability(score, self.single_tail))

    def limits(self, summary: SummaryVector | ArrayLike) -> Floats:
        """Range of each summary that 99.8 % of the world's tables of the same size lie in.

        Returns
        -------
        array of shape (n_summaries, 2)
        """
        values = self._values(summary)
        terms = size_terms(values[:N_SIZES], self.sizes)
        middle = (terms @ self.location)[:, None]
        scale = np.exp(terms @ self.log_scale)[:, None]
        limits: Floats = middle + scale * self.quantiles[:, [0, -1]]
        return limits

    def outside(self, summary: SummaryVector | ArrayLike) -> list[Notice]:
        """Find in what a table lies beyond the world's tables.

        Parameters
        ----------
        summary : SummaryVector or array
            From :func:`spinney.evidence.summaries.table_summary`.

        Returns
        -------
        list of Notice
            At most three, the worst first; none for 996 of 1,000 tables of the world.
        """
        values = self._values(summary)
        found = self._sizes_beyond(values)
        z = self.normal_scores(values)
        single_limit, joint_limit = self.cuts
        limits = self.limits(values)
        topics: set[str] = set()
        for k in np.argsort(-np.abs(z)):
            topic = self._described(int(k)).topic
            beyond = abs(z[k]) > single_limit and not limits[k, 0] <= values[k] <= limits[k, 1]
            if k < N_SIZES or not beyond or topic in topics:
                continue  # mean, median and tail of one channel tell the same story: once is enough
            topics.add(topic)
            above = values[k] > limits[k, 1]
            told = f"{self._described(int(k)).words} is {values[k]:,.3g}; in 99.9 % of such tables "
            side = f"at {'most' if above else 'least'} {limits[k, int(above)]:,.3g}"
            text = f"With {_size(values)}, {told}that the judge has seen it is {side}."
            found.append(Notice("unlike-training-summary", text))
        distance = float(self.joint_scores(z))
        if not found and distance > joint_limit:
            found.append(self._together(values, z, distance, joint_limit))
        return found[:MOST_NOTICES]

    def _values(self, summary: SummaryVector | ArrayLike) -> Floats:
        if isinstance(summary, SummaryVector):
            if summary.names != self.names:
                raise InputError("The summaries of this table are not those of the cloud.")
            return summary.values
        return np.asarray(summary, dtype=np.float64)

    def joint_scores(self, z: Floats) -> Floats:
        """Joint distances of tables, given the normal scores of their summaries."""
        joint: Floats = np.linalg.norm((z - self.center) @ self.whitening.T, axis=-1)
        return joint

    @staticmethod
    def single_scores(z: Floats) -> Floats:
        """Largest score of a single summary; sizes have their own notice."""
        single: Floats = np.abs(z[..., N_SIZES:]).max(axis=-1)
        return single

    @cached_property
    def _maps(self) -> list[ScoreMap]:
        return score_maps(self.quantiles)

    @cached_property
    def _tails(self) -> Floats:
        """Logarithms of the shares that the stored tails belong to, from one down."""
        return np.linspace(0.0, -np.log(self.n_tables[1] + 1.0), N_TAILS)

    def _tail_probability(self, score: float, tail: Floats) -> float:
        return float(np.exp(np.interp(score, tail, self._tails)))

    @cached_property
    def cuts(self) -> Cuts:
        """Scores beyond which a table is out of distribution: half of the false alarms each."""
        share = -np.log(FALSE_ALARMS / 2.0)
        tails = (self.single_tail, self.joint_tail)
        return Cuts(*(float(np.interp(share, -self._tails, tail)) for tail in tails))

    def _described(self, k: int) -> Summary:
        name = self.names[k]
        return SUMMARIES.get(name, Summary(name, name, name))

    def _sizes_beyond(self, values: Floats) -> list[Notice]:
        found = []
        for value, (low, high), noun in zip(
            values[:N_SIZES], np.exp(self.sizes[:N_SIZES]), ("columns", "rows"), strict=True
        ):
            size, least, most = round(np.exp(value)), round(low), round(high)
            if not least <= size <= most:
                found.append(size_notice(noun, size, least, most))
        d = float(np.exp(values[0]))
        most = int(np.exp(self.sizes[N_SIZES, 1]) / (d * max(d - 1.0, 1.0)) * (1.0 + 1e-6))
        if not found and np.exp(values[1]) > ROOM * most:
            columns, rows = _size(values).split(" and ")
            text = f"The table has {rows}; of {columns}, the judge has seen tables with {most:,} "
            found.append(Notice("unlike-training-work", f"{text}rows at most."))
        return found

    def _together(self, values: Floats, z: Floats, distance: float, limit: float) -> Notice:
        white = (z - self.center) @ self.whitening.T
        shares = (z - self.center) * (white @ self.whitening)  # they add up to the squared distance
        shares[:N_SIZES] = -np.inf
        pair = [int(k) for k in np.argsort(-shares)[:2]]
        first, second = (self._described(k).words for k in pair)
        text = (
            f"With {_size(values)}, no number by itself is unusual, but together they lie at "
            f"distance {distance:.1f} from the middle of the tables that the judge has seen (99.5 "
            f"% of them within {limit:.1f}); most of it comes from {first} "
            f"({values[pair[0]]:,.3g}) beside {second} ({values[pair[1]]:,.3g})."
        )
        return Notice("unlike-training-together", text)

    def to_arrays(self) -> dict[str, NDArray[np.generic]]:
        """Give plain arrays (float32; the names as bytes) with names that begin by ``cloud_``."""
        text = "\n".join(self.names).encode()
        arrays: dict[str, NDArray[np.generic]] = {
            _PREFIX + "names": np.frombuffer(text, dtype=np.uint8)
        }
        for name in _STORED:
            arrays[_PREFIX + name] = np.asarray(getattr(self, name), dtype=np.float32)
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> Cloud:
        """Take what :meth:`to_arrays` gave; other arrays beside it are ignored.

        Raises
        ------
        InputError
            If an array is missing.
        """
        missing = [n for n in ("names", *_STORED) if _PREFIX + n not in arrays]
        if missing:
            raise InputError(f"There is no array '{_PREFIX}{missing[0]}', so this is no cloud.")
        text = bytes(np.asarray(arrays[_PREFIX + "names"]).astype(np.uint8)).decode()
        kept = {name: np.asarray(arrays[_PREFIX + name], dtype=np.float64) for name in _STORED}
        return cls(names=tuple(text.split("\n")), **kept)


def size_notice(noun: str, size: int, least: int, most: int) -> Notice:
    """Say that a table has fewer or more columns, or rows, than the judge has seen."""
    seen = f"the judge has seen tables with {least:,} to {most:,}"
    facts = {"size": size, "least": least, "most": most}
    return Notice(f"unlike-training-{noun}", f"The table has {size:,} {noun}; {seen}.", facts=facts)


def _size(values: Floats) -> str:
    d, n = (round(float(size)) for size in np.exp(values[:N_SIZES]))
    return f"{d:,} columns and {n:,} rows"


SIZE_CODES = frozenset(f"unlike-training-{what}" for what in ("columns", "rows", "work"))
"""Codes of notices about the size of a table."""
_STORED = tuple(field.name for field in fields(Cloud) if field.name != "names")
