"""What is said: cells are what they claim to be, and rows can be measured and stored."""

import json

import numpy as np
import pytest
from benchmarks.said import __main__ as command
from benchmarks.said import cells
from benchmarks.said.rows import Row, held, mean

from benchmarks import _run


def test_cells_have_names_of_their_own_and_columns_for_their_edges():
    found = list(cells.all_cells())
    assert len({cell.name for cell in found}) == len(found)
    for cell in found:
        drawn = cell.draw(150, np.random.default_rng(0))
        assert len(drawn.frame) == 150
        assert {name for pair in drawn.strengths for name in pair} <= set(drawn.frame)
        assert drawn.units is None or drawn.units in drawn.frame


@pytest.mark.parametrize("name", ["2 classes, shift 3", "a yes/no neighbour, shift 2.5"])
def test_the_truth_of_classes_is_that_of_residuals_within_them(name):
    cell = next(cell for cell in cells.all_cells() if cell.name == name)
    drawn = cell.draw(60_000, np.random.default_rng(1))
    frame = drawn.frame
    rest = frame.groupby("c")[[c for c in frame if c != "c"]].transform(lambda x: x - x.mean())
    K = np.linalg.inv(np.cov(rest.T))
    names = list(rest)
    for (u, v), truth in drawn.strengths.items():
        if not np.isnan(truth):
            i, j = names.index(u), names.index(v)
            assert -K[i, j] / np.sqrt(K[i, i] * K[j, j]) == pytest.approx(truth, abs=0.02)


def test_a_long_table_has_the_strengths_of_its_cell():
    drawn = cells.ordinal(40_000, np.random.default_rng(2), 3)
    found = held(drawn.frame, list(drawn.strengths))["strength"]
    for pair, truth in drawn.strengths.items():
        assert found[pair] == pytest.approx(truth, abs=0.03)


def test_rows_are_stored_beside_those_of_before(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(_run, "RESULTS", tmp_path)
    for label, value in (("before", 0.2), ("after", 0.9)):
        rows = iter([mean("a row", "1", ".95", [value, value])])
        monkeypatch.setattr(command, "SECTIONS", {"some": lambda asked, rows=rows: rows})
        assert command.main(["some", "--label", label]) == 0
    assert "0.200    0.900 ± 0.000" in capsys.readouterr().out
    [path] = tmp_path.glob("said-*.json")
    kept = json.loads(path.read_text())
    assert kept["some, after"]["rows"]["a row"]["value"] == 0.9
    assert command.line(Row("b", "", "", 1.0), {}).count("-") == 1
