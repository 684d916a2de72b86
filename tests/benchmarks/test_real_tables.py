"""Cells of tables with levels and gaps: what methods and peers get to see, and of what truth."""

import numpy as np
import pandas as pd
import pytest
from benchmarks.accuracy import methods as registry
from benchmarks.accuracy import stored
from benchmarks.accuracy.__main__ import main
from benchmarks.accuracy.cells import CELLS, GROUPS, REPORTING, TABLE_CELLS, TUNING
from benchmarks.accuracy.filling import codes, fill_gaps
from benchmarks.accuracy.runner import evaluate
from benchmarks.peers import Job, run_jobs
from benchmarks.peers.cells import Repetition, job
from benchmarks.peers.stored import read_cell

from reproduce.judging import fingerprint
from reproduce.runner import Task
from spinney.simulate import Simulated
from tests.benchmarks.conftest import STAND_IN

SEED = TUNING[3]


def test_the_groups_share_no_cell():
    assert len(TABLE_CELLS) == 24
    assert {cell.n for cell in TABLE_CELLS.values()} == {100, 500, 2000}
    assert not set(CELLS) & set(TABLE_CELLS)
    assert GROUPS == {"truths": CELLS, "tables": TABLE_CELLS}


@pytest.mark.parametrize(
    ("kind", "edges", "components", "kinds", "missing"),
    [
        ("ising", 24, 1, {"binary": 25}, 0.0),
        ("nominal", 23, 2, {"nominal": 25}, 0.0),
        ("ordinal", 25, 1, {"ordinal": 25}, 0.0),
        ("mixed-kinds", 25, 1, {"continuous": 9, "ordinal": 8, "binary": 8}, 0.0),
        ("complete", 25, 1, {"continuous": 25}, 0.0),
        ("gaps-10", 25, 1, {"continuous": 25}, 0.1),
        ("gaps-30", 25, 1, {"continuous": 25}, 0.3),
        ("gaps-depends", 25, 1, {"continuous": 25}, 0.4 * 12 / 25),
    ],
)
def test_cells_have_the_truth_they_are_named_for(kind, edges, components, kinds, missing):
    for n in (100, 2000):
        data = TABLE_CELLS[f"{kind}-{n}"].simulate(SEED)
        assert data.X.shape == (n, 25)
        assert (data.n_edges, data.n_components) == (edges, components)
        assert {k: data.kinds.count(k) for k in set(data.kinds)} == kinds
        share = np.isnan(data.X).mean()
        assert share == pytest.approx(missing, abs=4 * np.sqrt(0.25 / (12 * n)))
        assert (share == 0) == (missing == 0)


def test_gaps_and_levels_have_the_values_of_the_complete_tables():
    complete = TABLE_CELLS["complete-100"].simulate(SEED)
    np.testing.assert_array_equal(complete.X, CELLS["connected-100"].simulate(SEED).X)
    for kind in ("gaps-10", "gaps-30", "gaps-depends", "ordinal", "mixed-kinds"):
        data = TABLE_CELLS[f"{kind}-100"].simulate(SEED)
        np.testing.assert_array_equal(data.adjacency, complete.adjacency)
        same = np.array([k == "continuous" for k in data.kinds]) & ~np.isnan(data.X)
        np.testing.assert_array_equal(data.X[same], complete.X[same])


def test_methods_get_frames_on_tables_and_arrays_elsewhere(monkeypatch):
    registry.methods()
    seen = []

    def look(X, seed):
        seen.append(X)
        return registry.methods()["empty"](np.zeros((5, 25)) + np.arange(5)[:, None], seed)

    monkeypatch.setitem(registry._METHODS, "look", look)
    for cell in ("connected-50", "mixed-kinds-100", "complete-100"):
        assert evaluate(Task(cell, "look", SEED))["hamming"] == 25
    assert isinstance(seen[0], np.ndarray)
    expected = TABLE_CELLS["mixed-kinds-100"].simulate(SEED).table
    pd.testing.assert_frame_equal(seen[1], expected)
    assert {str(dtype) for dtype in seen[2].dtypes} == {"float64"}


def test_old_cells_have_the_tables_of_their_stored_records():
    marks = stored.read("truths").groupby(["cell", "seed"])["table"].unique()
    for name in CELLS:
        mark = fingerprint(CELLS[name].simulate(REPORTING[1]))
        assert marks[name, REPORTING[1]].tolist() == [mark]


def test_marks_tell_gaps_apart():
    X, graph = np.ones((4, 2)), np.zeros((2, 2), bool)
    holey = np.where([[True, False]] + 3 * [[False, False]], np.nan, X)
    more = np.where([[True, True]] + 3 * [[False, False]], np.nan, X)
    marks = {fingerprint(Simulated(table, graph, "by hand", {}, 0)) for table in (X, holey, more)}
    assert len(marks) == 3


