"""``spinney learn``: what it writes, what it prints, and that it writes all or nothing."""

import re
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from spinney import DataWarning, PairCopulas
from spinney.cli import _learning, _options
from spinney.cli._learning import unfinished
from spinney.cli._options import DEFAULT
from spinney.cli._settings import LearnSettings
from spinney.graph.report import OUTPUTS, writers
from spinney.models.baselines import ChowLiu
from tests.cli.cases import files_in

FILES = {output.name for output in OUTPUTS}
QUICK = ("--estimator", "partial-correlation")


def nodes_in(folder):
    return set(pd.read_csv(Path(folder, "nodes.csv")).name)


@pytest.mark.usefixtures("pictures")
def test_the_results_are_those_of_the_estimator(table, frame, spinney):
    result = spinney("learn", table, "-e", "chow-liu", "--seed", 3, "--families", "Gaussian, frank")
    assert result.exit_code == 0, result.stderr
    assert files_in("cells-graph") == FILES
    expected = ChowLiu(potentials=PairCopulas(["gaussian", "frank"], random_state=3)).fit(frame)
    edges = pd.read_csv("cells-graph/edges.csv")
    found = {frozenset(edge) for edge in zip(edges.source, edges.target, strict=True)}
    assert found == {frozenset(edge) for edge in expected.graph_.edges}
    i, j = (list(frame.columns).index(edges[end][0]) for end in ("source", "target"))
    assert edges.weight[0] == pytest.approx(expected.edge_weights_[i, j], rel=1e-6)
    tau = kendalltau(frame.iloc[:, i], frame.iloc[:, j]).statistic  # the sample's, no copula's
    assert edges.tau[0] == pytest.approx(tau, rel=1e-6)
    assert set(edges.family) <= {"independence", "gaussian", "frank"}
    assert nodes_in("cells-graph") == set(frame.columns)
    assert Path("cells-graph/graph.png").read_bytes().startswith(b"\x89PNG")
    for words in (
        "120 rows × 5 columns",
        "2 edges, 3 components",
        "c – d",
        "cells-graph/graph.png",
    ):
        assert words in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize("name", ["graphical-lasso", "neighbourhood-selection"])
def test_frequencies_are_called_what_they_are(table, spinney, name):
    result = spinney("learn", table, "-e", name)
    assert result.exit_code == 0, result.stderr
    edges = pd.read_csv("cells-graph/edges.csv")
    assert edges.frequency.between(0, 1).all()
    assert "share of subsamples" in result.stdout
    assert "probability" not in result.stdout + ",".join(edges.columns)
    assert dict(zip(edges.source + edges.target, edges.sign, strict=True))["cd"] == -1


def test_a_share_of_forests_is_called_one(table, spinney):
    result = spinney("learn", table, "-e", "rooted-forests", "--families", "gaussian")
    assert result.exit_code == 0, result.stderr
    edges = pd.read_csv("cells-graph/edges.csv")
    assert edges.share.between(0, 1).all()
    assert "share of forests" in result.stdout
    assert "probability" not in result.stdout + ",".join(edges.columns)


def test_packed_tables_name_their_folder(table, frame, spinney):
    frame.to_csv("more.tsv.gz", sep="\t")
    assert spinney("learn", "more.tsv.gz", *QUICK).exit_code == 0
    assert files_in("more-graph") == FILES


def test_a_graph_without_edges(table, spinney):
    noise = np.random.default_rng(0).normal(size=(50, 3))
    pd.DataFrame(noise, columns=list("abc")).to_csv("noise.csv", index=False)
    result = spinney("learn", "noise.csv", *QUICK)
    assert result.exit_code == 0, result.stderr
    assert "0 edges, 3 components" in result.stdout
    assert "strongest" not in result.stdout


def test_earlier_results_are_kept_unless_forced(table, spinney):
    folder = Path("out")
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    assert spinney("learn", table, *QUICK, "-o", folder).exit_code == 0
    before = (folder / "edges.csv").read_bytes()
    (folder / "edges.csv").write_text("edited")
    refused = spinney("learn", table, *QUICK, "-o", folder)
    assert refused.exit_code == 2
    assert "already holds report.html, edges.csv" in refused.stderr
    assert (folder / "edges.csv").read_text() == "edited"
    assert spinney("learn", table, *QUICK, "-o", folder, "--force").exit_code == 0
    assert (folder / "edges.csv").read_bytes() == before
    assert files_in(folder) == FILES | {"notes.txt"}


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (KeyboardInterrupt, 130, "Interrupted. No half-written files are left.\n"),
        (OSError(28, "No space left on device"), 1, "No space left on device"),
    ],
)
def test_all_files_or_none(table, spinney, monkeypatch, error, status, said):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(writers, "write_nodes", fail)
    result = spinney("learn", table, *QUICK, "--out", "some/where")
    assert result.exit_code == status
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert files_in(".") == {"cells.csv"}


def test_a_lack_of_memory_is_one_line_with_a_cure(table, spinney, learning):
    def fail(X):
        raise MemoryError

    learning(fail)
    result = spinney("learn", table, "-e", "told")
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: There is not enough memory. Choose fewer columns")


class LibraryWarning(UserWarning, DeprecationWarning):
    """Of both kinds, as pyparsing's are."""


def test_warnings_are_one_line_each(table, spinney, learning):
    def warn(X):
        for _ in range(2):
            warnings.warn("Column 'a' has\nmany ties.", DataWarning, stacklevel=1)
        warnings.warn("for developers", DeprecationWarning, stacklevel=1)
        warnings.warn("for developers, too", LibraryWarning, stacklevel=1)

    learning(warn)
    result = spinney("learn", table, "-e", "told")
    assert result.exit_code == 0
    assert result.stderr == "Warning: Column 'a' has many ties.\n"


