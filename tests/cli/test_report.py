"""``spinney report``: the page of a stored model, or of a folder of results."""

import json
import shutil

import pytest

from spinney.graph.report import writers


@pytest.fixture
def pages(monkeypatch):
    """Views of which a page was asked for; the page itself is a word."""
    asked = []

    def write(path, view):
        asked.append(view)
        path.write_text("page")

    monkeypatch.setattr(writers, "write_report", write)
    return asked


@pytest.fixture
def results(spinney, table, judge):
    """A folder of results without a model."""
    result = spinney("learn", table, "-q", "--out", "results")
    assert result.exit_code == 0, result.stderr
    return table.parent / "results"


def test_a_stored_model(spinney, table, frame, judge, pages):
    from spinney.graph import learn

    graph = learn(frame)
    graph.save("cells.spinney")
    result = spinney("report", "cells.spinney", "--out", "page.html")
    assert result.exit_code == 0, result.stderr
    assert "page.html" in result.stdout
    assert (table.parent / "page.html").read_text() == "page"
    (view,) = pages
    assert (view.title, view.estimator) == ("cells", "graph-learner")
    assert view.joined.tolist() == graph.joined.tolist()


def test_a_model_of_another_estimator(spinney, table, frame, pages):
    from spinney.models.baselines import ChowLiu

    ChowLiu().fit(frame).save("tree.spinney")
    result = spinney("report", "tree.spinney", "--json")
    told = json.loads(result.stdout)
    assert (told["page"], told["columns"]) == ("report.html", 5)
    assert (pages[0].title, pages[0].estimator) == ("tree by chow-liu", "chow-liu")


def test_a_folder_is_learned_again_by_its_record(spinney, results, pages):
    before = {path.name: path.read_bytes() for path in results.iterdir()}
    result = spinney("report", results, "--out", "again.html")
    assert result.exit_code == 0, result.stderr
    assert "learning again by its run.json" in result.stderr
    edges = (results / "edges.csv").read_text().splitlines()
    assert len(pages[0].edges) == len(edges) - 1
    assert pages[0].title == "cells"
    assert {path.name: path.read_bytes() for path in results.iterdir()} == before


def test_a_model_in_the_folder_comes_first(spinney, results, frame, pages):
    from spinney.models.baselines import ChowLiu

    ChowLiu().fit(frame).save(results / "graph.spinney")
    assert spinney("report", results, "--force", "--quiet").output == ""
    assert pages[0].estimator == "chow-liu"
    assert (results / "report.html").read_text() == "page"


def test_data_that_are_gone_are_asked_for(spinney, results, table, pages):
    table.unlink()
    result = spinney("report", results, "--force")
    assert result.exit_code == 2
    assert "cells.csv" in result.stderr
    assert not pages


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing"], "There is no file or folder 'nothing'"),
        (["cells.csv"], "is not a stored model"),
        (["empty"], "holds neither graph.spinney nor run.json"),
        (["results"], "already holds report.html. Give --force"),
        (["results", "--out", "empty"], "is a folder"),
        (["results", "--out", "a.html", "--jobs", "0"], "--jobs must be"),
    ],
)
def test_what_is_wrong_is_one_line(spinney, results, pages, words, said):
    (results.parent / "empty").mkdir()
    result = spinney("report", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not pages


def test_a_file_that_is_no_model(spinney, table, pages):
    shutil.copy(table, "bad.spinney")
    result = spinney("report", "bad.spinney")
    assert result.exit_code == 2
    assert "bad.spinney" in result.stderr
