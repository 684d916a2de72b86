"""`evaluate` against numpy, LAPACK per matrix, and the dgemm of the same run."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from scipy.linalg import lapack
from threadpoolctl import threadpool_limits

from benchmarks._run import interleave
from benchmarks.forests.share import AIMS, SIZE, alone, dgemm, problem, shares
from spinney import forests
from spinney._core.pairs import pair_nodes, to_matrix
from spinney._core.processor import lanes
from spinney._core.threads import default_threads


def with_numpy(beta: np.ndarray, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Stacked slogdet and inv: what one would write first."""
    d = to_matrix(beta).shape[0]
    M = -to_matrix(beta * W)
    M[:, np.arange(d), np.arange(d)] = 1.0 - M.sum(axis=2)
    inverse = np.linalg.inv(M)
    u, v = pair_nodes(d)
    diagonal = inverse[:, np.arange(d), np.arange(d)]
    R = diagonal[:, u] + diagonal[:, v] - 2 * inverse[:, u, v]
    return np.linalg.slogdet(M)[1], (W * R).sum(axis=0)


def with_lapack(beta: np.ndarray, W: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Cholesky and inverse of one matrix after another, samples shared among threads."""
    d = to_matrix(beta).shape[0]
    u, v = pair_nodes(d)
    log_z = np.empty(len(W))
    threads = default_threads()

    def part(rows: np.ndarray) -> np.ndarray:
        total = np.zeros(len(beta))
        M = np.zeros((d, d), order="F")
        for j in rows:
            w = beta * W[j]
            M[u, v] = -w
            degree = np.bincount(u, w, d) + np.bincount(v, w, d)
            M[np.arange(d), np.arange(d)] = 1.0 + degree
            factor, _ = lapack.dpotrf(M, lower=0, overwrite_a=1)
            log_z[j] = 2 * np.log(factor.diagonal()).sum()
            inverse, _ = lapack.dpotri(factor, lower=0, overwrite_c=1)
            diagonal = inverse.diagonal()
            total += W[j] * (diagonal[u] + diagonal[v] - 2 * inverse[u, v])
        return total

    with threadpool_limits(1), ThreadPoolExecutor(threads) as pool:
        parts = pool.map(part, np.array_split(np.arange(len(W)), threads))
        return log_z, sum(parts)


def run(seed: int, quick: bool) -> dict[str, Any]:
    """Measure every size; a share is n d^3 flops per second over those of dgemm."""
    rng = np.random.default_rng(seed)
    multiply = dgemm()
    cases = []
    for (n, d), aims in AIMS.items():
        beta, W = problem(rng, n, d)
        small = n * d**3 < 1e8
        rounds = (9 if d < 500 else 3) if quick else 25 if small else 11 if d < 500 else 5
        rivals = {
            "dgemm": multiply,
            "evaluate": lambda b=beta, w=W: forests.evaluate(b, w),
            "dgemm, one thread": lambda: alone(multiply),
            "evaluate, one thread": lambda b=beta, w=W: forests.evaluate(b, w, threads=1),
        }
        seconds = interleave(rivals, rounds)
        # The rivals take their time; a few rounds will do, and fewer samples where d is large.
        few = W[: max(8, min(n, int(4e8 / d**3)))]
        others = {
            "numpy": lambda b=beta, w=few: with_numpy(b, w),
            "lapack": lambda b=beta, w=few: with_lapack(b, w),
            "log engine": lambda b=beta, w=few[:16]: forests.evaluate(b, w, engine="log"),
        }
        slow = interleave(others, 2 if quick else 3)
        share = shares(seconds, n, d)
        single = shares(seconds, n, d, ", one thread")
        ours, theirs = forests.evaluate(beta, few), with_lapack(beta, few)
        disagreement = np.abs(ours.weighted_resistance / theirs[1] - 1).max()
        case = {
            "n": n,
            "d": d,
            "share_of_dgemm": share,
            "share_of_dgemm_one_thread": single,
            "lanes": lanes(),
            "aim": aims.get(lanes()),
            "gflops": n * d**3 / min(seconds["evaluate"]) / 1e9,
            "dgemm_gflops": 2 * SIZE**3 / min(seconds["dgemm"]) / 1e9,
            "times_faster_than": {
                name: min(slow[name])
                / (len(few[:16]) if name == "log engine" else len(few))
                / (min(seconds["evaluate"]) / n)
                for name in slow
            },
            "largest_relative_difference_to_lapack": float(disagreement),
            "seconds": {**seconds, **slow},
            "samples_of_slow_rivals": len(few),
        }
        cases.append(case)
        print(
            f"  n={n:4d} d={d:4d}  {min(seconds['evaluate']) * 1e3:8.2f} ms  "
            f"share of dgemm: median of pairs {share['median_of_ratios']:.0%}, best over best "
            f"{share['best']:.0%}, one thread each {single['median_of_ratios']:.0%}  "
            "faster than "
            + ", ".join(f"{k} {v:.0f}x" for k, v in case["times_faster_than"].items()),
            flush=True,
        )
    return {"cases": cases}
