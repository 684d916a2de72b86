"""Fit and choose among all candidates for a block of pairs, compiled.

A pair is a column of classes, which is nominal, and another column. Candidates, in the order of
their numbers of parameters: independence; classes given the other column's score, linear and
quadratic; a table of both columns' cells. Where the other column has levels, whatever is chosen
becomes a table of log w in the end; with a continuous column, the coefficients of the classes stay.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from spinney._core.arrays import Floats, Ints
from spinney._core.compile import kernel, merged
from spinney._core.pairs import pair_ends
from spinney.pairs.cells.dirichlet import shrink_table
from spinney.pairs.cells.logistic import COEFFICIENTS, class_log_ratio, fit_classes_mixed
from spinney.pairs.pseudo import MIN_COMMON_ROWS, PseudoTable

CANDIDATES = ("independence", "linear", "quadratic", "table")
INDEPENDENCE, LINEAR, QUADRATIC, TABLE = 0, 1, 2, 3  # two of them the degree of the logits
N_CANDIDATES = 4

NOMINAL, LEVELS, CONTINUOUS = 0, 1, 2
"""Kinds of columns: levels without order, levels with one, and ranks."""

N_BINS = 7
"""Equal parts of (0, 1) that a continuous column is cut into for a table. Odd, so that the median
is inside of one whichever way the column is turned."""


class CellColumns(NamedTuple):
    """A table by columns."""

    kind: Ints  # (d,)
    n_cells: Ints  # (d,) levels, or bins of a continuous column
    cells: Ints  # (d, n) level or bin of each value, -1 where it is missing
    scores: Floats  # (d, n) normal scores of continuous columns; not read elsewhere
    level_scores: Floats  # (d, most levels) scores of ordered levels; not read elsewhere


class Pairs(NamedTuple):
    """Which pairs are listed, and where their numbers are kept."""

    classes: Ints  # (listed,) the column whose classes are modelled, nominal
    others: Ints  # (listed,) the other column
    size: Ints  # (listed,) numbers that one fit takes at most
    start: Ints  # (listed,) where its first fit stands; fits without each fold follow


class CellRule(NamedTuple):
    """How fits are made and the winner is chosen."""

    concentrations: Floats  # of the tables' prior, equally likely
    scales: Floats  # of the slopes' prior, equally likely
    cross_validate: bool  # by held-out log-density; otherwise by likelihood less a penalty
    half_logs: float  # penalty per parameter in units of log(rows) ...
    units: float  # ... and in ones
    margin: float  # by which a candidate must beat one with fewer parameters


class CellFits(NamedTuple):
    """Results, one row per listed pair."""

    candidate: Ints  # (listed,) the chosen one
    n_rows: Ints  # (listed,) common rows
    counts: Ints  # (listed, candidates) numbers of parameters
    log_likelihood: Floats  # (listed, candidates) -inf where there is no such candidate
    log_bayes_factor: Floats  # (listed, candidates) likewise
    criterion: Floats  # (listed, candidates) NaN where it was not needed
    held_out: Floats  # (listed,) of the chosen one, summed over rows
    numbers: Floats  # log w of tables or coefficients of classes, laid out by `Pairs`


class Problem(NamedTuple):
    """What is fitted, and how."""

    columns: CellColumns
    pairs: Pairs
    fold_of_row: Ints
    n_folds: int
    rule: CellRule


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


def read_columns(table: PseudoTable) -> CellColumns:
    """Lay out a table for the kernels.

    Examples
    --------
    >>> nan = np.nan
    >>> table = PseudoTable(
    ...     u=np.array([[0.3, nan], [nan, nan]]),
    ...     codes=np.array([[-1, 1], [-1, 0]]),
    ...     masses=(np.empty(0), np.array([0.5, 0.5])),
    ...     nominal=np.array([False, True]),
    ...     names=("a", "b"),
    ... )
    >>> read_columns(table).cells
    array([[ 2, -1],
           [ 1,  0]])
    """
    n_levels = table.n_levels
    continuous = n_levels == 0
    kind = np.where(continuous, CONTINUOUS, np.where(table.nominal, NOMINAL, LEVELS))
    u = np.ascontiguousarray(table.u.T)
    cells = np.array(table.codes.T, dtype=np.int64, order="C")
    scores = np.full(u.shape, np.nan)
    by_level = np.full((len(kind), max(int(n_levels.max(initial=0)), 1)), np.nan)
    for column in range(len(kind)):
        if continuous[column]:
            there = ~np.isnan(u[column])
            cells[column, there] = bin_of(u[column, there])
            scores[column, there] = ndtri(u[column, there])
        elif kind[column] == LEVELS:
            by_level[column, : n_levels[column]] = level_scores(table.masses[column])
    return CellColumns(
        kind.astype(np.int64),
        np.where(continuous, N_BINS, n_levels).astype(np.int64),
        cells,
        scores,
        by_level,
    )


def lay_out(table: PseudoTable, positions: Ints, n_folds: int) -> Pairs:
    """Say which column of each pair has the classes, and where the pair's numbers stand."""
    first, second = pair_ends(positions, table.n_columns)
    swap = ~table.nominal[first]
    classes, others = np.where(swap, second, first), np.where(swap, first, second)
    n_levels = table.n_levels
    # A continuous column has either bins or, for each class, coefficients.
    cells = np.where(n_levels[others] == 0, max(N_BINS, COEFFICIENTS), n_levels[others])
    size = n_levels[classes] * cells
    slots = size * (n_folds + 1)
    return Pairs(classes, others, size, np.cumsum(slots) - slots)


