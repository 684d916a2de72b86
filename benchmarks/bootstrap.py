"""What repeated rows do: edges of bootstrap samples and of subsets, against the truth.

``python -m benchmarks.bootstrap`` learns Gaussian fields of known graph, and each again from
bootstrap samples and from halves of its rows. It prints the mean number of false and of missed
edges a fit, and how many pairs without an edge come in half of the fits or more.
"""

from __future__ import annotations

import argparse

import numpy as np

from spinney import learn
from spinney._core.pairs import to_pairs
from spinney.graph.resampling import learn_rows
from spinney.simulate import gaussian_mrf

D, DEGREE = 15, 2


def main() -> None:
    """Print a line for each number of rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=10)
    parser.add_argument("--fits", type=int, default=40)
    parser.add_argument("--rows", type=int, nargs="*", default=[100, 300, 1000])
    asked = parser.parse_args()
    print("rows  fit        false  missed  falsely in half of the fits")
    for n in asked.rows:
        counts = [_table(n, seed, asked.fits) for seed in range(asked.tables)]
        for name, own in zip(
            ("all rows", "bootstrap", "halves"), np.mean(counts, axis=0), strict=True
        ):
            print(f"{n:4}  {name:9}  {own[0]:5.2f}  {own[1]:6.2f}  {own[2]:5.2f}", flush=True)


def _table(n: int, seed: int, fits: int) -> list[list[float]]:
    world = gaussian_mrf(n, D, DEGREE, random_state=seed)
    true = to_pairs(world.adjacency) > 0.0
    learner = learn(world.X, n_jobs=1).learner
    rng, table = np.random.default_rng(seed), learner.table_
    draws = [
        [np.arange(n)],
        [rng.integers(n, size=n) for _ in range(fits)],
        [np.sort(rng.permutation(n)[: n // 2]) for _ in range(fits)],
    ]
    told = []
    for rows in draws:
        found = np.zeros((len(rows), true.size), dtype=bool)
        for own, chosen in zip(found, rows, strict=True):
            own[learn_rows(learner, table, chosen, np.ones((D, D)))[0].astype(int)] = True
        often = (found.mean(axis=0) >= 0.5) & ~true
        told.append([(found & ~true).sum() / len(rows), (~found & true).sum() / len(rows)])
        told[-1].append(float(often.sum()))
    return told


if __name__ == "__main__":
    main()
