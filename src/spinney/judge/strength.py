r"""Strength and sign of edges: the association of two columns given their neighbours.

The strength of an edge u - v is the correlation of residuals: both columns are regressed, by least
squares, on the neighbours of either in the graph. Given the graph, that is the partial correlation
given all other columns [1]_. Ordered columns enter by their normal scores (with few levels, the
score of each level; :func:`spinney.scores.score_column`), nominal ones by their classes. A
neighbour also enters by bends of its score, if one of both columns depends on them. If a neighbour
has classes, the normal score of a continuous column is computed again, from the mixture of normal
distributions around its fitted values, because classes far apart distort the first one.

The strength of an edge with a nominal column is Cramér's V of the residuals, without a sign:

.. math:: V^2 = \frac{1}{\min(p, q)} \sum_j s_j^2

with the canonical correlations :math:`s_j` of the residuals of p and q class scores. With an
ordered column it is the root of the share of its variance that the classes explain. V is positive
by chance, so its mean for independent columns is subtracted, as in an adjusted :math:`R^2`.

Intervals use Fisher's transformation with the standard error

.. math:: \sqrt{\kappa / (m' - k - 3)}, \qquad
          \kappa = \max\Bigl(1, \overline{\left(\frac{ab - r (a^2 + b^2) / 2}
          {1 - r^2}\right)^2}\Bigr)

with the effective sample size m', k regressors, and the standardised residuals a and b. For normal
residuals :math:`\kappa` is 1; levels, classes and bent dependences make it larger [2]_. (A mean
below 1 comes from rare levels that happen not to occur together.) The intervals do not account for
the choice of the graph.

References
----------
.. [1] S. L. Lauritzen (1996). Graphical Models. Oxford University Press, proposition 5.2.
.. [2] J. H. Steiger and A. R. Hakstian (1982). The asymptotic distribution of elements of a
   correlation matrix. British Journal of Mathematical and Statistical Psychology 35, 208-215.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, stdtrit

from spinney._core.arrays import Bools, Floats, Ints
from spinney.evidence.matrices import pairwise_correlation, positive_definite, unit_columns
from spinney.scores import Scores, read_scores
from spinney.tables import Table

LARGEST = 0.999
"""Strength of a column and its copy."""
FEWEST_ROWS = 10
"""Rows below which an edge has no strength."""
BENT = 3.5
"""Standard errors at which a bend of a neighbour counts."""
MOST_GIVEN = 100
"""Most regressors, and at most a third of the rows: those that correlate most with either end."""
UNITS = 20.0
"""Units as which the design effect of unrelated columns counts beside the one that is seen."""
CLASSES = 5
"""Levels up to which those of an ordered neighbour count as classes."""
DISAGREE = 3.0
"""Standard errors on either side of 0 at which the strengths of two classes disagree."""
PARTS, STEPS = 20, 100
"""Quantiles of the fits of a column by which it is scored again, and steps of their mixture."""
SMALLEST = 1e-9
NOTHING = 1e-10
"""Share of a column's variance below which its neighbours leave nothing of it."""
NORMAL_95 = 1.959963984540054


class Strengths(NamedTuple):
    """Strengths of edges, in the order of ``np.nonzero(np.triu(adjacency))``.

    Attributes
    ----------
    values : array of shape (n_edges,)
        From -1 to 1, with a nominal column from 0 to 1; NaN where fewer than ten rows are
        left, or the neighbours leave nothing of a column.
    errors : array of shape (n_edges,)
        Standard errors of their artanh.
    signs : int array of shape (n_edges,)
        0 where the sign is open: the interval holds 0, a column is nominal, or the strengths in
        two classes of a neighbour have different signs.
    split_by : int array of shape (n_edges,)
        That neighbour, -1 where there is none.
    signless : bool array of shape (n_edges,)
        Whether a column is nominal.
    """

    values: Floats
    errors: Floats
    signs: Ints
    split_by: Ints
    signless: Bools

    @property
    def intervals(self) -> Floats:
        """95 % intervals, shape (n_edges, 2)."""
        ends = NORMAL_95 * np.multiply.outer(self.errors, [-1.0, 1.0])
        ends = np.tanh(np.arctanh(self.values)[:, None] + ends)
        return np.where(self.signless[:, None], np.maximum(ends, 0.0), ends)


