"""Scores of a table's columns: numbers whose correlations can be taken, whatever the kinds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from spinney._core.pairs import pair_nodes
from spinney.evidence.channels import Measured, even
from spinney.pairs.explained import shown_share
from spinney.pairs.margins import pseudo_observations
from spinney.pairs.margins.ranks import tied_share
from spinney.pairs.pair_fit import PairFit
from spinney.scale.score_tests import class_scores

__all__ = ["CHANNELS", "Scores", "channels", "read_scores"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

SMALLEST_REST = 1e-6
"""Share of a squared score's variance that must be left beside the score itself: two levels leave
none."""


CHANNELS = even(
    "table",
    rows="log(1 + m), m the rows with both values",
    all_rows="log n",
    columns="log d",
    gaps="1 - m / n, the share of rows without both values",
    shown_least="share of the normal variable behind a column that its levels show: the lesser",
    shown_most="the greater of the two columns' shares",
    levels_least="log of the number of levels (0 if continuous): the lesser",
    levels_most="the greater of the two columns' logs",
    nominal="how many of the two columns are nominal",
    tied="share of pairs of rows that tie in a column: the greater",
)


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of all columns, and facts of each.

    Attributes
    ----------
    normal : array of shape (n, d)
        Normal scores of ordered columns, 0 where a value is missing and in nominal columns.
    squares : array of shape (n, d)
        Their squares, less what is linear in the score; 0 likewise, and where nothing is left.
    classes : array of shape (n, n_classes)
        Orthonormal scores of nominal columns, one fewer than a column has levels.
    owners : int array of shape (n_classes,)
        The nominal column that each of these belongs to.
    present : bool array of shape (n, d)
        Which values are there.
    nominal : bool array of shape (d,)
        Whether a column is nominal.
    shown : array of shape (d,)
        Share of the normal variable behind a column that its levels show.
    levels : array of shape (d,)
        Logarithm of the number of levels; 0 where a column is continuous.
    tied : array of shape (d,)
        Share of pairs of rows that tie.
    """

    normal: Floats
    squares: Floats
    classes: Floats
    owners: Ints
    present: Bools
    nominal: Bools
    shown: Floats
    levels: Floats
    tied: Floats


def read_scores(fit: PairFit) -> Scores:
    """Compute the scores of the rows that pairs were fitted on.

    Continuous values have the normal score of rank / (m + 1), levels that of the middle of their
    interval. The classes of a nominal column with shares p have indicators over root p, rotated so
    that the constant direction is left out: uncorrelated, of unit variance.

    Examples
    --------
    >>> from spinney.tables import read_table
    >>> table = read_table(np.array([[1.0, 4.0], [2.0, 1.0], [3.0, 2.0], [9.0, 3.0]]))
    >>> np.sort(read_scores(PairFit().fit(table)).normal[:, 0]).round(3)
    array([-0.842, -0.253,  0.253,  0.842])
    """
    table = fit.table_
    n, d = table.values.shape
    present = table.present
    if fit.is_plain_:
        normal = special.ndtri(pseudo_observations(table.values))
        return Scores(
            normal=normal,
            squares=_squares(normal, present),
            classes=np.empty((n, 0)),
            owners=np.empty(0, dtype=np.int64),
            present=present,
            nominal=np.zeros(d, dtype=bool),
            shown=np.ones(d),
            levels=np.zeros(d),
            tied=tied_shares(table.values),
        )
    pseudo = fit.pseudo_
    normal = np.nan_to_num(special.ndtri(pseudo.u))
    masses, nominal = pseudo.masses, pseudo.nominal
    classes: list[Floats] = []
    owners: list[int] = []
    for k, mass in enumerate(masses):
        if not len(mass):
            continue
        codes, there = pseudo.codes[:, k], pseudo.codes[:, k] >= 0
        if nominal[k]:
            by_level = class_scores(mass)
            classes.append(np.where(there[:, None], by_level[codes], 0.0))
            owners += [k] * by_level.shape[1]
        else:
            normal[:, k] = np.where(there, special.ndtri(np.cumsum(mass) - mass / 2.0)[codes], 0.0)
    shown = [1.0 if nominal[k] else shown_share(mass, n, n) for k, mass in enumerate(masses)]
    seen = np.where(pseudo.codes >= 0, pseudo.codes, pseudo.u)
    return Scores(
        normal=normal,
        squares=_squares(normal, present),
        classes=np.hstack(classes) if classes else np.empty((n, 0)),
        owners=np.array(owners, dtype=np.int64),
        present=present,
        nominal=nominal,
        shown=np.array(shown),
        levels=np.log(np.maximum(pseudo.n_levels, 1)),
        tied=tied_shares(seen),
    )


def tied_shares(values: Floats) -> Floats:
    """Share of pairs of rows that tie, in each column of (n, d); NaN ties with nothing.

    Examples
    --------
    >>> tied_shares(np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 3.0]])).round(3)
    array([0.333, 0.   ])
    """
    found = np.zeros(values.shape[1])
    ordered = np.sort(values, axis=0)
    for k in np.flatnonzero((ordered[1:] == ordered[:-1]).any(axis=0)):
        column = ordered[:, k]
        found[k] = tied_share(np.unique(column[~np.isnan(column)], return_counts=True)[1])
    return found


def _squares(normal: Floats, present: Bools) -> Floats:
    """Square the scores, and take out what is constant or linear in the score."""
    m = np.maximum(present.sum(axis=0), 1)
    centred = np.where(present, normal - normal.sum(axis=0) / m, 0.0)
    squared = centred**2
    variance = squared.sum(axis=0)
    rest = np.where(present, squared - variance / m, 0.0)
    whole = (rest**2).sum(axis=0)
    slope = (rest * centred).sum(axis=0) / np.maximum(variance, 1e-300)
    rest -= slope * centred
    left = (rest**2).sum(axis=0)
    rest[:, ~(left > SMALLEST_REST * whole)] = 0.0
    return rest


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of the group "table"."""
    scores, gains = measured.scores, measured.gains
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
