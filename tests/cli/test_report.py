"""``spinney report``: the page of a stored model, or of a folder of results."""

import json

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


def test_a_model_in_a_folder_of_results(spinney, results, frame, pages):
    from spinney.models.baselines import ChowLiu

    ChowLiu().fit(frame).save(results / "graph.spinney")
    assert spinney("report", results, "--force", "--quiet").output == ""
    assert pages[0].estimator == "chow-liu"
    assert (results / "report.html").read_text() == "page"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing"], "There is no file or folder 'nothing'"),
        (["cells.csv"], "is not a model file"),
        (["results"], "holds no graph.spinney. Learn again: spinney learn --again results"),
        (["cells.csv", "--out", "results/report.html"], "already holds report.html. Give --force"),
        (["cells.csv", "--out", "results"], "is a folder"),
    ],
)
def test_what_is_wrong_is_one_line(spinney, results, pages, words, said):
    result = spinney("report", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not pages
