"""Real tables beside every baseline: each method on each table is stored when it is done.

Where a graph is known: wrong edges, precision, recall and average precision. Of shares of
companies, the share of edges inside a sector, among the first k pairs of each ranking. Of blood
cells, the agreement of two halves: edges found in both over edges found in either.
"""

from __future__ import annotations

import time
import warnings
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks import _run
from benchmarks._time_limit import time_limit
from benchmarks.accuracy.filling import codes, fill_gaps
from benchmarks.accuracy.methods import methods
from benchmarks.learned.options import Options
from benchmarks.learned.real_tables import RealTable, tables
from benchmarks.peers.adapter import Job, run_jobs
from benchmarks.peers.methods import PEERS
from reproduce import runner
from reproduce.judging import ranking_scores
from reproduce.runner import Record, Store, Task
from spinney._core.pairs import to_pairs
from spinney.judge import GraphLearner
from spinney.metrics import average_precision, compare

OURS = "learned"
METHODS = (
    OURS,
    "rooted-forests",
    "shared-forest",
    "ef-lambda",
    "et",
    "chow-liu-copulas",
    "chow-liu-gaussian",
    "glasso-ebic",
    "glasso-stars-0.1",
    "nonparanormal-stars-0.1",
    "neighbourhood-stars-0.1",
    "partial-correlation-fdr",
    "huge-glasso-ebic",
    "huge-npn-ebic",
    "huge-glasso-stars",
    "huge-npn-stars",
    "huge-mb-stars",
    "huge-mb-ric",
    "bdgraph-ggm",
    "bdgraph-gcgm",
)
TAKES_GAPS = (OURS, "rooted-forests", "shared-forest", "ef-lambda", "et", "chow-liu-copulas")
FIRST = (50, 100, 200, 400, 800)
"""Lengths of rankings at which shares inside a sector are compared."""
SEED = 0


def run(options: Options, names: tuple[str, ...] | None = None) -> dict[str, Any]:
    """Run what is missing, and lay all results out by table and method."""
    wanted = METHODS if options.methods is None else options.methods
    store = Store(options.results / "learned" / "real")
    asked = tuple(tables()) if names is None else names
    tasks = [Task(name, method, SEED) for name in asked for method in wanted]
    evaluate = partial(attempt, options=options)
    mark = _run.fingerprint(options.judge)
    # What another judge has said does not count as done.
    known = store.results()
    stale = [t for t in tasks if _judge_of(known, t) not in (None, mark)]
    runner.run(stale, store, evaluate, options.workers, fresh=True)
    runner.run(tasks, store, evaluate, options.workers)
    records = [r for r in store.results().values() if r["cell"] in asked]
    found = [r for r in records if "n_edges" in r]
    failed = [r for r in records if "n_edges" not in r]
    return {
        "judge": mark,
        "tables": summarise([r for r in found if not r["cell"].startswith("pbmc")]),
        "halves": agreement([r for r in found if r["cell"].startswith("pbmc")]),
        "failed": {f"{r['cell']}, {r['method']}": r.get("gave_up", r.get("error")) for r in failed},
    }


def _judge_of(known: dict[Any, Record], task: Task) -> str | None:
    return known.get((task.cell, task.method, task.seed), {}).get("judge")


def attempt(task: Task, options: Options) -> Record:
    """Fit one method on one table, within the limit of time."""
    record: Record = {"cell": task.cell, "method": task.method, "seed": task.seed}
    try:
        table = tables()[task.cell](options.data)
        with time_limit(60 * options.minutes):
            return record | fit(task.method, table, options.judge)
    except TimeoutError as error:  # a result too: it is not tried again
        return record | {"gave_up": str(error)}
    except Exception as error:  # one method must not lose the others
        return record | {"error": f"{type(error).__name__}: {error}"}


