"""PairCopulas with cross-validation against pyvinecopulib's selection by BIC, one thread each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyvinecopulib as pv
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from benchmarks._run import interleave
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.margins import pseudo_observations

N, D, THEIR_PAIRS = 500, 25, 24

FAMILIES = [
    pv.BicopFamily.indep,
    pv.BicopFamily.gaussian,
    pv.BicopFamily.student,
    pv.BicopFamily.clayton,
    pv.BicopFamily.gumbel,
    pv.BicopFamily.frank,
]


def table(seed: int, n: int = N, d: int = D) -> NDArray[np.float64]:
    """Pseudo-observations of mixed columns: dependence of all strengths, signs and tails."""
    rng = np.random.default_rng(seed)
    mixing = np.eye(d) + 0.35 * rng.normal(size=(d, d))
    X = rng.standard_t(4, size=(n, d)) @ mixing
    return pseudo_observations(X)


def run(seed: int, quick: bool) -> dict[str, Any]:
    U = table(seed)
    first, second = np.triu_indices(D, 1)
    picked = np.random.default_rng(seed).choice(first.size, THEIR_PAIRS, replace=False)
    data = [np.ascontiguousarray(U[:, [first[k], second[k]]]) for k in picked]
    controls = pv.FitControlsBicop(
        family_set=FAMILIES, selection_criterion="bic", parametric_method="mle", num_threads=1
    )

    def theirs() -> None:
        for pair in data:
            pv.Bicop.from_data(pair, controls=controls)

    rivals = {
        "pyvinecopulib, BIC, no CV": theirs,
        "spinney, 5-fold CV": lambda: PairCopulas().fit(U),
        "spinney, BIC": lambda: PairCopulas(criterion="bic").fit(U),
        "spinney, 5-fold CV, all log-densities": lambda: PairCopulas().fit(U).log_density(U),
    }
    with threadpool_limits(1):
        seconds = interleave(rivals, rounds=3 if quick else 7)
    pairs = {name: THEIR_PAIRS if name.startswith("py") else first.size for name in rivals}
    ms = {name: 1e3 * float(np.median(s)) / pairs[name] for name, s in seconds.items()}
    reference = np.array(seconds["pyvinecopulib, BIC, no CV"]) / THEIR_PAIRS
    ratio = {
        name: float(np.median(reference / (np.array(s) / pairs[name])))
        for name, s in seconds.items()
    }
    for name in rivals:
        print(f"  {name:40} {ms[name]:8.3f} ms a pair   {ratio[name]:7.1f} x")
    return {
        "n": N,
        "d": D,
        "their_pairs": THEIR_PAIRS,
        "ms_per_pair_median": ms,
        "times_faster_median_of_ratios": ratio,
        "seconds": seconds,
    }
