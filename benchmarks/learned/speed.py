"""Seconds from a raw table to a graph, d = 25, n = 500, in turn with huge and BDgraph.

R's seconds are those of the fit alone, measured in R: neither start nor files.
"""

from __future__ import annotations

import os
from typing import Any

from benchmarks.estimators import speed
from benchmarks.learned.options import Options
from benchmarks.peers import PEERS, has_r
from spinney.judge import GraphLearner
from spinney.simulate import gaussian_mrf

ROUNDS = 5
N, D = 500, 25


def run(options: Options) -> dict[str, Any]:
    """Time ours on all cores and on one, and the peers."""
    X = gaussian_mrf(N, D, 2, 1, speed.SEED).X
    ours = {
        "GraphLearner": lambda: GraphLearner(judge=options.judge, n_jobs=-1).fit(X),
        "GraphLearner, one core": lambda: GraphLearner(judge=options.judge, n_jobs=1).fit(X),
    }
    peers = {
        "huge glasso + StARS 20 x 20": speed.STARS,
        "BDgraph ggm 5000": PEERS["bdgraph-ggm"],
        "BDgraph gcgm 5000": PEERS["bdgraph-gcgm"],
    }
    known = peers if has_r() else {}
    seconds = speed._in_turn(ours, known, X, options.seeds(ROUNDS))
    return {"n": N, "d": D, "cores": os.cpu_count(), **speed._summary(seconds, [*ours], [*known])}
