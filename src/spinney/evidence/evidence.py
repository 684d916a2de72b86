"""From a table to the evidence of all its pairs: every channel of each, and the table."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from spinney._core.arrays import Floats
from spinney._core.choices import column_position
from spinney._core.pairs import PairIndex, pair_index, pair_nodes
from spinney.evidence import conditional, correlations, facts
from spinney.evidence.measured import Channel, Measured
from spinney.exceptions import InputError
from spinney.scores import Scores, read_scores
from spinney.tables import Kinds, Missing, Table, read_table, warn_of_table

GROUPS = (correlations, conditional, facts)
"""The modules that compute channels, in order: ``CHANNELS`` has their names, and
``channels(measured)`` a matrix of columns by columns each. A new one needs its place here."""

_ALL = tuple(channel for group in GROUPS for channel in group.CHANNELS)
CHANNELS: tuple[Channel, ...] = tuple(sorted(_ALL, key=lambda channel: channel.parity))
"""All channels, even ones first."""
PLACES = {channel.name: k for k, channel in enumerate(CHANNELS)}
"""Where each channel stands, by name."""
N_EVEN = sum(channel.parity == "even" for channel in CHANNELS)
N_ODD = len(CHANNELS) - N_EVEN
KNEE = 3.0
_DEVIATES = np.array([channel.unit == "deviate" for channel in CHANNELS])


@dataclass(frozen=True, eq=False)
class Evidence:
    """Statistics of all pairs of columns; see :func:`measure`.

    Attributes
    ----------
    values : float32 array of shape (n_listed, n_channels)
        Listed pairs in the order of ``np.triu_indices(d, 1)``, channels in that of ``CHANNELS``.
    table : Table
        The table, rows in the order given.
    numbers : int array of shape (n_listed,), or None
        Numbers of the listed pairs, rising; None if all pairs are listed.
    scores : Scores
        Scores of the columns, computed when first needed.
    n_rows : int array of shape (n_listed,)
        Rows that have both values of each listed pair.

    Examples
    --------
    >>> from spinney.simulate import gaussian_mrf
    >>> evidence = measure(gaussian_mrf(200, 4, random_state=0).table)
    >>> evidence.values.shape == (6, len(CHANNELS))
    True
    >>> list(evidence.why("x0", "x3").columns)
    ['channel', 'value', 'meaning']
    """

    values: NDArray[np.float32]
    table: Table
    numbers: NDArray[np.int64] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns."""
        return self.table.names

    @property
    def n_samples(self) -> int:
        """Rows of the table."""
        return len(self.table)

    @property
    def n_nodes(self) -> int:
        """Number of columns."""
        return len(self.names)

    @cached_property
    def index(self) -> PairIndex:
        """The listed pairs."""
        return PairIndex(self.n_nodes, self.numbers)

    @cached_property
    def scores(self) -> Scores:
        """Scores of the columns."""
        return read_scores(self.table)

    @cached_property
    def n_rows(self) -> NDArray[np.int64]:
        """Rows that have both values of each listed pair."""
        present = self.table.present
        if present.all():
            return np.full(len(self.index), len(present))
        here = present.astype(np.float32)  # which counts to 16 million without error
        return (here.T @ here)[self.index.ends].astype(np.int64)

    def as_independent(self) -> Evidence:
        """Give what the judge reads if rows are weighted: independent rows, fewer of them.

        The effective sample size of each pair takes the place of its number of rows.
        """
        values = self.values.copy()
        rows, whole, lost = (PLACES[name] for name in ("rows", "all_rows", "dependent_rows"))
        values[:, rows] = np.log1p(np.expm1(values[:, rows]) * np.exp(-values[:, lost]))
        values[:, whole] -= np.median(values[:, lost])
        values[:, lost] = 0.0
        return Evidence(values, self.table, self.numbers)

    @property
    def even(self) -> NDArray[np.float32]:
        """Channels that do not change when a column is negated, shape (n_listed, n_even)."""
        return self.values[:, :N_EVEN]

    @property
    def odd(self) -> NDArray[np.float32]:
        """Channels that change their sign when a column is negated, shape (n_listed, n_odd)."""
        return self.values[:, N_EVEN:]

    def channel(self, name: str) -> NDArray[np.float64]:
        """One channel of all listed pairs."""
        return self.values[:, PLACES[name]].astype(float)

    @property
    def row_shares(self) -> NDArray[np.float64]:
        """Effective sample size of each listed pair over its number of rows."""
        return np.exp(-self.channel("dependent_rows"))

    def to_frame(self) -> pd.DataFrame:
        """One row per listed pair: source, target, and every channel."""
        first, second = self.index.ends
        names = np.array(self.names, dtype=object)
        frame = pd.DataFrame(self.values, columns=[channel.name for channel in CHANNELS])
        frame.insert(0, "source", names[first])
        frame.insert(1, "target", names[second])
        return frame

    def why(self, u: int | str, v: int | str) -> pd.DataFrame:
        """All that is known of one pair: channel, value, meaning.

        A pair that is not listed has no lines, because nothing was kept of it.

        Parameters
        ----------
        u, v : int or str
            Two columns, by position or name, in any order.

        Raises
        ------
        InputError
            If there is no such column, or both are the same.
        """
        i, j = (column_position(node, self.names, "why") for node in (u, v))
        if i == j:
            raise InputError(f"why needs two different columns, not {self.names[i]!r} and itself.")
        at = int(self.index.places_of(pair_index(i, j, self.n_nodes)))
        channels = CHANNELS if at >= 0 else ()
        return pd.DataFrame(
            {
                "channel": [channel.name for channel in channels],
                "value": self.values[at : at + 1].ravel(),
                "meaning": [channel.meaning for channel in channels],
            }
        )


