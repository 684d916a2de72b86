r"""What share of the matrix product's speed `evaluate` reaches, at the width of this processor.

``python -m benchmarks.forests.share`` prints five figures and stores them in
``benchmarks/results/lanes-<width>-<date>.json``; ``--quick`` takes fewer rounds. Another width is
measured by compiling for another processor, and by letting OpenBLAS believe in it as well, lest the
matrix product have registers that `evaluate` has not:

    NUMBA_CPU_NAME=haswell NUMBA_CPU_FEATURES= OPENBLAS_CORETYPE=Haswell \
        python -m benchmarks.forests.share

A share is n d^3 flops per second over those of a product of two 1200 x 1200 matrices, measured in
turn with as many threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from benchmarks._run import interleave, run_sections
from spinney import forests
from spinney._core.pairs import n_pairs
from spinney._core.processor import describe_lanes, lanes

SIZE = 1200
AIMS = {
    (500, 25): {8: 0.10, 4: 0.10},
    (50, 80): {8: 0.20, 4: 0.20},
    (500, 100): {8: 0.50, 4: 0.45},
    (500, 200): {8: 0.60, 4: 0.50},
    (200, 500): {8: 0.50, 4: 0.45},
}
"""For each (n, d) the share to be reached, by number of lanes."""


def dgemm() -> Callable[[], None]:
    """Make a function that multiplies two square matrices."""
    rng = np.random.default_rng(0)
    a, b = rng.random((2, SIZE, SIZE))
    out = np.empty((SIZE, SIZE))
    return lambda: np.matmul(a, b, out=out)


def alone(multiply: Callable[[], None]) -> None:
    """Multiply on one thread."""
    with threadpool_limits(1):
        multiply()


def shares(seconds: dict[str, list[float]], n: int, d: int, which: str = "") -> dict[str, float]:
    """Compare both in the best round of each, in the median round, and in the median of ratios."""
    ours = n * d**3 / np.array(seconds[f"evaluate{which}"])
    product = 2 * SIZE**3 / np.array(seconds[f"dgemm{which}"])
    return {
        "best": float(ours.max() / product.max()),
        "median": float(np.median(ours) / np.median(product)),
        "median_of_ratios": float(np.median(ours / product)),
    }


def problem(rng: np.random.Generator, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw edge weights and samples."""
    beta = np.exp(rng.normal(size=n_pairs(d))) / d
    return beta, np.exp(rng.normal(size=(n, n_pairs(d))))


def run(seed: int, quick: bool) -> dict[str, Any]:
    """Measure the five sizes."""
    blas = next(pool for pool in threadpool_info() if pool["user_api"] == "blas")
    kind = blas.get("architecture", "unknown")
    print(f"  {describe_lanes()}; dgemm for {kind}, {blas['num_threads']} threads", flush=True)
    rng = np.random.default_rng(seed)
    multiply = dgemm()
    cases = []
    for (n, d), aims in AIMS.items():
        beta, W = problem(rng, n, d)
        rivals = {
            "dgemm": multiply,
            "evaluate": lambda b=beta, w=W: forests.evaluate(b, w),
            "dgemm, one thread": lambda: alone(multiply),
            "evaluate, one thread": lambda b=beta, w=W: forests.evaluate(b, w, threads=1),
        }
        rounds = (9 if d < 500 else 3) if quick else 25 if d < 200 else 11
        seconds = interleave(rivals, rounds)
        both, one = shares(seconds, n, d), shares(seconds, n, d, ", one thread")
        aim = aims.get(lanes())
        told = "" if aim is None else f"; aim {aim:.0%}"
        print(
            f"  n={n:4d} d={d:4d}  {min(seconds['evaluate']) * 1e3:8.3f} ms of {rounds} rounds: "
            f"best over best {both['best']:.0%}, median of ratios {both['median_of_ratios']:.0%}, "
            f"one thread each {one['best']:.0%}, {one['median_of_ratios']:.0%}{told}",
            flush=True,
        )
        cases.append(
            {
                "n": n,
                "d": d,
                "aim": aim,
                "share_of_dgemm": both,
                "share_of_dgemm_one_thread": one,
                "dgemm_gflops": 2 * SIZE**3 / min(seconds["dgemm"]) / 1e9,
                "seconds": seconds,
            }
        )
    return {"lanes": lanes(), "width": describe_lanes(), "dgemm_for": kind, "cases": cases}


if __name__ == "__main__":
    run_sections(f"lanes-{lanes()}", {"share": run}, seed=20261115)
