"""Wrong edges beside every peer, cell by cell, from the records of ``benchmarks.accuracy``.

Run before: ``python -m benchmarks.accuracy --methods learned --repetitions 30`` and the same with
``--group tables``. A cell's best peer is the one that comes closest to ours, or goes furthest
beyond it, on the seeds that both have. Methods that are told the family of the truth
(``ef-lambda-gaussian``) know more than ours and are not among the peers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
from scripts.paired import Difference, difference, paired

from benchmarks.accuracy.cells import GROUPS
from benchmarks.learned import scores
from benchmarks.learned.options import Options
from benchmarks.peers.stored import FOLDER, read_cell
from reproduce.runner import Store
from spinney.exceptions import InputError

OURS = "learned"
FEWEST_SEEDS = 10
"""Peers with fewer seeds in common with ours on a cell are shown and not judged."""
TOLD = ("-gaussian", "-student")
NOT_TOLD = ("chow-liu-gaussian",)
WIDE = "wide-50"
BEFORE = "edges_before_fdr_1"


def run(options: Options, peers: Path = FOLDER) -> dict[str, Any]:
    """Judge both groups of cells, and the ranking of 80 nodes."""
    found: dict[str, Any] = {}
    for group in GROUPS:
        frame = records(group, options.results, peers)
        if frame.empty or OURS not in set(frame.method):
            print(f"  no results of '{OURS}' on the group '{group}' yet")
            continue
        found[group] = summarise(frame)
        worse = [name for name, cell in found[group]["cells"].items() if cell["above"]]
        mean = found[group]["mean"][OURS]["mean"]
        print(f"  {group}: {mean:.2f} wrong edges; above the best peer in {len(worse)}: {worse}")
        if WIDE in set(frame.cell):
            found["wide"] = ranked(frame[frame.cell == WIDE], BEFORE)
    if not found:
        raise InputError(f"First run `python -m benchmarks.accuracy --methods {OURS}`.")
    return found


def records(group: str, results: Path, peers: Path = FOLDER) -> pd.DataFrame:
    """All repetitions of our methods and of the peers on a group of cells."""
    name = "reporting" if group == "truths" else f"{group}-reporting"
    own = [r for r in Store(results / "accuracy" / name).results().values() if "error" not in r]
    theirs = [r for cell in GROUPS[group] for r in read_cell(cell, peers)["results"]]
    frame = pd.DataFrame([*own, *theirs])
    if frame.empty:
        return frame
    tables = frame.groupby(["cell", "seed"])["table"].nunique()
    if (tables > 1).any():
        cell, seed = tables.index[tables.argmax()]
        raise InputError(f"Results of cell '{cell}', seed {seed}, are on different tables.")
    return frame[frame.cell.isin(GROUPS[group])]


def is_peer(method: str) -> bool:
    """Tell whether a method is one that ours is compared with."""
    told = method.endswith(TOLD) and method not in NOT_TOLD
    return not told and not method.startswith(OURS)


def summarise(frame: pd.DataFrame) -> dict[str, Any]:
    """Judge each cell, and give the mean of all methods that ran on every cell."""
    cells = [cell for group in GROUPS.values() for cell in group if cell in set(frame.cell)]
    everywhere = frame.groupby("method").cell.nunique() == len(cells)
    methods = [m for m in everywhere.index[everywhere] if is_peer(m) or m == OURS]
    means = {m: scores.mean_over_cells(frame[frame.method == m], "hamming") for m in methods}
    others = {method: value["mean"] for method, value in means.items() if method != OURS}
    best = min(others, key=others.__getitem__, default=None)
    found: dict[str, Any] = {
        "cells": {cell: judged(frame[frame.cell == cell]) for cell in cells},
        "mean": means,
        "best_single_peer": best,
    }
    if best is not None and OURS in means:
        found["share_below_best_single"] = 1 - means[OURS]["mean"] / means[best]["mean"]
        found["against_best_single"] = scores.paired_over_cells(frame, OURS, best, "hamming")
    return found


def judged(cell: pd.DataFrame) -> dict[str, Any]:
    """Compare ours with all peers on one cell."""
    gaps: dict[str, Difference] = {}
    for method in sorted(set(cell.method)):
        if is_peer(method):
            known = paired(cell, "method", OURS, method)
            if len(known):
                gaps[method] = difference(known[OURS], known[method])
    enough = {m: gap for m, gap in gaps.items() if gap.seeds >= FEWEST_SEEDS}
    found = summary(cell, OURS)
    if not enough:
        return found | {"best": None, "above": False, "few": _few(gaps, enough)}
    best = max(enough, key=lambda method: enough[method].mean)
    gap = enough[best]
    return found | {
        "best": best,
        "best_mean": summary(cell, best)["mean"],
        "difference": gap.mean,
        "difference_error": gap.error,
        "seeds": gap.seeds,
        "above": bool(gap.mean > gap.error),
        "also_above": [
            m for m, g in enough.items() if m != best and g.mean > 0 and g.mean > g.error
        ],
        "few": _few(gaps, enough),
    }


def _few(gaps: dict[str, Difference], enough: dict[str, Difference]) -> dict[str, list[float]]:
    """Peers with few seeds that are ahead of ours: difference, its error, seeds."""
    return {
        m: [gap.mean, gap.error, gap.seeds]
        for m, gap in gaps.items()
        if m not in enough and gap.mean > 0
    }


def summary(cell: pd.DataFrame, method: str, metric: str = "hamming") -> dict[str, Any]:
    """Mean, standard error and number of repetitions of a method on a cell."""
    values = pd.to_numeric(cell[cell.method == method][metric]).dropna()
    return {"mean": values.mean(), "error": values.sem(), "repetitions": len(values)}


def ranked(cell: pd.DataFrame, metric: str) -> dict[str, Any]:
    """Compare rankings on one cell: all methods, with ours less theirs where seeds are common."""
    found = {}
    for method in sorted(set(cell.method)):
        if method != OURS and not is_peer(method):
            continue
        part = summary(cell, method, metric)
        if not part["repetitions"]:
            continue
        if method != OURS:
            known = paired(cell, "method", OURS, method, metric)
            gap = difference(known[OURS], known[method])
            part |= {"ahead": gap.mean, "ahead_error": gap.error, "seeds": gap.seeds}
        found[method] = part
    return dict(sorted(found.items(), key=lambda item: -item[1]["mean"]))
