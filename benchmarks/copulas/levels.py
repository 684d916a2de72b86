"""Pairs with levels, and with gaps, against pairs of continuous columns; one thread, one run."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from threadpoolctl import threadpool_limits

from benchmarks._run import interleave
from benchmarks.copulas.speed import D, N, table
from spinney._core.pairs import pair_nodes
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.pseudo import PseudoTable

LEVELS = (2, 5, 10)
GAPS = 0.1
PLAIN = "continuous"


def cut(U: NDArray[np.float64], levels: NDArray[np.int64], gaps: float, seed: int) -> PseudoTable:
    """Cut columns into equally likely levels (0: leave them), and take some values away."""
    present = np.random.default_rng(seed).uniform(size=U.shape) >= gaps
    u, codes, masses = np.full(U.shape, np.nan), np.full(U.shape, -1), []
    for k, count in enumerate(levels):
        here = present[:, k]
        ranks = stats.rankdata(U[here, k]) / (here.sum() + 1)
        if count == 0:
            u[here, k] = ranks
            masses.append(np.empty(0))
        else:
            codes[here, k] = (ranks * count).astype(np.int64)
            masses.append(np.bincount(codes[here, k], minlength=count) / here.sum())
    names = tuple(f"x{k}" for k in range(U.shape[1]))
    return PseudoTable(u, codes, tuple(masses), np.zeros(U.shape[1], dtype=bool), names)


def run(seed: int, quick: bool) -> dict[str, Any]:
    """Time fits and log-densities of all pairs of a kind, as multiples of continuous ones."""
    U = table(seed)
    first, second = pair_nodes(D)
    mixed = np.flatnonzero(first % 2 != second % 2)
    every = np.arange(first.size)
    half = np.arange(D) % 2
    cases = {PLAIN: (cut(U, 0 * half, 0.0, seed), every)}
    for count in LEVELS:
        cases[f"{count} levels, both"] = (cut(U, 0 * half + count, 0.0, seed), every)
        cases[f"{count} levels and continuous"] = (cut(U, count * half, 0.0, seed), mixed)
    cases[f"continuous, {GAPS:.0%} missing"] = (cut(U, 0 * half, GAPS, seed), every)
    cases[f"5 levels or continuous, {GAPS:.0%} missing"] = (cut(U, 5 * half, GAPS, seed), every)

    fits = {
        name: lambda T=T, pairs=pairs: PairCopulas().fit(T, pairs=pairs)
        for name, (T, pairs) in cases.items()
    }
    fitted = {name: fit() for name, fit in fits.items()}
    densities = {
        f"{name}: log-densities": lambda name=name: fitted[name].fitted_log_density_
        for name in cases
    }
    with threadpool_limits(1):
        seconds = interleave({**fits, **densities}, rounds=3 if quick else 9)
    result = {}
    for name, (_, pairs) in cases.items():
        size = pairs.size / every.size
        of_fit = np.array(seconds[name]) / seconds[PLAIN] / size
        after = seconds[f"{name}: log-densities"]
        of_density = np.array(after) / seconds[f"{PLAIN}: log-densities"] / size
        result[name] = {
            "ms_per_pair": 1e3 * float(np.median(seconds[name])) / pairs.size,
            "times_continuous": float(np.median(of_fit)),
            "log_density_times_continuous": float(np.median(of_density)),
        }
        print(f"  {name:40} {result[name]['ms_per_pair']:7.3f} ms a pair", end="")
        print(f"  {result[name]['times_continuous']:5.2f} x", end="")
        print(f"  log-densities {result[name]['log_density_times_continuous']:5.2f} x")
    return {"n": N, "d": D, "cases": result, "seconds": seconds}
