"""What repeated rows do: edges of bootstrap samples and of subsets, against the truth.

``python -m benchmarks.bootstrap`` learns Gaussian fields of known graph, and each again from
bootstrap samples and from halves of its rows. It prints and stores the mean number of false and of
missed edges a fit, and how many pairs without an edge come in half of the fits or more.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks import _run
from spinney import learn
from spinney._core.pairs import to_pairs
from spinney.graph.resampling import learn_rows
from spinney.simulate import gaussian_mrf

D, DEGREE, SEED = 15, 2, 0
FITS = ("all rows", "bootstrap", "halves")


def main() -> None:
    """Print a line for each number of rows."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bootstrap", description=__doc__)
    parser.add_argument("--tables", type=int, default=6)
    parser.add_argument("--fits", type=int, default=20)
    parser.add_argument("--rows", type=int, nargs="*", default=[100, 300])
    asked = parser.parse_args()
    cells = {}
    print("rows  fit        false  missed  falsely in half of the fits")
    for n in asked.rows:
        counts = [_table(n, SEED + k, asked.fits) for k in range(asked.tables)]
        for name, own in zip(FITS, np.mean(counts, axis=0), strict=True):
            false, missed, often = own.round(3).tolist()
            cells[f"{n} rows, {name}"] = {"false": false, "missed": missed, "often": often}
            print(f"{n:4}  {name:9}  {false:5.2f}  {missed:6.2f}  {often:5.2f}", flush=True)
    section = {"tables": asked.tables, "fits": asked.fits, "judge": _run.fingerprint()}
    print("stored in", _run.write("bootstrap", {"bootstrap": section | {"cells": cells}}, SEED))


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
