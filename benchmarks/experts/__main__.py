"""Wrong edges on tables of expert networks: ``python -m benchmarks.experts [peers] [judge]``.

The networks are those of the part "report" of :mod:`benchmarks.experts.networks`: a fifth of all
studies, which nothing is trained on or chosen by. Each gives one table of 200, 1,000 and 5,000
rows. The truth is its moral graph; an edge counts only if the probabilities depend on it.

``peers`` asks hill climbing and MIIC (``pip install pyagrum``) and takes a few minutes;
``judge`` asks spinney, and shows it next to the peers' results that were stored last for the same
tables. A method that takes too long on a table is not counted there. Results go to
``benchmarks/results/experts-<date>.json``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import time
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import _run
from benchmarks.experts.methods import JUDGE, PEERS, ask, ask_in_time, need_pyagrum
from benchmarks.experts.networks import Network, find_file, read_networks
from spinney.metrics import mean_gap, reliability_of_pairs

SECTIONS = ("peers", "judge")
SEED = 31
ROWS = (200, 1000, 5000)
LIMIT_S = 120.0
"""Of one peer on one table."""
BINS = 20


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.experts")
    parser.add_argument("sections", nargs="*", metavar="section", help=", ".join(SECTIONS))
    parser.add_argument("--part", choices=("report", "tune", "train"), default="report")
    parser.add_argument("--rows", type=int, nargs="+", default=ROWS)
    parser.add_argument("--judge", type=Path, help="file of another judge than the shipped one")
    parser.add_argument("--methods", nargs="+", help="other methods than those of the section")
    parser.add_argument("--networks", type=int, help="the first few only, not stored")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds of a peer on a table")
    parser.add_argument("--name", help="what the results are stored under, beside the section")
    asked = parser.parse_args(arguments)
    path = find_file()
    if path is None:
        parser.error(
            "there are no expert networks: set SPINNEY_EXPERT_NETWORKS, or put "
            "expert-networks.jsonl.xz into build/"
        )
    for name in asked.sections:
        if name not in SECTIONS:
            parser.error(f"no section {name!r}; there are {', '.join(SECTIONS)}")
    networks = read_networks(path, asked.part)[: asked.networks]
    for section in asked.sections or SECTIONS:
        if section == "peers" and not asked.methods and (missing := need_pyagrum()):
            parser.error(missing)
        methods = asked.methods or (list(PEERS) if section == "peers" else [JUDGE])
        print(f"[experts] {section}, {len(networks)} networks of the part '{asked.part}'")
        found = run(networks, tuple(asked.rows), methods, asked.judge, asked.limit)
        show({**stored_methods(asked.part), **_with_tables(found)}, tuple(asked.rows))
        if asked.networks is None and tuple(asked.rows) == ROWS:
            label = ", ".join(word for word in (section, asked.part, asked.name) if word)
            told: dict[str, Any] = {"judge": _run.fingerprint(asked.judge)}
            if section == "peers":
                told = {"pyagrum": version("pyagrum")}
            told |= {"part": asked.part, "limit_s": asked.limit, **found}
            print("  stored in", _run.write("experts", {label: told}, SEED))
    return 0


def run(
    networks: Sequence[Network],
    rows: Sequence[int],
    methods: Sequence[str],
    judge: Path | None = None,
    limit_s: float = LIMIT_S,
) -> dict[str, Any]:
    """Ask the methods for every network and number of rows.

    The result has, by method, the wrong edges by table (``network/rows``; None if it took too
    long), seconds, and for methods with probabilities the calibration error by rows. ``tables``
    tells the columns, the true edges and a digest of each table.
    """
    tables: dict[str, str] = {}
    told: dict[str, dict[str, tuple[NDArray[Any], NDArray[Any]]]] = {name: {} for name in methods}
    found: dict[str, Any] = {
        name: {"wrong": {}, "precision": 0.0, "recall": 0.0, "seconds": 0.0} for name in methods
    }
    counts = {name: np.zeros(3) for name in methods}  # edges in both, said, true
    for n in rows:
        for network in networks:
            frame, truth = network.sample(n, SEED)
            upper = np.triu_indices(len(truth), 1)
            key = f"{network.name}/{n}"
            drawn = hashlib.sha256(frame.to_csv(index=False).encode() + truth.tobytes())
            edges = int(truth[upper].sum())
            tables[key] = f"{len(truth)} columns, {edges} edges, {drawn.hexdigest()[:8]}"
            for name in methods:
                start = time.perf_counter()
                if name in PEERS:
                    answer = ask_in_time(name, frame, limit_s)
                else:
                    answer = ask(name, frame, judge)
                found[name]["seconds"] += time.perf_counter() - start
                if answer is None:
                    found[name]["wrong"][key] = None
                    print(f"  {key}: {name} has no result after {limit_s:g} s", flush=True)
                    continue
                said, true = answer.edges[upper], truth[upper]
                found[name]["wrong"][key] = int((said != true).sum())
                counts[name] += [(said & true).sum(), said.sum(), true.sum()]
                if answer.probabilities is not None:
                    told[name][key] = (answer.probabilities[upper], true)
    for name in methods:
        both, said, true = counts[name]
        found[name] |= {"precision": both / max(1, said), "recall": both / max(1, true)}
        if told[name]:
            found[name]["calibration error"] = _calibration(told[name], rows)
    return {"rows": list(rows), "tables": tables, "methods": found}


def _calibration(told: dict[str, tuple[Any, Any]], rows: Sequence[int]) -> dict[str, float]:
    """Give the calibration error of all pairs together, by the number of rows and over all."""
    found = {}
    for label, keys in [
        *((str(n), [key for key in told if key.endswith(f"/{n}")]) for n in rows),
        ("all", list(told)),
    ]:
        if keys:
            said, true = (np.concatenate([told[key][k] for key in keys]) for k in (0, 1))
            found[label] = float(mean_gap(reliability_of_pairs(said, true, BINS)))
    return found


def stored_methods(part: str, folder: Path | None = None) -> dict[str, Any]:
    """Read what is stored of the peers, the newest of each."""
    found: dict[str, Any] = {}
    for path in sorted((_run.RESULTS if folder is None else folder).glob("experts-*.json")):
        for section in json.loads(path.read_text()).values():
            if section["part"] == part:
                found |= {k: v for k, v in _with_tables(section).items() if k != JUDGE}
    return found


def _with_tables(section: dict[str, Any]) -> dict[str, Any]:
    return {name: {**m, "tables": section["tables"]} for name, m in section["methods"].items()}


def show(methods: dict[str, Any], rows: Sequence[int]) -> dict[str, dict[str, float]]:
    """Print mean wrong edges over the tables that all methods were given and answered.

    Where the judge is among them, each other method gets its difference, with the error of paired
    tables.
    """
    shared = set.intersection(*({*m["tables"].items()} for m in methods.values()))
    found: dict[str, dict[str, float]] = {name: {} for name in methods}
    for n in rows:
        keys = [key for key, _ in sorted(shared) if key.endswith(f"/{n}")]
        keys = [key for key in keys if all(m["wrong"][key] is not None for m in methods.values())]
        if not keys:
            print(f"  {n} rows: the stored results are of other tables")
            continue
        print(f"  {n} rows, {len(keys)} tables")
        wrong = {name: np.array([m["wrong"][key] for key in keys]) for name, m in methods.items()}
        for name, counts in wrong.items():
            found[name][str(n)] = float(counts.mean())
            line = f"    {name:22}{counts.mean():8.2f} wrong edges"
            if JUDGE in wrong and name != JUDGE:
                less = counts - wrong[JUDGE]
                line += f", {less.mean():+.2f} ± {less.std() / len(less) ** 0.5:.2f} to the judge"
            gap = methods[name].get("calibration error", {}).get(str(n))
            print(line + ("" if gap is None else f", calibration error {gap:.4f}"))
    return found


if __name__ == "__main__":
    raise SystemExit(main())
