"""Choosing the ladder's defaults: prior weight, densities, families and cut, on tuning tables."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from benchmarks.accuracy.cells import CELLS, TUNING
from reproduce.judging import best_cut
from spinney import PairCopulas
from spinney._core.pairs import to_matrix, to_pairs
from spinney.forests.posterior import CUT, Ladder, ladder
from spinney.metrics import average_precision
from spinney.pairs.copulas import FAMILIES
from spinney.pairs.densities import PairDensities
from spinney.pairs.margins import pseudo_observations

NINE = [
    f"{kind}-{n}" for kind in ("connected", "two-components", "t-cliques") for n in (50, 100, 500)
]
OTHERS = [
    f"{kind}-{n}"
    for kind in ("loopy", "grid", "hubs", "mixed-trees", "independent")
    for n in (50, 500)
]
CUTS = (0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5)


@dataclass(frozen=True)
class Variant:
    """One way to make a ladder; `edges_per_node` is d β, the default weight is 1."""

    families: str = "default"
    cross_fitted: bool = False
    edges_per_node: float | None = 1.0


VARIANTS = {
    "default": Variant(),
    "half the edge weight": Variant(edges_per_node=0.5),
    "4 times the edge weight": Variant(edges_per_node=4.0),
    "edge weight 1": Variant(edges_per_node=None),
    "cross-fitted": Variant(cross_fitted=True),
    "gaussian": Variant(families="gaussian"),
    "student": Variant(families="student"),
}


@cache
def potentials(cell: str, seed: int, families: str) -> tuple[Any, ...]:
    data = CELLS[cell].simulate(seed)
    U = pseudo_observations(data.X)
    fitted = PairCopulas("default" if families == "default" else [families]).fit(U)
    k = np.array([len(FAMILIES[str(name)].bounds) for name in fitted.family_])
    return fitted.log_density(U), fitted.cross_fitted_log_density_, k, data.adjacency


def measure_ladder(variant: Variant, cell: str, seed: int) -> tuple[Ladder, Any]:
    plain, cross, k, truth = potentials(cell, seed, variant.families)
    weight = None if variant.edges_per_node is None else variant.edges_per_node / len(truth)
    log_density = cross if variant.cross_fitted else plain
    evidence = PairDensities(log_density, k)
    return ladder(evidence, edge_weight=1.0 if weight is None else weight), truth


def judge(rungs: Ladder, truth: Any) -> dict[str, Any]:
    wrong = {str(cut): int((rungs.select(cut) != (to_pairs(truth) > 0)).sum()) for cut in CUTS}
    if not truth.any():
        return {"hamming": wrong}
    mean, last = to_matrix(rungs.mean), to_matrix(rungs.probabilities[-1])
    return {
        "hamming": wrong,
        "average_precision": average_precision(mean, truth),
        "average_precision_all_rows": average_precision(last, truth),
        "best_cut_hamming": best_cut(mean, truth),
    }


def run(seed: int, quick: bool) -> dict[str, Any]:
    del seed  # the tuning tables have their own
    seeds = TUNING[: 4 if quick else 16]
    results: dict[str, Any] = {"seeds": list(seeds)}
    for name, variant in VARIANTS.items():
        cells = NINE + OTHERS if name == "default" else NINE
        judged = {c: [judge(*measure_ladder(variant, c, s)) for s in seeds] for c in cells}
        results[name] = {"variant": vars(variant), "cells": {c: lines(judged[c]) for c in cells}}
        show(name, judged)
    return {"results": results}


def lines(repetitions: list[dict[str, Any]]) -> dict[str, str]:
    """One line of text per measure, the repetitions in order: the file is to be read, too."""
    found = {key: [r[key] for r in repetitions] for key in repetitions[0] if key != "hamming"}
    wrong = {f"hamming_{cut}": [r["hamming"][str(cut)] for r in repetitions] for cut in CUTS}
    return {key: " ".join(f"{x:.4g}" for x in values) for key, values in (wrong | found).items()}


def show(name: str, judged: dict[str, list[dict[str, Any]]]) -> None:
    def means(key: str) -> list[float]:
        return [float(np.mean([r[key] for r in judged[cell]])) for cell in NINE]

    ranked = means("average_precision")
    wrong = [float(np.mean([r["hamming"][str(CUT)] for r in judged[c]])) for c in judged]
    print(f"  {name}: average precision {np.mean(ranked):.3f}:", *(f"{x:.2f}" for x in ranked))
    print(f"    all rows {np.mean(means('average_precision_all_rows')):.3f}", end="; ")
    print(f"best cut {np.mean(means('best_cut_hamming')):.2f}; wrong edges at {CUT}", end=" ")
    print(f"{np.mean(wrong[:9]):.2f}:", *(f"{x:.1f}" for x in wrong))
    if name == "default":
        for cut in CUTS:
            at = [np.mean([r["hamming"][str(cut)] for r in judged[c]]) for c in judged]
            print(f"    cut {cut}: nine cells {np.mean(at[:9]):.2f}, all {np.mean(at):.2f}")
