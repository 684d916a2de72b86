"""Is the right family found? Simulated pairs, one row per truth, one column per choice.

The default margin was settled on seeds 1 to 100 (TUNING); what is reported comes from seeds 1000
to 1099 (REPORTING).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from spinney.pairs.copulas import (
    Clayton,
    Copula,
    Frank,
    Gaussian,
    Gumbel,
    Independence,
    PairCopulas,
    Student,
)
from spinney.pairs.margins import pseudo_observations

TUNING = range(1, 101)
REPORTING = range(1000, 1100)


def truths(tau: float) -> list[Copula]:
    """Every family and rotation with the given |tau|; Student with 4 degrees of freedom."""
    rho = float(np.sin(np.pi / 2 * tau))
    frank = float(brentq(lambda theta: Frank(theta).tau - tau, 1e-6, 90.0))
    turned = (0, 90, 180, 270)
    return [
        Independence(),
        Gaussian(rho),
        Student(rho, 4.0),
        *(Clayton(2 * tau / (1 - tau), rotation) for rotation in turned),
        *(Gumbel(1 / (1 - tau), rotation) for rotation in turned),
        Frank(frank),
    ]


def label(copula: Copula) -> str:
    return copula.family + (f" {copula.rotation}" if type(copula).rotations != (0,) else "")


def confusion(seeds: Iterable[int], n: int, tau: float, **options: Any) -> pd.DataFrame:
    """Count what is chosen for each truth; one table of all truths side by side per seed."""
    candidates = truths(tau)
    names = [label(copula) for copula in candidates]
    counts = pd.DataFrame(0, index=names, columns=names)
    for seed in seeds:
        rng = np.random.default_rng(seed)
        for truth in candidates:
            U = pseudo_observations(truth.sample(n, rng))
            chosen = PairCopulas(**options).fit(U).copula(0, 1)
            counts.loc[label(truth), label(chosen)] += 1
    return counts


def run(seed: int, quick: bool) -> dict[str, Any]:
    seeds = REPORTING[:20] if quick else REPORTING
    results = {}
    for name, options in {
        "default (margin 1)": {},
        "plain cross-validation (margin 0)": {"margin": 0.0},
        "BIC": {"criterion": "bic", "margin": 0.0},
    }.items():
        counts = confusion(seeds, n=500, tau=0.5, **options)
        results[name] = counts.to_dict(orient="index")
        right = np.diag(counts) / len(seeds)
        print(f"  {name}: lowest share right {right.min():.2f} ({counts.index[right.argmin()]})")
        print(counts.to_string())
    return {"n": 500, "tau": 0.5, "seeds": [seeds[0], seeds[-1]], "counts": results}
