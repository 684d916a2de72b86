"""What is kept of the runs: one small file a group of cells, by method, cell and seed.

Records of single repetitions (``build/accuracy``) are large, and any run writes them again. The
files here hold what pages and tests read: a few numbers of each repetition, the marks of the
tables, and of each method when and where it ran last, and with which judge.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from benchmarks._run import RESULTS
from benchmarks.accuracy.cells import GROUPS, REPORTING
from benchmarks.peers.stored import read_cell
from reproduce.runner import Record
from spinney._core.files import whole_file
from spinney.exceptions import InputError

METRICS = {
    "hamming": 0,
    "average_precision": 3,
    "edges_before_fdr_1": 0,
    "calibration_error": 4,
    "seconds": 2,
}
"""What is kept of a repetition, and its digits."""
FIRST = REPORTING[0]


def path_of(group: str, folder: Path | None = None) -> Path:
    """Return the file of a group of cells."""
    return (RESULTS if folder is None else folder) / f"accuracy-{group}.json"


def keep(records: Iterable[Record], group: str, machine: Any, folder: Path | None = None) -> Path:
    """Put what was run in place of what is kept of the same methods and cells.

    Raises
    ------
    InputError
        If two judges gave the results of a method, or if the tables of a cell are other than
        those of the methods that are kept.
    """
    path = path_of(group, folder)
    known: dict[str, Any] = {"tables": {}, "methods": {}}
    if path.exists():
        known = json.loads(path.read_text(encoding="utf-8"))
    found = pd.DataFrame([r for r in records if "error" not in r])
    if found.empty:
        return path
    for (cell, seed), mark in found.groupby(["cell", "seed"])["table"].first().items():
        stored = known["tables"].setdefault(cell, {})
        if stored.setdefault(str(seed), mark) != mark:
            raise InputError(f"Results of cell '{cell}', seed {seed}, are on different tables.")
    for method, part in found.groupby("method"):
        entry = known["methods"].setdefault(method, {"cells": {}})
        entry |= {"date": part["run"].max(), "machine": machine}
        if "judge" in part and part["judge"].notna().any():
            judges = sorted(part["judge"].unique())
            if len(judges) > 1:
                raise InputError(f"Two judges, {' and '.join(judges)}: run with --fresh.")
            entry["judge"] = judges[0]
        for cell, some in part.groupby("cell"):
            entry["cells"][cell] = _columns(some)
    with whole_file(path) as temporary:
        temporary.write_text(_laid_out(known), encoding="utf-8")
    return path


def _columns(some: pd.DataFrame) -> dict[str, list[Any]]:
    """One list a metric, from the first seed on; None where there is no result."""
    seeds = range(FIRST, int(some["seed"].max()) + 1)
    wide = some.set_index("seed").reindex(index=seeds, columns=list(METRICS))
    lists = {}
    for name, digits in METRICS.items():
        values = pd.to_numeric(wide[name])
        if values.notna().any():
            lists[name] = [
                None if pd.isna(v) else round(float(v), digits) if digits else int(v)
                for v in values
            ]
    return lists


def _laid_out(known: dict[str, Any]) -> str:
    """One line a cell and method, so that a new run shows as lines that changed."""
    methods = {name: known["methods"][name] for name in sorted(known["methods"])}
    text = json.dumps({"tables": known["tables"], "methods": methods}, separators=(",", ":"))
    return text.replace('},"', '},\n"') + "\n"


def read(group: str, folder: Path | None = None) -> pd.DataFrame:
    """Read all repetitions of a group, those of the peers among them.

    Returns
    -------
    DataFrame
        With ``cell``, ``method``, ``seed``, ``table`` and the metrics.
    """
    path = path_of(group, folder)
    known = json.loads(path.read_text(encoding="utf-8"))
    rows = [
        {"cell": cell, "method": method, "seed": FIRST + k, **dict(zip(lists, values, strict=True))}
        for method, entry in known["methods"].items()
        for cell, lists in entry["cells"].items()
        for k, values in enumerate(zip(*lists.values(), strict=True))
    ]
    frame = pd.DataFrame(rows).dropna(subset="hamming")
    marks = known["tables"]
    frame["table"] = [
        marks[cell][str(seed)] for cell, seed in zip(frame.cell, frame.seed, strict=True)
    ]
    peers = [
        {key: record.get(key) for key in ("method", "seed", "table", *METRICS)} | {"cell": cell}
        for cell in GROUPS[group]
        for record in read_cell(cell)["results"]
    ]
    return pd.concat([frame, pd.DataFrame(peers)], ignore_index=True)


def about(group: str, method: str, folder: Path | None = None) -> dict[str, Any]:
    """When and where a method ran last, and with which judge if it has one."""
    entry = json.loads(path_of(group, folder).read_text(encoding="utf-8"))["methods"][method]
    return {name: value for name, value in entry.items() if name != "cells"}
