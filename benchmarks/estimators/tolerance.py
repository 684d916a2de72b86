"""What `edge_tolerance` does to EF-λ: false edges on sparse graphs against recall in cliques.

The tolerance is the prior probability up to which an edge of the solution counts as none. The
founding paper does not say when a weight is an edge. Tuning seeds: figures are reported elsewhere.
"""

from __future__ import annotations

import warnings
from typing import Any

import pandas as pd

from benchmarks.accuracy.cells import TUNING
from reproduce.experiments import TRUTHS
from spinney.metrics import compare
from spinney.models import ForestsLambda
from spinney.pairs.copulas import PairCopulas
from spinney.scale.tasks import over

TOLERANCES = (0.03, 0.1, 0.2, 0.3)
SIZES = (25, 50, 100, 250, 500)
FAMILIES = {"connected": "gaussian", "two-components": "gaussian", "t-cliques": "student"}
MEASURES = ("hamming", "false_positives", "precision", "recall")


def _fit(task: tuple[str, int, int, float]) -> dict[str, Any]:
    truth, n, seed, tolerance = task
    data = TRUTHS[truth][1](n, seed)
    pairs = PairCopulas(families=[FAMILIES[truth]], random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the solver's stopping
        model = ForestsLambda(potentials=pairs, edge_tolerance=tolerance).fit(data.X)
    judged = compare(model.adjacency_, data.adjacency)
    where = {"truth": truth, "n": n, "seed": seed, "tolerance": tolerance}
    return where | {name: float(judged[name]) for name in MEASURES}


def tolerance(seed: int, quick: bool) -> dict[str, Any]:
    """Mean and standard error by truth, rows and tolerance; every processor has a process."""
    del seed  # the tuning seeds are fixed
    repetitions = 2 if quick else 20
    tasks = [
        (truth, n, k, chosen)
        for k in TUNING[:repetitions]
        for truth in FAMILIES
        for n in SIZES
        for chosen in TOLERANCES
    ]
    rows = over(_fit, tasks, n_jobs=-1, prefer="processes")
    table = pd.DataFrame(rows)
    for name in MEASURES:
        print(f"  {name}")
        print(table.pivot_table(name, ["truth", "n"], "tolerance").round(2).to_string())
    grouped = table.drop(columns="seed").groupby(["truth", "n", "tolerance"])
    means, errors = grouped.mean(), grouped.sem()
    cells = means.join(errors, rsuffix="_standard_error").reset_index()
    return {"repetitions": repetitions, "cells": cells.to_dict(orient="records")}
