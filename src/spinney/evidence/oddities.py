"""What is odd about a table, in words of its columns and rows, and what to do about it.

Asked only of tables that are unlike those of the judge's training: what sets them apart there are
numbers of the evidence, which tell a user nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from spinney._core.pairs import to_matrix
from spinney._core.text import counted, listed
from spinney.evidence.evidence import Evidence
from spinney.notices import Notice

__all__ = ["oddities"]

MOST_TOLD = 2
COPY = 0.98
"""Correlation at which two columns carry nearly the same information."""
FOLLOWS = 0.95
"""Share of the variance of a column's scores that others explain where it follows from them."""
RIDGE = 1e-4
ROWS_PER_COLUMN = 3
"""Rows per column below which any column follows from the others."""
MANY_REPEATS, MOSTLY_GAPS, MOSTLY_ONE = 0.05, 0.5, 0.9
FEW_OF_ROWS = 0.2
"""Share of the rows that they count as where neighbouring rows are much alike."""


def oddities(evidence: Evidence) -> list[Notice]:
    """Name what is odd about a table: two things at most, and one in any case.

    Examples
    --------
    >>> from spinney.evidence import measure
    >>> from spinney.tables import read_table
    >>> x = np.random.default_rng(0).normal(size=100)
    >>> print(*oddities(measure(read_table(np.column_stack([x, x**3, -x])))), sep="; ")
    x0 – x1, x0 – x2 and x1 – x2 carry nearly the same information: keep one of each pair.
    """
    odd = Notice(
        "unlike-training-other",
        "No single column or row explains it. See whether another estimator, such as SharedForest, "
        "finds the same edges.",
    )
    return list(islice(_found(evidence), MOST_TOLD)) or [odd]


def _found(evidence: Evidence) -> Iterator[Notice]:
    def of(what: str, text: str, *columns: str) -> Notice:
        return Notice(f"unlike-training-{what}", text, columns=columns)

    table, names = evidence.table, evidence.names
    n, d = table.values.shape
    first, second = evidence.index.ends
    score = evidence.channel("score")
    alike = np.abs(score)
    for k in np.flatnonzero(evidence.channel("nominal") == 2.0):
        alike[k] = _one_to_one(table.values[:, [first[k], second[k]]])
    copies = np.flatnonzero(alike > COPY)
    if copies.size:
        order = copies[np.argsort(-alike[copies], kind="stable")]
        pairs = [f"{names[first[k]]} – {names[second[k]]}" for k in order.tolist()]
        one = "one of each pair" if len(pairs) > 1 else "one of them"
        told = listed(pairs, most=3)
        yield of("copies", f"{told} carry nearly the same information: keep {one}.")
    elif evidence.index.numbers is None and n >= ROWS_PER_COLUMN * d:
        R = to_matrix(score, diagonal=1.0 + RIDGE)
        rest = 1.0 / np.diagonal(np.linalg.pinv(R, hermitian=True))
        if rest.min() < 1.0 - FOLLOWS:
            name = names[int(rest.argmin())]
            yield of("follows", f"'{name}' follows from the other columns: leave it out.", name)
    repeats = n - len(np.unique(np.where(table.present, table.values, np.inf), axis=0))
    if repeats > MANY_REPEATS * n:
        yield of("repeats", f"{repeats:,} of {n:,} rows repeat others: drop the repeats.")
    if n < d:
        few = f"{counted(n, 'row')} for {counted(d, 'column')}"
        yield of("few", f"It has only {few}: choose fewer columns, or collect rows.")
    gaps = 1.0 - table.present.mean(axis=0)
    if gaps.max() > MOSTLY_GAPS:
        name, percent = names[int(gaps.argmax())], int(100 * gaps.max())
        yield of("gaps", f"'{name}' is missing in {percent} % of the rows: leave it out.", name)
    ones = np.array([_most_frequent(column) for column in table.values.T])
    if ones.max() > MOSTLY_ONE:
        name, percent = names[int(ones.argmax())], int(100 * ones.max())
        text = f"'{name}' has one value in {percent} % of the rows: leave it out."
        yield of("one-value", text, name)
    if np.exp(-evidence.channel("dependent_rows").max(initial=0.0)) < FEW_OF_ROWS:
        text = "Neighbouring rows are much alike: name their units (unit=), or take rows that are "
        yield of("alike-rows", f"{text}further apart.")


def _one_to_one(values: np.ndarray) -> bool:
    """Whether each label of one column goes with one label of the other, and none besides."""
    known = values[~np.isnan(values).any(axis=1)]
    met = len(np.unique(known, axis=0))
    return all(met == len(np.unique(column)) for column in known.T)


def _most_frequent(values: np.ndarray) -> float:
    """Return the share of the most frequent value."""
    known = values[~np.isnan(values)]
    return float(np.unique(known, return_counts=True)[1].max(initial=0) / max(known.size, 1))
