"""Tables that mislead: sums, shares, copies, identifiers, codes, rows of units.

Every table is made so that the truth is known; what is claimed is asked of :func:`spinney.learn`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.said.rows import Asked, Row, mean
from spinney import LearnedGraph, learn
from spinney.graph.words import cautions

__all__ = ["EXAMPLES", "rows"]

Rng = np.random.Generator
TABLES = 10
N = 300


class Example(NamedTuple):
    """A table whose columns are independent but for how it was made.

    Attributes
    ----------
    name : str
        What is counted in it.
    claimed, true : str
        What was said of such a table, and what is so.
    make : function of a Generator
        Makes a table.
    caution : str
        Code of the caution that it calls for; empty if none.
    count : function of a LearnedGraph
        Counts what is claimed; edges by default.
    """

    name: str
    claimed: str
    true: str
    make: Callable[[Rng], pd.DataFrame]
    caution: str = ""
    count: Callable[[LearnedGraph], float] = lambda found: float(found.n_edges)


def rows(asked: Asked) -> Iterator[Row]:
    """Measure every example: means over tables, with standard errors; shares of the cautioned."""
    for example in EXAMPLES:
        if not asked.wants(example.name):
            continue
        counted, cautioned = [], []
        for rng in asked.generators(TABLES):
            table = example.make(rng)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = learn(table, n_jobs=1)
                counted.append(example.count(found))
            cautioned.append(float(example.caution in {each.code for each in cautions(found)}))
        yield mean(example.name, example.claimed, example.true, counted)
        if example.caution:
            yield mean(f"{example.name}: cautioned", "no", "every table", cautioned)


def _frame(values: Any, names: str = "") -> pd.DataFrame:
    values = np.asarray(values)
    return pd.DataFrame(values, columns=list(names) or [f"v{k}" for k in range(values.shape[1])])


def _items(rng: Rng, n: int = N) -> pd.DataFrame:
    return _frame(np.clip(np.round(3.0 + rng.normal(size=(n, 5))), 1, 5).astype(int))


def _total(rng: Rng) -> pd.DataFrame:
    items = _items(rng)
    return items.assign(total=items.sum(axis=1))


def _shares(rng: Rng) -> pd.DataFrame:
    parts = rng.gamma(3.0, size=(N, 10))
    return _frame(100.0 * parts / parts.sum(axis=1, keepdims=True))


def _one_hot(rng: Rng) -> pd.DataFrame:
    place = rng.integers(0, 4, N)[:, None] == np.arange(4)
    return _frame(place.astype(int), "nsew").assign(x=rng.normal(size=N))


def _cumulative(rng: Rng) -> pd.DataFrame:
    weeks = rng.poisson(20.0, size=(N, 4))
    return _frame(np.hstack([weeks, np.cumsum(weeks, axis=1)[:, 1:]]))


def _copies(rng: Rng) -> pd.DataFrame:
    return _frame(np.tile(rng.normal(size=(100, 5)), (5, 1)))


def _subjects(rng: Rng) -> pd.DataFrame:
    subject = np.repeat(np.sort(rng.choice(np.arange(300, 400), 18, replace=False)), 10)
    own = np.repeat(rng.normal(size=(18, 2)), 10, axis=0)
    return _frame(3.0 * own + rng.normal(size=(180, 2)), "ab").assign(Subject=subject)


def _years(rng: Rng) -> pd.DataFrame:
    return _frame(rng.normal(size=(60, 2)), "ab").assign(year=np.arange(1950, 2010))


def _coded(rng: Rng) -> pd.DataFrame:
    items = _items(rng, 400)
    items.loc[rng.random(400) < 0.06, ["v0", "v1"]] = 9
    return items


def _units(rng: Rng) -> pd.DataFrame:
    own = np.repeat(rng.normal(size=(10, 6)), 100, axis=0)
    return _frame(3.0 * own + rng.normal(size=(1000, 6)))


def _share_joined(found: LearnedGraph) -> float:
    """Per cent of the pairs that are edges."""
    return 100.0 * found.n_edges / len(found.judged)


def _share_mistaken(found: LearnedGraph) -> float:
    """Per cent of the pairs without an edge that a check takes for one."""
    pairs = found.check(12, n_jobs=1).pairs
    return 100.0 * float(pairs[~pairs.edge].kept.mean())


EXAMPLES = (
    Example("five items and their total: edges", "15", "0", _total, "columns-follow"),
    Example("ten shares of 100: edges", "38", "of the whole", _shares, "columns-follow"),
    Example("one-hot columns: edges", "6", "of the coding", _one_hot, "columns-follow"),
    Example("weeks and running totals: edges", "9", "0", _cumulative, "columns-follow"),
    Example("100 rows five times over: edges", "9 of 10", "0", _copies, "repeated-rows"),
    Example(
        "subjects of ten rows each: learned from",
        "yes",
        "0",
        _subjects,
        "units-unnamed",
        lambda found: float("Subject" in found.names),
    ),
    Example(
        "years: left out", "yes", "0", _years, "", lambda found: float("year" not in found.names)
    ),
    Example("9 for missing in two columns: edges", "1", "0", _coded, "codes-for-missing"),
    Example("units of 100 rows: false edges, %", "", "0", _units, "", _share_joined),
    Example("units of 100 rows: false by a check, %", "0", "as above", _units, "", _share_mistaken),
    Example(
        "independent counts: said to be odd",
        "yes",
        "0",
        lambda rng: _frame(rng.poisson(2.0, size=(N, 12))),
        "",
        lambda found: float(bool(found.learner.out_of_distribution_)),
    ),
)
