"""Real tables with what is known of their graphs.

Sachs and the blood cells are in the package. DREAM4, NetSim and the S&P 500 are not: their folder
is given by ``--data`` or ``SPINNEY_DATA`` and holds ``dream4/multifactorial_1_expression.csv`` and
``…_goldstandard_edges.csv``, ``netsim/sim1_subject1.csv`` and ``sim1_edges.csv``, and
``sp500/logreturns.csv.gz`` with ``info.csv``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney.datasets import load_pbmc, load_sachs
from spinney.exceptions import InputError

Flags = NDArray[np.bool_]

SPLIT = 0.4
"""Daily returns beyond this are almost surely splits of shares, and taken as missing."""
STOCKS = 100
STOCKS_SEED = 0
CELL_TYPES = ("cd4+", "cd8+", "nk", "cd14-surf-", "igm+", "cd14+hladrmid")
STIMULUS = "Reference"
HALVES = (100, 300)
"""Cells in each half."""


@dataclass(frozen=True)
class RealTable:
    """A table, and what its graph can be compared with.

    Attributes
    ----------
    X : data frame
        The table.
    truths : dict
        Graphs that are held to be true, by name.
    sectors : array or None
        A label per column: edges are better inside a label.
    """

    X: pd.DataFrame
    truths: dict[str, Flags] = field(default_factory=dict)
    sectors: NDArray[Any] | None = None


def tables() -> dict[str, Callable[[Path | None], RealTable]]:
    """Readers of all real tables by name; each is given the folder of data."""
    found: dict[str, Callable[[Path | None], RealTable]] = {
        "sachs-853": lambda _: _sachs("observational"),
        "sachs-7466": lambda _: _sachs("all_conditions"),
    }
    for k in (1, 2, 3):
        found[f"dream4-{k}"] = lambda folder, k=k: _dream4(_needed(folder), k)  # type: ignore[misc]
    for k in (1, 2, 4):
        found[f"netsim-{k}"] = lambda folder, k=k: _netsim(_needed(folder), k)  # type: ignore[misc]
    found["sp500-100"] = lambda folder: _sp500(_needed(folder), STOCKS)
    found["sp500"] = lambda folder: _sp500(_needed(folder), None)
    for size in HALVES:
        for kind in CELL_TYPES:
            for half in (0, 1):
                found[f"pbmc-{size}-{kind}-{half}"] = (
                    lambda _, kind=kind, size=size, half=half: _pbmc(kind, size, half)  # type: ignore[misc]
                )
    return found


def _needed(folder: Path | None) -> Path:
    if folder is None or not folder.is_dir():
        raise InputError(
            "This table is not in the package: name the folder of data by --data or SPINNEY_DATA."
        )
    return folder


def _sachs(version: Any) -> RealTable:
    truths: dict[str, Flags] = {}
    for name in ("consensus20", "bnlearn17"):
        data = load_sachs(version, truth=name)  # type: ignore[arg-type]
        truths[name] = data.adjacency.to_numpy()
        truths[f"{name}, moral"] = data.moral_adjacency.to_numpy()
    return RealTable(data.X, truths)


def _dream4(folder: Path, k: int) -> RealTable:
    start = folder / "dream4" / f"multifactorial_{k}"
    X = pd.read_csv(f"{start}_expression.csv")
    return RealTable(X, {"gold": _undirected(X, pd.read_csv(f"{start}_goldstandard_edges.csv"))})


def _netsim(folder: Path, k: int) -> RealTable:
    X = pd.read_csv(folder / "netsim" / f"sim{k}_subject1.csv")
    edges = pd.read_csv(folder / "netsim" / f"sim{k}_edges.csv").astype(str)
    return RealTable(X, {"network": _undirected(X, edges)})


def _undirected(X: pd.DataFrame, edges: pd.DataFrame) -> Flags:
    """Skeleton of directed edges, which are given by names of columns."""
    places = {str(name): k for k, name in enumerate(X.columns)}
    adjacency = np.zeros((len(places),) * 2, dtype=bool)
    for source, target in edges.iloc[:, :2].itertuples(index=False):
        u, v = places[str(source)], places[str(target)]
        adjacency[u, v] = adjacency[v, u] = u != v
    return adjacency


def _sp500(folder: Path, stocks: int | None) -> RealTable:
    X = pd.read_csv(folder / "sp500" / "logreturns.csv.gz")
    info = pd.read_csv(folder / "sp500" / "info.csv").set_index("ticker")
    X = X.mask(X.abs() > SPLIT)
    if stocks is not None:
        rng = np.random.default_rng(STOCKS_SEED)
        X = X.iloc[:, np.sort(rng.choice(X.shape[1], stocks, replace=False))]
    return RealTable(X, sectors=info.sector.loc[list(X.columns)].to_numpy())


def _pbmc(kind: str, size: int, half: int) -> RealTable:
    """One half of a random choice of cells of one type: the other half shares none of them."""
    X = load_pbmc(kind, STIMULUS).X
    if len(X) < 2 * size:
        raise InputError(f"There are {len(X)} cells of type '{kind}', fewer than {2 * size}.")
    rows = np.random.default_rng(size).permutation(len(X))[half * size : (half + 1) * size]
    return RealTable(X.iloc[np.sort(rows)].reset_index(drop=True))
