"""The benchmark of the first graph: what it writes, and what it counts."""

import os

import pandas as pd
from benchmarks.learned.measuring import mix
from benchmarks.start.__main__ import COMMAND, COUNT, _ask, write_iris
from training.sources import SOURCES


def test_the_table_has_numbers_and_species(tmp_path):
    write_iris(tmp_path)
    frame = pd.read_csv(tmp_path / "iris.csv")
    assert frame.shape == (150, 5)
    assert set(frame["species"]) == {"setosa", "versicolor", "virginica"}


def test_modules_are_counted_where_they_are_imported(tmp_path):
    program = "import spinney.exceptions, numba\n" + COUNT
    found = _ask(program, str(tmp_path), dict(os.environ))
    assert found["numba"]
    assert "numba" in found["heavy"]
    assert 2 <= found["modules of spinney"] < 50
    found = _ask("import json\n" + COUNT, str(tmp_path), dict(os.environ))
    assert found["modules of spinney"] == 0
    assert not found["numba"]
    compile(COMMAND.format(options=["--no-report"]), "command", "exec")


def test_the_mix_is_what_training_draws(tmp_path, monkeypatch):
    monkeypatch.setenv("SPINNEY_REAL_TABLES", str(tmp_path))
    assert "world" in mix()
    assert "grafts" not in mix()  # there are no real tables
    (tmp_path / "a__b.csv").write_text("x,y\n1,2\n")
    assert "grafts" in mix()
    assert set(mix()) <= set(SOURCES)
