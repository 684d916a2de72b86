"""Gather what huge and BDgraph did on the tables of the figures: ``scripts/make_peer_table.py``.

    python -m scripts.make_peer_table [FOLDER]

`FOLDER` holds the files of ``benchmarks.peers.cells`` (by default ``benchmarks/peers``). Writes
``reproduce/peers.csv``, which the figures show beside the methods that were run.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd
from benchmarks.peers.stored import FOLDER, read_cell

from reproduce.experiments import EXPERIMENTS
from reproduce.results import METRICS
from spinney._core.files import whole_file

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "reproduce" / "peers.csv"
# BDgraph with the model that is right for the truth; huge under its own names, for the documents.
BDGRAPH = {"gaussian": "bdgraph-ggm", "student": "bdgraph-gcgm"}
HUGE = ("huge-glasso-stars", "huge-npn-stars")


def main() -> None:
    """Read the cells of the figures and write one table."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    rows = []
    for experiment in EXPERIMENTS.values():
        if experiment.truth == "pbmc":
            continue
        names = {BDGRAPH[experiment.family]: "bdgraph"} | {name: name for name in HUGE}
        for n in experiment.sizes:
            for record in read_cell(f"{experiment.truth}-{n}", folder)["results"]:
                if record["method"] in names:
                    first = {"truth": experiment.truth, "n": n, "method": names[record["method"]]}
                    kept = {key: record[key] for key in ("seed", "table", *METRICS)}
                    rows.append(first | kept)
    frame = pd.DataFrame(rows).sort_values(["truth", "n", "method", "seed"])
    with whole_file(TARGET) as temporary:
        frame.to_csv(temporary, index=False, float_format="%.6g", lineterminator="\n")
    counts = frame.groupby(["truth", "n", "method"]).size().unstack()
    print(f"{TARGET.relative_to(ROOT)}: {len(frame)} rows\n{counts}")


if __name__ == "__main__":
    main()
