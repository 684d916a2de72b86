"""Scores of all columns of a table, and facts of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from spinney._core.arrays import Bools, Floats, Ints
from spinney.scores.columns import class_scores, polynomials, score_column
from spinney.scores.dependent_rows import row_shares
from spinney.tables import Table

DEGREES = 4
"""Highest degree of the polynomials of a column."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Scores of all columns, and facts of each.

    Attributes
    ----------
    values : array of shape (n, q)
        Scores of all columns, those of one column side by side: of an ordered column its normal
        score and bends (:func:`polynomials`), of a nominal one its classes (:func:`class_scores`).
        Of mean 0 and unit variance; 0 where a value is missing.
    owners : int array of shape (q,)
        The column that each score belongs to.
    starts, counts : int arrays of shape (d,)
        The first score of each column, and how many it has.
    ranks : array of shape (n, d)
        Middles of the ranks' intervals, in (0, 1).
    codes : int array of shape (n, d)
        Position of each value among the distinct ones of its column, -1 where it is missing.
    n_values : int array of shape (d,)
        Distinct values.
    present : bool array of shape (n, d)
        Which values are there.
    nominal : bool array of shape (d,)
        Whether a column is nominal.
    shown : array of shape (d,)
        Share of the normal variable behind a column that its values show; 1 for a nominal one.
    tied : array of shape (d,)
        Share of pairs of rows that tie.
    hermite : array of shape (d, 20)
        Hermite coefficients of normal scores.
    row_shares : array of shape (d, d)
        Share of a pair's rows that says as much if rows are independent.
    """

    values: Floats
    owners: Ints
    starts: Ints
    counts: Ints
    ranks: Floats
    codes: Ints
    n_values: Ints
    present: Bools
    nominal: Bools
    shown: Floats
    tied: Floats
    hermite: Floats
    row_shares: Floats

    @property
    def first(self) -> Floats:
        """The first score of each column: the normal score of an ordered one."""
        return self.values[:, self.starts]

    @property
    def bends(self) -> Bools:
        """Which scores are bends of ordered columns, beyond their normal scores."""
        bends = ~self.nominal[self.owners]
        bends[self.starts] = False
        return bends

    def take(self, columns: Ints) -> Scores:
        """Scores of some columns alone, in the order given."""
        counts = self.counts[columns]
        starts = np.cumsum(counts) - counts
        owners = np.repeat(np.arange(len(columns)), counts)
        places = np.arange(len(owners)) + (self.starts[columns] - starts)[owners]
        of_columns = ("ranks", "codes", "present")
        facts = ("n_values", "nominal", "shown", "tied", "hermite")
        return Scores(
            values=self.values[:, places],
            owners=owners,
            starts=starts,
            counts=counts,
            row_shares=self.row_shares[np.ix_(columns, columns)],
            **{name: getattr(self, name)[:, columns] for name in of_columns},
            **{name: getattr(self, name)[columns] for name in facts},
        )


def read_scores(table: Table, degree: int = DEGREES) -> Scores:
    """Compute the scores of all columns: :func:`score_column`, :func:`polynomials`, classes.

    Parameters
    ----------
    table : Table
        The table, its rows in the order in which they were given.
    degree : int
        Highest degree of the polynomials.

    Examples
    --------
    >>> from spinney.tables import read_table
    >>> table = read_table(np.array([[1.0, 4.0], [2.0, 1.0], [3.0, 2.0], [9.0, 3.0]]))
    >>> scores = read_scores(table)
    >>> scores.first[:, 0].round(3), scores.counts
    (array([-1.37, -0.35,  0.35,  1.37]), array([3, 3]))
    """
    present, nominal = table.present, table.nominal
    columns = [score_column(values) for values in table.values.T]
    normal = np.column_stack([own.normal for own in columns])
    ranks = np.column_stack([own.ranks for own in columns])
    shapes = polynomials(normal, ranks, present & ~nominal, degree)
    there = np.asarray(shapes.any(axis=1))
    there[0] = True  # a constant column keeps a score of 0
    blocks: list[Floats] = []
    for k, own in enumerate(columns):
        if nominal[k] and own.n_values > 1:
            mass = np.bincount(own.codes[own.codes >= 0]) / max(int(present[:, k].sum()), 1)
            blocks.append(np.where(present[:, k, None], class_scores(mass)[own.codes], 0.0))
        else:
            blocks.append(shapes[there[:, k], :, k].T)
    counts = np.array([block.shape[1] for block in blocks], dtype=np.int64)
    starts, owners = np.cumsum(counts) - counts, np.repeat(np.arange(len(counts)), counts)
    values, codes = np.hstack(blocks), np.column_stack([own.codes for own in columns])
    slow = nominal[owners]  # bends of a slow column are faster than the column itself
    slow[starts] = True
    return Scores(
        values=values,
        owners=owners,
        starts=starts,
        counts=counts,
        ranks=ranks,
        codes=codes,
        n_values=np.array([own.n_values for own in columns], dtype=np.int64),
        present=present,
        nominal=nominal,
        shown=np.array([1.0 if nominal[k] else own.shown for k, own in enumerate(columns)]),
        tied=np.array([own.tied for own in columns]),
        hermite=np.array([own.hermite for own in columns]),
        row_shares=row_shares(values[:, slow], owners[slow], codes, ranks, table.units),
    )
