"""Of the pairs with probability 0.7, are seven in ten edges? By kind, rows and columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.accuracy.cells import ALL_CELLS, CELLS, TABLE_CELLS
from benchmarks.learned import judges
from benchmarks.learned.evidence import Seen, look
from benchmarks.learned.options import Options
from benchmarks.learned.tables import ANY
from spinney._core.pairs import to_matrix
from spinney.judge import keep_by_fdr
from spinney.metrics import expected_calibration_error, reliability

REPETITIONS = 30
WORLD_REPETITIONS = 300
COLUMNS, ROWS = (8, 16, 32), (30, 100, 300)
"""Where the sizes of the world's tables are parted."""
TARGET = 0.1
FEWEST_EDGES = 50
"""Found over all repetitions of a cell: with fewer, the share of false ones is chance."""

Said = tuple[Seen, Any]
"""A table, and the probabilities of its pairs."""


def run(options: Options, names: Iterable[str] = (*CELLS, *TABLE_CELLS)) -> dict[str, Any]:
    """Compare claimed with realised shares of edges, on cells and on fresh tables of the world."""
    judge = judges.load(options.judge)
    tables = look(names, options.seeds(REPETITIONS), options.cache, options.workers)
    said = {
        name: [(seen, judges.probabilities(judge, seen)) for seen in some]
        for name, some in tables.items()
    }
    found: dict[str, Any] = {"judge": judges.identity(judge), "target_fdr": TARGET}
    for group, members in (("truths", CELLS), ("tables", TABLE_CELLS)):
        part = {name: some for name, some in said.items() if name in members}
        if part:
            found[group] = summarise(part)
            print(f"  {group}: calibration error {found[group]['all']['error']:.4f}")
    count = options.seeds(WORLD_REPETITIONS)
    drawn = look([ANY], count, options.cache, options.workers)[ANY]
    found["world"] = of_world([(seen, judges.probabilities(judge, seen)) for seen in drawn])
    print(f"  world: calibration error {found['world']['all']['error']:.4f}")
    return found


def summarise(said: dict[str, list[Said]]) -> dict[str, Any]:
    """Pool pairs over everything, by kind, rows and columns; and judge `target_fdr` by cell."""
    everything = [one for some in said.values() for one in some]
    return {
        "all": diagram(everything),
        "by_kind": _by(everything, lambda seen: ALL_CELLS[seen.name].kind),
        "by_n": _by(everything, lambda seen: f"n = {ALL_CELLS[seen.name].n}"),
        "by_d": _by(everything, lambda seen: f"d = {seen.d}"),
        "by_cell": {name: diagram(some)["error"] for name, some in said.items()},
        "target": {name: false_share(some) for name, some in said.items()},
    }


def of_world(said: list[Said]) -> dict[str, Any]:
    """Pool pairs of the world's tables over everything and by size; and judge `target_fdr`."""
    in_order = sorted(said, key=lambda one: (one[0].d, one[0].n))
    return {
        "all": diagram(said),
        "by_d": _by(in_order, lambda seen: _within(seen.d, COLUMNS, "d")),
        "by_n": _by(sorted(said, key=lambda one: one[0].n), lambda s: _within(s.n, ROWS, "n")),
        "target": {ANY: false_share(said)},
    }


def _within(size: int, limits: tuple[int, ...], letter: str) -> str:
    """Name the part that a size lies in.

    Examples
    --------
    >>> _within(8, (8, 16), "d"), _within(9, (8, 16), "d"), _within(99, (8, 16), "d")
    ('d up to 8', 'd = 9 to 16', 'd from 17')
    """
    if size <= limits[0]:
        return f"{letter} up to {limits[0]}"
    for low, high in pairwise(limits):
        if size <= high:
            return f"{letter} = {low + 1} to {high}"
    return f"{letter} from {limits[-1] + 1}"


def diagram(said: list[Said]) -> dict[str, Any]:
    """Return the calibration error, and the numbers of the reliability diagram."""
    P = [to_matrix(probabilities) for _, probabilities in said]
    truth = [to_matrix(seen.truth) > 0.5 for seen, _ in said]
    table = reliability(P, truth)
    return {
        "error": expected_calibration_error(P, truth),
        "pairs": int(table["count"].sum()),
        "bins": table.replace({np.nan: None}).to_dict("list"),
    }


def false_share(said: list[Said], target: float = TARGET) -> dict[str, Any]:
    """Share of false edges among those kept at a target, over all repetitions of a cell."""
    kept = [(keep_by_fdr(probabilities, target), seen.truth) for seen, probabilities in said]
    edges = sum(int(chosen.sum()) for chosen, _ in kept)
    false = sum(int((chosen & ~truth).sum()) for chosen, truth in kept)
    return {
        "edges": edges,
        "false": false,
        "share": false / edges if edges else None,
        "counts": edges >= FEWEST_EDGES,
    }


def table(bins: dict[str, list[Any]]) -> pd.DataFrame:
    """Turn stored numbers of a diagram back into what ``plot_reliability`` draws."""
    return pd.DataFrame(bins).astype(float)


def _by(said: list[Said], key: Callable[[Seen], str]) -> dict[str, Any]:
    parts: dict[str, list[Said]] = {}
    for seen, probabilities in said:
        parts.setdefault(key(seen), []).append((seen, probabilities))
    return {label: diagram(part) for label, part in parts.items()}
