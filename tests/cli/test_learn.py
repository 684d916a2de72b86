"""``spinney learn``: what it writes, what it prints, and that it writes all or nothing."""

import os
import re
import subprocess
import sys
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

FILES = {output.name for output in OUTPUTS}
QUICK = ("--estimator", "partial-correlation")


def files_in(folder):
    return {path.name for path in Path(folder).iterdir()}


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


def test_columns_are_chosen_or_dropped(table, spinney):
    for words in (["--columns", "d,c", "--columns", "a"], ["--drop", "b, e"]):
        result = spinney("learn", table, *QUICK, *words, "--force")
        assert result.exit_code == 0, result.stderr
        assert nodes_in("cells-graph") == {"a", "c", "d"}


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


def test_names_may_look_like_markup(table, frame, spinney):
    frame.rename(columns={"c": "[red]c[/nothing]", "d": "$d$"}).to_csv("odd.csv", index=False)
    result = spinney("learn", "odd.csv", *QUICK)
    assert result.exit_code == 0, result.stderr
    assert "[red]c[/nothing] – $d$" in result.stdout


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


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_all_files_or_none(table, spinney, monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr(writers, "write_nodes", fail)
    result = spinney("learn", table, *QUICK, "--out", "some/where")
    assert result.exit_code == (130 if error is KeyboardInterrupt else 1)
    assert len(result.stderr.splitlines()) == 1
    assert files_in(".") == {"cells.csv"}


def test_an_interrupt_is_one_line(table, spinney, learning):
    def interrupt(X):
        raise KeyboardInterrupt

    learning(interrupt)
    result = spinney("learn", table, "-e", "told")
    assert result.exit_code == 130
    assert result.stderr == "Interrupted. No half-written files are left.\n"
    assert files_in(".") == {"cells.csv"}


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


def test_a_missing_file_is_said_before_the_heavy_libraries_are_loaded():
    heavy = "numba pandas sklearn matplotlib scipy numpy networkx"
    code = (
        "import sys, runpy; sys.argv = ['spinney', 'learn', 'nothing.csv']\n"
        "try: runpy.run_module('spinney', run_name='__main__')\n"
        "except SystemExit as leave: assert leave.code == 2\n"
        f"print([name for name in '{heavy}'.split() if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert done.stderr == "Error: There is no file 'nothing.csv'. Check the path.\n"


BAD = {
    "nothing.csv": "There is no file 'nothing.csv'",
    "cells.csv --estimator chowliu": "Did you mean 'chow-liu'?",
    "cells.csv --columns A": "Did you mean 'a'?",
    "cells.csv --drop z": "There is no column 'z'",
    "cells.csv --columns a,b --drop c": "exclude each other",
    "cells.csv --columns a -e chow-liu": "--columns leaves one column to learn from",
    "cells.csv --families gauss": "There is no copula family 'gauss'. Did you mean",
    "cells.csv -e graphical-lasso --families frank": "uses no pair copulas",
    "cells.csv --out cells.csv": "is a file",
    "cells.csv --out cells.csv/results": "'cells.csv' is a file. Name another folder",
    "cells.csv --layout circel": "'circel' is not one of",
    "cells.csv --jobs 0": "--jobs must be",
    "cells.csv --seed -1": "--seed",
    "cells.csv --seed x": "--seed",
    "cells.csv --nonsense": "--nonsense",
    "cells.csv cells.csv": "cells.csv",
    "text.csv -e graphical-lasso": "Column 'b' holds text (first: 'x')",
    "": "spinney learn DATA",
}


@pytest.mark.parametrize("words", BAD)
def test_bad_input_is_one_line_and_status_2(table, spinney, words):
    Path("text.csv").write_text("a,b\n" + "1,2\n3,x\n" * 5)
    default = [] if "-e" in words or words == "" else ["-e", "chow-liu"]
    result = spinney("learn", *default, *words.split())
    assert result.exit_code == 2
    assert BAD[words] in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert "Traceback" not in result.stderr
    assert result.stdout == ""
    assert files_in(".") == {"cells.csv", "text.csv"}


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


@pytest.mark.slow
def test_as_a_process(table):
    environment = {**os.environ, "PYTHONWARNINGS": "", "COLUMNS": "200"}

    def run(*words):
        command = [sys.executable, "-m", "spinney", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)

    done = run("learn", table, *QUICK)
    assert done.returncode == 0
    assert all(re.fullmatch(r"\d+:\d\d .*", line) for line in done.stderr.splitlines())
    assert "strongest edges" in done.stdout
    assert files_in("cells-graph") == FILES
    refused = run("learn", table, *QUICK)
    assert refused.returncode == 2
    assert len(refused.stderr.splitlines()) == 1


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
    assert unfinished(Path("/")) == Path("/results-unfinished")


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
