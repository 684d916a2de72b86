r"""Oracles: what the rows show of a pair to somebody who knows all other edges of a graft.

A graft is a column that is grown on a real table, a known function of its parents and of noise.
For a pair of which the truth is known, the later column is regressed on the other one by least
squares, given columns that no method knows:

- ``oracle``: the column's other true neighbours (parents, children, other parents of children),
  columns as normal scores. The number of the pair is its :math:`|t|`.
- ``oracle of causes``: the other parents only, so that it also knows the direction of every edge,
  each as three Hermite polynomials of its scores; the pair enters as two. The number of the pair is
  the normal deviate of its :math:`F` test.

A nominal column enters as indicators of its levels, and the number of such a pair is the deviate of
its :math:`F` test, too. Rows with a missing value in one of the columns are dropped. An edge is a
pair above a threshold, one for all tables: the best in hindsight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from spinney.simulate import Grafted
from spinney.tables import NOMINAL, Table, read_table

__all__ = ["ORACLES", "best_threshold", "deviate_of_pair"]

Floats = NDArray[np.float64]

ROWS_PER_TERM, ROWS_PER_BEND = 8, 20
"""Rows that a polynomial of a given column, and of the pair's own, must have."""


def neighbours(grown: Grafted) -> Floats:
    """Give the deviate of every known pair (upper triangle) given the other neighbours; else 0."""
    given = _parents(grown)
    for parents in list(given.values()):
        for u, v in combinations(sorted(parents), 2):
            given[u] = given[u] | {v}
            given[v] = given[v] | {u}
    for child, parents in _parents(grown).items():
        for parent in parents:
            given[parent] = given[parent] | {child}
    return _of_all(grown, given, 1, 1)


def causes(grown: Grafted) -> Floats:
    """Give the deviate of every known pair (upper triangle) given the other parents; else 0."""
    return _of_all(grown, _parents(grown), 3, 2)


ORACLES: dict[str, Callable[[Grafted], Floats]] = {
    "oracle": neighbours,
    "oracle of causes": causes,
}


def _parents(grown: Grafted) -> dict[int, frozenset[int]]:
    places = {name: k for k, name in enumerate(grown.X.columns)}
    found = {k: frozenset[int]() for k in range(len(places))}
    for child, parents in grown.parents.items():
        found[places[child]] = frozenset(places[p] for p in parents if p in places)
    return found


def _of_all(grown: Grafted, given: dict[int, frozenset[int]], bends: int, own: int) -> Floats:
    table = read_table(grown.X)
    scores = np.column_stack([_scores(x) for x in table.values.T])
    found = [
        deviate_of_pair(table, scores, v, u, sorted(given[v] - {u}), bends, own)
        if grown.known[u, v]
        else 0.0
        for u, v in combinations(range(len(given)), 2)
    ]
    return np.array(found)


def _scores(x: Floats) -> Floats:
    """Give normal scores; missing values stay missing."""
    found = np.full(len(x), np.nan)
    present = ~np.isnan(x)
    found[present] = special.ndtri((stats.rankdata(x[present]) - 0.5) / present.sum())
    return found


def deviate_of_pair(
    table: Table,
    scores: Floats,
    column: int,
    other: int,
    given: Sequence[int],
    bends: int = 1,
    own: int = 1,
) -> float:
    """Regress a column on another one, given some; return the absolute deviate of the other.

    `bends` and `own` are the polynomials of each given column and of the other one; few rows have
    fewer. What cannot be tested has deviate 0.
    """
    rows = ~np.isnan(scores[:, [column, other, *given]]).any(axis=1)
    n = int(rows.sum())
    degree = min(bends, max(1, n // (ROWS_PER_TERM * (1 + len(given)))))
    parts = [np.ones((n, 1)), *(_terms(table, scores, k, rows, degree) for k in given)]
    base = _basis(np.hstack(parts))
    x = _terms(table, scores, other, rows, min(own, max(1, n // ROWS_PER_BEND)))
    y = scores[rows, column]
    y = y - base @ (base.T @ y)
    extra = _basis(x - base @ (base.T @ x), np.linalg.norm(x))
    used, rest = extra.shape[1], n - base.shape[1] - extra.shape[1]
    before = float(y @ y)
    if used == 0 or rest < 1 or before < 1e-10 * n:
        return 0.0
    explained = float(np.sum((extra.T @ y) ** 2))
    ratio = (explained / used) / max((before - explained) / rest, 1e-12)
    if used == 1:
        return float(np.sqrt(ratio))
    return float(-special.ndtri_exp(stats.f.logsf(ratio, used, rest) - np.log(2)))


def _terms(table: Table, scores: Floats, k: int, rows: NDArray[np.bool_], degree: int) -> Floats:
    if table.columns[k].kind == NOMINAL:
        values = table.values[rows, k]
        return (values[:, np.newaxis] == np.unique(values)[1:]).astype(float)
    z = scores[rows, k]
    return np.column_stack([z, z**2 - 1, z**3 - 3 * z][:degree])


def _basis(columns: Floats, size: float | None = None) -> Floats:
    """Give an orthonormal basis of what the columns span; `size` is what is not rounding."""
    if not columns.size:
        return columns[:, :0]
    left, values, _ = np.linalg.svd(columns, full_matrices=False)
    return left[:, values > 1e-8 * (values.max() if size is None else size)]


def best_threshold(deviates: Floats, truth: NDArray[np.bool_]) -> float:
    """Find the threshold from which on pairs are called edges with the fewest errors.

    Examples
    --------
    >>> best_threshold(np.array([5.0, 1.0, 3.0, 2.0]), np.array([True, False, True, False]))
    3.0
    """
    order = np.argsort(-deviates, kind="stable")
    sorted_deviates = deviates[order]
    wrong = truth.sum() + np.cumsum(np.where(truth[order], -1, 1))
    last_of_tie = np.append(sorted_deviates[1:] != sorted_deviates[:-1], True)
    wrong = np.where(last_of_tie, wrong, len(truth) + 1)
    best = int(np.argmin(wrong))
    return float(sorted_deviates[best]) if wrong[best] < truth.sum() else float("inf")
