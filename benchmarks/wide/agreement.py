"""The wide way beside the dense one: edges, decisions, probabilities, calibration."""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any
from unittest import mock

import numpy as np

from benchmarks.wide.tables import KINDS, REPORTING
from spinney._core.pairs import to_pairs
from spinney.judge import GraphLearner, learner

__all__ = ["compared", "run"]

COLUMNS = (400,)
ROWS = 200
ALONE = 1000
"""Columns of the tables that only the wide way is run on: independent ones, and a connected one."""
BINS = np.array([0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95])


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Compare on every kind of truth; reporting seeds."""
    seeds = REPORTING[: options.repetitions]
    rows = [
        compared(kind, d, seed, options.jobs, dense=True)
        for d in options.columns or COLUMNS
        for kind in KINDS
        for seed in seeds
    ]
    if options.columns is None:
        rows += [
            compared(kind, ALONE, seeds[0], options.jobs, dense=False)
            for kind in ("independent", "connected")
        ]
    return {"rows": ROWS, "seeds": list(seeds), "tables": rows, "means": _means(rows)}


def compared(kind: str, d: int, seed: int, jobs: int, *, dense: bool) -> dict[str, Any]:
    """Learn the graph of one table both ways."""
    data = KINDS[kind](ROWS, d, seed)
    truth = to_pairs(data.adjacency) > 0.0
    found: dict[str, Any] = {"kind": kind, "columns": d, "seed": seed, "edges": int(truth.sum())}
    wide, seconds = _fit(data.X, jobs, whole=False)
    found["wide"] = {**_scores(wide, truth), "seconds": seconds}
    found["listed"] = len(wide.evidence_.index)
    if dense:
        whole, seconds = _fit(data.X, jobs, whole=True)
        found["dense"] = {**_scores(whole, truth), "seconds": seconds}
        P, Q = wide.judged_probabilities_, whole.judged_probabilities_
        found["same_decisions"] = float(((P > 0.5) == (Q > 0.5)).mean())
        found["other_decisions"] = int(((P > 0.5) != (Q > 0.5)).sum())
        found["mean_difference"] = float(np.abs(P - Q).mean())
    print("  " + _line(found), flush=True)
    return found


def _fit(X: Any, jobs: int, *, whole: bool) -> tuple[GraphLearner, float]:
    start, d = time.perf_counter(), X.shape[1]
    with warnings.catch_warnings(), mock.patch.object(learner, "WIDE", d - (not whole)):
        warnings.simplefilter("ignore")  # of more columns than the judge has seen
        model = GraphLearner(n_jobs=jobs).fit(X)
    return model, round(time.perf_counter() - start, 2)


def _scores(model: GraphLearner, truth: Any) -> dict[str, Any]:
    P = model.judged_probabilities_
    kept = P > 0.5
    place = np.digitize(P, BINS)
    gap = sum(
        abs(float(P[place == k].sum()) - int(truth[place == k].sum()))
        for k in range(1, len(BINS) + 1)
    )
    return {
        "false": int((kept & ~truth).sum()),
        "missed": int((~kept & truth).sum()),
        "expected_false": round(model.expected_false_, 2),
        "expected_missed": round(model.expected_missed_, 2),
        # Edges by which the bins above 0.001 are off, for each edge of the truth.
        "calibration_error": round(gap / max(int(truth.sum()), 1), 4),
    }


def _line(found: dict[str, Any]) -> str:
    told = [f"{found['kind']} d={found['columns']} seed={found['seed']} edges={found['edges']}"]
    for way in ("dense", "wide"):
        if way in found:
            own = found[way]
            told.append(
                f"{way}: false {own['false']} ({own['expected_false']:.1f}), missed "
                f"{own['missed']} ({own['expected_missed']:.1f}), {own['seconds']:.0f} s"
            )
    if "dense" in found:
        told.append(f"differ in {found['other_decisions']}, by {found['mean_difference']:.1e}")
    return "; ".join(told)


def _means(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Average over seeds, with the standard error of the difference in wrong edges."""
    means = []
    for kind in KINDS:
        own = [row for row in rows if row["kind"] == kind and "dense" in row]
        if not own:
            continue
        wrong = {
            way: np.array([row[way]["false"] + row[way]["missed"] for row in own])
            for way in ("dense", "wide")
        }
        extra = wrong["wide"] - wrong["dense"]
        error = extra.std(ddof=1) / np.sqrt(len(own)) if len(own) > 1 else None
        mean: dict[str, Any] = {
            "kind": kind,
            "tables": len(own),
            "edges": float(np.mean([row["edges"] for row in own])),
            "wrong_dense": float(wrong["dense"].mean()),
            "wrong_wide": float(wrong["wide"].mean()),
            "error_of_difference": None if error is None else round(float(error), 2),
        }
        for name in ("same_decisions", "mean_difference"):
            mean[name] = float(np.mean([row[name] for row in own]))
        for way in ("dense", "wide"):
            mean[f"calibration_error_{way}"] = float(
                np.mean([row[way]["calibration_error"] for row in own])
            )
        means.append(mean)
    return means
