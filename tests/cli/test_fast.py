"""A plain run imports what it needs, and no more: half of its time is imports."""

import json
import subprocess
import sys

import pandas as pd
import pytest

NEEDED = {"jinja2", "networkx", "numpy", "pandas", "scipy", "threadpoolctl", "typer"}
"""jinja2 is what pandas writes a table in LaTeX with; before pandas 3, matplotlib too."""
PAGE = {"matplotlib", "plotly"}
if pd.__version__ < "3":
    NEEDED |= {"matplotlib"}
OTHERS = {
    *("IPython", "dask", "distributed", "joblib", "numba", "pyvinecopulib", "rich"),
    *("scipy.stats", "sklearn", "torch"),
}

CODE = """
import json, sys
from spinney.cli import run
run(["learn", *sys.argv[1:], "--quiet", "--force", "--jobs", "1"])
print(json.dumps(list(sys.modules)))
"""


@pytest.fixture
def imported_by(tmp_path, table):
    def learn(*options):
        words = [str(table), "--out", str(tmp_path / "graph"), *options]
        command = [sys.executable, "-c", CODE, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return set(json.loads(done.stdout.splitlines()[-1]))

    return learn


def test_a_run_imports_no_library_it_does_not_use(imported_by, tmp_path):
    folder = tmp_path / "graph"
    loaded = imported_by()
    assert loaded & (NEEDED | PAGE | OTHERS) == NEEDED | PAGE
    assert (folder / "report.html").exists()
    loaded = imported_by("--no-report")  # no page is made, and nothing drawn
    assert loaded & (NEEDED | PAGE | OTHERS) == NEEDED
    written = {path.name for path in folder.iterdir()}
    tables = {"edges.csv", "nodes.csv", "pairs.csv"}
    assert written == tables | {"graph.graphml", "paper.md", "run.json"}
