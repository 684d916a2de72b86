"""Runs of ``spinney learn`` as wholes: again, JSON, quiet, known edges, stability, limits of time."""

import json
import re
import shutil
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from spinney import InputError, learner
from spinney.cli import _optional, _progress, _run
from spinney.cli._limits import Deadline, OutOfTimeError, duration
from spinney.report import OUTPUTS, html
from tests.learner.cases import chains

FILES = {output.name for output in OUTPUTS}
ALONE = ("--no-compare",)


def files_in(folder):
    return {path.name for path in Path(folder).iterdir()}


@pytest.fixture
def rows(tmp_path, monkeypatch, judge):
    """Two chains and a lonely column, in the current folder; and a judge."""
    monkeypatch.chdir(tmp_path)
    chains().to_csv("rows.csv", index=False)
    return "rows.csv"


# Again


AGAIN = {
    "the judge": (),
    "strictness": ("--fdr", "0.05", "--no-compare", "--seed", "4"),
    "columns": ("--columns", "[a-d]", "--kind", "a=continuous", "--no-compare"),
    "known edges": ("--required", "known.txt", "--no-compare"),
    "forests": ("-e", "shared-forest", "--families", "gaussian,frank", "--criterion", "bic"),
    "a baseline": ("-e", "graphical-lasso", "--seed", "3"),
}


@pytest.mark.parametrize("case", AGAIN)
def test_again_gives_the_same_bytes(rows, spinney, case):
    Path("known.txt").write_text("a - lonely\n".replace("lonely", list(chains())[-1]))
    first = spinney("learn", rows, *AGAIN[case], "--out", "first")
    assert first.exit_code == 0, first.stderr
    Path("known.txt").unlink()
    second = spinney("learn", "--again", "first/run.json", "--out", "second", "--jobs", 1)
    assert second.exit_code == 0, second.stderr
    assert second.stderr == ""
    for name in ("edges.csv", "pairs.csv", "nodes.csv", "graph.graphml"):
        assert Path("first", name).read_bytes() == Path("second", name).read_bytes()
    records = [json.loads(Path(folder, "run.json").read_text()) for folder in ("first", "second")]
    for part in ("settings", "data", "known_edges", "judge", "result"):
        assert records[0][part] == records[1][part]
    assert records[0]["command"][:2] == ["spinney", "learn"]
    assert set(records[0]["files"]) == FILES - {"run.json"}


def test_again_says_what_differs(rows, spinney):
    assert spinney("learn", rows, *ALONE).exit_code == 0
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


def test_data_are_looked_for_beside_the_results(rows, spinney, tmp_path, monkeypatch):
    assert spinney("learn", rows, *ALONE).exit_code == 0
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


