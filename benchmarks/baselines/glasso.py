"""Paths of the graphical lasso: time, optimality and edges, against scikit-learn.

Both solve for the same matrices, huge's path of ten penalties; scikit-learn gets ``S + λI``,
because it does not penalise variances. It runs at its default tolerance and at a strict one.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.covariance import graphical_lasso

from benchmarks._run import interleave
from spinney.models.baselines import glasso_path, penalty_path
from spinney.models.baselines.paths import kkt_violation

SIZES = ((50, 25), (500, 25), (50, 80))  # n, d


def correlation(seed: int, n: int, d: int) -> NDArray[np.float64]:
    """Correlations of a Gaussian table whose graph is a random tree."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    for k in range(1, d):
        X[:, k] = 0.6 * X[:, rng.integers(k)] + 0.8 * X[:, k]
    return np.corrcoef(X.T)


def scikit_learn_path(
    S: NDArray[np.float64], penalties: NDArray[np.float64], tol: float
) -> NDArray[np.float64]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says often that its inner loop has not converged
        found = [
            graphical_lasso(S + p * np.eye(len(S)), p, tol=tol, enet_tol=tol, max_iter=200)[1]
            for p in penalties
        ]
    return np.array(found)


def run(seed: int, quick: bool) -> dict[str, Any]:
    cases = []
    for n, d in SIZES[:1] if quick else SIZES:
        S = correlation(seed, n, d)
        penalties = penalty_path(S)
        exact = glasso_path(S, penalties, tol=1e-10).adjacency
        rivals = {
            "spinney, 1e-9 (default)": lambda S=S, p=penalties: glasso_path(S, p).precisions,
            "scikit-learn, 1e-4 (default)": lambda S=S, p=penalties: scikit_learn_path(S, p, 1e-4),
            "scikit-learn, 1e-8": lambda S=S, p=penalties: scikit_learn_path(S, p, 1e-8),
        }
        seconds = interleave(rivals, 1 if quick else 3)
        for name, solve in rivals.items():
            precisions = solve()
            violation = max(
                kkt_violation(S, np.full((d, d), p), T, np.linalg.inv(T))
                for p, T in zip(penalties, precisions, strict=True)
            )
            wrong = int(np.triu((precisions != 0) ^ exact, 1).sum())
            case = {
                "n": n,
                "d": d,
                "solver": name,
                "seconds": seconds[name],
                "max_kkt_violation": float(violation),
                "wrong_edges_along_the_path": wrong,
                "edges_along_the_path": int(exact.sum() // 2),
            }
            cases.append(case)
            print(
                f"  n = {n:3}, d = {d}: {name:28} {min(seconds[name]):8.4f} s, conditions off by "
                f"{violation:.0e}, {wrong} of {case['edges_along_the_path']} edges wrong"
            )
    return {"cases": cases}
