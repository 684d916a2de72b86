"""The runner of all accuracy claims: honest cells, resumable, nothing lost, nothing mixed up."""

from types import SimpleNamespace

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from benchmarks.accuracy import methods as registry
from benchmarks.accuracy import report, stored
from benchmarks.accuracy.__main__ import main
from benchmarks.accuracy.cells import CELLS, REPORTING, TUNING, choose
from benchmarks.accuracy.runner import Task, evaluate, plan, run

from reproduce.runner import Store
from spinney.exceptions import InputError

TIMES = ["run", "seconds"]


def truth_of(X, seed):
    """A method that knows: it looks the table's graph up."""
    for cell in ("connected-50", "independent-50"):
        data = CELLS[cell].simulate(seed)
        if data.X.shape == X.shape and (data.X == X).all():
            probabilities = data.adjacency.astype(float)
            return SimpleNamespace(adjacency_=data.adjacency, edge_probabilities_=probabilities)
    raise LookupError("no such table")


@pytest.fixture
def oracle(monkeypatch):
    registry.methods()
    monkeypatch.setitem(registry._METHODS, "oracle", truth_of)
    return "oracle"


def without_times(frame):
    return frame.drop(columns=TIMES)


def test_seeds_for_tuning_and_reporting_are_disjoint():
    assert not set(TUNING) & set(REPORTING)
    assert min(len(TUNING), len(REPORTING)) >= 1000


@pytest.mark.parametrize(
    ("kind", "d", "edges", "components"),
    [
        ("connected", 25, {25}, {1}),
        ("two-components", 25, {25}, {2}),
        ("t-cliques", 25, {27, 33}, {7, 8}),
        ("loopy", 25, {50}, {1}),
        ("grid", 25, {40}, {1}),
        ("hubs", 25, {22}, {3}),
        ("mixed-trees", 25, {24}, {1}),
        ("mixed-forests", 25, {23}, {2}),
        ("independent", 25, {0}, {25}),
        ("wide", 80, {120}, {1}),
    ],
)
def test_cells_have_the_truth_they_are_named_for(kind, d, edges, components):
    for cell in (cell for cell in CELLS.values() if cell.kind == kind):
        for seed in (REPORTING[0], TUNING[3]):
            data = cell.simulate(seed)
            assert data.X.shape == (cell.n, d)
            assert data.n_edges in edges
            assert nx.number_connected_components(data.graph) in components


def test_there_are_nine_kinds_at_three_sizes_and_one_wide():
    assert len(CELLS) == 28
    assert {cell.n for cell in CELLS.values()} == {50, 100, 500}


def test_the_oracle_makes_no_mistake(oracle):
    record = evaluate(Task("connected-50", oracle, 5))
    assert record["hamming"] == record["best_cut_hamming"] == 0
    assert record["average_precision"] == 1.0
    assert record["edges_before_fdr_1"] == 25
    assert record["calibration_error"] == 0.0
    nothing = evaluate(Task("independent-50", oracle, 5))
    assert nothing["hamming"] == 0
    assert nothing["average_precision"] is None


