"""``run.json``: what is written comes back, and other files are refused in one sentence."""

import json
from types import SimpleNamespace

import pytest

from spinney.exceptions import InputError
from spinney.graph.report.folder import FORMAT_VERSION, make_record, read_run, write_run
from tests.graph.report import hostile

NAMES = [*hostile.NAMES, "half \ud800"]


@pytest.fixture
def record():
    return make_record(
        command=["spinney", "learn", "a.csv"],
        settings={"estimator": "graph-learner", "columns": NAMES, "seed": 7, "fdr": None},
        data={"path": "a.csv", "decisions": ["column 'x' taken for row names"]},
        time_s=2.12345,
        result={"edges": 3, "expected_false": 0.1},
        judge={"name": "j", "fingerprint": "abc"},
        known_edges={"required": [["a", "b"]], "forbidden": []},
        how={"jobs": -1},
    )


def written(path, record):
    write_run(path, SimpleNamespace(run=record))
    return path


def test_what_is_written_comes_back(tmp_path, record):
    path = written(tmp_path / "run.json", record)
    assert read_run(path) == json.loads(json.dumps(record))
    assert read_run(tmp_path) == read_run(path)
    assert read_run(path)["settings"]["columns"] == NAMES
    assert list(read_run(path)) == list(record)


def test_it_says_what_computed_it(record):
    import numpy
    import pandas

    import spinney

    assert record["spinney_version"] == spinney.__version__
    assert record["versions"]["numpy"] == numpy.__version__
    assert record["versions"]["pandas"] == pandas.__version__
    assert record["seed"] == 7
    assert record["time_s"] == 2.123


def test_without_a_run_there_is_a_record_that_cannot_be_repeated(tmp_path):
    path = written(tmp_path / "run.json", None)
    with pytest.raises(InputError, match="its 'spinney_version' is missing"):
        read_run(path)


BAD = {
    "": "is not a run.json of spinney: Expecting value: line 1",
    '{\n"a": 1,\n}': "double quotes: line 3",
    "[" * 100_000: "is not a run.json of spinney",
    "[1, 2]": "is JSON, but not a run.json",
    '{"format": "other"}': "is JSON, but not a run.json",
    '{"format": "spinney run"}': "has format version None",
    f'{{"format": "spinney run", "format_version": {FORMAT_VERSION + 1}, "spinney_version": "9"}}':
        "has format version 2; spinney",
}  # fmt: skip


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_run(path)
    assert BAD[text] in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.parametrize("part", ["command", "settings", "data", "result"])
def test_each_part_must_be_there(tmp_path, record, part):
    for damaged in ({**record, part: "?"}, {key: record[key] for key in record if key != part}):
        with pytest.raises(InputError, match=f"its '{part}' is missing or of a wrong kind"):
            read_run(written(tmp_path / "run.json", damaged))


def test_bytes_folders_and_nothing_are_refused(tmp_path):
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\xff\xfe")
    (tmp_path / "empty").mkdir()
    for name, words in {
        "picture.png": "is not a run.json",
        "empty": "a folder without run.json",
        "nothing.json": "There is no file",
    }.items():
        with pytest.raises(InputError, match=words):
            read_run(tmp_path / name)
