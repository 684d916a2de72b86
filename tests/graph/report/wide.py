"""A stand-in for the graph of a table with thousands of columns: nothing is learned.

Hubs with many edges, one large component, modules of a few columns, columns without an edge; a few
pairs per column were judged, and of all others nothing is stored. ``python -m
tests.graph.report.wide COLUMNS FOLDER`` writes its results and tells what each file costs;
``python -m benchmarks.outputs`` stores it.
"""

import json
import resource
import sys
from pathlib import Path
from time import process_time

import networkx as nx
import numpy as np
import pandas as pd

from spinney._core.pairs import n_pairs
from spinney.graph import LearnedGraph
from spinney.judge import GraphLearner
from spinney.judge.judge import JudgeReference, find_judge
from spinney.tables import read_table


def wide_edges(d, seed=0):
    """Edges of a graph as genes have them."""
    rng = np.random.default_rng(seed)
    places = rng.permutation(d).tolist()
    large, edges = int(0.55 * d), set()
    tree = nx.barabasi_albert_graph(large, 1, seed=seed)
    edges.update(tuple(sorted((places[u], places[v]))) for u, v in tree.edges)
    for _ in range(large // 4):  # some loops
        u, v = rng.choice(large, 2, replace=False)
        edges.add(tuple(sorted((places[u], places[v]))))
    at = large
    while at < int(0.8 * d):
        size = int(rng.integers(2, 16))
        module = nx.gnm_random_graph(size, int(1.5 * size), seed=int(rng.integers(1 << 30)))
        edges.update(
            tuple(sorted((places[at + u], places[at + v])))
            for u, v in module.edges
            if at + max(u, v) < d
        )
        at += size
    return sorted(edges)


class Potentials:
    """Pair densities of the pairs that were listed."""

    def __init__(self, pairs, rows, count=None):
        self.pairs_ = pairs if count is None else None
        self.n_rows_ = np.full(pairs.size if count is None else count, rows)
        self.known_ = np.ones(self.n_rows_.size, dtype=bool)


class StandIn(GraphLearner):
    """A learner whose parts were put in from outside."""

    potentials_ = property(lambda self: self._potentials)
    table_ = property(lambda self: self._table)
    expected_false_ = property(lambda self: self._expected[0])
    expected_missed_ = property(lambda self: self._expected[1])
    _unknown = property(lambda self: np.zeros(n_pairs(len(self.node_names_)), dtype=bool))
    unknown_pairs_ = property(
        lambda self: pd.DataFrame({"source": [], "target": [], "rows": []}, dtype=object)
    )
    evidence_ = property(lambda self: None)
    n_rows_counted_ = property(lambda self: len(self._table))


def wide_graph(d, rows=60, seed=0, per_column=8, dense=False):
    """Put together a learned graph of `d` columns; `dense`: as if every pair had been fitted."""
    rng = np.random.default_rng(seed)
    edges = np.array(wide_edges(d, seed))
    others = rng.integers(0, d, size=(per_column * d, 2))
    others = np.sort(others[others[:, 0] != others[:, 1]], axis=1)
    ends = np.vstack([edges, others])
    numbers = ends[:, 0] * (2 * d - ends[:, 0] - 1) // 2 + ends[:, 1] - ends[:, 0] - 1
    numbers, first = np.unique(numbers, return_index=True)
    is_edge = first < len(edges)
    u, v = ends[first].T
    probability = np.where(
        is_edge, rng.beta(8, 1, first.size) * 0.5 + 0.5, rng.beta(0.3, 4, first.size) * 0.5
    )
    strength = np.where(is_edge, rng.uniform(0.1, 0.8, first.size) * rng.choice([-1, 1], u.size), 0)
    names = tuple(f"GENE{k:05d}" if k % 7 else f"a-gene-of-a-long-name-{k}" for k in range(d))
    learner = StandIn()
    learner.node_names_ = names
    learner._table = read_table(pd.DataFrame(rng.normal(size=(rows, d)), columns=list(names)))
    learner._required = learner._forbidden = np.empty(0, dtype=np.int64)

    def matrix(values, dtype=float):
        made = np.zeros((d, d), dtype=dtype)
        made[u, v] = made[v, u] = values
        return made

    learner.adjacency_ = matrix(is_edge, bool)
    learner.edge_probabilities_ = learner.edge_ranking_ = matrix(probability)
    learner.edge_signs_ = matrix(np.sign(strength), np.int64)
    learner.judged_probabilities_ = np.zeros(n_pairs(d))
    learner.judged_probabilities_[numbers] = probability
    learner._potentials = Potentials(numbers, rows, n_pairs(d) if dense else None)
    learner._expected = float((1 - probability[is_edge]).sum()), float(probability[~is_edge].sum())
    learner.out_of_distribution_, learner.why_no_edges_ = (), None
    learner.judge_ = JudgeReference.to(find_judge(None))
    learner.edge_weights_ = matrix(strength)
    return LearnedGraph(learner)


def measure(d, folder, dense=False):
    """Write all results; return seconds of processor time, megabytes and peak memory by file."""
    from spinney.graph.report import OUTPUTS

    view = LearnedGraph.of(wide_graph(d, dense=dense), title=f"{d} columns")
    folder.mkdir(parents=True, exist_ok=True)
    found = {"columns": d, "edges": len(view.edges), "gb_before": _peak(), "parts": {}, "files": {}}
    begun = process_time()
    for name in ("pairs", "nodes", "layout", "summary"):
        start = process_time()
        getattr(view, name)
        found["parts"][name] = round(process_time() - start, 2)
    for output in OUTPUTS:
        start, path = process_time(), folder / output.name
        output.write(path, view)
        took, size = round(process_time() - start, 2), round(path.stat().st_size / 1e6, 2)
        found["files"][output.name] = {"seconds": took, "mb": size, "peak_gb": _peak()}
    found["seconds"] = round(process_time() - begun, 1)
    return found


def _peak():
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2)


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]), Path(sys.argv[2]), "dense" in sys.argv), indent=1))
