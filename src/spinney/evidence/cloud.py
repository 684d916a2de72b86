r"""Whether a table is like those that the judge has seen.

A table's evidence is boiled down to a few dozen numbers (:func:`table_summary`): its size, and how
strong and how even the evidence is over its pairs. A :class:`Cloud` knows how these numbers are
spread over the tables of the training world, and says in what a new table lies beyond them.

Most summaries depend on the size of a table (of ten rows, even independent columns look
correlated), so each is compared with tables of the same size: with x the summary and
s = (log d, log n),

.. math:: r = \frac{x - \mu(s)}{\sigma(s)}, \qquad z = \Phi^{-1}\bigl(\hat F(r)\bigr)

where :math:`\mu` and :math:`\log \sigma` are cubic polynomials fitted by least squares and
:math:`\hat F` interpolates quantiles. A table has two scores, the largest :math:`|z|` of a single
summary and the joint (Mahalanobis) distance
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
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.covariance import empirical_covariance, shrunk_covariance

from spinney.evidence.placing import (
    LEVELS,
    N_TAILS,
    adjust,
    fit_by_size,
    normal_scores,
    size_ranges,
    size_terms,
    tail_of,
)
from spinney.evidence.summaries import (
    N_SIZES,
    SUMMARIES,
    SUMMARY_NAMES,
    Summary,
    SummaryVector,
    table_summaries_from_pairs,
    table_summary,
)
from spinney.exceptions import InputError

__all__ = [
    "FALSE_ALARMS",
    "SUMMARY_NAMES",
    "Cloud",
    "Cuts",
    "Distance",
    "SummaryVector",
    "table_summaries_from_pairs",
    "table_summary",
]

Floats = NDArray[np.float64]

FALSE_ALARMS = 0.01
"""Share of the world's own tables that :meth:`Cloud.outside` calls foreign."""
MOST_SENTENCES = 3
MIN_TABLES = 800
"""Fewest tables a cloud is made of: half a per cent of a quarter of them is one table."""
CALIBRATION = 0.25
"""Share of the tables that the cuts are read off."""
SHRINKAGE = 0.02
"""Summaries repeat each other; without it, their nearly empty directions would decide alone."""
_PREFIX = "cloud_"


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
    """Scores beyond which a table is foreign: of a single summary, and of all together."""

    single: float
    joint: float


