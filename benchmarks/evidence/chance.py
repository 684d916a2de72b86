"""How far the ladder's channels differ from seed to seed, for several numbers of subsets."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.evidence.parts import draw
from spinney.evidence.channels import logit
from spinney.forests.posterior import ladder
from spinney.pairs import PairFit

SEEDS = 8


def run(seed: int, quick: bool) -> dict[str, Any]:
    results: dict[str, Any] = {}
    densities = PairFit().fit(draw(200, seed, False)).densities_
    for n_subsets in (12, 24, 40, 80):
        odds = []
        for other in range(SEEDS // 2 if quick else SEEDS):
            rungs = ladder(
                densities.log_density,
                densities.n_parameters,
                n_subsets=n_subsets,
                n_rows=densities.n_rows,
                random_state=other,
            )
            odds.append(logit(rungs.probabilities))
        undecided = np.abs(np.mean(odds, axis=0)) < 5
        spread = np.std(odds, axis=0)[undecided]
        between = float(np.std(np.mean(odds, axis=0)[undecided]))
        results[str(n_subsets)] = {"of seeds": float(spread.mean()), "of pairs": between}
        print(
            f"  {n_subsets} subsets: standard deviation of logits over seeds {spread.mean():.3f},"
        )
        print(f"    over pairs and sizes {between:.3f} (those within 5)")
    return {"results": results}