def test_unexpected_errors_are_one_line_and_a_traceback_with_debug(table, spinney, learning):
    def fail(X):
        raise ZeroDivisionError("oh")

    learning(fail)
    result = spinney("learn", table, "-e", "told")
    assert result.exit_code == 1
    assert (
        result.stderr
        == "Unexpected ZeroDivisionError: oh. Please report it, with what --debug shows.\n"
    )
    for words in (
        ["learn", table, "-e", "told", "--debug"],
        ["--debug", "learn", table, "-e", "told"],
    ):
        assert isinstance(spinney(*words).exception, ZeroDivisionError)


def test_what_estimators_can_use_is_what_they_know():
    known = {name: _options.find(name)().get_params(deep=False) for name in _options.names()}
    assert DEFAULT in known
    for names, parameters in {
        _options.TAKES_PAIR_COPULAS: {"potentials", "ties"},
        _options.TAKES_KINDS: {"kind", "missing"},
        _options.TAKES_KNOWLEDGE: {"required", "forbidden"},
    }.items():
        for parameter in parameters:
            assert names == {name for name in known if parameter in known[name]}


def test_estimators_get_the_options_that_they_know(table, spinney, learning):
    got = []
    learning(got.append)
    assert spinney("learn", table, "-e", "told", "--seed", 5).exit_code == 0
    assert list(got[0].names) == list("abcde")
    copulas = _learning.choose_pair_copulas(
        LearnSettings(estimator="chow-liu", families="Frank, clayton", criterion="bic")
    )
    assert copulas == {"criterion": "bic", "families": ["frank", "clayton"]}


def test_the_first_example_of_the_docs_is_true(tmp_path, monkeypatch, spinney):
    page = (Path(__file__).parents[2] / "docs" / "start.md").read_text(encoding="utf-8")
    expected = re.search(r"```console\n\$ spinney learn sachs.csv\n(.*?)```", page, re.S)[1]
    monkeypatch.chdir(tmp_path)
    assert spinney("example", "sachs").exit_code == 0
    result = spinney("learn", "sachs.csv")
    varies = re.compile(r"in [\d.]+ s")
    assert varies.sub("", result.stdout) == varies.sub("", expected)


@pytest.mark.parametrize("place", [".", "", "../here/."])
def test_results_in_the_current_folder(spinney, table, monkeypatch, place):
    (table.parent / "here").mkdir()
    monkeypatch.chdir(table.parent / "here")
    result = spinney("learn", table, "-e", "partial-correlation", "--out", place)
    assert result.exit_code == 0, result.stderr
    assert {path.name for path in Path().iterdir()} == {output.name for output in OUTPUTS}


def test_finished_fits_lie_beside_the_folder_whatever_it_is_called(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert unfinished(Path()) == Path(f"{Path.cwd()}-unfinished")
    assert unfinished(Path("..")) == Path(f"{Path.cwd().parent}-unfinished")


def test_partial_correlations_of_a_table_with_gaps_and_text(table, frame, spinney):
    frame.loc[3, "a"] = np.nan
    frame.assign(sex=np.where(frame["e"] > 0, "f", "m")).to_csv("cells.csv", index=False)
    done = spinney("learn", "cells.csv", "-e", "partial-correlation")
    assert done.exit_code == 0, done.stderr
    edges = pd.read_csv("cells-graph/edges.csv")
    found = {frozenset(pair) for pair in zip(edges["source"], edges["target"], strict=True)}
    assert {frozenset("ab"), frozenset("cd"), frozenset(("e", "sex"))} <= found
    refused = spinney("learn", "cells.csv", "-e", "graphical-lasso", "--out", "other")
    assert refused.exit_code == 2


def test_the_picture_is_titled_laid_out_and_coloured_as_asked(table, spinney, pictures):
    (table.parent / "who.csv").write_text("name,group\na,first\nb,first\nd,second\n")
    words = ["--layout", "circle", "--colour-by", "who.csv"]
    result = spinney("learn", table, "-e", "partial-correlation", *words)
    assert result.exit_code == 0, result.stderr
    drawn = (table.parent / "cells-graph" / "graph.svg").read_text()
    assert ">first<" in drawn
    assert ">second<" in drawn
    assert ">cells by partial-correlation: 2 edges among 5 columns<" in drawn
    graph = nx.read_graphml(table.parent / "cells-graph" / "graph.graphml")
    places = np.array([[data["x"], data["y"]] for _, data in graph.nodes(data=True)])
    radii = np.linalg.norm(places - places.mean(axis=0), axis=1)
    np.testing.assert_allclose(radii, radii[0])
    # The record has both, so that the picture can be drawn again without the file of groups.
    (table.parent / "who.csv").unlink()
    assert spinney("learn", "--again", "cells-graph", "--out", "second").exit_code == 0
    again = (table.parent / "second" / "graph.svg").read_text()
    assert again == drawn


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("name,colour\na,red\n", "'who.csv' has no column 'group'; --colour-by takes columns"),
        ("name,group\naa,red\n", "There is no column 'aa'. Did you mean 'a'?"),
        (None, "There is no file 'who.csv'."),
    ],
)
def test_a_wrong_file_of_colours_is_one_line(table, spinney, content, said):
    if content is not None:
        (table.parent / "who.csv").write_text(content)
    result = spinney("learn", table, "-e", "partial-correlation", "--colour-by", "who.csv")
    assert result.exit_code == 2
    assert said in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not (table.parent / "cells-graph").exists()
