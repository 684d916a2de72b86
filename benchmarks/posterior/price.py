"""The price of a parameter: BIC against Laplace's approximation and the integral itself.

Gaussian pairs, so that the marginal likelihood under a uniform prior on Kendall's tau is a sum over
a grid. BIC and Laplace use the fit on all rows, the integral nothing but the rows of the subset.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import logsumexp, ndtri

from benchmarks.accuracy.cells import CELLS, TUNING
from spinney._core.pairs import pair_nodes, to_matrix
from spinney.forests import forest_posterior
from spinney.forests.posterior import default_sizes, draw_subsets
from spinney.metrics import average_precision
from spinney.pairs.margins import pseudo_observations

GRID = np.sin(0.5 * np.pi * ((np.arange(64) + 0.5) / 32 - 1))[:, None, None]
"""Correlations at the middles of 64 equal intervals of tau."""


def log_likelihood(r: Any, m: int, squares: Any, products: Any) -> Any:
    rest = 1 - r**2
    return -0.5 * m * np.log(rest) - (r**2 * squares - 2 * r * products) / (2 * rest)


def prices(Z: Any) -> dict[str, Any]:
    """Mean edge probabilities over the sizes below n, for each price."""
    n, d = Z.shape
    first, second = pair_nodes(d)
    squares, products = Z[:, first] ** 2 + Z[:, second] ** 2, Z[:, first] * Z[:, second]
    r = 2 * products.sum(axis=0) / squares.sum(axis=0)  # the scores have one variance
    rng = np.random.default_rng(0)
    found: dict[str, list[Any]] = {"bic": [], "laplace": [], "integral": []}
    for m in default_sizes(n)[:-1]:
        subsets = draw_subsets(n, m, 40, rng)
        A = np.stack([squares[rows].sum(axis=0) for rows in subsets])
        B = np.stack([products[rows].sum(axis=0) for rows in subsets])
        bic = log_likelihood(r, m, A, B) - 0.5 * np.log(m)
        # log prior + log(2 pi)/2 - log(information)/2: 1/(pi sqrt(1-r²)) and (1+r²)/(1-r²)².
        curvature = 0.5 * np.log(2 / np.pi) + 0.5 * np.log((1 - r**2) / (1 + r**2))
        integral = logsumexp(log_likelihood(GRID, m, A, B), axis=0) - np.log(len(GRID))
        for name, weights in (("bic", bic), ("laplace", bic + curvature), ("integral", integral)):
            posterior = forest_posterior(weights - np.log(d))
            found[name].append(posterior.probabilities.mean(axis=0))
    return {name: np.mean(rungs, axis=0) for name, rungs in found.items()}


def run(seed: int, quick: bool) -> dict[str, Any]:
    del seed  # the tuning tables have their own
    results: dict[str, Any] = {}
    for cell in (f"{kind}-{n}" for kind in ("connected", "two-components") for n in (50, 100, 500)):
        scores: dict[str, list[float]] = {}
        for table in TUNING[: 4 if quick else 8]:
            data = CELLS[cell].simulate(table)
            for name, ranking in prices(ndtri(pseudo_observations(data.X))).items():
                score = average_precision(to_matrix(ranking), data.adjacency)
                scores.setdefault(name, []).append(float(score))
        results[cell] = scores
        print(f"  {cell}:", *(f"{name} {np.mean(x):.3f}" for name, x in scores.items()))
    return {"results": results}