def empty_fits(listed: int, size: int) -> CellFits:
    """Make room for results."""
    shape = (listed, N_CANDIDATES)
    return CellFits(
        candidate=np.full(listed, INDEPENDENCE, dtype=np.int64),
        n_rows=np.zeros(listed, dtype=np.int64),
        counts=np.zeros(shape, dtype=np.int64),
        log_likelihood=np.full(shape, -np.inf),
        log_bayes_factor=np.full(shape, -np.inf),
        criterion=np.full(shape, np.nan),
        held_out=np.zeros(listed),
        numbers=np.zeros(size),
    )


@kernel
def _count(codes: Ints, cells: Ints, fold_of_row: Ints, without: int, counts: Floats) -> int:
    """Count common rows outside of one fold, by cell of the other column and class."""
    counts[:] = 0.0
    m = 0
    for row in range(codes.size):
        if codes[row] >= 0 and cells[row] >= 0 and fold_of_row[row] != without:
            counts[cells[row], codes[row]] += 1.0
            m += 1
    return m


@kernel
def _fit_candidate(
    problem: Problem, pair: int, candidate: int, without: int, scales: Floats, start: Floats,
    numbers: Floats,
) -> tuple[float, int]:  # fmt: skip
    """Fit a candidate to all rows but a fold's into `numbers`.

    Returns the log Bayes factor and the position of the scale that was taken. Searches begin from
    the coefficients `start` unless they are NaN, and leave theirs there.
    """
    columns, fold_of_row = problem.columns, problem.fold_of_row
    column, other = problem.pairs.classes[pair], problem.pairs.others[pair]
    codes, cells = columns.cells[column], columns.cells[other]
    n_classes, n_cells = columns.n_cells[column], columns.n_cells[other]
    if candidate == TABLE:
        counts = np.empty((n_cells, n_classes))
        _count(codes, cells, fold_of_row, without, counts)
        table = numbers.reshape(n_cells, n_classes)
        return shrink_table(counts, problem.rule.concentrations, table), 0
    continuous = columns.kind[other] == CONTINUOUS
    n_scores = codes.size if continuous else n_cells
    counts, scores = np.zeros((n_scores, n_classes)), np.zeros(n_scores)
    if continuous:  # one score for each row; rows that are not to be fitted count nothing
        for row in range(codes.size):
            if codes[row] >= 0 and cells[row] >= 0 and fold_of_row[row] != without:
                counts[row, codes[row]] = 1.0
                scores[row] = columns.scores[other, row]
    else:
        _count(codes, cells, fold_of_row, without, counts)
        for cell in range(n_cells):
            scores[cell] = columns.level_scores[other, cell]
    factor, place = fit_classes_mixed(scores, counts, candidate, scales, start)
    if continuous:
        for k in range(n_classes):
            for c in range(COEFFICIENTS):
                numbers[k * COEFFICIENTS + c] = start[k, c]
    else:
        for cell in range(n_cells):
            for k in range(n_classes):
                numbers[cell * n_classes + k] = class_log_ratio(start, k, scores[cell])
    return factor, place


