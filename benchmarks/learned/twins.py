"""Training twice with other seeds: how far probabilities move, and whether an average helps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from benchmarks.accuracy.cells import CELLS
from benchmarks.learned import judges, scores
from benchmarks.learned.evidence import look
from benchmarks.learned.options import Options
from spinney.exceptions import InputError

REPETITIONS = 30
AVERAGE = "average"
METRICS = ("hamming", "log_loss", "average_precision", "calibration_error")


def run(options: Options, cells: tuple[str, ...] = tuple(CELLS)) -> dict[str, Any]:
    """Compare two networks pair by pair, and each with the mean of their logits."""
    twins = judges.find(options.judges, list(judges.TWINS))
    if len(twins) < len(judges.TWINS):
        raise InputError(
            f"Two networks are needed, {' and '.join(judges.TWINS)}, in '{options.judges}'."
        )
    tables = look(cells, options.seeds(REPETITIONS), options.cache, options.workers)
    rows, moves = [], []
    for seen in (one for some in tables.values() for one in some):
        said = {name: judges.logits(judge, seen).astype(float) for name, judge in twins.items()}
        first, second = said.values()
        said[AVERAGE] = (first + second) / 2
        key = {"cell": seen.name, "seed": seen.seed}
        rows += [key | {"method": name} | scores.score(z, seen) for name, z in said.items()]
        moves.append(key | {"n": seen.n, "d": seen.d} | movement(first, second))
    frame, moved = pd.DataFrame(rows), pd.DataFrame(moves)
    total = moved[["pairs", "near_pairs", "moved", "near_moved", "changed", "kept"]].sum()
    found = {
        "networks": {name: judges.identity(judge) for name, judge in twins.items()},
        "scores": {
            name: {m: scores.mean_over_cells(part, m) for m in METRICS}
            for name, part in frame.groupby("method")
        },
        "average_against": {
            name: {m: scores.paired_over_cells(frame, AVERAGE, name, m) for m in METRICS}
            for name in twins
        },
        "mean_move": total.moved / total.pairs,
        "mean_move_of_near_pairs": total.near_moved / max(total.near_pairs, 1),
        "changed_decisions_per_table": moved.changed.mean(),
        "share_of_kept_that_change": total.changed / max(total.kept, 1),
    }
    print(f"  mean |dP| {found['mean_move']:.4f}; {moved.changed.mean():.2f} decisions a table")
    return found


def movement(first: Any, second: Any) -> dict[str, float]:
    """Say how far probabilities are apart.

    Near pairs are those that at least one network gives between 0.05 and 0.95; kept ones those that
    at least one keeps.

    Examples
    --------
    >>> found = movement(np.array([0.0, 9.0]), np.array([1.0, 9.0]))
    >>> round(found["moved"], 3), found["near_pairs"], found["changed"], found["kept"]
    (0.231, 1, 1, 2)
    """
    p, q = expit(first), expit(second)
    gap = np.abs(p - q)
    near = ((p > 0.05) & (p < 0.95)) | ((q > 0.05) & (q < 0.95))
    return {
        "pairs": len(gap),
        "near_pairs": int(near.sum()),
        "moved": float(gap.sum()),
        "near_moved": float(gap[near].sum()),
        "changed": int(((p > 0.5) != (q > 0.5)).sum()),
        "kept": int(((p > 0.5) | (q > 0.5)).sum()),
    }
