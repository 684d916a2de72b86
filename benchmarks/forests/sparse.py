"""The sparse stage: what it gains on trees, and that the switch never loses to dense."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks._run import interleave
from spinney import forests


def random_pairs(rng: np.random.Generator, d: int, n_edges: int) -> np.ndarray:
    """Draw distinct pairs: a random tree first, so that the graph hangs together."""
    pairs = {(int(rng.integers(i)), i) for i in range(1, min(d, n_edges + 1))}
    while len(pairs) < n_edges:
        u, v = sorted(int(x) for x in rng.integers(d, size=2))
        if u != v:
            pairs.add((u, v))
    return np.array(sorted(pairs))


def run(seed: int, quick: bool) -> dict[str, Any]:
    """Time engines at growing density; the resistances are those of the support."""
    rng = np.random.default_rng(seed)
    rounds = 5 if quick else 9
    sweep = []
    for n, d in ((500, 25), (500, 100), (100, 200)):
        full = d * (d - 1) // 2
        for n_edges in sorted({d - 1, 2 * d, 3 * d, 5 * d, full // 4, full // 2, full}):
            if n_edges > full:
                continue
            pairs = random_pairs(rng, d, n_edges)
            beta = np.exp(rng.normal(size=n_edges))
            W = np.exp(rng.normal(size=(n, n_edges)))
            rivals = {
                engine: lambda e=engine, p=pairs, b=beta, w=W, k=d: forests.evaluate(
                    b, w, pairs=p, n_nodes=k, engine=e
                )
                for engine in ("auto", "dense", "sparse")
            }
            if d == 200 and n_edges > 5 * d:
                del rivals["sparse"]  # all fill, no point
            seconds = interleave(rivals, rounds)
            best = {name: min(times) for name, times in seconds.items()}
            sweep.append(
                {
                    "n": n,
                    "d": d,
                    "edges": n_edges,
                    "auto_over_dense": best["auto"] / best["dense"],
                    "median_auto_over_dense": float(
                        np.median(np.array(seconds["auto"]) / np.array(seconds["dense"]))
                    ),
                    "seconds": seconds,
                }
            )
            print(
                f"  n={n} d={d} edges={n_edges:6d}  "
                + "  ".join(f"{k} {v * 1e3:8.3f} ms" for k, v in best.items())
                + f"  median auto/dense {sweep[-1]['median_auto_over_dense']:.2f}",
                flush=True,
            )
    return {"sweep": sweep, "all_pairs": _all_pairs(rng, rounds), "large": _large(rng)}


def _all_pairs(rng: np.random.Generator, rounds: int) -> list[dict[str, Any]]:
    """Time the resistances of all pairs when few have an edge."""
    cases = []
    for n, d in ((500, 25), (500, 50), (500, 100), (200, 200)):
        n_pairs = d * (d - 1) // 2
        W = np.exp(rng.normal(size=(n, n_pairs)))
        for n_edges in (d, 2 * d, 3 * d, 5 * d, 10 * d):
            if n_edges > n_pairs:
                continue
            beta = np.zeros(n_pairs)
            beta[rng.choice(n_pairs, n_edges, replace=False)] = 1.0
            rivals = {
                engine: lambda e=engine, b=beta, w=W: forests.evaluate(b, w, engine=e)
                for engine in ("auto", "dense")
            }
            seconds = interleave(rivals, rounds)
            best = {name: min(times) for name, times in seconds.items()}
            ratio = float(np.median(np.array(seconds["auto"]) / np.array(seconds["dense"])))
            cases.append(
                {
                    "n": n,
                    "d": d,
                    "edges": n_edges,
                    "engine": forests.evaluate(beta, W).engine,
                    "median_auto_over_dense": ratio,
                    "seconds": seconds,
                }
            )
            print(
                f"  all pairs, n={n} d={d} edges={n_edges:5d}  "
                + "  ".join(f"{k} {v * 1e3:8.3f} ms" for k, v in best.items())
                + f"  median auto/dense {ratio:.2f} ({cases[-1]['engine']})",
                flush=True,
            )
    return cases


def _large(rng: np.random.Generator) -> dict[str, Any]:
    """Time d = 2000 with 2000 edges, n = 500; dense on eight samples only, and scaled up."""
    n, d, n_edges = 500, 2000, 2000
    pairs = random_pairs(rng, d, n_edges)
    beta = np.exp(rng.normal(size=n_edges))
    W = np.exp(rng.normal(size=(n, n_edges)))
    sparse = interleave({"sparse": lambda: forests.evaluate(beta, W, pairs=pairs, n_nodes=d)}, 9)
    dense = interleave(
        {
            "dense, 8 samples": lambda: forests.evaluate(
                beta, W[:8], pairs=pairs, n_nodes=d, engine="dense", threads=1
            )
        },
        1,
    )
    # Both threads would halve the dense time, so the scaled figure is halved as well.
    scaled = min(dense["dense, 8 samples"]) * np.ceil(n / 8) / 2
    factor = float(scaled / min(sparse["sparse"]))
    print(
        f"  n={n} d={d} edges={n_edges}: sparse {min(sparse['sparse']) * 1e3:.1f} ms, dense "
        f"{scaled:.0f} s (scaled from 8 samples): {factor:.0f}x",
        flush=True,
    )
    return {"times_faster_than_dense": factor, "seconds": {**sparse, **dense}}