@merged
def _log_ratio(
    is_table: bool, numbers: Floats, n_classes: int, k: int, cell: int, score: float
) -> float:
    """Log w of one row."""
    if is_table:
        return numbers[cell * n_classes + k]
    return class_log_ratio(numbers.reshape(n_classes, COEFFICIENTS), k, score)


@merged
def _is_table(problem: Problem, pair: int, candidate: int) -> bool:
    """Tell whether a candidate's fit is a table of log w, or else coefficients of classes."""
    return candidate == TABLE or problem.columns.kind[problem.pairs.others[pair]] != CONTINUOUS


@merged
def _numbers_of(problem: Problem, pair: int, candidate: int) -> int:
    """Count the numbers that a candidate's fit takes."""
    n_cells, pairs = problem.columns.n_cells, problem.pairs
    each = n_cells[pairs.others[pair]] if _is_table(problem, pair, candidate) else COEFFICIENTS
    return n_cells[pairs.classes[pair]] * each


@kernel
def _sum_log_ratio(
    problem: Problem, pair: int, candidate: int, numbers: Floats, fold_of_row: Ints, only: int
) -> float:
    """Sum log w over the common rows of one fold."""
    columns = problem.columns
    column, other = problem.pairs.classes[pair], problem.pairs.others[pair]
    codes, cells, scores = columns.cells[column], columns.cells[other], columns.scores[other]
    is_table = _is_table(problem, pair, candidate)
    total = 0.0
    for row in range(codes.size):
        if codes[row] >= 0 and cells[row] >= 0 and fold_of_row[row] == only:
            total += _log_ratio(
                is_table, numbers, columns.n_cells[column], codes[row], cells[row], scores[row]
            )
    return total


@kernel
def _refit(
    problem: Problem, pair: int, candidate: int, scales: Floats, start: Floats, numbers: Floats
) -> float:
    """Fit without each fold, into rows of `numbers`; return the log-density of what was left out.

    A fold that leaves fewer than two classes or cells to be fitted counts as independence.
    """
    columns, fold_of_row = problem.columns, problem.fold_of_row
    column, other = problem.pairs.classes[pair], problem.pairs.others[pair]
    counts = np.empty((columns.n_cells[other], columns.n_cells[column]))
    held_out = 0.0
    for fold in range(problem.n_folds):
        own = numbers[fold]
        _count(columns.cells[column], columns.cells[other], fold_of_row, fold, counts)
        if min(_occupied(counts)) < 2:  # numbers that give log w = 0 everywhere
            own[:] = 0.0
            if not _is_table(problem, pair, candidate):
                own[COEFFICIENTS - 1 :: COEFFICIENTS] = -np.inf  # no class occurs
            continue
        _fit_candidate(problem, pair, candidate, fold, scales, start.copy(), own)
        held_out += _sum_log_ratio(problem, pair, candidate, own, fold_of_row, fold)
    return held_out


@kernel
def _occupied(counts: Floats) -> tuple[int, int]:
    """Count the rows and the columns of a table that are not empty."""
    rows, columns = 0, np.zeros(counts.shape[1])
    for a in range(counts.shape[0]):
        total = 0.0
        for b in range(counts.shape[1]):
            total += counts[a, b]
            columns[b] += counts[a, b]
        rows += 1 if total > 0.0 else 0
    occupied = 0
    for b in range(columns.size):
        occupied += 1 if columns[b] > 0.0 else 0
    return rows, occupied


