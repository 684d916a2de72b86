"""Networks beyond the range of doubles: rewritten as plain ones, against the log engine."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks._run import interleave
from spinney import forests
from spinney._core.pairs import to_matrix, to_pairs
from spinney.forests.posterior import forest_posterior


def run(seed: int, quick: bool) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    rows = []
    for d in (50, 200) if quick else (50, 200, 500):
        n_pairs = d * (d - 1) // 2
        noise = rng.normal(-3.0, 1.5, n_pairs)  # what is left of noise after its price
        strong = np.where(rng.random(n_pairs) < 1.0 / d, rng.uniform(0, 5000, n_pairs), noise)
        for name, weights in {"noise and strong edges": strong, "all scales": 300 * noise}.items():
            matrix = to_matrix(weights)
            seconds = interleave(
                {
                    "rewritten": lambda w=weights: forest_posterior(w, threads=1),
                    "log engine": lambda m=matrix: forests.edge_marginals(
                        m, log=True, engine="log", threads=1
                    ),
                },
                3,
            )
            exact = to_pairs(forests.edge_marginals(matrix, log=True, engine="log"))
            error = float(np.abs(forest_posterior(weights).probabilities - exact).max())
            ratios = np.array(seconds["log engine"]) / np.array(seconds["rewritten"])
            print(f"  d = {d}, {name}: {np.median(ratios):.1f} times, error {error:.1e}")
            rows.append({"d": d, "case": name, "seconds": seconds, "largest_error": error})
    return {"results": rows}
