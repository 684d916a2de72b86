"""What the judge says of tables that misled it: ``python -m benchmarks.misleads [--label after]``.

Every row is a kind of table on which the evidence of an earlier judge was wrong. Tables are drawn
from fixed seeds; the judge is asked through :class:`spinney.GraphLearner`, and nothing else of the
package is used, so that any tree can be measured. Results are stored under their label in
``benchmarks/results/misleads-<date>.json``, and shown next to those of "before".

The row "NetSim 2" needs data that do not come with the package: ``SPINNEY_DATA`` names the folder
that holds ``netsim/sim2_subject1.csv`` and ``sim2_edges.csv``.
"""

from __future__ import annotations

import argparse
import json
import os
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import _run
from benchmarks.misleads.rows import Row, all_rows
from spinney import GraphLearner

SEED = 31
BEFORE = "before"
NETSIM = "NetSim 2: wrong edges"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.misleads")
    parser.add_argument("--label", default="after", help="what the results are stored under")
    parser.add_argument("--judge", type=Path, help="file of another judge than the shipped one")
    parser.add_argument("--only", default="", help="rows whose names hold this, not stored")
    parser.add_argument("--tables", type=int, help="most tables of a row, not stored")
    parser.add_argument("--seed", type=int, default=SEED)
    asked = parser.parse_args(arguments)
    before = stored(BEFORE)
    start = time.perf_counter()
    rows = [row for row in all_rows() if asked.only in row.name]
    found = run(rows, asked.seed, asked.judge, asked.tables, before)
    if asked.only in NETSIM and (wrong := netsim(asked.judge)) is not None:
        found[NETSIM] = {"value": wrong, "error": 0.0, "aim": "<= 1"}
        print(line(NETSIM, found[NETSIM], before), flush=True)
    if not asked.only and asked.tables is None:
        told = {"seconds": round(time.perf_counter() - start, 1), "rows": found}
        told = {"judge": _run.fingerprint(asked.judge), **told}
        print("  stored in", _run.write("misleads", {asked.label: told}, asked.seed))
    return 0


def run(
    rows: Sequence[Row],
    seed: int = SEED,
    judge: Path | None = None,
    most: int | None = None,
    before: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Measure the rows; the value of a row is a mean over its tables, with its error."""
    found: dict[str, Any] = {}
    kept: dict[tuple[object, ...], list[pd.DataFrame]] = {}
    for row in rows:
        if row.tables_key not in kept:
            count = row.tables if most is None else min(most, row.tables)
            kept[row.tables_key] = [
                ask(row.draw(row.n, np.random.default_rng([seed, k])), row.unit, judge)
                for k in range(count)
            ]
        values = np.array([row.value(one) for one in kept[row.tables_key]])
        found[row.name] = {
            "value": round(float(values.mean()), 5),
            "error": round(float(values.std() / len(values) ** 0.5), 5),
            "tables": len(values),
            "aim": row.aim,
        }
        print(line(row.name, found[row.name], before or {}), flush=True)
    return found


def ask(frame: pd.DataFrame, unit: str | None, judge: Path | None) -> pd.DataFrame:
    """Give the probabilities of all pairs; a column that spinney leaves out has none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = GraphLearner(judge, unit=unit, random_state=0, n_jobs=1).fit(frame)
    names = [str(name) for name in model.node_names_]
    told = pd.DataFrame(model.edge_probabilities_, names, names)
    return told.reindex(index=frame.columns, columns=frame.columns, fill_value=0.0)


def netsim(judge: Path | None) -> float | None:
    """Count the wrong edges of NetSim 2; None where its data are not."""
    folder = Path(os.environ.get("SPINNEY_DATA", "nowhere")) / "netsim"
    if not (folder / "sim2_subject1.csv").is_file():
        print("  (NetSim 2 is left out: SPINNEY_DATA does not lead to its data)")
        return None
    X = pd.read_csv(folder / "sim2_subject1.csv")
    truth = np.zeros((X.shape[1],) * 2, dtype=bool)
    places = {str(name): k for k, name in enumerate(X.columns)}
    for pair in pd.read_csv(folder / "sim2_edges.csv").astype(str).iloc[:, :2].to_numpy():
        u, v = (places[name] for name in pair)
        truth[u, v] = truth[v, u] = True
    return float(np.triu((ask(X, None, judge).to_numpy() > 0.5) != truth, 1).sum())


def stored(label: str) -> dict[str, Any]:
    """Read the rows that were stored last under a label."""
    found: dict[str, Any] = {}
    for path in sorted(_run.RESULTS.glob("misleads-*.json")):
        found |= json.loads(path.read_text()).get(label, {}).get("rows", {})
    return found


def line(name: str, found: dict[str, Any], before: dict[str, Any]) -> str:
    """Show a row: its name, what was before, what is now, and the aim."""
    then = f"{before[name]['value']:7.3f}" if name in before else "      -"
    return f"  {name:<60}{then}{found['value']:9.3f} ± {found['error']:.3f}   {found['aim']}"


if __name__ == "__main__":
    raise SystemExit(main())
