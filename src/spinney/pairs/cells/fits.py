"""What competes for one pair with a nominal column: fits, and the choice among them.

One column has the classes and is nominal, the other has cells. Candidates, in the order of their
numbers of parameters: independence; classes given the other column's score, linear and quadratic; a
table of both columns' cells. Where the other column has levels, whatever is chosen becomes a table
of log w in the end; with a continuous column, the coefficients of the classes stay.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from spinney._core.arrays import Floats, Ints
from spinney.pairs.cells.dirichlet import shrink_tables
from spinney.pairs.cells.logistic import COEFFICIENTS, SCALES, class_log_ratios, fit_classes_mixed
from spinney.pairs.pseudo import MIN_COMMON_ROWS, PseudoTable

CANDIDATES = ("independence", "linear", "quadratic", "table")
INDEPENDENCE, LINEAR, QUADRATIC, TABLE = range(4)  # two of them the degree of the logits

N_BINS = 7
"""Equal parts of (0, 1) that a continuous column is cut into for a table. Odd, so that the median
is inside of one whichever way the column is turned."""


def bin_of(u: Floats) -> Ints:
    """Find the bin of values between 0 and 1; a value between two bins is in the inner one.

    So a column that is turned around has the same bins, turned around.

    Examples
    --------
    >>> bin_of(np.array([0.1, 1 / 7, 0.5, 6 / 7, 0.9]))
    array([0, 1, 3, 5, 6])
    """
    # Ranks over n + 1 are to hit an edge on both sides or on neither, whatever rounding does.
    depth = np.floor(np.minimum(u, 1.0 - u) * N_BINS + 1e-9).astype(np.int64)
    return np.where(u < 0.5, depth, N_BINS - 1 - depth)


def level_scores(masses: Floats) -> Floats:
    r"""Give ordered levels scores: normal quantiles of the middles of their masses, standardised.

    .. math:: z_b \propto \Phi^{-1}\Bigl(\sum_{c < b} p_c + p_b / 2\Bigr), \qquad
              \sum_b p_b z_b = 0, \quad \sum_b p_b z_b^2 = 1

    Examples
    --------
    >>> level_scores(np.array([0.25, 0.5, 0.25])).round(3)
    array([-1.414,  0.   ,  1.414])
    """
    share = masses / masses.sum()
    # From both ends, so that reversed levels have the same scores reversed, to the bit.
    below = np.cumsum(share) - share / 2
    above = np.cumsum(share[::-1])[::-1] - share / 2
    z = (ndtri(below) - ndtri(above)) / 2
    z = z - share @ z
    spread = np.sqrt(share @ (z * z))
    return z / spread if spread > 0 else z


class CellPair(NamedTuple):
    """The common rows of a pair: the class in one column, the cell in the other."""

    rows: NDArray[np.intp]  # those with both values
    classes: Ints
    cells: Ints  # levels, or bins of a continuous column
    shape: tuple[int, int]  # cells, classes
    continuous: bool  # the other column
    scores: Floats  # of the rows in a continuous column, of the cells in one with ordered levels

    @classmethod
    def read(cls, table: PseudoTable, u: int, v: int) -> CellPair:
        """Read a pair off a table; the first of the two that is nominal has the classes."""
        column, other = (u, v) if table.nominal[u] else (v, u)
        masses, codes = table.masses[other], table.codes[:, other]
        present = codes >= 0 if masses.size else ~np.isnan(table.u[:, other])
        rows = np.flatnonzero((table.codes[:, column] >= 0) & present)
        cells, scores = codes[rows], np.empty(0)
        if not masses.size:
            ranks = table.u[rows, other]
            cells, scores = bin_of(ranks), ndtri(ranks)
        elif not table.nominal[other]:
            scores = level_scores(masses)
        shape = masses.size or N_BINS, table.masses[column].size
        return cls(rows, table.codes[rows, column], cells, shape, not masses.size, scores)

    def log_ratios(self, candidate: int, numbers: Floats, fit_of_row: Ints) -> Floats:
        """Log w of each row under one of several fits."""
        if candidate == INDEPENDENCE:
            return np.zeros(self.rows.size)
        if candidate == TABLE or not self.continuous:
            return numbers[fit_of_row, self.cells, self.classes]
        found = np.empty(self.rows.size)
        for fit in np.unique(fit_of_row):
            here = np.flatnonzero(fit_of_row == fit)
            every = class_log_ratios(numbers[fit], self.scores[here])
            found[here] = every[self.classes[here], np.arange(here.size)]
        return found


class CellFit(NamedTuple):
    """What was found for a pair; numbers are of all rows first, then without each fold."""

    candidate: int
    values: Floats  # (2, candidates): log-likelihood, log Bayes factor
    held_out: float  # log w of the chosen one, summed over rows
    numbers: Floats  # its log w by cell and class, or the coefficients of the classes


def fit_pair(pair: CellPair, fold: Ints, n_folds: int, margin: float) -> CellFit:
    """Fit all candidates to a pair and choose one by held-out log-density."""
    m, (n_cells, n_classes) = pair.rows.size, pair.shape
    places = (fold * n_cells + pair.cells) * n_classes + pair.classes
    counts = np.bincount(places, minlength=n_folds * n_cells * n_classes).astype(float)
    by_fold = counts.reshape(n_folds, n_cells, n_classes)
    whole = by_fold.sum(axis=0)
    tables, every = np.concatenate([whole[None], whole - by_fold]), np.zeros(m, dtype=np.int64)
    values = np.full((2, len(CANDIDATES)), -np.inf)
    values[:, INDEPENDENCE] = 0.0
    chosen = CellFit(INDEPENDENCE, values, 0.0, np.empty(0))
    cells, classes = _occupied(whole)
    if m < MIN_COMMON_ROWS or cells < 2 or classes < 2:
        return chosen
    for candidate in (LINEAR, QUADRATIC, TABLE):
        # With as many levels as coefficients, a table says the same.
        enough = pair.continuous or cells > candidate + 1
        if candidate != TABLE and not (pair.scores.size and enough):
            continue
        if candidate == TABLE:
            numbers, factors = shrink_tables(tables)
            factor = factors[0]
        else:
            numbers, factor = _fit_classes(pair, candidate, tables, fold)
        values[:, candidate] = pair.log_ratios(candidate, numbers, every).sum(), factor
        if not factor > 0.0:  # the marginal likelihood speaks for independence
            continue
        held_out = float(pair.log_ratios(candidate, numbers, fold + 1).sum())
        if held_out > chosen.held_out + margin:
            chosen = CellFit(candidate, values, held_out, numbers)
    return chosen


def _occupied(counts: Floats) -> tuple[int, int]:
    """Count the rows and the columns of a table that are not empty."""
    return int(counts.any(axis=1).sum()), int(counts.any(axis=0).sum())


def _fit_classes(pair: CellPair, degree: int, tables: Floats, fold: Ints) -> tuple[Floats, float]:
    """Fit classes to all rows and, if these support it, without each fold.

    Returns log w of the cells, or coefficients, and the log Bayes factor. A fold that leaves fewer
    than two classes or cells to be fitted counts as independence: no class occurs.
    """
    coefficients = np.zeros((len(tables), pair.shape[1], COEFFICIENTS))
    coefficients[:, :, 3] = -np.inf
    factor, scales, start = -np.inf, SCALES, None
    for place, counts in enumerate(tables):
        if min(_occupied(counts)) < 2:
            continue
        scores = pair.scores
        if pair.continuous:
            rows = fold != place - 1
            scores, counts = scores[rows], np.eye(pair.shape[1])[pair.classes[rows]]
        found, coefficients[place], scale = fit_classes_mixed(scores, counts, degree, scales, start)
        if place == 0:
            factor, scales, start = found, (scale,), coefficients[0]  # chosen once, as it is
            if not factor > 0.0:
                break
    if pair.continuous:
        return coefficients, factor
    return np.array([class_log_ratios(each, pair.scores).T for each in coefficients]), factor
