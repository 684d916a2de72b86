"""Run peers on one table: ``python -m benchmarks.peers table.csv --methods huge-glasso-stars``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import pandas as pd

from benchmarks.peers import PEERS, Job, PeerError, run_jobs, write_results
from spinney.exceptions import SpinneyError
from spinney.tables import check_table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers", description=__doc__)
    parser.add_argument("table", type=Path, help="a CSV file with column names")
    parser.add_argument("--methods", nargs="+", default=list(PEERS), help=", ".join(PEERS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("peers.json"))
    options = parser.parse_args()
    try:
        X = check_table(pd.read_csv(options.table)).values
        jobs = [Job(options.table.stem, X, method, options.seed) for method in options.methods]
        results = run_jobs(jobs)
    except (OSError, SpinneyError, PeerError) as error:
        print(error, file=sys.stderr)
        return 2
    for result in results:
        print(f"{result.method:28s} {len(result.edges):4d} edges {result.seconds:8.2f} s")
    write_results(options.out, results)
    print("stored in", options.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