def fit(method: str, table: RealTable, judge: Path | None = None) -> Record:
    """Fit a method and judge its graph."""
    X = table.X if method in TAKES_GAPS else codes(fill_gaps(table.X))
    if method in PEERS:
        # The same graphs, sooner: R need not obey when huge asks for its garbage to be collected.
        result = run_jobs([Job("table", X, method, SEED)], collect_garbage=False)[0]
        return {"seconds": result.seconds} | judged(result.adjacency, result.ranking_matrix, table)
    start = time.perf_counter()
    found: Record = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a table is foreign is kept with the result
        if method == OURS:
            fitted: Any = GraphLearner(judge=judge, random_state=SEED).fit(X)
            found = {
                "judge": fitted.judge_.fingerprint,
                "foreign": [str(notice) for notice in fitted.out_of_distribution_],
            }
        else:
            fitted = methods()[method](X, SEED)
    found["seconds"] = round(time.perf_counter() - start, 3)
    graph = np.asarray(fitted.adjacency_).astype(bool)
    return found | judged(graph, ranking_scores(fitted), table)


def judged(adjacency: NDArray[np.bool_], scores: Any, table: RealTable) -> Record:
    """Compare a graph with what is known of it; edges are kept where nothing is."""
    edges = np.argwhere(np.triu(adjacency, 1)).tolist()
    found: Record = {"n_edges": len(edges), "truths": {}, "sectors": None}
    if not table.truths and table.sectors is None:
        found["edges"] = edges
    for name, truth in table.truths.items():
        against = compare(adjacency, truth)
        measures = ("hamming", "precision", "recall", "f1", "false_positives")
        found["truths"][name] = {
            "true_edges": int(truth.sum()) // 2,
            **{key: against[key] for key in measures},
            "average_precision": None if scores is None else average_precision(scores, truth),
        }
    if table.sectors is not None:
        same = to_pairs(table.sectors[:, None] == table.sectors[None, :]) > 0.5
        found["sectors"] = inside(to_pairs(adjacency) > 0.5, scores, same)
    return found


def inside(kept: NDArray[np.bool_], scores: Any, same: NDArray[np.bool_]) -> Record:
    """Share of edges inside a sector: of the graph, and of the first k pairs of the ranking."""
    found: Record = {
        "all_pairs": float(same.mean()),
        "graph": float(same[kept].mean()) if kept.any() else None,
        "first": {},
    }
    if scores is None:
        return found
    values = to_pairs(scores)
    order = np.argsort(-values, kind="stable")
    for k in FIRST:
        if k <= np.count_nonzero(values):  # beyond, the ranking says nothing
            found["first"][str(k)] = float(same[order[:k]].mean())
    return found


def summarise(records: list[Record]) -> dict[str, Any]:
    """Lay results out by table and method; edges are counted."""
    found: dict[str, Any] = {}
    order = {name: k for k, name in enumerate(METHODS)}
    for record in sorted(records, key=lambda r: order.get(r["method"], len(order))):
        shown = {key: record.get(key) for key in ("truths", "sectors", "seconds", "foreign")}
        found.setdefault(record["cell"], {})[record["method"]] = {
            "edges": record["n_edges"],
            **shown,
        }
    return found


def agreement(records: list[Record]) -> dict[str, Any]:
    """Edges found in both halves over edges found in either, by size of halves and method."""
    edges: dict[tuple[str, str], dict[str, set[tuple[int, int]]]] = {}
    for record in records:
        table, half = record["cell"].rsplit("-", 1)
        known = edges.setdefault((table, record["method"]), {})
        known[half] = {(u, v) for u, v in record["edges"]}
    rows = []
    for (table, method), halves in edges.items():
        if len(halves) == 2:
            first, second = halves.values()
            either = len(first | second)
            rows.append(
                {
                    "size": table.split("-")[1],
                    "method": method,
                    "agreement": len(first & second) / either if either else np.nan,
                    "edges": (len(first) + len(second)) / 2,
                }
            )
    if not rows:
        return {}
    frame = pd.DataFrame(rows)
    return {
        str(size): {
            str(method): {
                "agreement": some.agreement.mean(),
                "error": some.agreement.sem(),
                "edges": some.edges.mean(),
                "tables": len(some),
            }
            for method, some in part.groupby("method")
        }
        for size, part in frame.groupby("size")
    }