@kernel
def fit_pairs(problem: Problem, fits: CellFits, begin: int, end: int) -> None:
    """Fit the listed pairs from `begin` to `end` into `fits`."""
    columns, pairs, rule = problem.columns, problem.pairs, problem.rule
    fold_of_row, n_folds = problem.fold_of_row, problem.n_folds
    every_row, first_fold = np.zeros(fold_of_row.size, dtype=np.int64), begin - begin
    for pair in range(begin, end):
        column, other = pairs.classes[pair], pairs.others[pair]
        n_classes, n_cells = columns.n_cells[column], columns.n_cells[other]
        counts = np.empty((n_cells, n_classes))
        m = _count(columns.cells[column], columns.cells[other], fold_of_row, n_folds, counts)
        fits.n_rows[pair] = m
        fits.log_likelihood[pair, INDEPENDENCE] = 0.0
        fits.log_bayes_factor[pair, INDEPENDENCE] = 0.0
        fits.criterion[pair, INDEPENDENCE] = 0.0
        cells, classes = _occupied(counts)
        if m < MIN_COMMON_ROWS or classes < 2 or cells < 2:
            continue
        chosen, chosen_value = INDEPENDENCE, 0.0
        trial = np.empty(pairs.size[pair] * (n_folds + 1))
        for candidate in range(LINEAR, N_CANDIDATES):
            ordered = columns.kind[other] != NOMINAL
            # With as many levels as coefficients, a table says the same.
            enough = columns.kind[other] == CONTINUOUS or cells > candidate + 1
            if candidate != TABLE and not (ordered and enough):
                continue
            used = _numbers_of(problem, pair, candidate)
            count = (classes - 1) * (cells - 1 if candidate == TABLE else candidate)
            fits.counts[pair, candidate] = count
            start = np.full((n_classes, COEFFICIENTS), np.nan)
            whole = trial[:used]
            factor, place = _fit_candidate(
                problem, pair, candidate, n_folds, rule.scales, start, whole
            )
            likelihood = _sum_log_ratio(problem, pair, candidate, whole, every_row, first_fold)
            fits.log_likelihood[pair, candidate] = likelihood
            fits.log_bayes_factor[pair, candidate] = factor
            if not factor > 0.0:  # the marginal likelihood speaks for independence
                continue
            scales = rule.scales[place : place + 1]  # chosen once, as the candidate is
            folds = trial[used : used * (n_folds + 1)].reshape(n_folds, used)
            held_out = _refit(problem, pair, candidate, scales, start, folds)
            penalty = count * (0.5 * rule.half_logs * np.log(float(m)) + rule.units)
            value = held_out if rule.cross_validate else likelihood - penalty
            fits.criterion[pair, candidate] = value
            if value > chosen_value + rule.margin:
                chosen, chosen_value = candidate, value
                fits.held_out[pair] = held_out
                for k in range(used * (n_folds + 1)):
                    fits.numbers[pairs.start[pair] + k] = trial[k]
        fits.candidate[pair] = chosen


@kernel
def write_log_ratios(
    problem: Problem, candidate: Ints, numbers: Floats, begin: int, end: int, out: Floats
) -> None:
    """Write log w of each row under a fit (0: of all rows, f + 1: without fold f).

    Pairs from `begin` to `end` into the rows of `out`; the fit of each row is its "fold".
    """
    columns, pairs, fit_of_row = problem.columns, problem.pairs, problem.fold_of_row
    for pair in range(begin, end):
        column, other = pairs.classes[pair], pairs.others[pair]
        codes, cells, scores = columns.cells[column], columns.cells[other], columns.scores[other]
        n_classes = columns.n_cells[column]
        chosen = candidate[pair]
        row_out = out[pair - begin]
        row_out[:] = 0.0
        if chosen == INDEPENDENCE:
            continue
        used = _numbers_of(problem, pair, chosen)
        is_table = _is_table(problem, pair, chosen)
        for row in range(codes.size):
            if codes[row] >= 0 and cells[row] >= 0:
                first = pairs.start[pair] + fit_of_row[row] * used
                part = numbers[first : first + used]
                row_out[row] = _log_ratio(
                    is_table, part, n_classes, codes[row], cells[row], scores[row]
                )
