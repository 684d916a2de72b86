"""``spinney info``: what runs here, and machine code ahead of time."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from spinney import __version__
from spinney._core.processor import describe_lanes
from spinney.cli import _compiled, _estimators, info
from spinney.scale.gpu import device as _cuda


def test_json_has_all_parts(spinney):
    result = spinney("info", "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["versions"]["spinney"] == __version__
    assert list(told["estimators"]) == _estimators.names()
    assert set(told["formats"]) == {"text", "Excel", "Parquet", "AnnData"}
    assert Path(told["machine"]["compiled code"]).name
    assert told["machine"]["registers"] == describe_lanes()


def test_quiet_prints_nothing(spinney):
    assert spinney("info", "--quiet").output == ""


def test_a_format_that_is_not_there_says_how_to_have_it(monkeypatch):
    monkeypatch.setattr(info, "find_spec", lambda name: None)
    assert info._library("openpyxl", "excel") == "not installed: pip install 'spinney[excel]'"


def test_gpu_and_cluster_are_told_or_how_to_have_them(spinney, monkeypatch):
    monkeypatch.setattr(info, "find_spec", lambda name: None)
    monkeypatch.setattr(_cuda, "why_no_cuda", lambda needs: f"{needs[1]} is not there.")
    told = json.loads(spinney("info", "--json").stdout)["machine"]
    assert told["cluster"] == "not installed: pip install 'spinney[cluster]'"
    assert told["GPU"] == "none: torch is not there."


def test_a_gpu_is_named(monkeypatch):
    monkeypatch.setattr(_cuda, "why_no_cuda", lambda needs: None)
    for name in ("NVIDIA H200", b"NVIDIA H200"):
        module = SimpleNamespace(get_current_device=lambda name=name: SimpleNamespace(name=name))
        monkeypatch.setattr(_cuda, "cuda_module", lambda module=module: module)
        assert info._gpu() == "NVIDIA H200"


@pytest.mark.parametrize("compiled", [True, False])
def test_whether_kernels_are_compiled_is_said(spinney, monkeypatch, compiled):
    monkeypatch.setattr("spinney.cli._compiled.kernels_compiled", lambda: compiled)
    told = json.loads(spinney("info", "--json").stdout)["machine"]["compiled"]
    assert told.startswith("yes" if compiled else "no; ")


def test_warm_up_does_every_step_and_says_so(spinney, monkeypatch):
    done = []
    steps = [_compiled.Step(name, lambda name=name: done.append(name)) for name in "abc"]
    monkeypatch.setattr(_compiled, "warm_up_steps", lambda: steps)
    result = spinney("info", "--warm-up", "--json")
    assert done == ["a", "b", "c"]
    assert "compiling: 3 of 3" in result.stderr
    assert "All kernels are compiled" in result.stderr
    json.loads(result.stdout)
    assert spinney("info", "--warm-up", "-q").output == ""
    assert done == ["a", "b", "c"] * 2


def test_steps_name_every_estimator():
    named = {step.name.partition(",")[0] for step in _compiled.warm_up_steps()}
    assert named == set(_estimators.names())


def test_steps_wake_the_helpers_and_list_pairs(monkeypatch):
    asked = []

    def note(table, **options):
        asked.append((len(table.columns), options["n_jobs"] > 1, options["screen"] != "auto"))

    monkeypatch.setattr("spinney.graph.learn", note)
    for step in _compiled.warm_up_steps():
        if step.name.startswith(_estimators.JUDGE):
            step.run()
    assert any(threads for _, threads, _ in asked)
    assert any(screened for _, _, screened in asked)
    assert not all(threads or screened for _, threads, screened in asked)


def test_tables_are_of_every_kind():
    from spinney.tables import read_table

    tables = {name: read_table(table) for name, table in _compiled._tables()}
    kinds = set(tables["levels"].kinds)
    assert (
        kinds
        == {"continuous", "ordinal", "binary", "nominal"}
        == set(tables["levels and gaps"].kinds)
    )
    assert tables["levels and gaps"].has_gaps
    assert tables["gaps"].has_gaps
    assert tables["numbers"].is_plain


@pytest.mark.slow
def test_after_a_warm_up_learning_compiles_nothing(tmp_path):
    """Takes minutes: every kernel is compiled into an empty folder."""
    cache = tmp_path / "cache"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}

    def run(*words):
        command = [sys.executable, "-m", "spinney", *words]
        return subprocess.run(
            command, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
        )

    def compiled():
        return set(cache.rglob("*.nb*"))

    run("info", "--warm-up", "-q")
    before = compiled()
    assert len(before) > 100
    for kind, rows, columns in (
        ("gaussian", "300", "12"),
        ("gaussian", "2500", "7"),
        ("mixed", "150", "9"),
        ("potts", "120", "7"),
    ):
        drawn = ["simulate", kind, "-n", rows, "-d", columns, "--gaps", "0.05", "--force"]
        run(*drawn, "--out", "drawn")
        after_drawing = compiled()  # a simulator may have kernels of its own
        for screen in ("off", "on"):
            asked = ("--force", "--quiet", "--out", "graph", "--screen", screen)
            run("learn", "drawn/table.csv", *asked)
            assert compiled() == after_drawing
