"""The methods that are compared, each as a function of a data frame."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.peers.adapter import Job, PeerError, run_jobs
from benchmarks.peers.methods import Peer
from spinney._core.pairs import to_pairs
from spinney.exceptions import SpinneyError
from spinney.judge import GraphLearner
from spinney.models import RootedForests, SharedForest
from spinney.models.baselines import GraphicalLasso, PartialCorrelation
from spinney.tables import read_table

Floats = NDArray[np.float64]

JUDGE = "GraphLearner"
PEER_LIMIT_S = 600


class Answer(NamedTuple):
    """What a method says of all pairs of a table: edges, and probabilities if it has any."""

    edges: NDArray[np.bool_]
    probabilities: Floats | None


def _numbers(frame: pd.DataFrame) -> Floats:
    """Levels by their positions, gaps by means: what most methods need."""
    values = read_table(frame).values
    return np.where(np.isnan(values), np.nanmean(values, axis=0), values)


METHODS: dict[str, Callable[[pd.DataFrame, Path | None, int], Any]] = {
    JUDGE: lambda frame, judge, seed: GraphLearner(judge, random_state=seed, n_jobs=1).fit(frame),
    "RootedForests": lambda frame, judge, seed: RootedForests().fit(frame),
    "SharedForest": lambda frame, judge, seed: SharedForest().fit(frame),
    "PartialCorrelation": lambda frame, judge, seed: PartialCorrelation(dependence="shrinkage").fit(
        _numbers(frame)
    ),
    "GraphicalLasso": lambda frame, judge, seed: GraphicalLasso(
        selection="ebic", dependence="shrinkage"
    ).fit(_numbers(frame)),
}
PEERS = {
    "BDgraph": Peer("BDgraph", "gcgm"),
    "huge": Peer("huge", "mb", "shrinkage", "ric", repetitions=20),
}
"""R packages, asked only by name. BDgraph takes gaps, and is told which columns have levels."""
PROBABILITIES = (JUDGE, "SharedForest", "BDgraph")
"""Methods whose numbers are meant as probabilities of edges."""


def _ask_peer(name: str, frame: pd.DataFrame, seed: int) -> Answer:
    table = read_table(frame)
    job = Job("one", _numbers(frame), name, seed, PEERS[name])
    if name == "BDgraph":
        job = replace(job, X=table.values, not_continuous=table.n_levels > 0)
    found = run_jobs([job], timeout_s=PEER_LIMIT_S, collect_garbage=False)[0]
    told = np.array(found.ranking) if name in PROBABILITIES else None
    return Answer(to_pairs(found.adjacency.astype(float)) > 0, told)


def ask(name: str, frame: pd.DataFrame, judge: Path | None = None, seed: int = 0) -> Answer:
    """Ask a method for its graph; where it refuses a table, it finds nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows and odd columns: that is what is looked at
        try:
            if name in PEERS:
                return _ask_peer(name, frame, seed)
            model = METHODS[name](frame, judge, seed)
        except (SpinneyError, PeerError, np.linalg.LinAlgError):
            nothing = np.zeros(frame.shape[1] * (frame.shape[1] - 1) // 2)
            return Answer(nothing > 0, nothing if name in PROBABILITIES else None)
    told = to_pairs(model.edge_probabilities_) if name in PROBABILITIES else None
    return Answer(to_pairs(np.asarray(model.adjacency_, dtype=float)) > 0, told)
