"""From records to one tidy table per figure, and its summary."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import pandas as pd

from reproduce.experiments import EXPERIMENTS, METHODS, Experiment, parse_cell
from reproduce.runner import Record
from spinney.exceptions import InputError

__all__ = [
    "METRICS",
    "read_csv",
    "records_of",
    "stored_peers",
    "summary",
    "table_of",
    "tidy",
    "to_csv",
]

METRICS = (
    "hamming",
    "precision",
    "recall",
    "false_positives",
    "inter_component_false_positives",
    "n_components",
    "average_precision",
    "edges_before_fdr_1",
    "edges_before_fdr_10",
    "n_edges",
    "seconds",
)
"""Numbers that are summarised, where a figure has them."""

_FIRST = ["figure", "truth", "n", "stimulus", "cell_type", "method", "seed", "table"]
_UNWANTED = ["kind", "cell", "warnings", "run", "f1", "calibration_error", "best_cut_hamming"]


def tidy(records: Iterable[Record], experiment: Experiment, peers: bool = True) -> pd.DataFrame:
    """Make one row per finished repetition of a figure; failures are left out.

    Parameters
    ----------
    records : iterable of dict
        From :meth:`reproduce.runner.Store.results`; those of other figures are ignored.
    experiment : Experiment
        The figure.
    peers : bool
        Whether to add the stored results of BDgraph, where there are some for the same tables.

    Raises
    ------
    InputError
        If methods saw different tables for the same cell and seed, because a simulator has
        changed between runs.
    """
    rows = []
    for record in records:
        where = parse_cell(record["cell"])
        if where["truth"] == experiment.truth and "error" not in record:
            rows.append({"figure": experiment.name, **where, **record})
    if not rows:
        return pd.DataFrame(columns=["figure", "truth", "n", "method", "seed", *METRICS])
    frame = pd.DataFrame(rows).drop(columns=_UNWANTED, errors="ignore")
    if "table" in frame:
        _check_tables(frame)
        if peers:
            frame = _with_peers(frame)
    first = [name for name in _FIRST if name in frame]
    frame = frame[first + [name for name in frame.columns if name not in first]]
    order = {name: k for k, name in enumerate(METHODS)}
    by = [name for name in ("n", "stimulus", "cell_type", "seed", "method") if name in frame]
    frame = frame.sort_values(by, key=lambda c: c.map(order) if c.name == "method" else c)
    return frame.reset_index(drop=True)


def _check_tables(frame: pd.DataFrame) -> None:
    tables = frame.groupby(["n", "seed"])["table"].nunique()
    if (tables > 1).any():
        n, seed = tables.index[int(tables.argmax())]
        raise InputError(
            f"Results of n = {n}, seed {seed}, are on different tables: the simulator has changed "
            "since. Start again in another folder with --out."
        )


def _with_peers(frame: pd.DataFrame) -> pd.DataFrame:
    """Add stored results of peers on the same tables."""
    stored = stored_peers()
    stored = stored[stored.method.isin(METHODS)]
    mine = frame[["figure", "truth", "n", "seed", "table"]].drop_duplicates()
    found = stored.merge(mine, on=["truth", "n", "seed", "table"])
    return frame if found.empty else pd.concat([frame, found], ignore_index=True)


@cache
def stored_peers() -> pd.DataFrame:
    """Read the stored results of huge and BDgraph (in R) on the same tables."""
    path = files("reproduce") / "peers.csv"
    with path.open(encoding="utf-8") as file:
        return pd.read_csv(file)


def summary(frame: pd.DataFrame) -> pd.DataFrame:
    """Mean, standard error and number of repetitions by rows, method and metric."""
    metrics = [metric for metric in METRICS if metric in frame]
    long = frame.melt(["n", "method"], metrics, "metric").dropna(subset="value")
    long["value"] = long["value"].astype(float)
    found = long.groupby(["n", "method", "metric"], sort=False)["value"]
    numbers = found.agg(["mean", "sem", "median", "count"]).reset_index()
    return numbers.rename(columns={"sem": "standard_error", "count": "repetitions"})


def to_csv(frame: pd.DataFrame) -> str:
    """Write a tidy table as text; curves become JSON in a cell."""
    plain = frame.copy()
    for name in plain.columns[plain.map(lambda x: isinstance(x, list)).any()]:
        plain[name] = plain[name].map(lambda x: json.dumps(x) if isinstance(x, list) else "")
    return plain.to_csv(index=False, float_format="%.6g", lineterminator="\n")


def read_csv(text: Any) -> pd.DataFrame:
    """Read what :func:`to_csv` wrote, from a path or file."""
    frame = pd.read_csv(text)
    for name in frame.columns:
        if name.startswith("true_edges_"):
            frame[name] = frame[name].map(json.loads, na_action="ignore")
    if not set(frame.figure) <= set(EXPERIMENTS):
        raise InputError(f"There is no figure {sorted(set(frame.figure) - set(EXPERIMENTS))}.")
    return frame


def table_of(folder: Path, name: str) -> Path:
    """Return the path of a figure's table in a folder: as written, or compressed to be kept."""
    kept = folder / f"{name}.csv.xz"
    return kept if kept.exists() else folder / f"{name}.csv"


def records_of(frame: pd.DataFrame) -> Iterator[Record]:
    """Turn a figure's table back into records, so that a run can go on from it."""
    for row in frame[frame.method != "bdgraph"].to_dict("records"):
        known: Record = {
            str(k): v for k, v in row.items() if isinstance(v, str | list) or pd.notna(v)
        }
        where = [str(known.pop(name)) for name in _FIRST[1:5] if name in known]
        cell = "/".join(["-".join(where[:2]), *where[2:]])
        yield {"kind": "result", "cell": cell, **known}
