"""A stand-in for Rscript, which answers in the files that the real one would write."""

import os
import sys

import pytest

STAND_IN = f"""#!{sys.executable}
import csv, pathlib, sys
folder = pathlib.Path(sys.argv[3])
with open(folder / "jobs.csv", newline="") as file:
    jobs = list(csv.DictReader(file))
for job in jobs:
    rows = (folder / job["table"]).read_text().split()
    d = len(rows[0].split(","))
    edge = lambda i, j: int(abs(i - j) == 1)
    for kind, scale in (("adjacency", 1), ("ranking", 0.25)):
        text = "\\n".join(
            ",".join(str(scale * edge(i, j)) for j in range(d)) for i in range(d)
        )
        (folder / (job["job"] + "-" + kind + ".csv")).write_text(text + "\\n")
    with open(folder / "done.csv", "a") as file:
        file.write(job["job"] + ",1.5," + ("NA" if job["package"] == "BDgraph" else "0.2") + "\\n")
(folder / "versions.csv").write_text(
    '"name","version"\\n"R","9.9"\\n"huge","8.8"\\n"BDgraph","7.7"\\n'
)
"""


@pytest.fixture
def stand_in(tmp_path, monkeypatch):
    def install(code=STAND_IN):
        script = tmp_path / "Rscript"
        script.write_text(code)
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")

    return install
