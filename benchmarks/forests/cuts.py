"""`smallest_cuts` on complete graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks._run import interleave
from spinney import forests


def run(seed: int, quick: bool) -> dict[str, Any]:
    """Time the hundred smallest cuts of complete graphs with log-normal and uniform weights."""
    rng = np.random.default_rng(seed)
    cases = []
    for d in (25, 50, 80):
        for kind in ("uniform", "log-normal"):
            W = rng.random((d, d)) if kind == "uniform" else np.exp(2 * rng.normal(size=(d, d)))
            W = np.triu(W, 1) + np.triu(W, 1).T
            times = interleave(
                {"cuts": lambda w=W: forests.smallest_cuts(w, 100)}, 5 if quick else 25
            )
            cases.append({"d": d, "k": 100, "weights": kind, "seconds": times["cuts"]})
            print(f"  d={d} {kind}: {min(times['cuts']) * 1e3:.2f} ms", flush=True)
    return {"cases": cases}
