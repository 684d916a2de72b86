"""What a stated share of edges is worth: log-loss with and without ``prior=``.

``python -m benchmarks.prior`` learns Gaussian tables of eight columns whose pairs are edges with a
known chance, once as they are and once with that chance as `prior`. It stores the mean log-loss a
pair of both, and the mean difference with its standard error, for each chance and number of rows.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from benchmarks import _run
from spinney import learn
from spinney._core.pairs import to_pairs
from spinney.judge import Judge
from spinney.judge.choice import with_prior
from spinney.simulate import gaussian

D, SEED = 8, 20261118
SHARES = (0.04, 0.1, 0.2, 0.4, 0.5, 0.6)
ROWS = (15, 30, 60, 200)


def losses(share: float, n: int, seed: int, card: dict) -> tuple[float, float]:
    """Return the log-loss of one table without and with the prior, in nats a pair."""
    rng = np.random.default_rng([SEED, seed, n, round(100 * share)])
    upper = np.triu(rng.uniform(size=(D, D)) < share, 1)
    data = gaussian(n, upper | upper.T, random_state=rng)
    true = to_pairs(data.adjacency.astype(float)) > 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner = learn(data.X, n_jobs=1).learner
    plain = learner.judged_probabilities_
    stated = with_prior(plain, share, learner.node_names_, card)
    return tuple(float(-np.log(np.where(true, p, 1.0 - p)).mean()) for p in (plain, stated))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.prior", description=__doc__)
    parser.add_argument("--tables", type=int, default=100, help="of each share and length")
    tables = parser.parse_args().tables
    card, found = Judge.load().card, {}
    print("share  rows  without  with  difference")
    for share in SHARES:
        for n in ROWS:
            each = np.array([losses(share, n, seed, card) for seed in range(tables)])
            without, stated = each.mean(axis=0)
            change = each[:, 1] - each[:, 0]
            error = change.std(ddof=1) / np.sqrt(tables)
            found[f"{share:g}, {n} rows"] = {
                "without": round(without, 4),
                "with": round(stated, 4),
                "difference": round(change.mean(), 4),
                "error": round(error, 4),
            }
            gain = f"{change.mean():+.3f} ± {error:.3f}"
            print(f"{share:5g} {n:5d}  {without:7.3f} {stated:5.3f}  {gain}", flush=True)
    section = {"tables": tables, "judge": _run.fingerprint(), "cells": found}
    print("stored in", _run.write("prior", {"prior": section}, SEED))


if __name__ == "__main__":
    main()
