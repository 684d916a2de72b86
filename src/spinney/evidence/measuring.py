"""From a table to the evidence of all its pairs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import pair_nodes
from spinney.evidence.evidence import Evidence
from spinney.evidence.groups import CHANNELS, GROUPS
from spinney.evidence.measured import Measured
from spinney.scores import Scores, read_scores
from spinney.tables import Kinds, Missing, Table, read_table, warn_of_table

__all__ = ["measure", "measure_scores"]


def measure(
    table: Any, *, kind: Kinds | None = None, missing: Missing = "pairwise", unit: Any = None
) -> Evidence:
    """Measure what a table says of every pair of its columns.

    Parameters
    ----------
    table : data frame, array, or Table
        The table.
    kind : mapping, optional
        Kinds of columns, for those that know better than the rule; see
        :func:`spinney.tables.read_table`.
    missing : {"pairwise", "drop", "error"}
        Whether missing values are kept, their rows are dropped, or they are refused.
    unit : int array of shape (n,), optional
        What each row belongs to, if several rows belong to one unit (a patient, a school), in place
        of the units of a Table; see :mod:`spinney.scores.dependent_rows`.

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
