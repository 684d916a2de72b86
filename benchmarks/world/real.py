"""Real tables, whole and in parts.

Those of the package are always there; DREAM4, NetSim and the S&P 500 may not be bundled and are
read from a folder (``--data``, or the environment variable ``SPINNEY_DATA``) that holds
``dream4/multifactorial_<k>_expression.csv``, ``netsim/sim<k>_subject1.csv`` and
``sp500/logreturns.csv.gz``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from spinney.datasets import load_anes96, load_pbmc, load_penguins, load_sachs

SEED = 100_700
"""A tuning seed: it chooses rows and stocks."""
MOST_ROWS = 1000
"""Rows that are drawn of the many blood cells."""
BLOOD = ("cd4+", "cd8+", "nk", "igm+", "cd14+hladrmid", "dendritic")
STIMULI = ("Reference", "BCR/FcR-XL", "PMA/Ionomycin", "Vanadate")
SPLIT = 0.4
"""Log-returns beyond it are almost surely splits of a share that were not put right: no value."""
STOCKS = (25, 50, 100)
STOCK_ROWS = (250, None)
SUBSETS = 2


class Real(NamedTuple):
    """A real table: the collection it comes from, what part of it, and its values."""

    group: str
    part: str
    table: pd.DataFrame


def real_tables(folder: Path | None) -> Iterator[Real]:
    """Yield all tables that are there."""
    yield from _sachs()
    yield from _blood()
    yield Real("penguins", "all columns", load_penguins())
    yield Real("voters (ANES 1996)", "all columns", load_anes96())
    if folder is not None:
        yield from _dream4(folder / "dream4")
        yield from _netsim(folder / "netsim")
        yield from _stocks(folder / "sp500")


def _rows(table: pd.DataFrame, most: int, seed: int) -> pd.DataFrame:
    if len(table) <= most:
        return table
    kept = np.sort(np.random.default_rng(seed).choice(len(table), most, replace=False))
    return table.iloc[kept].reset_index(drop=True)


def _sachs() -> Iterator[Real]:
    yield Real("Sachs", "853 cells, one condition", load_sachs().X)
    sachs = load_sachs("all_conditions")
    yield Real("Sachs", "7,466 cells, nine conditions", sachs.X)
    yield Real("Sachs", "1,000 of them", _rows(sachs.X, MOST_ROWS, SEED))


def _blood() -> Iterator[Real]:
    for k, cell in enumerate(BLOOD):
        for stimulus in STIMULI:
            table = _rows(load_pbmc(cell, stimulus).X, MOST_ROWS, SEED + k)
            yield Real("blood cells", f"{cell}, {stimulus}", table)
    few = _rows(load_pbmc("cd4+", "Reference").X, 100, SEED)
    yield Real("blood cells", "cd4+, Reference, 100 cells", few)
    many = load_pbmc("cd4+", "BCR/FcR-XL").X
    yield Real("blood cells", "cd4+, BCR/FcR-XL, all cells", many)
    for stimulus in STIMULI:
        mixed = _rows(load_pbmc(stimulus=stimulus).X, MOST_ROWS, SEED)
        yield Real("blood cells, mixed", f"all types, {stimulus}", mixed)
    both = _rows(load_pbmc(surface_markers=True).X, MOST_ROWS, SEED)
    yield Real("blood cells, mixed", "all types and stimuli, with surface markers", both)


def _dream4(folder: Path) -> Iterator[Real]:
    for k in (1, 2, 3):
        table = pd.read_csv(folder / f"multifactorial_{k}_expression.csv")
        yield Real("DREAM4", f"net {k}", table)


def _netsim(folder: Path) -> Iterator[Real]:
    for k in (1, 2, 4):
        yield Real("NetSim", f"simulation {k}", pd.read_csv(folder / f"sim{k}_subject1.csv"))


def _stocks(folder: Path) -> Iterator[Real]:
    returns = pd.read_csv(folder / "logreturns.csv.gz")
    returns = returns.mask(returns.abs() > SPLIT)
    rng = np.random.default_rng(SEED)
    for d in STOCKS:
        for rows in STOCK_ROWS:
            for _ in range(SUBSETS):
                columns = rng.choice(returns.columns, d, replace=False)
                table = returns[columns].iloc[:rows]
                yield Real("S&P 500", f"{d} stocks, {len(table):,} days", table)
