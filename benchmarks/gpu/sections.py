"""Pair copulas and network: seconds on a GPU and on two cores, and the gap.

The processor's side has two threads. Where it would take more than a minute it does a part, and
its seconds are scaled; results say how large the part was.
"""

import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from spinney import PairCopulas
from spinney.judge import Judge
from spinney.pairs.margins import pseudo_observations
from spinney.scale.gpu.device import torch_module

N_ROWS = 200
PART_PAIRS = {1000: 100_000, 5000: 60_000}

# What the functions that are watched do.
WHERE = {
    "kendall_tau_of_pairs": "kendall",
    "coordinates": "coordinates",
    "send": "sending",
    "_launch": "kernels",
}

WARM_UP = """
import numpy as np
from spinney import PairCopulas
U = np.random.default_rng(0).uniform(0.01, 0.99, size=(50, 30))
PairCopulas().fit(U, pairs=np.arange(20), compact=True)
"""


@lru_cache(maxsize=1)
def compiling() -> subprocess.Popen[bytes]:
    """Compile the processor's kernels meanwhile, in a process of their own."""
    return subprocess.Popen([sys.executable, "-c", WARM_UP])


def seconds(run: Callable[[], Any], rounds: int = 1) -> tuple[float, Any]:
    """Give the least time of a few runs, and the last result."""
    least, found = np.inf, None
    for _ in range(rounds):
        start = time.perf_counter()
        found = run()
        torch_module().cuda.synchronize()
        least = min(least, time.perf_counter() - start)
    return least, found


@contextmanager
def watched(module: Any, names: tuple[str, ...], spent: dict[str, float]) -> Any:
    """Add up the time in functions of a module, the GPU's included."""
    before = {name: getattr(module, name) for name in names}

    def timed(name: str) -> Callable[..., Any]:
        def run(*arguments: Any, **options: Any) -> Any:
            least, found = seconds(lambda: before[name](*arguments, **options))
            spent[name] = spent.get(name, 0.0) + least
            return found

        return run

    for name in names:
        setattr(module, name, timed(name))
    try:
        yield
    finally:
        for name, function in before.items():
            setattr(module, name, function)


def table(d: int, seed: int) -> np.ndarray:
    """Chains of ten columns with tau about 0.55, half with tails of a t with three degrees."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N_ROWS, d))
    for k in range(d):
        if k % 10:
            X[:, k] = 0.75 * X[:, k - 1] + 0.66 * X[:, k]
    for g in range(0, d, 20):
        X[:, g : g + 10] /= np.sqrt(rng.chisquare(3, size=(N_ROWS, 1)) / 3)
    return pseudo_observations(X * np.where(rng.uniform(size=d) < 0.3, -1.0, 1.0))


@lru_cache(maxsize=1)
def fitted(d: int, seed: int) -> PairCopulas:
    """Pairs of a table, fitted on the GPU."""
    return PairCopulas(device="cuda").fit(table(d, seed))


def told(result: dict[str, Any]) -> dict[str, Any]:
    """Print a result on one line."""
    words = (f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in result.items())
    print("  " + ", ".join(words), flush=True)
    return result


def pairs(d: int, seed: int) -> dict[str, Any]:
    """Fit all pairs; the processor fits a part."""
    from spinney.pairs.copulas import blocks
    from spinney.scale.gpu import fitting

    compiling()
    U, n_pairs = table(d, seed), d * (d - 1) // 2
    start = time.perf_counter()
    PairCopulas(device="cuda").fit(U[:, :20])  # compiles
    first_call = time.perf_counter() - start
    spent: dict[str, float] = {}
    fitted.cache_clear()
    with (
        watched(blocks, ("kendall_tau_of_pairs", "coordinates"), spent),
        watched(fitting, ("send", "_launch"), spent),
    ):
        gpu, there = seconds(lambda: fitted(d, seed))
    density = None
    if d <= 1000:  # 20 GB otherwise
        density, _ = seconds(lambda: there.log_density(U), 2)
    compiling().wait()
    some = np.sort(np.random.default_rng(seed).choice(n_pairs, PART_PAIRS[d], replace=False))
    here = PairCopulas(n_jobs=2)
    cpu, _ = seconds(lambda: here.fit(U, pairs=some, compact=True))
    scaled = cpu * n_pairs / len(some)
    same = (there.family_[some] == here.family_) & (there.rotation_[some] == here.rotation_)
    gaps = {
        name: float(np.nanmax(np.abs(getattr(there, name)[some] - getattr(here, name))[same]))
        for name in ("parameters_", "held_out_", "log_likelihood_")
    }
    return told(
        {
            "pairs": n_pairs,
            "gpu_s": gpu,
            "gpu_first_call_s": first_call,
            "two_cores_s": scaled,
            "two_cores_part": len(some) / n_pairs,
            "ratio": scaled / gpu,
            "where_s": {WHERE[name]: spent[name] for name in spent},
            "gpu_log_density_s": density,
            "share_of_other_choices": float(1 - same.mean()),
            "largest_gaps": gaps,
        }
    )


def pairs_1000(seed: int, quick: bool) -> dict[str, Any]:
    """Fit the pairs of 1,000 columns."""
    return pairs(1000, seed)


def pairs_5000(seed: int, quick: bool) -> dict[str, Any]:
    """Fit the pairs of 5,000 columns."""
    return pairs(5000, seed)


def network(seed: int, quick: bool) -> dict[str, Any]:
    """Judge the pairs of 1,000 columns by all networks of the shipped judge."""
    compiling()
    judge, rng = Judge.load(), np.random.default_rng(seed)
    even = rng.normal(size=(1000 * 999 // 2, judge.n_even)).astype(np.float32)
    odd = rng.normal(size=(len(even), judge.n_odd)).astype(np.float32)
    torch = torch_module()
    sent, _ = seconds(lambda: [torch.as_tensor(a, device="cuda") for a in (even, odd)], 2)
    gpu, found = seconds(lambda: judge.logits(even, odd, device="cuda"), 3)
    with threadpool_limits(2, "blas"):
        cpu, expected = seconds(lambda: judge.logits(even, odd, n_jobs=2))
    return told(
        {
            "networks": len(judge.networks),
            "gpu_s": gpu,
            "sending_evidence_s": sent,
            "two_cores_s": cpu,
            "ratio": cpu / gpu,
            "largest_gap_of_logits": float(np.abs(found - expected).max()),
        }
    )
