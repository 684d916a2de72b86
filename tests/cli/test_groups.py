"""``spinney learn --group``: a folder per group, and what differs between them."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from spinney.graph.report import OUTPUTS
from tests.graph.cases import chains

FILES = {output.name for output in OUTPUTS}
BESIDE = {"report.html", "groups.csv", "differences.png", "differences.svg", "run.json"}


@pytest.fixture
def cells(tmp_path, monkeypatch):
    """Two groups, of which one lacks an edge."""
    monkeypatch.chdir(tmp_path)
    X = pd.concat([chains(150), chains(150)], ignore_index=True)
    X["stimulus"] = np.repeat(["none", "a/b <PMA>"], 150)
    rng = np.random.default_rng(5)
    first = X.columns[0]
    X.loc[X.stimulus == "none", first] = rng.normal(size=150)
    X.to_csv("cells.csv", index=False)
    return "cells.csv"


def test_a_folder_per_group(cells, spinney):
    result = spinney("learn", cells, "--group", "stimulus")
    assert result.exit_code == 0, result.stderr
    folder = Path("cells-graph")
    inside = {path.name for path in folder.iterdir()}
    assert inside >= BESIDE
    places = [folder / name for name in inside - BESIDE]
    assert len(places) == 2
    for place in places:
        assert {path.name for path in place.iterdir()} == FILES
        assert "stimulus" not in set(pd.read_csv(place / "nodes.csv").name)
    a, b = chains().columns[:2]
    table = pd.read_csv(folder / "groups.csv")
    assert list(table.loc[0, ["source", "target"]]) == [a, b]
    assert "2 groups by stimulus: a/b <PMA> (150 rows, " in result.stdout
    assert f"{a} – {b} only in a/b <PMA> (" in result.stdout
    record = json.loads((folder / "run.json").read_text())
    assert record["settings"]["group"] == "stimulus"
    assert set(record["result"]["groups"]) == {"none", "a/b <PMA>"}


def test_groups_again_and_as_json(cells, spinney):
    assert spinney("learn", cells, "--group", "stimulus").exit_code == 0
    again = spinney("learn", "--again", "cells-graph", "--out", "again", "--json")
    assert again.exit_code == 0, again.stderr
    assert Path("again/groups.csv").read_bytes() == Path("cells-graph/groups.csv").read_bytes()
    told = json.loads(again.stdout)
    assert set(told["files"]) == BESIDE
    for group in told["groups"].values():
        assert all(Path(path).is_file() for path in group["files"].values())
        edges = Path(group["files"]["edges.csv"])
        assert (
            edges.read_bytes()
            == Path("cells-graph", *edges.relative_to("again").parts).read_bytes()
        )
    assert 0 <= told["differences"][0]["differs"] <= 1


def test_the_check_of_each_group_is_printed(cells, spinney, monkeypatch):
    monkeypatch.setattr("spinney.graph.graft_check.REPETITIONS", 2)
    words = ("--group", "stimulus", "--no-report", "--check", "--stability", "20")
    result = spinney("learn", cells, *words)
    assert result.exit_code == 0, result.stderr
    for name in ("a/b <PMA>", "none"):
        _, rest = result.stdout.split(f"stimulus {name}:\n")  # once
        told = rest.split("\n\n")[0]
        assert "Stability from 20 bootstrap samples" in told
        assert "edges of added columns were found" in told


def test_what_is_in_the_way_is_said_before_the_work(cells, spinney, monkeypatch):
    from spinney.cli import _learning

    monkeypatch.setattr(_learning, "learn_all", lambda *_, **__: pytest.fail("the work is done"))
    Path("cells-graph/none").mkdir(parents=True)
    Path("cells-graph/none/thesis.txt").write_text("mine")
    result = spinney("learn", cells, "--group", "stimulus", "--force")
    assert result.exit_code == 2
    assert "is in the way of the results of group 'none'" in result.stderr


@pytest.mark.slow
def test_stability_of_groups(cells, spinney):
    words = ("--group", "stimulus", "--no-report", "--stability", "20", "--json")
    result = spinney("learn", cells, *words)
    assert result.exit_code == 0, result.stderr
    groups = json.loads(result.stdout)["groups"]
    assert [group["stability"]["n_fits"] for group in groups.values()] == [20, 20]
    assert not Path("cells-graph-unfinished").exists()


def test_a_failure_while_writing_leaves_nothing(cells, spinney, monkeypatch):
    from spinney.graph.report import writers

    written = []

    def fail(path, view):
        written.append(path)
        path.write_text("name\n")
        if len(written) == 2:  # of the second group
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(writers, "write_nodes", fail)
    result = spinney("learn", cells, "--group", "stimulus", "--no-report")
    assert result.exit_code == 1
    assert "No space left on device" in result.stderr
    assert {path.name for path in Path().iterdir()} == {"cells.csv"}