def edge_strengths(table: Table, adjacency: ArrayLike, scores: Scores | None = None) -> Strengths:
    r"""Strengths of edges: partial correlations of scores given the neighbours of both ends.

    .. math:: r_{uv} = \operatorname{cor}\bigl(x_u - \hat x_u, x_v - \hat x_v\bigr)

    with the scores x of the columns and what the neighbours of u and v predict of them by least
    squares, :math:`\hat x`. In a Gaussian graphical model that is the partial correlation given
    all other columns [1]_. The strength of an edge with a nominal column is Cramér's V of the
    residuals. :mod:`spinney.judge.strength` has the details and the standard errors.

    Where fewer than half of a pair's rows have the values of all neighbours, the partial
    correlation follows from the correlations of every two columns over their common rows, and the
    sample size is the smallest number of these rows.

    Parameters
    ----------
    table : Table
        The table.
    adjacency : bool array of shape (d, d)
        The graph.
    scores : Scores, optional
        Those of the table, if they are at hand.

    Returns
    -------
    Strengths
        With intervals in ``intervals``.

    References
    ----------
    .. [1] S. L. Lauritzen (1996). Graphical Models. Oxford University Press, proposition 5.2.

    Examples
    --------
    Within the classes x and y fall as the other rises; over all classes they rise together.

    >>> from spinney.tables import read_table
    >>> import pandas as pd
    >>> rng = np.random.default_rng(0)
    >>> group = rng.integers(3, size=600)
    >>> x = rng.normal(size=600) + 2 * group
    >>> y = 0.8 * rng.normal(size=600) - 0.6 * (x - 2 * group) + 2 * group
    >>> table = read_table(pd.DataFrame({"x": x, "y": y, "group": np.array(list("abc"))[group]}))
    >>> found = edge_strengths(table, ~np.eye(3, dtype=bool))
    >>> found.values.round(2), found.signs
    (array([-0.57,  0.82,  0.8 ]), array([-1,  0,  0]))
    >>> found.intervals[0].round(2)
    array([-0.63, -0.52])
    """
    joined = np.asarray(adjacency, dtype=bool)
    ends = np.argwhere(np.triu(joined, 1))
    scores = read_scores(table) if scores is None else scores
    units = None if table.units is None else np.unique(table.units, return_inverse=True)[1]
    values = np.asfortranarray(unit_columns(scores.values))
    seen = _Seen(scores, values, bool(scores.present.all()), units)
    found = [seen.edge(u, v, np.flatnonzero(joined[u] | joined[v])) for u, v in ends.tolist()]
    columns = zip(*found, strict=True) if found else [()] * 3
    values, errors, split_by = (np.array(column, dtype=float) for column in columns)
    signless: Bools = np.any(table.nominal[ends], axis=1)
    settled = ~signless & (split_by < 0) & (np.abs(np.arctanh(values)) > NORMAL_95 * errors)
    signs = np.where(settled, np.sign(values), 0.0).astype(np.int64)
    return Strengths(values, errors, signs, split_by.astype(np.int64), signless)