BROKEN = {
    "settings": ("seed", -3, "its setting 'seed' is -3"),
    "fdr": ("fdr", "much", "its setting 'fdr' is 'much'"),
    "kinds": ("kind", [1], "its setting 'kind' is [1]"),
    "new": ("colour", "red", "has a setting that spinney"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_records_are_one_line(rows, spinney, case):
    assert spinney("learn", rows, *ALONE).exit_code == 0
    name, value, words = BROKEN[case]
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
    "--no-compare": "Leave --no-compare out",
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


# What is printed


def test_json_is_one_object(rows, spinney):
    Path("rows.csv").write_text(Path("rows.csv").read_text().replace("a,", "=1+1,", 1))
    result = spinney("learn", rows, "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    edges = pd.read_csv("rows-graph/pairs.csv")
    assert told["n_edges"] == len(told["edges"]) == int(edges.edge.sum())
    # As it is: JSON is not a spreadsheet.
    assert "=1+1" in {edge["source"] for edge in told["edges"]}
    assert told["expected_false"] == pytest.approx(0, abs=1)
    assert {name: Path(path).name for name, path in told["files"].items()} == {
        name: name for name in FILES
    }
    assert all(Path(path).is_file() for path in told["files"].values())
    assert told["decisions"]
    assert told["warnings"] == []
    assert {"reading", "learning", "comparing", "writing", "all"} == set(told["times_s"])
    assert told["stability"] is None


def test_quiet_is_quiet(rows, spinney):
    X = pd.read_csv(rows)
    X["day"] = "2020-01-01"
    X.to_csv(rows, index=False)
    loud = spinney("learn", rows, *ALONE)
    assert "Warning: " in loud.stderr
    assert "read: line 1 holds the names of the columns" in loud.stdout.splitlines()
    for flag in ("--quiet", "-q"):
        result = spinney("learn", rows, *ALONE, "--force", flag)
        assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    refused = spinney("learn", rows, *ALONE, "--quiet")
    assert refused.exit_code == 2
    assert len(refused.stderr.splitlines()) == 1


def test_the_model_may_be_stored(rows, spinney):
    import spinney as package

    result = spinney("learn", rows, *ALONE, "--model")
    assert result.exit_code == 0, result.stderr
    assert files_in("rows-graph") == FILES | {"graph.spinney"}
    model = package.load_model("rows-graph/graph.spinney")
    assert len(model.edges) == len(pd.read_csv("rows-graph/edges.csv"))
    assert "graph.spinney" in json.loads(Path("rows-graph/run.json").read_text())["files"]


def test_known_edges(rows, spinney):
    Path("yes.csv").write_text("source,target\na,f\n")
    Path("no.csv").write_text("a b\n")
    names = list(chains())
    text = {path: Path(path).read_text() for path in ("yes.csv", "no.csv")}
    for path, words in text.items():
        for letter, name in zip("abf", (names[0], names[1], names[-1]), strict=True):
            words = re.sub(rf"\b{letter}\b", name, words)
        Path(path).write_text(words)
    result = spinney("learn", rows, *ALONE, "--required", "yes.csv", "--forbidden", "no.csv")
    assert result.exit_code == 0, result.stderr
    edges = pd.read_csv("rows-graph/edges.csv").set_index(["source", "target"])
    assert edges.loc[(names[0], names[-1]), "probability"] == 1
    assert (names[0], names[1]) not in edges.index
    shutil.copy("yes.csv", "no.csv")
    result = spinney(
        "learn", rows, *ALONE, "--required", "yes.csv", "--forbidden", "no.csv", "--force"
    )
    assert result.exit_code == 2
    assert "stands in both --required yes.csv and --forbidden no.csv" in result.stderr


REFUSED = {
    "-e chow-liu --required x": "There is no file 'x'",
    "-e chow-liu --required rows.csv": "cannot be told edges beforehand. Leave --required out, "
    "or take --estimator graph-learner or rooted-forests.",
    "-e chow-liu --stability": "--stability goes with graph-learner only, not with 'chow-liu'.",
    "-e shared-forest --group a": "--group goes with graph-learner only",
    "--stability 2": "5 or more; got 2",
    "--criterion bic": "was trained with pair copulas chosen by cross-validation",
    "-e graphical-lasso --criterion bic": "uses no pair copulas. Leave --criterion out.",
    "-e chow-liu --criterion ric": "There is no criterion 'ric'. Did you mean",
    "--header maybe": "There is no value of --header 'maybe'",
    "--time-limit soon": "--time-limit takes seconds, or 90s, 10m, 1h; got 'soon'.",
    "--time-limit 0": "--time-limit takes seconds",
    "--tim-limit 3": "--time-limit",
}


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_is_refused_before_the_data_are_read(rows, spinney, monkeypatch, words):
    monkeypatch.setattr(_run, "read_inputs", lambda *_: pytest.fail("the data are read"))
    result = spinney("learn", rows, *words.split())
    assert result.exit_code == 2
    assert REFUSED[words] in result.stderr
    assert len(result.stderr.splitlines()) == 1


# Stability


def test_stability_goes_on_after_an_interrupt(rows, spinney, monkeypatch):
    words = ("learn", rows, *ALONE, "--stability", "5", "--json")
    whole = spinney(*words, "--out", "whole")
    assert whole.exit_code == 0, whole.stderr
    expected = json.loads(whole.stdout)["stability"]
    assert expected["n_fits"] == 10

    fit, n_fits = learner.GraphLearner.fit, []

    def interrupted(self, X, y=None):
        n_fits.append(1)
        if len(n_fits) == 5:  # the graph itself, three halves, and no more
            raise KeyboardInterrupt
        return fit(self, X)

    monkeypatch.setattr(learner.GraphLearner, "fit", interrupted)
    result = spinney(*words)
    assert result.exit_code == 130
    (line,) = result.stderr.splitlines()
    assert line.startswith("Interrupted. The fits that are finished are kept in")
    assert files_in(".") == {"rows.csv", "whole", "rows-graph-unfinished"}
    n_fits[:] = [1] * 10
    result = spinney(*words)
    assert result.exit_code == 0, result.stderr
    assert len(n_fits) == 10 + 1 + 7
    assert json.loads(result.stdout)["stability"] == expected
    assert files_in(".") == {"rows.csv", "whole", "rows-graph"}


def test_stability_without_a_number_is_of_fifty_splits(rows, spinney, monkeypatch):
    asked = []

    def learn_stability(graph, n_splits, **options):
        asked.append((n_splits, options["random_state"]))
        raise InputError("enough")

    monkeypatch.setattr(learner, "learn_stability", learn_stability)
    assert spinney("learn", "--stability", rows, *ALONE, "--seed", 3).exit_code == 2
    assert spinney("learn", rows, "--stability", "20", *ALONE).exit_code == 2
    assert asked == [(50, 3), (20, 0)]


# Limits of time


def test_a_deadline_interrupts_python(monkeypatch):
    start = time.monotonic()
    with pytest.raises(OutOfTimeError), Deadline(0.05).enforced():
        while time.monotonic() < start + 30:
            time.sleep(0.001)
    with pytest.raises(OutOfTimeError), Deadline(5.0).enforced(reserve_s=10.0):
        pytest.fail("there is no time")
    with Deadline(None).enforced(), Deadline(100.0).enforced():
        pass


def test_without_a_graph_in_time_nothing_is_written(table, spinney, learning):
    learning(lambda X: [time.sleep(0.01) for _ in range(3000)])
    result = spinney("learn", table, "-e", "told", "--time-limit", "0.3s")
    assert result.exit_code == 1
    assert result.stderr == (
        "Error: The graph was not ready within 1 second, and nothing was written. Give more time "
        "with --time-limit, or fewer columns with --columns.\n"
    )
    assert files_in(".") == {"cells.csv"}


def test_other_methods_are_left_out_when_time_is_short(rows, spinney, monkeypatch):
    ask = learner.compare_methods

    def slow(evidence, methods=None, **options):
        if "shared_forest" in methods:
            time.sleep(60)
        return ask(evidence, methods, **options)

    monkeypatch.setattr(learner, "compare_methods", slow)
    monkeypatch.setattr(_optional, "QUICK_FIRST", ("chow_liu", "shared_forest", "ef_lambda"))
    words = ("learn", rows, "--out", "short", "--time-limit", "20")
    monkeypatch.setattr(_run, "say_cost", lambda *_: type("Cost", (), {"writing_s": 19.0}))
    result = spinney(*words)
    assert result.exit_code == 0, result.stderr
    assert "The time limit was near: SharedForest, EF-λ not asked." in result.stderr
    edges = pd.read_csv("short/edges.csv")
    assert edges.chow_liu_kept.notna().all()
    assert edges.ef_lambda_kept.isna().all()
    record = json.loads(Path("short/run.json").read_text())
    assert set(record["result"]["cut_short"]["comparisons"]) >= {"shared_forest", "ef_lambda"}
    again = spinney("learn", "--again", "short/run.json", "--out", "again")
    assert again.exit_code == 0, again.stderr
    assert Path("again/edges.csv").read_bytes() == Path("short/edges.csv").read_bytes()


def test_stability_is_cut_short_and_goes_on(rows, spinney, monkeypatch):
    real, left = learner.learn_stability, [3]

    def few(graph, n_splits, *, stop, **options):
        def stop_early():
            left[0] -= 1
            return left[0] < 0 or stop()

        return real(graph, n_splits, stop=stop_early, **options)

    monkeypatch.setattr(learner, "learn_stability", few)
    words = ("learn", rows, *ALONE, "--stability", "5")
    result = spinney(*words)
    assert result.exit_code == 0, result.stderr
    assert "stability is from 3 of 10 fits. They are kept in 'rows-graph-unfinished'" in (
        result.stderr
    )
    left[0] = 3
    again = spinney("learn", "--again", "rows-graph", "--out", "again", "--json")
    assert json.loads(again.stdout)["stability"]["n_fits"] == 3
    left[0] = 100
    result = spinney(*words, "--force", "--json")
    assert json.loads(result.stdout)["stability"]["n_fits"] == 10
    assert not Path("rows-graph-unfinished").exists()


@pytest.mark.parametrize(("text", "seconds"), [("90", 90), ("2m", 120), (".5h", 1800), ("7 s", 7)])
def test_times_are_read(text, seconds):
    assert duration(text) == seconds


# Progress


def test_there_is_a_line_from_the_first_second_on(rows, spinney, monkeypatch):
    monkeypatch.setattr(_progress, "FIRST_LINE_S", 0.0)
    monkeypatch.setattr(_progress, "LINE_EVERY_S", 0.0)
    write = html.write_report
    monkeypatch.setattr(html, "write_report", lambda *told: (time.sleep(0.5), write(*told)))
    result = spinney("learn", rows, *ALONE)
    assert result.exit_code == 0, result.stderr
    lines = result.stderr.splitlines()
    assert all(re.fullmatch(r".* after 0:\d\d", line) for line in lines)
    assert any(line.startswith("writing results after") for line in lines)
    assert spinney("learn", rows, *ALONE, "--force", "--quiet").stderr == ""


def test_stages_are_named_and_counted():
    progress = _progress.Progress(shown=False)
    with progress.going_on("learning"):
        assert progress.line() == "learning after 0:00"
        with progress.stage("evidence, judge, strengths", 3) as step:
            with progress.stage("fitting pairs", 44850) as advance:
                advance(1200)
                assert progress.line() == "measuring pairs: 1200 of 44850 after 0:00"
            assert progress.line() == "measuring pairs after 0:00"
            step(1)
            assert progress.line() == "judging all pairs together after 0:00"
        with progress.stage("other methods", 4) as step, progress.stage("penalties", 30) as inner:
            step(1)
            inner(7)
            assert progress.line() == (
                "asking other methods (2 of 4), trying penalties: 7 of 30 after 0:00"
            )


def test_a_first_run_is_told(rows, spinney, monkeypatch):
    monkeypatch.setattr(_run, "kernels_compiled", lambda: False)
    result = spinney("learn", rows, *ALONE)
    assert result.stderr == (
        "First run on this machine: compiling kernels, about a minute. "
        "`spinney info --warm-up` does it ahead.\n"
    )
    assert spinney("learn", rows, *ALONE, "--force", "-q").stderr == ""


# Names are data

NAMES = [
    *("<script>alert(1)</script>", '=HYPERLINK("http://x","y")', "a,b;c\td", "‮right to left"),
    *("🌲🌲", "變數", "x" * 10_000, 'it\'s "quoted"', "[red]markup[/red]", "{{ 7 * 7 }}"),
]


def test_odd_names_go_all_the_way(tmp_path, monkeypatch, judge, spinney):
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(80, len(NAMES)))
    X[:, 1:] += X[:, :-1]
    pd.DataFrame(X, columns=NAMES).to_csv("odd.csv", index=False)
    result = spinney("learn", "odd.csv", "--model", "--json")
    assert result.exit_code == 0, result.stderr
    told = json.loads(result.stdout)
    assert told["columns"] == len(NAMES)
    ends = {edge[end] for edge in told["edges"] for end in ("source", "target")}
    assert ends > {"<script>alert(1)</script>", '=HYPERLINK("http://x","y")', "🌲🌲", "變數"}
    assert files_in("odd-graph") == FILES | {"graph.spinney"}
    again = spinney("learn", "--again", "odd-graph/run.json", "--out", "again")
    assert again.exit_code == 0, again.stderr
    assert Path("again/edges.csv").read_bytes() == Path("odd-graph/edges.csv").read_bytes()
    assert "[red]markup[/red]" in again.stdout
