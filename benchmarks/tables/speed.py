"""Seconds of a fit by what the columns are: the same latent table, five ways, in turn.

Ratios of the pairs alone, kind by kind, are in ``benchmarks.copulas``, section ``levels``.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks._run import interleave
from benchmarks.tables.rounds import Options, fit_pairs
from spinney import PairCopulas
from spinney.models import RootedForests, SharedForest
from spinney.pairs.margins import pseudo_observations
from spinney.pairs.pair_fit import PairFit
from spinney.simulate import Simulated, gaussian_mrf, threshold, with_gaps

PLAIN = "continuous"
PAIRS = "pairs alone"
ESTIMATORS = {"RootedForests": RootedForests, "SharedForest": SharedForest}


def tables(n: int, d: int, seed: int) -> dict[str, Simulated]:
    """Draw one table, and show it in five ways."""
    data = gaussian_mrf(n, d, 2, 1, seed)
    return {
        PLAIN: data,
        "5 levels": threshold(data, "ordinal"),
        "binary": threshold(data, "binary"),
        "mixed": threshold(data, "mixed"),
        "10 % missing": with_gaps(data, 0.1),
    }


def pair_fit(data: Simulated) -> Callable[[], Any]:
    """Fit the pairs from what the margins make of a table."""
    if not np.isnan(data.X).any() and set(data.kinds) == {"continuous"}:
        U = pseudo_observations(data.X)
        return lambda: PairCopulas().fit(U)
    model = RootedForests()
    fit_pairs(model, data.table)
    table = model.pair_fit_.table_
    return lambda: PairFit().fit(table)


def run(seed: int, options: Options) -> dict[str, Any]:
    """Time fits of the pairs and of estimators, warm, with default settings."""
    n, d, rounds = (100, 6, 1) if options.quick else (500, 25, 9)
    drawn = tables(n, d, seed)
    rivals: dict[str, Callable[[], Any]] = {}
    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        for name, data in drawn.items():
            rivals[f"{PAIRS}, {name}"] = pair_fit(data)
        for estimator, kind in ESTIMATORS.items():
            for name, data in drawn.items():
                rivals[f"{estimator}, {name}"] = partial(_fit, kind, data.table)
        seconds = interleave(rivals, rounds)
    result: dict[str, dict[str, float]] = {}
    for what in (PAIRS, *ESTIMATORS):
        usual = np.array(seconds[f"{what}, {PLAIN}"])
        for name in drawn:
            own = np.array(seconds[f"{what}, {name}"])
            median, ratio = float(np.median(own)), float(np.median(own / usual))
            result[f"{what}, {name}"] = {"seconds": median, "times_continuous": ratio}
            print(f"  {what:14s} {name:13s} {median:7.3f} s {ratio:6.2f} x")
    return {"n": n, "d": d, "rounds": rounds, "fits": result, "seconds": seconds}


def _fit(estimator: type, frame: Any) -> Any:
    return estimator().fit(frame)
