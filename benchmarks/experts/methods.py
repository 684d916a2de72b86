"""The methods, each a function of a table of text: edges of all pairs, and probabilities if any.

Hill climbing with the score BDeu and MIIC are those of ``pyagrum``, with its defaults. Hill
climbing learns a directed graph, whose moral graph counts. MIIC learns a partly directed one: its
edges, directed or not, count, and so does every pair of columns with arrows into a common third.
For the graph of a class of equivalent networks this is the moral graph of each member.
"""

from __future__ import annotations

import multiprocessing
import warnings
from collections.abc import Callable, Iterable
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

JUDGE = "GraphLearner"
HILL, MIIC = "hill climbing, BDeu", "MIIC"


class Answer(NamedTuple):
    """Edges, and probabilities of edges where a method has any: both square."""

    edges: Bools
    probabilities: Floats | None = None


def need_pyagrum() -> str | None:
    """Say what to do if pyagrum is not installed."""
    try:
        import pyagrum  # noqa: F401
    except ImportError:
        return "pyagrum is not installed, and hill climbing and MIIC are its: pip install pyagrum"
    return None


def moralised(
    d: int, arrows: Iterable[tuple[int, int]], lines: Iterable[tuple[int, int]] = ()
) -> Bools:
    """Give the edges of a partly directed graph, and those between two with a common child."""
    found = np.zeros((d, d), dtype=bool)
    parents: dict[int, list[int]] = {}
    for u, v in arrows:
        parents.setdefault(v, []).append(u)
        found[u, v] = found[v, u] = True
    for u, v in lines:
        found[u, v] = found[v, u] = True
    for some in parents.values():
        for u, v in combinations(some, 2):
            found[u, v] = found[v, u] = True
    return found


def _learner(frame: pd.DataFrame) -> Any:
    import pyagrum

    learner = pyagrum.BNLearner(frame)
    learner.setNumberOfThreads(1)
    # Nodes are numbered by column; anything else would mix up the edges.
    assert [learner.nameFromId(k) for k in range(frame.shape[1])] == list(frame.columns)
    return learner


def hill_climbing(frame: pd.DataFrame) -> Answer:
    learner = _learner(frame)
    learner.useGreedyHillClimbing()
    learner.useScoreBDeu()
    return Answer(moralised(frame.shape[1], learner.learnDAG().arcs()))


def miic(frame: pd.DataFrame) -> Answer:
    learner = _learner(frame)
    learner.useMIIC()
    graph = learner.learnPDAG()
    return Answer(moralised(frame.shape[1], graph.arcs(), graph.edges()))


def graph_learner(frame: pd.DataFrame, judge: Path | None = None) -> Answer:
    from spinney import GraphLearner

    return _of_model(GraphLearner(judge, random_state=0, n_jobs=1).fit(frame), frame)


def shared_forest(frame: pd.DataFrame) -> Answer:
    from spinney.models import SharedForest

    return _of_model(SharedForest().fit(frame), frame)


def _of_model(model: Any, frame: pd.DataFrame) -> Answer:
    """Find what a model says of the columns that it keeps; the others have no edges."""
    d = frame.shape[1]
    names = [str(name) for name in model.node_names_]
    places = np.array([frame.columns.get_loc(name) for name in names], dtype=int)
    edges, told = np.zeros((d, d), dtype=bool), np.zeros((d, d))
    edges[np.ix_(places, places)] = model.adjacency_
    told[np.ix_(places, places)] = model.edge_probabilities_
    return Answer(edges, told)


PEERS: dict[str, Callable[[pd.DataFrame], Answer]] = {HILL: hill_climbing, MIIC: miic}
METHODS = {**PEERS, JUDGE: graph_learner, "SharedForest": shared_forest}


def ask(name: str, frame: pd.DataFrame, judge: Path | None = None) -> Answer:
    """Ask a method; where spinney refuses a table, it finds nothing."""
    from spinney.exceptions import SpinneyError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return graph_learner(frame, judge) if name == JUDGE else METHODS[name](frame)
        except SpinneyError:
            nothing = np.zeros((frame.shape[1], frame.shape[1]))
            return Answer(nothing > 0, nothing)


def ask_in_time(name: str, frame: pd.DataFrame, limit_s: float) -> Answer | None:
    """Ask a method in a process of its own, and end it when its time is up: None."""
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe(duplex=False)

    def work() -> None:
        there.send(ask(name, frame))

    process = context.Process(target=work, daemon=True)
    process.start()
    there.close()
    try:
        return here.recv() if here.poll(limit_s) else None  # type: ignore[no-any-return]
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()