def test_an_interrupted_run_goes_on_where_it_stopped(oracle, tmp_path, monkeypatch):
    tasks = plan(["connected-50", "independent-50"], ["empty", oracle], 3)
    whole = report.tidy(run(tasks, Store(tmp_path / "whole")))
    assert len(whole) == 12

    calls = []

    def stops_at_the_third(X, seed):
        calls.append(seed)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return truth_of(X, seed)

    store = Store(tmp_path / "interrupted")
    monkeypatch.setitem(registry._METHODS, oracle, stops_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        run(tasks, store)
    kept = store.results()
    assert len(kept) == 5  # repetition by repetition: four of the first, one of the second
    resumed = report.tidy(run(tasks, store))
    assert len(calls) == 3 + 4  # the interrupted one again, and the three that were left
    pd.testing.assert_frame_equal(without_times(resumed), without_times(whole))
    for key, record in kept.items():
        assert store.results()[key] == record
    run(tasks, store)
    assert len(calls) == 7
    run(tasks, store, fresh=True)
    assert len(calls) == 13


@pytest.mark.slow
def test_two_workers_give_what_one_gives(tmp_path):
    tasks = plan(["connected-50", "hubs-50"], ["empty"], 3)
    one = report.tidy(run(tasks, Store(tmp_path / "one")))
    two = report.tidy(run(tasks, Store(tmp_path / "two"), workers=2))
    pd.testing.assert_frame_equal(without_times(one), without_times(two))


def test_a_torn_line_is_dropped_and_done_again(tmp_path):
    store = Store(tmp_path)
    tasks = plan(["connected-50"], ["empty"], 3)
    run(tasks, store)
    whole = store.path.read_bytes()
    store.path.write_bytes(whole[:-20])
    assert len(store.results()) == 2
    run(tasks, store)
    assert len(store.results()) == 3
    assert b"}{" not in store.path.read_bytes().replace(b"\n", b"|")
    store.path.write_text("{}\nnonsense\n")
    with pytest.raises(InputError, match="line 2, is not a record"):
        store.read()


def test_a_failing_method_is_reported_and_tried_again(oracle, tmp_path, monkeypatch, capsys):
    def fails(X, seed):
        raise ZeroDivisionError("by zero")

    monkeypatch.setitem(registry._METHODS, oracle, fails)
    arguments = ["--cells", "connected-50", "--methods", oracle, "empty", "--repetitions", "2"]
    arguments += ["--out", str(tmp_path)]
    assert main(arguments) == 1
    printed = capsys.readouterr()
    assert "failed: oracle on connected-50, seed 200000: ZeroDivisionError: by zero" in printed.err
    assert "2 of 4 repetitions failed" in printed.err
    assert set(pd.read_csv(tmp_path / "results.csv").method) == {"empty"}
    monkeypatch.setitem(registry._METHODS, oracle, truth_of)
    assert main(arguments) == 0
    assert len(pd.read_csv(tmp_path / "results.csv")) == 4


def test_one_command_writes_table_and_picture(tmp_path, capsys):
    arguments = ["--cells", "hubs-*", "wide-50", "--methods", "empty", "--repetitions", "2"]
    assert main([*arguments, "--out", str(tmp_path)]) == 0
    frame = pd.read_csv(tmp_path / "results.csv")
    assert len(frame) == 8
    assert (frame[frame.cell == "wide-50"].hamming == 120).all()
    assert (tmp_path / "hamming.png").read_bytes().startswith(b"\x89PNG")
    assert "hubs-500" in capsys.readouterr().out
    assert main(["--list"]) == 0
    assert "sklearn-glasso-cv" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--cells", "conected-50"], "No cell matches 'conected-50'. There are: connected-50"),
        (["--methods", "glaso"], "No method matches 'glaso'"),
        (["--repetitions", "0"], "1 to 1000 repetitions, not 0"),
        (["--workers", "0"], "at least one worker"),
    ],
)
def test_wrong_wishes_get_one_sentence(arguments, message, tmp_path, capsys):
    assert main([*arguments, "--out", str(tmp_path)]) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_results_on_changed_tables_are_not_mixed(tmp_path):
    store = Store(tmp_path)
    (record,) = run(plan(["connected-50"], ["empty"], 1), store)
    changed = {**record, "method": "other", "table": "00000000 0.8"}
    with pytest.raises(InputError, match="seed 200000, are on different tables"):
        report.tidy([record, changed])


def test_means_and_standard_errors(tmp_path):
    records = run(plan(["hubs-50"], ["empty"], 4), Store(tmp_path))
    row = report.summary(report.tidy(records), "average_precision").iloc[0]
    values = np.array([record["average_precision"] for record in records])
    assert row["mean"] == pytest.approx(values.mean())
    assert row.standard_error == pytest.approx(values.std(ddof=1) / 2)
    assert row.repetitions == 4


def test_patterns_keep_the_order_of_the_cells():
    assert choose(["grid-*", "connected-50"], list(CELLS), "cell")[0] == "connected-50"


def test_names_are_given_once():
    with pytest.raises(InputError, match="two methods called 'empty'"):
        registry.register(next(name for name in registry.methods() if name == "empty"))(truth_of)


def result(seed, hamming, judge=None, table="mark", method="learned"):
    record = {"cell": "hubs-50", "method": method, "seed": seed, "table": table, "run": "2026"}
    return record | {"hamming": hamming, "seconds": 0.1} | ({"judge": judge} if judge else {})


def test_a_new_run_replaces_what_is_kept_of_a_method(tmp_path):
    first = REPORTING[0]
    old = [result(first + k, 9, "old") for k in range(3)]
    stored.keep([*old, result(first, 5, method="empty")], "truths", "here", tmp_path)
    stored.keep([result(first + 1, 2, "new")], "truths", "there", tmp_path)
    about = stored.about("truths", "learned", tmp_path)
    assert about == {"date": "2026", "machine": "there", "judge": "new"}
    frame = stored.read("truths", tmp_path)
    own = frame[frame.method.isin(["learned", "empty"])][["method", "seed", "hamming", "table"]]
    assert sorted(own.to_numpy().tolist()) == [
        ["empty", first, 5, "mark"],
        ["learned", first + 1, 2, "mark"],
    ]


def test_results_of_two_judges_or_on_other_tables_are_not_kept_together(tmp_path):
    first = REPORTING[0]
    mixed = [result(first, 1, "one"), result(first + 1, 1, "two")]
    with pytest.raises(InputError, match="Two judges, one and two: run with --fresh"):
        stored.keep(mixed, "truths", None, tmp_path)
    stored.keep(mixed[:1], "truths", None, tmp_path)
    with pytest.raises(InputError, match="seed 200000, are on different tables"):
        stored.keep([result(first, 1, "one", "other")], "truths", None, tmp_path)
