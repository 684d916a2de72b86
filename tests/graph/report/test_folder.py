"""A folder of results is whole or not there, and never replaces another unasked."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import spinney
from spinney import LearnedGraph
from spinney.exceptions import InputError
from spinney.graph.report import OUTPUTS, check_files, write_results, writers
from tests.graph.cases import chains, plain_judge
from tests.graph.report.whole import NAMES, check_whole


def check_all(folder, **options):
    return check_files(folder, [output.name for output in OUTPUTS], **options)


TABLES = tuple(output for output in OUTPUTS if output.name.endswith(".csv"))


@pytest.fixture(scope="module")
def view():
    graph = spinney.learn(chains(60), judge=plain_judge())
    return LearnedGraph.of(graph, title="chains", run={"mark": "new"})


def test_all_files_are_written_and_told_by_their_checksums(view, tmp_path):
    assert write_results(tmp_path / "results", view) == tmp_path / "results"
    record = check_whole(tmp_path / "results")
    assert record["mark"] == "new"
    assert view.run == {"mark": "new"}
    assert {path.name for path in (tmp_path / "results").iterdir()} == NAMES
    assert list(tmp_path.iterdir()) == [tmp_path / "results"]


def test_the_same_graph_gives_the_same_bytes(view, tmp_path):
    again = LearnedGraph.of(view, title="chains", run={"mark": "new"})
    first, second = tmp_path / "first", tmp_path / "second"
    for folder, told in ((first, view), (second, again)):
        write_results(folder, told, outputs=[o for o in OUTPUTS if o.name != "report.html"])
    for path in first.iterdir():
        assert path.read_bytes() == (second / path.name).read_bytes(), path.name


def test_a_result_that_another_run_brings_meanwhile_stays(view, tmp_path, monkeypatch):
    write = writers.write_nodes

    def slow(path, view):
        write(path, view)
        monkeypatch.setattr(writers, "write_nodes", write)
        write_results(tmp_path / "results", view, outputs=TABLES[:1])

    monkeypatch.setattr(writers, "write_nodes", slow)
    with pytest.raises(InputError, match=r"already holds edges.csv"):
        write_results(tmp_path / "results", view, outputs=TABLES)
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["edges.csv"]


@pytest.mark.parametrize("before", [False, True])
def test_a_full_disc_is_one_sentence_and_nothing_is_left(view, tmp_path, monkeypatch, before):
    folder = tmp_path / "some" / "results"
    if before:
        write_results(folder, view, outputs=TABLES)
    known = sorted(tmp_path.rglob("*"))

    def full(path, view):
        path.write_text("half of i")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(writers, "write_pairs", full)
    with pytest.raises(OSError, match="No space left on device, so no results were") as caught:
        write_results(folder, view, outputs=TABLES, force=True)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(folder))
    assert sorted(tmp_path.rglob("*")) == known


def test_places_that_take_no_results(view, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="is a file"):
        check_all(tmp_path / "file")
    with pytest.raises(InputError, match="file' is a file"):
        check_all(tmp_path / "file" / "results")
    (tmp_path / "nodes.csv").mkdir()
    with pytest.raises(InputError, match="is a folder, which is not replaced"):
        check_all(tmp_path, force=True)
    locked = tmp_path / "locked"
    locked.mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != locked)
    with pytest.raises(InputError, match=r"locked' cannot be written to"):
        write_results(locked / "results", view)
    assert list(locked.iterdir()) == []


def test_the_registry_names_files_that_can_be_written():
    assert len(NAMES) == len(OUTPUTS)
    assert OUTPUTS[-1].name == "run.json"  # which knows the others
    for output in OUTPUTS:
        assert output.meaning
        assert callable(getattr(writers, output.writer))


@pytest.mark.slow
def test_killed_at_thirty_moments_it_is_absent_or_whole(tmp_path):
    words = [
        sys.executable,
        "-W",
        "error::UserWarning",
        "-m",
        "tests.graph.report.whole",
        str(tmp_path),
    ]
    found = subprocess.run([*words, "30", "9"], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    counts = json.loads(found.stdout.splitlines()[-1])
    assert sum(counts.values()) == 39
    killed = {key: n for key, n in counts.items() if key.startswith("SIGKILL")}
    assert sum(killed.values()) == 30
    # Broken off before, and at or after the end: else it would prove little.
    assert sum(n for key, n in killed.items() if key.endswith(("absent", "old"))) >= 10


def test_what_is_in_the_way_is_told_shortly(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for output in OUTPUTS:
        Path(output.name).write_text("x")
    with pytest.raises(InputError, match=r"^'\.' already holds .*\.csv and 7 more files\. Give"):
        check_all(".")
    with pytest.raises(InputError, match=r"^'run\.json' is a file\. Name another folder"):
        check_all(Path("run.json") / "within" / "it")
