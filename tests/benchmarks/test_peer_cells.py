"""The peers on the cells: stored once, resumed, and read back by the runner of the figures."""

import lzma

import numpy as np
from benchmarks.accuracy.cells import CELLS, REPORTING
from benchmarks.accuracy.runner import evaluate
from benchmarks.peers import cells
from benchmarks.peers.methods import PEERS
from benchmarks.peers.stored import read_cell, stored_record

from reproduce.judging import fingerprint
from reproduce.runner import Task


def ask(folder, repetitions):
    words = ["--cells", "grid-50", "--methods", "huge-mb-ric", "bdgraph-ggm", "--out", str(folder)]
    return cells.main([*words, "--repetitions", str(repetitions)])


def test_stored_and_resumed(stand_in, tmp_path, capsys):
    stand_in()
    folder = tmp_path / "peers"
    assert ask(folder, 1) == 0
    assert "1 tables run" in capsys.readouterr().out
    assert ask(folder, 3) == 0
    assert "2 tables run" in capsys.readouterr().out  # the first is not run again
    assert ask(folder, 3) == 0
    assert "0 tables run" in capsys.readouterr().out
    content = read_cell("grid-50", folder)
    assert content["versions"] == {"R": "9.9", "huge": "8.8", "BDgraph": "7.7"}
    assert content["methods"]["huge-mb-ric"] == PEERS["huge-mb-ric"].options()
    results = content["results"]
    assert [(r["method"], r["seed"]) for r in results] == [
        (method, seed) for seed in REPORTING[:3] for method in ("huge-mb-ric", "bdgraph-ggm")
    ]
    # Only the first repetition is timed as a user would wait.
    assert [r["collect_garbage"] for r in results] == [True] * 2 + [False] * 4
    # The stand-in finds a chain; its pairs are judged against the grid.
    data = CELLS["grid-50"].simulate(REPORTING[0])
    chain = np.eye(25, k=1) + np.eye(25, k=-1) > 0
    assert results[0]["hamming"] == (chain != data.adjacency).sum() // 2
    assert results[0]["edges"] == [[k, k + 1] for k in range(24)]
    assert results[0]["calibration_error"] is None
    assert results[1]["calibration_error"] is not None


def test_a_changed_simulator_is_run_again(stand_in, tmp_path):
    stand_in()
    folder = tmp_path / "peers"
    assert ask(folder, 1) == 0
    path = folder / "grid-50.json.xz"
    text = lzma.decompress(path.read_bytes()).decode()
    old = fingerprint(CELLS["grid-50"].simulate(200_000))
    path.write_bytes(lzma.compress(text.replace(old, "x").encode()))
    found = stored_record("grid-50", "huge-mb-ric", 200_000, "y", folder)
    assert "the simulator has changed" in found["error"]
    (todo,) = cells.plan(["grid-50"], ["huge-mb-ric"], 1, folder)
    assert todo.methods == ("huge-mb-ric",)


def test_without_r_one_line_and_status_two(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "")
    assert ask(tmp_path, 1) == 2
    assert "Rscript was not found" in capsys.readouterr().err


def test_what_is_not_stored_is_said(tmp_path):
    assert read_cell("grid-50", tmp_path)["results"] == []
    found = stored_record("grid-50", "huge-mb-ric", 1, "x", tmp_path)
    assert "not stored" in found["error"]


def test_the_stored_results_are_complete_and_of_the_present_tables():
    for name in CELLS:
        results = read_cell(name)["results"]
        done = {(r["method"], r["seed"]) for r in results}
        assert done >= {(method, seed) for method in PEERS for seed in REPORTING[:12]}
        assert done <= {(method, seed) for method in PEERS for seed in REPORTING[:30]}
    record = evaluate(Task("connected-50", "bdgraph-ggm", REPORTING[0]))
    assert "error" not in record
    assert record["hamming"] < 25
