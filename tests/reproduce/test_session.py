"""One command per figure: files, resuming, and what is said when something is wrong."""

import json
from io import StringIO

import numpy as np
import pandas as pd
import pytest

from reproduce import session
from reproduce.experiments import EXPERIMENTS, TRUTHS
from reproduce.figures import draw
from reproduce.judging import fingerprint
from reproduce.results import read_csv, stored_peers, to_csv
from reproduce.session import Options, reproduce
from spinney.exceptions import InputError


def made_up(task):
    """A record as a method would leave it, without running one."""
    rng = np.random.default_rng([task.seed, len(task.cell), len(task.method)])
    wrong = int(rng.integers(0, 20))
    curve = np.minimum(np.arange(1, 61), rng.integers(5, 20) + np.arange(60) / 3).tolist()
    record = {"cell": task.cell, "method": task.method, "seed": task.seed, "seconds": 0.5}
    if task.cell.startswith("pbmc"):
        sizes = {"n_components": 1 + wrong % 14, "n_edges": 9, "n_non_gaussian_edges": 4}
        return record | {"n_cells": 300, "n_rows": 100, "penalty": 0.1} | sizes
    record["table"] = f"made up {task.cell} {task.seed}"
    if task.cell.startswith("wide"):
        found = {"edges_before_fdr_1": wrong, "true_edges_by_rank": curve}
        found["true_edges_before_false"] = (wrong + np.arange(31) / 2).tolist()
        record |= {"average_precision": 0.5, "n_true_edges": 120} | found
        if task.method in ("ef-lambda", "glasso"):
            record |= {f"{name}_by_presence": value for name, value in found.items()}
        return record
    false = wrong // 2
    return record | {
        "hamming": wrong,
        "precision": 1 - false / 25,
        "recall": 1 - (wrong - false) / 25,
        "false_positives": false,
        "inter_component_false_positives": false // 2,
        "n_components": 1 + wrong % 9,
    }


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    """Another process would not know what is made up here."""
    monkeypatch.setattr(session, "cpu_count", lambda: 1)


@pytest.fixture
def quickly(monkeypatch):
    monkeypatch.setattr(session, "evaluate", made_up)


@pytest.fixture
def undrawn(monkeypatch):
    """Pictures take seconds, and most of what is tested here needs none."""
    monkeypatch.setattr(session, "save", lambda figure, folder, name: [])
    monkeypatch.setattr(session, "draw", lambda *arguments: None)


@pytest.mark.slow
def test_all_figures_leave_pictures_and_numbers(quickly, tmp_path, capsys):
    outcome = reproduce(["all"], Options(out=tmp_path, quick=True))
    assert outcome.failed == []
    assert {j.figure for j in outcome.judgements} == set(EXPERIMENTS)
    assert {str(path) for path in outcome.written} == set(map(str, tmp_path.glob("figure*")))
    for name in session.FIGURES:
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "<svg" in (tmp_path / f"{name}.svg").read_text("utf-8")[:2000]
    for name in EXPERIMENTS:
        frame = read_csv(tmp_path / f"{name}.csv")
        content = json.loads((tmp_path / f"{name}.json").read_text("utf-8"))
        assert content["figure"] == name
        assert len(content["claims"]) > 0
        assert content["repetitions"]["ef-lambda"] == (1 if name == "figure6" else 4)
        row = next(r for r in content["summary"] if r["method"] == "ef-lambda")
        part = frame[(frame.n == row["n"]) & (frame.method == "ef-lambda")][row["metric"]]
        assert row["mean"] == pytest.approx(part.mean())
    assert f"wrote {tmp_path / 'figure6.json'}" in capsys.readouterr().out


def test_an_interrupted_run_goes_on_by_the_same_call(undrawn, tmp_path, monkeypatch):
    calls = []

    def stops_at_the_fifth(task):
        calls.append(task)
        if len(calls) == 5:
            raise KeyboardInterrupt
        return made_up(task)

    monkeypatch.setattr(session, "evaluate", stops_at_the_fifth)
    options = Options(out=tmp_path, repetitions=2, sizes=(50,))
    with pytest.raises(KeyboardInterrupt):
        reproduce(["figure4"], options)
    assert len((tmp_path / "records.jsonl").read_text().splitlines()) == 1 + 4
    reproduce(["figure4"], options)
    assert len(calls) == 5 + 12 - 4
    assert len(read_csv(tmp_path / "figure4.csv")) == 12
    reproduce(["figure4"], options)
    assert len(calls) == 13


