"""Run huge on the tables of huge_tables.py and store what it says in huge.json.

``python -m tests.data.make_huge_oracle``, after ``make peers``; some minutes. Bits (which pairs are
edges, which rows are in a subsample) are stored as whole numbers in hexadecimal, first bit first.
"""

import datetime
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from tests.data.huge_tables import N_TABLES, small_table, table

HERE = Path(__file__).parent


def pack(bits):
    return np.packbits(np.asarray(bits) > 0).tobytes().hex()


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for k in range(N_TABLES):
            np.savetxt(folder / f"table-{k}.csv", table(k), fmt="%.6f", delimiter=",")
        np.savetxt(folder / "small.csv", small_table(), fmt="%.6f", delimiter=",")
        subprocess.run(["Rscript", "--vanilla", HERE / "huge_oracle.R", folder], check=True)

        def read(stem):
            return np.loadtxt(folder / f"{stem}.out", delimiter=",", ndmin=2)

        tables = []
        for k in range(N_TABLES):
            chosen = read(f"{k}-chosen").ravel().astype(int) - 1
            record = {
                "penalties": read(f"{k}-lambda").ravel().tolist(),
                "glasso": [pack(column) for column in read(f"{k}-glasso").T],
                "neighbourhoods": [pack(column) for column in read(f"{k}-mb").T],
                "log_likelihood": read(f"{k}-loglik").ravel().round(6).tolist(),
                "variability": read(f"{k}-variability").ravel().round(6).tolist(),
                "subsamples": [pack(column) for column in read(f"{k}-rows").T],
                "chosen": dict(
                    zip(("ebic", "stars 0.05", "stars 0.1"), chosen.tolist(), strict=True)
                ),
            }
            if k < 2:
                record["last_precision"] = read(f"{k}-icov").round(6).tolist()
            tables.append(record)
        r_version, huge_version = (folder / "versions.txt").read_text().split("\n")[:2]
        oracle = {
            "made_by": "make_huge_oracle.py with huge_oracle.R",
            "date": f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}",
            "versions": {"R": r_version, "huge": huge_version},
            "small": {
                **{s: read(f"small-{s}").tolist() for s in ("shrinkage", "truncation", "skeptic")},
                "ric": float(read("small-ric")[0, 0]),
            },
            "tables": tables,
        }
    (HERE / "huge.json").write_text(json.dumps(oracle, indent=1) + "\n")


if __name__ == "__main__":
    main()
