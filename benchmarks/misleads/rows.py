"""The rows: which tables, which pairs, and what is counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from benchmarks.misleads import tables
from benchmarks.misleads.tables import Draw

Pair = tuple[str, str]


@dataclass(frozen=True)
class Row:
    """One kind of table, and one number about it.

    Attributes
    ----------
    name, aim : str
        Of the table and the pair, and what the number should be.
    draw, n : function and int
        How a table is drawn, and its rows.
    pairs : tuple of pairs of names, or None
        The pairs that are looked at; None means all of them.
    above : float or None
        The number is the share of pairs above this probability; None: the mean probability.
    unit : str or None
        Column that names the unit of each row.
    tables : int
        How many are drawn.
    """

    name: str
    aim: str
    draw: Draw
    n: int
    pairs: tuple[Pair, ...] | None = None
    above: float | None = 0.5
    unit: str | None = None
    tables: int = 40

    @property
    def tables_key(self) -> tuple[object, ...]:
        """Rows of the same key look at the same tables."""
        return (self.draw, self.n, self.unit)

    def value(self, probabilities: pd.DataFrame) -> float:
        """Give the number of one table; a column that is left out has no edges."""
        names = [name for name in probabilities if name != self.unit]
        pairs = list(combinations(names, 2)) if self.pairs is None else self.pairs
        told = np.array([probabilities.loc[u, v] for u, v in pairs])
        return float(told.mean() if self.above is None else (told > self.above).mean())


def all_rows() -> Iterator[Row]:
    yield from _causes()
    yield from _dependent_rows()
    yield from _levels()
    yield from _interactions()
    yield from _small()


def _causes() -> Iterator[Row]:
    kinds = {
        "square": tables.square,
        "threshold": tables.threshold,
        "sine": tables.sine,
        "season": tables.season,
    }
    for name, draw in kinds.items():
        for n in (500, 2000):
            what = f"cause acts by {name}, {n} rows"
            yield Row(f"{what}: false edge", "<= 0.10", draw, n, (("x", "z"),))
            yield Row(f"{what}: true edges", ">= 0.90", draw, n, (("x", "y"), ("y", "z")))


def _dependent_rows() -> Iterator[Row]:
    v = (("v0", "v1"),)
    edge = tables.units(10, 0.9, edge=0.8)
    for d in (3, 6):
        name = f"10 units of 100 rows, likeness .9, {d} columns: edges"
        yield Row(name, "<= 0.03", tables.units(10, 0.9, d), 1000, unit="unit")
    name = "10 units of 100 rows, edge within units: found"
    yield Row(name, "(power)", edge, 1000, v, unit="unit")
    many = tables.units(100, 0.9)
    yield Row("100 units of 10 rows, likeness .9: edges", "<= 0.03", many, 1000, unit="unit")
    for memory, n in ((0.9, 500), (0.99, 200), (0.99, 1000), (1.0, 200), (1.0, 1000)):
        name = "random walks" if memory == 1.0 else f"autocorrelation {memory}"
        yield Row(f"{name}, {n} rows: edges", "<= 0.03", tables.series(memory), n)


def _levels() -> Iterator[Row]:
    kinds: dict[str, tuple[Draw, int, int]] = {
        "2 columns of 10 equal levels, 50 rows": (tables.nominal(10, 2), 50, 120),
        "2 columns of 5 equal levels, 30 rows": (tables.nominal(5, 2), 30, 120),
        "2 columns of 10 levels, k^-1.5, 50 rows": (tables.nominal(10, 2, 1.5), 50, 120),
        "2 columns of 10 levels, k^-2, 50 rows": (tables.nominal(10, 2, 2.0), 50, 120),
        "2 columns of 10 levels, k^-2, 200 rows": (tables.nominal(10, 2, 2.0), 200, 120),
        "6 columns of 10 levels, k^-1.5, 50 rows": (tables.nominal(10, 6, 1.5), 50, 40),
        "3 of 8 levels, 3 of numbers, 50 rows": (tables.nominal_and_numbers(8), 50, 40),
        "6 columns, yes 3 %, 200 rows": (tables.rare_yes(0.03), 200, 40),
        "2 normal columns, 50 rows": (tables.normal(2), 50, 120),
    }
    for name, (draw, n, count) in kinds.items():
        yield Row(f"independent, {name}: P > .5", "<= 0.03", draw, n, tables=count)
        yield Row(f"independent, {name}: P > .95", "<= 0.005", draw, n, above=0.95, tables=count)


def _interactions() -> Iterator[Row]:
    triangle = (("x", "y"), ("x", "z"), ("y", "z"))
    with_w = tuple((name, "w") for name in "xyz")
    kinds: dict[str, tuple[Draw, int]] = {
        "x XOR y, 500 rows": (tables.exclusive_or(0.0), 500),
        "x XOR y, a tenth wrong, 500 rows": (tables.exclusive_or(0.1), 500),
        "correlation ±.4 by class, 500 rows": (tables.sign_by_class(0.4), 500),
        "correlation ±.8 by class, 500 rows": (tables.sign_by_class(0.8), 500),
    }
    for name, (draw, n) in kinds.items():
        yield Row(f"{name}: mean P of true edges", ">= 0.90", draw, n, triangle, above=None)
        if "class" in name:
            yield Row(f"{name}: mean P of x-z", ">= 0.90", draw, n, triangle[1:2], above=None)
        yield Row(f"{name}: false edges", "<= 0.03", draw, n, with_w)


def _small() -> Iterator[Row]:
    v = (("v0", "v1"),)
    for d in (2, 12):
        what = f"edge of 5 standard errors, 4000 rows, {d} columns"
        yield Row(f"{what}: mean P", ">= 0.90", tables.weak(5.0, d), 4000, v, above=None)
    for n in (200, 1000):
        copies = tables.near_copies
        false = (("x", "z"), ("x", "copy"), ("y", "z"))
        what = f"near-copies, {n} rows"
        yield Row(f"{what}: edge of their neighbours", "<= 0.10", copies, n, false[:1])
        yield Row(f"{what}: edge of a copy's neighbour", "(compare)", copies, n, false[1:])
        mean = f"{what}: mean P of their neighbours"
        yield Row(mean, "<= 0.10", copies, n, false[:1], above=None)
        mean = f"{what}: mean P of a copy's neighbour"
        yield Row(mean, "(compare)", copies, n, false[1:], above=None)
    for n in (20, 30, 50):
        what = f"2 independent columns, {n} rows: P > .95"
        yield Row(what, "<= 0.005", tables.normal(2), n, above=0.95, tables=400)
