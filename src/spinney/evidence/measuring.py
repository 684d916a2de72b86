"""From a table to the evidence of all its pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from spinney._core.choices import read_device
from spinney.evidence.channels import Measured
from spinney.evidence.correlations import link_scores
from spinney.evidence.dependent_rows import row_shares
from spinney.evidence.evidence import Evidence
from spinney.evidence.gains import read_gains
from spinney.evidence.groups import CHANNELS, GROUPS
from spinney.evidence.ladder import measure_ladder
from spinney.evidence.latent import latent_correlations
from spinney.evidence.scores import read_scores
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.explained import path_shares
from spinney.pairs.margins import Margins, Ties
from spinney.pairs.pair_fit import PairFit
from spinney.tables import Kinds, Missing, Table, read_table, warn_of_table

__all__ = ["measure"]


def measure(
    table: Any,
    *,
    kinds: Kinds | None = None,
    missing: Missing = "pairwise",
    ties: Ties = "auto",
    units: Any = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    device: str = "cpu",
) -> Evidence:
    """Measure what a table says of every pair of its columns.

    Parameters
    ----------
    table : data frame, array, or Table
        The table.
    kinds : mapping, optional
        Kinds of columns, for those that know better than the rule; see
        :func:`spinney.tables.read_table`.
    missing : {"pairwise", "drop", "error"}
        Whether gaps are kept, rows with gaps are dropped, or gaps are refused.
    ties : {"auto", "average", "random", "levels"}
        What equal values of a continuous column are; see
        :class:`spinney.pairs.margins.Margins`.
    units : int array of shape (n,), optional
        What each row belongs to, if several rows belong to one unit (a patient, a school), in place
        of the units of a Table; see :mod:`spinney.evidence.dependent_rows`.
    random_state : int
        Seed of ties that are broken at random; nothing else is left to chance.
    n_jobs : int, optional
        Threads; -1 takes all cores. The numbers do not depend on it.
    device : str
        Where pair copulas are computed: "cpu", or "cuda" for a GPU. Without a GPU, a
        warning is shown and the processor is used.

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
    >>> frame[["source", "target", "ladder_all", "score_z", "partial_z"]].round(0)
      source target  ladder_all  score_z  partial_z
    0     x0     x1        12.0      6.0        5.0
    1     x0     x2       -12.0      5.0       -0.0
    2     x1     x2        12.0      7.0        6.0
    """
    device = read_device(device, needs=("numba-cuda", "torch"))
    read = read_table(table, kinds=kinds, missing=missing, units=units)
    if not isinstance(table, Table):  # who read it has spoken of it
        warn_of_table(read, table)
    copulas = PairCopulas(criterion="aic", random_state=0, n_jobs=n_jobs, device=device)
    margins = Margins(ties=ties, random_state=random_state)
    fit = PairFit(copulas, margins=margins).fit(read)
    scores = read_scores(read, fit.levels_)
    scores = replace(scores, row_shares=row_shares(read, read.units, scores))
    gains = read_gains(fit)
    latent = latent_correlations(scores, gains)
    gains = replace(gains, explained=path_shares(*latent, scores.shown))
    rungs = measure_ladder(gains, len(read), len(read.columns), scores.row_shares)
    measured = Measured(rungs, gains, scores, link_scores(scores, gains.known), latent)
    found = {name: values for group in GROUPS for name, values in group.channels(measured).items()}
    values = np.stack([found[channel.name] for channel in CHANNELS], axis=1).astype(np.float32)
    return Evidence(values, fit, rungs)