def test_a_run_goes_on_from_tables_alone(undrawn, quickly, tmp_path, monkeypatch):
    common = {"out": tmp_path, "repetitions": 2, "subsamples": 1}
    figures = ["figure2", "figure5", "figure6"]
    reproduce(figures, Options(**common), say=lambda line: None)
    written = [*tmp_path.glob("figure?.csv"), tmp_path / "figure6.json"]  # the last knows all runs
    contents = [path.read_text("utf-8") for path in written]
    (tmp_path / "records.jsonl").unlink()
    calls = []
    monkeypatch.setattr(session, "evaluate", lambda task: calls.append(task) or made_up(task))
    reproduce(figures, Options(**common), say=lambda line: None)
    assert calls == []
    assert [path.read_text("utf-8") for path in written] == contents
    reproduce(["figure5"], Options(**(common | {"repetitions": 3})), say=lambda line: None)
    assert {task.seed for task in calls} == {200002}


def test_methods_can_be_run_apart_into_one_folder(undrawn, quickly, tmp_path):
    common = {"out": tmp_path, "repetitions": 4, "sizes": (50,)}
    reproduce(["figure3"], Options(**common, methods=["glasso", "et"]), say=lambda line: None)
    reproduce(
        ["figure3"],
        Options(**common, methods=["ef-cuts"], cuts_repetitions=2),
        say=lambda line: None,
    )
    counts = read_csv(tmp_path / "figure3.csv").method.value_counts()
    assert counts.to_dict() == {"glasso": 4, "et": 4, "ef-cuts": 2}


def test_a_failing_method_is_said_and_tried_again(undrawn, tmp_path, monkeypatch, capsys):
    def fails(task):
        return {**made_up(task), "error": "ZeroDivisionError: by zero"}

    options = Options(out=tmp_path, repetitions=1, sizes=(50,), methods=["et"])
    monkeypatch.setattr(session, "evaluate", fails)
    (record,) = reproduce(["figure2"], options).failed
    assert record["method"] == "et"
    assert "failed: et on connected-50, seed 200000: ZeroDivision" in capsys.readouterr().out
    monkeypatch.setattr(session, "evaluate", made_up)
    assert reproduce(["figure2"], options).failed == []


@pytest.mark.parametrize(
    ("figure", "options", "message"),
    [
        ("figure7", {}, "figure7"),
        ("figure2", {"methods": ["glaso"]}, "Did you mean 'glasso'?"),
        ("figure2", {"workers": 0}, "at least one worker"),
        ("figure2", {"sizes": [3]}, "at least 10 rows, not 3"),
        ("figure2", {"repetitions": 0}, "1 to 1000 repetitions, not 0"),
    ],
)
def test_wrong_wishes_get_one_sentence(figure, options, message, tmp_path):
    with pytest.raises(InputError) as caught:
        reproduce([figure], Options(out=tmp_path / "out", **options))
    assert message in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_same_numbers_make_the_same_picture(quickly, tmp_path):
    pictures = []
    for name in ("a", "b"):
        out = tmp_path / name
        options = Options(out=out, repetitions=2, sizes=(50, 100))
        reproduce(["figure3"], options, say=lambda line: None)
        pictures.append((out / "figure3.svg").read_bytes())
    assert pictures[0] == pictures[1]


def test_boxes_have_the_panels_of_the_paper(undrawn, quickly, tmp_path):
    options = Options(out=tmp_path, repetitions=2, sizes=(50,))
    reproduce(["figure2", "figure3"], options, say=lambda line: None)
    titles = {
        name: [axes.get_title() for axes in draw(name, read_csv(tmp_path / f"{name}.csv")).axes]
        for name in ("figure2", "figure3")
    }
    assert titles["figure2"] == ["Hamming distance", "false positive edges", "precision", "recall"]
    assert "inter-cluster false positives" in titles["figure3"]


def test_curves_survive_the_table(undrawn, quickly, tmp_path):
    reproduce(["figure5"], Options(out=tmp_path, repetitions=1), say=lambda line: None)
    frame = read_csv(tmp_path / "figure5.csv")
    assert {len(curve) for curve in frame.true_edges_by_rank} == {60}
    assert {len(curve) for curve in frame.true_edges_before_false} == {31}
    missing = frame[frame.method == "shared-forest"].true_edges_by_rank_by_presence
    assert missing.isna().all()
    pd.testing.assert_frame_equal(read_csv(StringIO(to_csv(frame))), frame)


# Stored peers


def test_stored_peers_saw_the_tables_of_the_figures():
    stored = stored_peers()
    assert set(stored.method) == {"bdgraph", "huge-glasso-stars", "huge-npn-stars"}
    row = stored[(stored.truth == "connected") & (stored.n == 50)].iloc[0]
    data = TRUTHS["connected"][1](50, int(row.seed))
    assert row.table == fingerprint(data)