@dataclass(frozen=True, eq=False)
class Cloud:
    """How the summaries of the training tables are spread.

    Made by :meth:`from_summaries` and stored as plain arrays (:meth:`to_arrays`).

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

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> tables = rng.normal(size=(800, len(SUMMARY_NAMES)))
    >>> cloud = Cloud.from_summaries(tables)
    >>> cloud.outside(np.zeros(len(SUMMARY_NAMES)))
    []
    >>> strange = np.zeros(len(SUMMARY_NAMES))
    >>> strange[SUMMARY_NAMES.index("first_eigenvalue")] = 9.0
    >>> len(cloud.outside(strange)) > 0
    True
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

    @classmethod
    def from_summaries(
        cls,
        summaries: ArrayLike,
        names: Sequence[str] = SUMMARY_NAMES,
        *,
        random_state: int = 0,
    ) -> Cloud:
        """Fit the cloud of many tables.

        Parameters
        ----------
        summaries : array of shape (n_tables, n_summaries)
            One row per table, as :func:`table_summaries_from_pairs` gives them; 20,000 or more for
            cuts that can be relied on.
        names : sequence of str
            The summaries; the first two must be ``log_d`` and ``log_n``.
        random_state : int
            Which of the tables serve to fit, and which to read the cuts off.

        Raises
        ------
        InputError
            If there are too few tables, or a number is missing.
        """
        x = np.asarray(summaries, dtype=np.float64)
        if x.ndim != 2 or x.shape[1] != len(names):
            raise InputError(
                f"Summaries must be a table with {len(names)} columns; got shape {x.shape}."
            )
        if len(x) < MIN_TABLES:
            raise InputError(f"A cloud needs {MIN_TABLES} tables or more; got {len(x)}.")
        if not np.isfinite(x).all():
            row, column = np.argwhere(~np.isfinite(x))[0]
            raise InputError(f"Summary '{names[column]}' of table {row} is not finite.")
        order = np.random.default_rng(random_state).permutation(len(x))
        n_held = int(CALIBRATION * len(x))
        held, fitted = x[order[:n_held]], x[order[n_held:]]
        sizes = size_ranges(x[:, :N_SIZES])
        location, log_scale = fit_by_size(fitted, sizes)
        adjusted = adjust(fitted, sizes, location, log_scale)
        quantiles = np.quantile(adjusted, LEVELS, axis=0).T
        z = normal_scores(adjusted, quantiles)
        center = z.mean(axis=0)
        covariance = shrunk_covariance(empirical_covariance(z), shrinkage=SHRINKAGE)
        whitening = np.linalg.inv(np.linalg.cholesky(covariance))
        tail = np.zeros(N_TAILS)  # not known yet
        used = np.array([len(fitted), len(held)], dtype=np.float64)
        parts = (sizes, location, log_scale, quantiles, center, whitening, tail, tail, used)
        cloud = cls(tuple(names), *parts)
        cloud = cls.from_arrays(cloud.to_arrays())  # as it will be read back, to the last bit
        z = cloud.normal_scores(held)
        single, joint = (tail_of(scores) for scores in (_single(z), cloud._joint(z)))
        return replace(cloud, single_tail=single, joint_tail=joint)

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
        return normal_scores(adjusted, self.quantiles)

    def distance(self, summary: SummaryVector | ArrayLike) -> Distance:
        """Measure the joint distance of one table from the middle of the cloud.

        Examples
        --------
        >>> rng = np.random.default_rng(0)
        >>> cloud = Cloud.from_summaries(rng.normal(size=(800, len(SUMMARY_NAMES))))
        >>> cloud.distance(np.full(len(SUMMARY_NAMES), 5.0)).tail_probability < 0.01
        True
        """
        score = float(self._joint(self.normal_scores(self._values(summary))))
        return Distance(score, self._tail_probability(score, self.joint_tail))

    def single(self, summary: SummaryVector | ArrayLike) -> Distance:
        """Measure how far the strangest single summary of a table lies from its middle."""
        score = float(_single(self.normal_scores(self._values(summary))))
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

    def outside(self, summary: SummaryVector | ArrayLike) -> list[str]:
        """Say in what a table lies beyond the world's tables.

        Parameters
        ----------
        summary : SummaryVector or array
            From :func:`table_summary`.

        Returns
        -------
        list of str
            At most three sentences, the worst first; none for 99 of 100 tables of the world.
        """
        values = self._values(summary)
        said = self._sizes_beyond(values)
        z = self.normal_scores(values)
        single_limit, joint_limit = self.cuts
        limits = self.limits(values)
        spoken: set[str] = set()
        for k in np.argsort(-np.abs(z)):
            topic = self._described(int(k)).topic
            beyond = abs(z[k]) > single_limit and not limits[k, 0] <= values[k] <= limits[k, 1]
            if k < N_SIZES or not beyond or topic in spoken:
                continue  # mean, median and tail of one channel tell the same story: once is enough
            spoken.add(topic)
            said.append(self._sentence(int(k), values, limits[k]))
        distance = self.distance(values)
        if not said and distance.distance > joint_limit:
            said.append(self._together(values, z, distance, joint_limit))
        return said[:MOST_SENTENCES]

    def _values(self, summary: SummaryVector | ArrayLike) -> Floats:
        if isinstance(summary, SummaryVector):
            if summary.names != self.names:
                raise InputError("The summaries of this table are not those of the cloud.")
            return summary.values
        return np.asarray(summary, dtype=np.float64)

    def _joint(self, z: Floats) -> Floats:
        joint: Floats = np.linalg.norm((z - self.center) @ self.whitening.T, axis=-1)
        return joint

    @cached_property
    def _tails(self) -> Floats:
        """Logarithms of the shares that the stored tails belong to, from one down."""
        return np.linspace(0.0, -np.log(self.n_tables[1] + 1.0), N_TAILS)

    def _tail_probability(self, score: float, tail: Floats) -> float:
        return float(np.exp(np.interp(score, tail, self._tails)))

    @cached_property
    def cuts(self) -> Cuts:
        """Scores beyond which a table is foreign: half of the false alarms each."""
        share = -np.log(FALSE_ALARMS / 2.0)
        tails = (self.single_tail, self.joint_tail)
        return Cuts(*(float(np.interp(share, -self._tails, tail)) for tail in tails))

    def _sizes_beyond(self, values: Floats) -> list[str]:
        said = []
        for value, (low, high), noun in zip(
            values[:N_SIZES], np.exp(self.sizes[:N_SIZES]), ("columns", "rows"), strict=True
        ):
            size, least, most = round(np.exp(value)), round(low), round(high)
            if not least <= size <= most:
                said.append(
                    f"The table has {size:,} {noun}; the judge has seen tables with "
                    f"{least:,} to {most:,}."
                )
        return said

    def _described(self, k: int) -> Summary:
        name = self.names[k]
        return SUMMARIES.get(name, Summary(name, name, name))

    def _size(self, values: Floats) -> str:
        d, n = (round(float(size)) for size in np.exp(values[:N_SIZES]))
        return f"{d:,} columns and {n:,} rows"

    def _sentence(self, k: int, values: Floats, limits: Floats) -> str:
        words = self._described(k).words
        low, high = limits
        return (
            f"With {self._size(values)}, {words} is {_number(values[k])}; in 99.8 % of such "
            f"tables that the judge has seen it lies between {_number(low)} and {_number(high)}."
        )

    def _together(self, values: Floats, z: Floats, distance: Distance, limit: float) -> str:
        white = (z - self.center) @ self.whitening.T
        shares = (z - self.center) * (white @ self.whitening)  # they add up to the squared distance
        shares[:N_SIZES] = -np.inf
        first, second = np.argsort(-shares)[:2]
        words = [self._described(int(k)).words for k in (first, second)]
        return (
            f"With {self._size(values)}, no number by itself is unusual, but together they lie "
            f"at distance {distance.distance:.1f} from the middle of the tables that the judge "
            f"has seen (99.5 % of them within {limit:.1f}); most of it comes from {words[0]} "
            f"({_number(values[first])}) beside {words[1]} ({_number(values[second])})."
        )

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


_STORED = (
    "sizes",
    "location",
    "log_scale",
    "quantiles",
    "center",
    "whitening",
    "single_tail",
    "joint_tail",
    "n_tables",
)


def _single(z: Floats) -> Floats:
    """Largest score of a single summary; sizes have their own sentence."""
    single: Floats = np.abs(z[..., N_SIZES:]).max(axis=-1)
    return single


def _number(value: float) -> str:
    return f"{value:,.3g}"
