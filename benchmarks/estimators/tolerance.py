"""What `edge_tolerance` does to EF-λ and ET: false edges in sparse graphs, recall in cliques.

The tolerance is the share of the smaller of its two nodes' largest weights from which a weight is
an edge. The founding paper does not say when a weight is an edge. Tuning seeds: figures are
reported elsewhere.
"""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd

from benchmarks.accuracy.cells import TUNING
from reproduce.experiments import TRUTHS
from spinney.metrics import compare
from spinney.models import EnsembleOfTrees, ForestsLambda
from spinney.pairs.copulas import PairCopulas
from spinney.scale.tasks import parallel_map

TOLERANCES = (0.02, 0.05, 0.1, 0.15, 0.2)
SIZES = (50, 100, 500)
FAMILIES = {"connected": "gaussian", "two-components": "gaussian", "t-cliques": "student"}
MODELS = {"ef-lambda": ForestsLambda, "et": EnsembleOfTrees}
MEASURES = ("hamming", "false_positives", "precision", "recall")


def _fit(task: tuple[str, int, int]) -> list[dict[str, Any]]:
    truth, n, seed = task
    data = TRUTHS[truth][1](n, seed)
    copulas = PairCopulas(families=[FAMILIES[truth]], random_state=seed)
    rows = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the solver's stopping
        pairs = EnsembleOfTrees(copulas).fit(data.X).pair_fit_  # once for all
        for name, model in MODELS.items():
            for tolerance in TOLERANCES:
                found = model(edge_tolerance=tolerance).fit(pairs).adjacency_
                judged = compare(found, data.adjacency)
                where = {"model": name, "truth": truth, "n": n, "seed": seed}
                numbers = {measure: float(judged[measure]) for measure in MEASURES}
                rows.append(where | {"tolerance": tolerance} | numbers)
    return rows


def tolerance(seed: int, quick: bool) -> dict[str, Any]:
    """Mean and standard error by model, truth, rows and tolerance; a process per processor."""
    del seed  # the tuning seeds are fixed
    repetitions = 2 if quick else 10
    tasks = [(truth, n, k) for k in TUNING[:repetitions] for truth in FAMILIES for n in SIZES]
    found = parallel_map(_fit, tasks, n_jobs=-1, prefer="processes")
    table = pd.DataFrame([row for rows in found for row in rows])
    for name in MEASURES:
        print(f"  {name}")
        print(table.pivot_table(name, ["model", "truth", "n"], "tolerance").round(2).to_string())
    return {"repetitions": repetitions, "cells": summed_up(table)}


def summed_up(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Mean and standard error over tables, one record per cell and tolerance."""
    grouped = table.drop(columns="seed").groupby(["model", "truth", "n", "tolerance"], sort=False)
    cells = grouped.mean().join(grouped.sem(), rsuffix="_standard_error").reset_index()
    return cells.to_dict(orient="records")
