"""Scores of judges on tables: one row per judge and table, and means over cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from benchmarks.learned import judges
from benchmarks.learned.evidence import Seen
from reproduce.judging import judge as compare_with_truth
from spinney._core.pairs import to_matrix
from spinney.judge import Judge

Floats = NDArray[np.float64]
Summary = dict[str, float]


def score(logits: Any, seen: Seen) -> dict[str, Any]:
    """Judge what a judge says of one table, as ``benchmarks.accuracy`` judges methods.

    Beside its measures there are ``log_loss``, the cross-entropy of all pairs in nats (no cut
    enters it, so it tells judges apart sooner than wrong edges do), ``edges``, the number kept,
    and ``expected_edges``, the sum of probabilities.
    """
    logits = np.asarray(logits, dtype=float)
    P = to_matrix(expit(logits))
    fitted = SimpleNamespace(adjacency_=P > 0.5, edge_probabilities_=P, edge_ranking_=P)
    truth = SimpleNamespace(adjacency=to_matrix(seen.truth) > 0.5)
    kept = logits > 0
    found = compare_with_truth(fitted, truth)
    return found | {
        "log_loss": float(np.logaddexp(0.0, np.where(seen.truth, -logits, logits)).sum()),
        "edges": int(kept.sum()),
        "expected_edges": float(expit(logits).sum()),
    }


def frame(wanted: Mapping[str, Judge], tables: Iterable[Seen]) -> pd.DataFrame:
    """Score every judge on every table: rows with `cell`, `method`, `seed` and all measures."""
    rows = [
        {"cell": seen.name, "method": name, "seed": seen.seed}
        | score(judges.logits(judge, seen), seen)
        for seen in tables
        for name, judge in wanted.items()
    ]
    return pd.DataFrame(rows)


def mean_over_cells(values: pd.DataFrame, metric: str) -> Summary:
    """Mean of the cells' means, with its standard error: cells are given, seeds are drawn.

    Examples
    --------
    >>> rows = [("a", 1.0), ("a", 3.0), ("b", 10.0), ("b", 10.0)]
    >>> mean_over_cells(pd.DataFrame(rows, columns=["cell", "hamming"]), "hamming")
    {'mean': 6.0, 'error': 0.5, 'cells': 2, 'tables': 4}
    """
    known = values.assign(value=pd.to_numeric(values[metric])).dropna(subset="value")
    by_cell = known.groupby("cell")["value"]
    errors = by_cell.sem()
    return {
        "mean": float(by_cell.mean().mean()),
        "error": float(np.sqrt((errors**2).sum()) / len(errors)),
        "cells": len(errors),
        "tables": len(known),
    }


def paired_over_cells(values: pd.DataFrame, ours: str, theirs: str, metric: str) -> Summary:
    """Mean difference over cells, table by table: on the tables that both methods saw."""
    wide = values.assign(value=pd.to_numeric(values[metric])).pivot_table(
        index=["cell", "seed"], columns="method", values="value"
    )
    gaps = (wide[ours] - wide[theirs]).dropna().rename("gap").reset_index()
    return mean_over_cells(gaps, "gap")


def rounded(found: Any, digits: int = 5) -> Any:
    """Round all floats, so that stored results are short; what is not finite becomes None.

    Examples
    --------
    >>> rounded({"a": 1.23456789, "b": [float("nan"), 2]})
    {'a': 1.23457, 'b': [None, 2]}
    """
    if isinstance(found, Mapping):
        return {str(key): rounded(value, digits) for key, value in found.items()}
    if isinstance(found, list | tuple):
        return [rounded(value, digits) for value in found]
    if isinstance(found, np.integer | np.bool_):
        return found.item()
    if isinstance(found, float | np.floating):
        return round(float(found), digits) if np.isfinite(found) else None
    return found
