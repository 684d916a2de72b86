"""Seconds for the evidence of 25 columns, part by part; plain rows, and rows of all kinds."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from spinney.evidence import correlations, gains, ladder, measure, scores
from spinney.evidence.channels import Measured
from spinney.evidence.gains import read_gains
from spinney.evidence.ladder import measure_ladder
from spinney.evidence.scores import read_scores
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.pair_fit import PairFit
from spinney.tables import Table, read_table

D = 25


def draw(n: int, seed: int, mixed: bool) -> Table:
    """Columns of dependence of all strengths; mixed: a third with levels, one value in 20 gone."""
    rng = np.random.default_rng(seed)
    X = rng.standard_t(4, size=(n, D)) @ (np.eye(D) + 0.3 * rng.normal(size=(D, D)))
    frame = pd.DataFrame(X)
    if mixed:
        for k in range(0, D, 3):
            frame[k] = np.digitize(X[:, k], np.quantile(X[:, k], [0.2, 0.5, 0.8])).astype(float)
        frame = frame.mask(rng.random(X.shape) < 0.05)
    return read_table(frame)


def parts(table: Table, threads: int) -> dict[str, float]:
    """Time each part once."""
    seconds: dict[str, float] = {}
    start = time.perf_counter()

    def lap(name: str) -> None:
        nonlocal start
        now = time.perf_counter()
        seconds[name], start = now - start, now

    fit = PairFit(PairCopulas(n_jobs=threads)).fit(table)
    densities = fit.densities_
    lap("pair densities")
    rungs = measure_ladder(densities, 0, threads)
    ladder.channels(Measured(rungs, None, None))
    lap("ladder")
    scored = read_scores(fit)
    lap("scores")
    read = read_gains(fit, densities)
    measured = Measured(rungs, read, scored)
    gains.channels(measured)
    lap("gains")
    correlations.channels(measured)
    lap("correlations and squares")
    scores.channels(measured)
    lap("facts of the table")
    return seconds


def run(seed: int, quick: bool) -> dict[str, Any]:
    results: dict[str, Any] = {}
    rounds = 3 if quick else 9
    for n in (100, 500):
        for mixed in (False, True):
            table = draw(n, seed, mixed)
            for threads in (1, 2):
                with threadpool_limits(threads):
                    measure(table, n_jobs=threads)  # compile
                    laps = [parts(table, threads) for _ in range(rounds)]
                    whole = []
                    for _ in range(rounds):
                        start = time.perf_counter()
                        measure(table, n_jobs=threads)
                        whole.append(time.perf_counter() - start)
                medians = {part: float(np.median([lap[part] for lap in laps])) for part in laps[0]}
                medians["all"] = float(np.median(whole))
                label = f"{n} rows, {'mixed' if mixed else 'plain'}, {threads} thread(s)"
                results[label] = medians
                print(f"  {label}:", *(f"{k} {1e3 * s:.1f} ms," for k, s in medians.items()))
    return {"results": results}