def measure(
    table: Any, *, kind: Kinds | None = None, missing: Missing = "pairwise", unit: Any = None
) -> Evidence:
    r"""Measure the statistics of every pair of columns, alone and given others.

    Columns are scored first (:func:`spinney.scores.score_column`). Most statistics are correlations
    or partial correlations of scores, with their deviates for independent columns, such as
    Fisher's :math:`z = \sqrt{m - 3}\, \operatorname{artanh} r` with the effective sample size m
    [1]_. ``CHANNELS`` lists all of them with their meanings.

    Parameters
    ----------
    table : data frame, array, or Table
        The table.
    kind : mapping, optional
        Kinds of columns, where the automatic choice is wrong; see
        :func:`spinney.tables.read_table`.
    missing : {"pairwise", "drop", "error"}
        Whether missing values are kept, their rows are dropped, or they are refused.
    unit : int array of shape (n,), optional
        The unit (a patient, a school) that each row belongs to, in place of the units of a Table;
        see :mod:`spinney.scores.dependent_rows`.

    Returns
    -------
    Evidence
        One number per pair and channel.

    Raises
    ------
    InputError
        If the table cannot be read.

    Notes
    -----
    The numbers depend on the values of continuous columns only through their order, and on the
    order of the rows only where neighbouring rows are alike. Permuting columns permutes the pairs.
    Negating a column changes the sign of the odd channels of its pairs, and nothing else.

    References
    ----------
    .. [1] R. A. Fisher (1921). On the "probable error" of a coefficient of correlation deduced from
       a small sample. Metron 1, 3-32.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 3)).cumsum(axis=1)  # a chain
    >>> frame = measure(X).to_frame()
    >>> frame[["source", "target", "score_z", "least_z", "partial_z"]].round(0)
      source target  score_z  least_z  partial_z
    0     x0     x1     12.0      8.0        8.0
    1     x0     x2      9.0     -1.0       -1.0
    2     x1     x2     15.0     11.0       12.0
    """
    read = read_table(table, kind=kind, missing=missing, unit=unit)
    if not isinstance(table, Table):  # otherwise it was warned of when it was read
        warn_of_table(read, table)
    return Evidence(measure_scores(read_scores(read)), read)


def measure_scores(scores: Scores) -> NDArray[np.float32]:
    """Compute all channels from the scores of the columns, shape (n_pairs, n_channels)."""
    measured = Measured(scores)
    u, v = pair_nodes(measured.d)
    known = measured.known[u, v]
    values = np.empty((len(u), len(CHANNELS)), dtype=np.float32)
    found = {name: m for group in GROUPS for name, m in group.channels(measured).items()}
    for k, channel in enumerate(CHANNELS):
        own = found[channel.name][u, v]
        values[:, k] = own if channel.group == "table" else np.where(known, own, 0.0)
    return values


def compress(x: ArrayLike) -> Floats:
    r"""Compress large numbers, :math:`s(x) = 3 \operatorname{arsinh}(x / 3)`.

    Whether a pair is an edge depends on deviates between -3 and 3; with many rows, deviates reach
    hundreds.

    Examples
    --------
    >>> compress([-1.0, 3.0, 100.0]).round(2)
    array([-0.98,  2.64, 12.6 ])
    """
    return np.asarray(KNEE * np.arcsinh(np.asarray(x, dtype=float) / KNEE))


def judge_inputs(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Put evidence on the judge's scales: :func:`compress` all deviates.

    Parameters
    ----------
    values : float32 array of shape (n_pairs, n_channels)
        All channels, in the order of ``CHANNELS``.

    Examples
    --------
    >>> values = np.full((1, len(CHANNELS)), 100.0, dtype=np.float32)
    >>> found = judge_inputs(values)[0]
    >>> found[PLACES["score"]].round(1), found[PLACES["score_z"]].round(1)
    (np.float32(100.0), np.float32(12.6))
    """
    found = values.copy()
    found[:, _DEVIATES] = compress(found[:, _DEVIATES])
    return found
