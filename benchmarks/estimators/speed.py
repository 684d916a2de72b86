"""Seconds from a table to a graph, in turn with huge and BDgraph on the same table.

R's seconds are those of the fit alone, measured in R: neither start nor files. Where R is not
installed, the peers are left out.
"""

from __future__ import annotations

import resource
import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks.peers import PEERS, Job, has_r, run_jobs
from spinney import PairCopulas
from spinney.models import (
    EnsembleOfTrees,
    ForestsLambda,
    RootedForests,
    SharedForest,
)
from spinney.pairs.densities import PairDensities
from spinney.pairs.margins import pseudo_observations
from spinney.simulate import gaussian_mrf

SEED = 100_500
"""A tuning seed: no figure about accuracy comes from here."""

STARS = PEERS["huge-glasso-stars"].with_options(n_penalties=20, repetitions=20)


def _peer(name: str, X: Any, peer: Any) -> float:
    return run_jobs([Job(name, X, name, SEED, peer)])[0].seconds


def _clock(run: Callable[[], Any]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _in_turn(
    ours: dict[str, Callable[[], Any]], peers: dict[str, Any], X: Any, rounds: int
) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {name: [] for name in (*ours, *peers)}
    for run in ours.values():
        run()  # compile
    for _ in range(rounds):
        for name, run in ours.items():
            seconds[name].append(_clock(run))
        for name, peer in peers.items():
            seconds[name].append(_peer(name, X, peer))
    return seconds


def _summary(seconds: dict[str, list[float]], ours: list[str], peers: list[str]) -> dict[str, Any]:
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    ratios = {f"{peer} / {name}": medians[peer] / medians[name] for name in ours for peer in peers}
    for name, value in medians.items():
        print(f"  {name:28s} {value:8.3f} s")
    for name, ratio in ratios.items():
        print(f"  {name:52s} {ratio:7.1f}")
    return {"seconds": seconds, "median_seconds": medians, "ratios": ratios}


def path(seed: int, quick: bool) -> dict[str, Any]:
    """Time the default EF-λ path from fitted potentials, d = 25, n = 500, beside huge."""
    X = gaussian_mrf(500, 25, 2, 1, seed).X
    U = pseudo_observations(X)
    densities = PairDensities(PairCopulas().fit(U).log_density(U))
    ours: dict[str, Callable[[], Any]] = {
        "ForestsLambda": lambda: ForestsLambda().fit(densities),
        "EnsembleOfTrees": lambda: EnsembleOfTrees().fit(densities),
        "RootedForests": lambda: RootedForests().fit(densities),
    }
    peers = {"huge glasso + StARS 20 x 20": STARS} if has_r() else {}
    seconds = _in_turn(ours, peers, X, 2 if quick else 5)
    return _summary(seconds, list(ours), list(peers))


def table(seed: int, quick: bool) -> dict[str, Any]:
    """Time raw table to graph with five families and cross-validation, d = 25, n = 500."""
    X = gaussian_mrf(500, 25, 2, 1, seed).X
    potentials = PairCopulas(n_jobs=-1)
    ours: dict[str, Callable[[], Any]] = {
        "RootedForests": lambda: RootedForests(potentials).fit(X),
        "SharedForest": lambda: SharedForest(potentials).fit(X),
        "ForestsLambda": lambda: ForestsLambda(potentials=potentials).fit(X),
    }
    peers = {
        "huge glasso + StARS 20 x 20": STARS,
        "huge glasso + StARS 10 x 10": PEERS["huge-glasso-stars"],
        "BDgraph ggm 5000": PEERS["bdgraph-ggm"],
    }
    seconds = _in_turn(ours, peers if has_r() else {}, X, 2 if quick else 5)
    return _summary(seconds, list(ours), list(peers) if has_r() else [])


def scale(seed: int, quick: bool) -> dict[str, Any]:
    """Time SharedForest from fitted potentials at n = 200, and the peak memory of the process."""
    sizes = (100, 300) if quick else (100, 300, 1000)
    result = {}
    for d in sizes:
        X = gaussian_mrf(200, d, 2, 1, seed).X
        U = pseudo_observations(X)
        log_density = PairCopulas(n_jobs=-1).fit(U).log_density(U)
        densities = PairDensities(log_density)
        took = _clock(lambda rows=densities: SharedForest().fit(rows))  # type: ignore[misc]
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        held = log_density.nbytes / 2**30
        del log_density, densities
        print(f"  d = {d:5d}: {took:7.1f} s, peak {peak:.2f} GiB ({held:.2f} of it the densities)")
        result[str(d)] = {"seconds": took, "peak_gib": peak, "log_density_gib": held}
    return {"shared_forest": result, "n": 200}


SECTIONS = {"path": path, "table": table, "scale": scale}
