"""``spinney learn --again run.json``: the same bytes, or a word about what differs."""

import json
from pathlib import Path

import pandas as pd
import pytest

from spinney import load_model
from spinney.cli._record import counts_of
from spinney.graph.report import OUTPUTS
from tests.cli.cases import files_in
from tests.graph.cases import chains
from tests.graph.report.wide import wide_graph

FILES = {output.name for output in OUTPUTS}


AGAIN = {
    "the judge": (),
    "strictness": ("--fdr", "0.05", "--seed", "4"),
    "columns": ("--columns", "[a-d]", "--kind", "a=continuous"),
    "known edges": ("--required", "known.txt"),
    "forests": ("-e", "shared-forest", "--families", "gaussian,frank", "--criterion", "bic"),
    "a baseline": ("-e", "graphical-lasso", "--seed", "3"),
}


SLOW = {"strictness", "forests"}


@pytest.mark.parametrize(
    "case", [pytest.param(case, marks=[pytest.mark.slow] * (case in SLOW)) for case in AGAIN]
)
def test_again_gives_the_same_bytes(rows, spinney, case):
    Path("known.txt").write_text("a,lonely\n".replace("lonely", list(chains())[-1]))
    first = spinney("learn", rows, *AGAIN[case], "--out", "first")
    assert first.exit_code == 0, first.stderr
    Path("known.txt").unlink()
    second = spinney("learn", "--again", "first/run.json", "--out", "second", "--jobs", 1)
    assert second.exit_code == 0, second.stderr
    assert second.stderr == ""
    assert second.stdout.endswith("The tables are those of the earlier run, byte by byte.\n")
    for name in ("edges.csv", "pairs.csv", "nodes.csv", "graph.graphml"):
        assert Path("first", name).read_bytes() == Path("second", name).read_bytes()
    records = [json.loads(Path(folder, "run.json").read_text()) for folder in ("first", "second")]
    for part in ("settings", "data", "known_edges", "judge", "result"):
        assert records[0][part] == records[1][part]
    assert records[0]["command"][:2] == ["spinney", "learn"]
    assert set(records[0]["files"]) == FILES - {"run.json"}


def test_again_writes_the_model_again(rows, spinney):
    assert spinney("learn", rows, "--model", "--out", "first").exit_code == 0
    assert spinney("learn", "--again", "first", "--out", "second").exit_code == 0
    first, second = (load_model(f"{name}/graph.spinney") for name in ("first", "second"))
    pd.testing.assert_frame_equal(first.pairs, second.pairs, check_exact=True)
    pd.testing.assert_frame_equal(first.nodes, second.nodes, check_exact=True)


def test_again_says_what_differs(rows, spinney):
    assert spinney("learn", rows).exit_code == 0
    Path("other.csv").write_text(Path(rows).read_text() + "0,0,0,0,0,0\n")
    record = json.loads(Path("rows-graph/run.json").read_text())
    record["spinney_version"], record["judge"]["fingerprint"] = "0.0.1", "another"
    Path("old.json").write_text(json.dumps(record))
    result = spinney("learn", "--again", "old.json", "other.csv")
    assert result.exit_code == 0, result.stderr
    assert len(result.stderr.splitlines()) == 3
    for words in ("their checksum differs", "by spinney 0.0.1", "The judge is not that"):
        assert words in result.stderr
    assert files_in("other-graph") == FILES
    assert result.stdout.endswith("The tables differ from those of the earlier run.\n")


def test_data_are_looked_for_beside_the_results(rows, spinney, tmp_path, monkeypatch):
    assert spinney("learn", rows).exit_code == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    result = spinney("learn", "--again", tmp_path / "rows-graph")
    assert result.exit_code == 0, result.stderr
    assert (elsewhere / "rows-graph/edges.csv").read_bytes() == (
        tmp_path / "rows-graph/edges.csv"
    ).read_bytes()
    (tmp_path / "rows.csv").unlink()
    result = spinney("learn", "--again", tmp_path / "rows-graph", "--force")
    assert result.exit_code == 2
    assert "There is no file 'rows.csv' any more" in result.stderr


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [("fdr", "much", "fdr must be a number"), ("colour", "red", "has a setting that spinney")],
)
def test_broken_records_are_one_line(rows, spinney, name, value, words):
    assert spinney("learn", rows).exit_code == 0
    record = json.loads(Path("rows-graph/run.json").read_text())
    record["settings"][name] = value
    Path("broken.json").write_text(json.dumps(record))
    result = spinney("learn", "--again", "broken.json", "--out", "new")
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not Path("new").exists()


ALONE_WORDS = {
    "--fdr 0.1": "--again takes all settings from run.json. Leave --fdr out",
    "--columns a,b": "Leave --columns out",
}


@pytest.mark.parametrize("words", ALONE_WORDS)
def test_again_stands_alone(rows, spinney, words):
    result = spinney("learn", "--again", "run.json", *words.split())
    assert result.exit_code == 2
    assert ALONE_WORDS[words] in result.stderr


def test_foreign_json_is_refused(rows, spinney):
    Path("package.json").write_text('{"name": "x"}')
    result = spinney("learn", "--again", "package.json")
    assert result.exit_code == 2
    assert result.stderr == "Error: 'package.json' is JSON, but not a run.json of spinney.\n"


def test_the_record_counts_the_pairs_that_were_judged():
    graph = wide_graph(320)
    counts = counts_of(graph)
    assert counts["judged_pairs"] == len(graph.learner.potentials_.pairs_) < counts["pairs"]
    assert "judged_pairs" not in counts_of(wide_graph(320, dense=True))