def test_groups_keep_their_records_apart(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("benchmarks.accuracy.__main__.RECORDS", tmp_path / "records")
    monkeypatch.setattr("benchmarks.accuracy.stored.RESULTS", tmp_path)
    words = ["--methods", "empty", "--repetitions", "1", "--group", "tables"]
    assert main([*words, "--cells", "ordinal-100"]) == 0
    assert (tmp_path / "records" / "tables-reporting" / "records.jsonl").exists()
    kept = stored.read("tables")
    assert kept[kept.method == "empty"][["cell", "hamming"]].to_numpy().tolist() == [
        ["ordinal-100", 25]
    ]
    assert not stored.path_of("truths").exists()
    assert main([*words, "--cells", "connected-50"]) == 2
    assert "There are: ising-100" in capsys.readouterr().err
    assert main(["--list", "--group", "tables"]) == 0
    assert "gaps-depends-2000" in capsys.readouterr().out


def test_gaps_are_filled_by_what_is_usual():
    frame = pd.DataFrame(
        {
            "x": [1.0, np.nan, 5.0, 0.0],
            "level": pd.array([4, 4, None, 2], dtype="Int64"),
            "class": pd.Categorical(["b", None, "b", "a"]),
            "whole": [1, 2, 3, 4],
        }
    )
    filled = fill_gaps(frame)
    assert filled["x"].tolist() == [1.0, 2.0, 5.0, 0.0]
    assert filled["level"].tolist() == [4, 4, 3, 2]
    assert filled["class"].tolist() == ["b", "b", "b", "a"]
    np.testing.assert_array_equal(
        codes(frame), [[1, 4, 1, 1], [np.nan, 4, np.nan, 2], [5, np.nan, 1, 3], [0, 2, 0, 4]]
    )


@pytest.mark.slow
@pytest.mark.parametrize("method", ["complete-cases", "mean-imputation", "filled-glasso-ebic"])
def test_ways_around_gaps_find_strong_edges(method):
    record = evaluate(Task("gaps-10-500", method, SEED))
    assert "error" not in record
    assert record["average_precision"] > 0.5


def test_without_complete_rows_there_is_no_edge():
    record = evaluate(Task("gaps-30-100", "complete-cases", SEED))
    assert record["hamming"] == 25


def test_bdgraph_gets_gaps_and_is_told_what_is_not_continuous():
    data = TABLE_CELLS["gaps-depends-100"].simulate(SEED)
    todo = Repetition("gaps-depends-100", SEED, (), iterations=70)
    asked = job(todo, "bdgraph-gcgm", data)
    np.testing.assert_array_equal(asked.X, data.X)
    np.testing.assert_array_equal(asked.not_continuous, np.isnan(data.X).any(axis=0))
    assert asked.peer.iterations == 70
    mixed = TABLE_CELLS["mixed-kinds-100"].simulate(SEED)
    asked = job(Repetition("mixed-kinds-100", SEED, ()), "bdgraph-gcgm", mixed)
    assert asked.not_continuous.sum() == 16
    assert asked.peer.iterations == 5000
    filled = job(todo, "huge-glasso-ebic", data)
    assert filled.not_continuous is None
    np.testing.assert_array_equal(filled.X, codes(fill_gaps(data.table)))
    old = job(Repetition("grid-50", SEED, ()), "bdgraph-gcgm", CELLS["grid-50"].simulate(SEED))
    assert old.not_continuous is None


def test_r_reads_gaps_as_na(stand_in, tmp_path):
    stand_in(f"{STAND_IN}import shutil\nshutil.copytree(folder, {str(tmp_path / 'seen')!r})\n")
    X = np.array([[1.5, np.nan], [0.1, 2.0]])
    run_jobs([Job("a", X, "bdgraph-gcgm", 1, not_continuous=np.array([False, True]))])
    assert (tmp_path / "seen" / "table-0.csv").read_text() == "1.5,NA\n0.10000000000000001,2\n"
    jobs = pd.read_csv(tmp_path / "seen" / "jobs.csv")
    assert jobs["not_continuous"].tolist() == ["0 1"]


def test_stored_results_are_of_the_present_tables():
    methods = {"bdgraph-gcgm", "huge-glasso-ebic", "huge-npn-ebic", "huge-glasso-stars"}
    for name, cell in TABLE_CELLS.items():
        results = read_cell(name)["results"]
        marks = {r["seed"]: r["table"] for r in results}
        assert {r["method"] for r in results} == methods, name
        assert set(marks) == set(REPORTING[: len(marks)])
        seed = max(marks)
        assert marks[seed] == fingerprint(cell.simulate(seed))


@pytest.mark.parametrize("n", [100, 500])
def test_what_peers_did_on_connected_tables_holds_for_complete_ones(n):
    twins = {(r["method"], r["seed"]): r for r in read_cell(f"connected-{n}")["results"]}
    own = read_cell(f"complete-{n}")["results"]
    assert own
    for r in own:
        twin = twins[r["method"], r["seed"]]
        assert (r["table"], r["edges"]) == (twin["table"], twin["edges"])