@dataclass(frozen=True, eq=False)
class _Seen:
    """What edges are measured by; the values of a score lie side by side in memory."""

    scores: Scores
    values: Floats
    whole: bool
    units: Ints | None

    @cached_property
    def in_classes(self) -> Bools:
        """Columns with few values, shape (d,)."""
        return self.scores.nominal | (self.scores.n_values <= CLASSES)

    def edge(self, u: int, v: int, near: Ints) -> tuple[float, float, int]:
        """Return the strength of an edge, its error, and the neighbour whose classes disagree."""
        scores, near = self.scores, near[(near != u) & (near != v)]
        first, second = self._places([u]), self._places([v])
        rows: Ints | slice = slice(None)
        if not self.whole:
            both = scores.present[:, [u, v]].all(axis=1)
            # A neighbour that is hardly ever seen with both cannot be given.
            near = near[scores.present[both][:, near].sum(axis=0) >= FEWEST_ROWS]
            rows = np.flatnonzero(both & scores.present[:, near].all(axis=1))
            if 2 * rows.size < both.sum():
                return *self._pairwise(u, v, near), -1
        m = len(self.values) if isinstance(rows, slice) else rows.size
        if m < FEWEST_ROWS:
            return np.nan, np.nan, -1
        Y = self._columns(np.append(first, second), rows)
        X, owners, E = self._regress(rows, Y, near)
        nominal = bool(scores.nominal[[u, v]].any())
        if self.in_classes[near].any() and not nominal:
            for k, end in enumerate((u, v)):
                if scores.hermite[end, 0] == 1.0:  # its values show it whole
                    Y[:, k] = _scored_again(Y[:, k] - E[:, k], E[:, k], scores.ranks[rows, end])
            E = _residuals(unit_columns(Y), X)
        p = len(first)
        if min((E[:, :p] ** 2).sum(), (E[:, p:] ** 2).sum()) < NOTHING:
            return np.nan, np.nan, -1
        s, a, b = _canonical(E.T @ E, p)
        A, B = np.sqrt(m) * E[:, :p] @ a, np.sqrt(m) * E[:, p:] @ b
        r = np.sqrt((s**2).mean())
        influence = ((A * B - 0.5 * s * (A**2 + B**2)) @ s) / (len(s) * max(r, SMALLEST))
        influence /= 1.0 - min(r, LARGEST) ** 2
        share = float(scores.row_shares[u, v])
        if self.units is not None:
            share = _share_of_units(influence, self.units[rows], share)
        kappa = max(float(influence @ influence) / m, 1.0)
        free = m * share - X.shape[1] - 3.0
        if nominal:
            return *_unsigned(s, max(E.shape[1] - p, p), m - X.shape[1], free, kappa), -1
        value, error = _signed(s, a, b), float(np.sqrt(kappa / max(free, 1.0)))
        return value, error, self._split(A[:, 0], B[:, 0], X, owners, rows, share)

    def _places(self, columns: Sequence[int] | Ints, bends: bool = False) -> Ints:
        """Places of the scores of columns: of their bends, or all others."""
        scores, found = self.scores, [np.empty(0, dtype=np.int64)]
        for k in columns:
            start, end = scores.starts[k], scores.starts[k] + scores.counts[k]
            middle = end if scores.nominal[k] else start + 1
            found.append(np.arange(middle, end) if bends else np.arange(start, middle))
        return np.concatenate(found)

    def _columns(self, places: Ints, rows: Ints | slice) -> Floats:
        """Scores over some rows, of mean 0 and length 1."""
        values = self.values[:, places]
        return values if isinstance(rows, slice) else unit_columns(values[rows])

    def _regress(self, rows: Ints | slice, Y: Floats, near: Ints) -> tuple[Floats, Ints, Floats]:
        """Regress columns on scores of the neighbours, and on bends that one of them shows.

        Returns the regressors, the columns that these belong to, and the residuals.
        """
        places, m = self._places(near), len(Y)
        X = self._columns(places, rows)
        most = min(MOST_GIVEN, m // 3)
        if len(places) > most:
            size = np.abs(Y.T @ X).max(axis=0)
            chosen = np.sort(np.argsort(-size, kind="stable")[:most])
            X, places = X[:, chosen], places[chosen]
        E, bends = _residuals(Y, X), self._places(near, bends=True)
        if bends.size and len(places) < most:
            more = self._columns(bends, rows)
            size = np.abs(unit_columns(E).T @ more).max(axis=0) * np.sqrt(m)
            chosen = np.argsort(-size, kind="stable")[: most - len(places)]
            chosen = chosen[size[chosen] > BENT]
            if chosen.size:
                X, places = np.hstack([X, more[:, chosen]]), np.append(places, bends[chosen])
                E = _residuals(Y, X)
        return X, self.scores.owners[places], E

    def _pairwise(self, u: int, v: int, near: Ints) -> tuple[float, float]:
        """Return strength and error from correlations of two columns each, over their rows."""
        scores, columns = self.scores, np.array([u, v, *near])
        places = [self._places([k]) for k in columns]
        counts = [len(own) for own in places]
        present = scores.present[:, columns]
        rows = (present[:, :2].T.astype(float) @ present) * scores.row_shares[[u, v]][:, columns]
        m = float(np.minimum(*rows).min())
        if m < FEWEST_ROWS:
            return np.nan, np.nan
        owners = np.repeat(np.arange(len(columns)), counts)
        R = pairwise_correlation(self.values[:, np.concatenate(places)], present, owners)
        R = positive_definite(R, 1.0 / m)
        p, q = counts[:2]
        inverse = np.linalg.inv(R)[: p + q, : p + q]
        s, a, b = _canonical(np.linalg.inv(inverse), p)
        free = m - len(R) + p + q - 3.0
        if scores.nominal[[u, v]].any():
            return _unsigned(s, max(p, q), free + 3.0, free, 1.0)
        return _signed(s, a, b), float(1.0 / np.sqrt(max(free, 1.0)))

    def _split(
        self, a: Floats, b: Floats, X: Floats, owners: Ints, rows: Ints | slice, share: float
    ) -> int:
        """Find a neighbour with classes in which the strengths have clearly different signs."""
        scores, product = self.scores, a * b - (a * b).mean()
        moved = np.abs(product @ X) > DISAGREE * product.std()
        for k in np.unique(owners[moved & self.in_classes[owners]]):
            codes = scores.codes[rows, k]
            n = np.bincount(codes).astype(float)
            sums = [np.bincount(codes, x) for x in (a, b, a * b, a * a, b * b)]
            x, y, xy, xx, yy = (own / np.maximum(n, 1.0) for own in sums)
            scale = np.sqrt(np.maximum((xx - x * x) * (yy - y * y), SMALLEST))
            r = np.clip((xy - x * y) / scale, -LARGEST, LARGEST)
            z = np.arctanh(r) * np.sqrt(np.maximum(n * share - 3.0, 0.0))
            if z.min() < -DISAGREE and z.max() > DISAGREE:
                return int(k)
        return -1


def _residuals(Y: Floats, X: Floats) -> Floats:
    """Free columns of what regressors explain; all of mean 0, regressors of length 1."""
    if not X.size:
        return Y
    G = X.T @ X
    np.einsum("ii->i", G)[...] += SMALLEST  # regressors may be copies of each other
    for _ in range(2):  # the second step makes good what rounding and the line above cost
        Y = Y - X @ np.linalg.solve(G, X.T @ Y)
    return Y


def _scored_again(fit: Floats, rest: Floats, ranks: Floats) -> Floats:
    """Score a column as a sum of its fit and normal noise, in place of a normal variable.

    Normal scores of a column with two classes far apart are no sum of a shift and normal noise;
    the quantiles of the mixture of normal distributions around the fits are.
    """
    spread = np.sqrt(rest @ rest / len(rest))
    if spread < SMALLEST:
        return fit + rest
    middles = np.sort(fit)[(np.arange(PARTS) * len(fit) + len(fit) // 2) // PARTS]
    at = np.linspace(middles[0] - 4.0 * spread, middles[-1] + 4.0 * spread, STEPS)
    below = ndtr((at[:, None] - middles) / spread).mean(axis=1)
    return np.interp(ranks, below, at)


def _canonical(S: Floats, p: int) -> tuple[Floats, Floats, Floats]:
    """Canonical correlations of the first p columns and the others, and the weights of both."""
    roots = []
    for block in (S[:p, :p], S[p:, p:]):
        sizes, axes = np.linalg.eigh(block)
        roots.append(axes / np.sqrt(np.where(sizes > NOTHING, sizes, np.inf)))
    left, s, right = np.linalg.svd(roots[0].T @ S[:p, p:] @ roots[1], full_matrices=False)
    return np.minimum(s, 1.0), roots[0] @ left, roots[1] @ right.T


def _signed(s: Floats, a: Floats, b: Floats) -> float:
    """Correlation of two scores, of which `s` has the size and the weights have the sign."""
    return float(min(s[0], LARGEST) * np.sign(a[0, 0] * b[0, 0]))


def _unsigned(s: Floats, most: int, rows: float, free: float, kappa: float) -> tuple[float, float]:
    """Cramér's V, less what chance gives in so many rows, and its error.

    `most` is the number of scores on the larger side, `free` the rows of the error.
    """
    chance = min(most / max(rows - 1.0, 1.0), 0.5)
    squared = ((s**2).mean() - chance) / (1.0 - chance)
    value = np.clip(np.sqrt(max(squared, 0.0)), 0.0, LARGEST)
    return float(value), float(np.sqrt(kappa / max(free - most + 1.0, 1.0)))


def _share_of_units(influence: Floats, units: Ints, expected: float) -> float:
    """Share of rows that says as much if rows are independent, from the sums over units."""
    sums = np.bincount(units, influence)
    n = int(np.count_nonzero(np.bincount(units)))
    effect = float(sums @ sums) / max(float(influence @ influence), SMALLEST)
    share = min((n + UNITS) / (n * effect + UNITS / expected), 1.0)
    return share * (NORMAL_95 / float(stdtrit(max(n - 1, 1), 0.975))) ** 2  # of few units
