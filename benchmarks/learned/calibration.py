"""Of the pairs with probability 0.7, are seven in ten edges? Over cells, by kind, n and d."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.accuracy.cells import ALL_CELLS, CELLS, TABLE_CELLS
from benchmarks.learned import judges
from benchmarks.learned.evidence import Seen, look
from benchmarks.learned.options import Options
from spinney._pairs import to_matrix
from spinney.learner import keep_by_fdr
from spinney.metrics import expected_calibration_error, reliability

REPETITIONS = 30
TARGET = 0.1
FEWEST_EDGES = 50
"""Found over all repetitions of a cell: with fewer, the share of false ones is chance."""

Said = tuple[Seen, Any]
"""A table, and the probabilities of its pairs."""


def run(options: Options, names: Iterable[str] = (*CELLS, *TABLE_CELLS)) -> dict[str, Any]:
    """Compare claimed with realised shares of edges."""
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
    return found


def summarise(said: dict[str, list[Said]]) -> dict[str, Any]:
    """Pool pairs over everything, by kind, rows and columns; and judge `target_fdr` by cell."""
    everything = [one for some in said.values() for one in some]
    return {
        "all": diagram(everything),
        "by_kind": _by(said, lambda name, _: ALL_CELLS[name].kind),
        "by_n": _by(said, lambda name, _: f"n = {ALL_CELLS[name].n}"),
        "by_d": _by(said, lambda _, seen: f"d = {seen.d}"),
        "by_cell": {name: diagram(some)["error"] for name, some in said.items()},
        "target": {name: false_share(some) for name, some in said.items()},
    }


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


def _by(said: dict[str, list[Said]], key: Any) -> dict[str, Any]:
    parts: dict[str, list[Said]] = {}
    for name, some in said.items():
        for seen, probabilities in some:
            parts.setdefault(key(name, seen), []).append((seen, probabilities))
    return {label: diagram(part) for label, part in parts.items()}
