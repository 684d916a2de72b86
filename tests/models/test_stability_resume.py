"""A run that was stopped goes on where it stopped."""

import json
import os
import subprocess
import sys
from pathlib import Path

import joblib
import numpy as np
import pytest

from spinney.exceptions import InputError
from spinney.models import StabilitySelection
from tests.models.baselines.cases import chain
from tests.models.selectors import Counting, Grumbling

N_SPLITS = 6


@pytest.fixture(name="X")
def table():
    return chain(np.random.default_rng(5), 60, 5, coefficient=0.5)


@pytest.fixture
def marks(tmp_path, monkeypatch):
    folder = tmp_path / "marks"
    folder.mkdir()
    monkeypatch.setattr(Counting, "folder", folder)
    return folder


def selection(path, **options):
    options = {"n_splits": N_SPLITS, "refit": False, **options}
    return StabilitySelection(Counting(0.3, noise=0.2), checkpoint=path, **options)


def lines(path):
    return path.read_text().splitlines()


def whole_run(X):
    return selection(None).fit(X)


def interrupt(X, path, monkeypatch, stop_after):
    with monkeypatch.context() as patch:
        patch.setattr(Counting, "stop_after", stop_after)
        with pytest.raises(KeyboardInterrupt):
            selection(path).fit(X)


@pytest.mark.parametrize("stop_after", [0, 1, 5, 11])
def test_after_an_interrupt_only_the_rest_is_fitted(X, tmp_path, marks, monkeypatch, stop_after):
    path = tmp_path / "run.jsonl"
    interrupt(X, path, monkeypatch, stop_after)
    assert len(lines(path)) == 1 + stop_after
    resumed = selection(path).fit(X)
    assert len(list(marks.iterdir())) == 2 * N_SPLITS
    expected = whole_run(X)
    np.testing.assert_array_equal(resumed.edge_frequencies_, expected.edge_frequencies_)
    np.testing.assert_array_equal(
        resumed.simultaneous_frequencies_, expected.simultaneous_frequencies_
    )
    assert resumed.mean_n_edges_ == expected.mean_n_edges_


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_going_on_with_more_workers_changes_nothing(X, tmp_path, marks, monkeypatch, backend):
    path = tmp_path / "run.jsonl"
    interrupt(X, path, monkeypatch, 4)
    expected = whole_run(X)
    marked = len(list(marks.iterdir()))
    with joblib.parallel_config(backend, n_jobs=2):
        resumed = selection(path).fit(X)
    if backend == "threading":  # another process does not know the folder of marks
        assert len(list(marks.iterdir())) == marked + 2 * N_SPLITS - 4
    assert len(lines(path)) == 1 + 2 * N_SPLITS
    np.testing.assert_array_equal(resumed.edge_frequencies_, expected.edge_frequencies_)


def test_an_interrupt_without_checkpoint_passes_through(X, marks, monkeypatch):
    interrupt(X, None, monkeypatch, 3)


def test_a_failed_fit_leaves_the_others(X, tmp_path, marks, monkeypatch):
    path = tmp_path / "run.jsonl"
    with monkeypatch.context() as patch:
        patch.setattr(Counting, "stop_after", 3)
        patch.setattr(Counting, "how", "fail")
        with pytest.raises(Exception, match=r"second half of split 2 of 6.*out of luck"):
            selection(path).fit(X)
    assert len(lines(path)) == 4
    selection(path).fit(X)
    assert len(list(marks.iterdir())) == 2 * N_SPLITS


SCRIPT = """
import sys
from pathlib import Path
import numpy as np
from tests.models.selectors import Counting
from tests.models.test_stability_resume import selection
Counting.folder, Counting.stop_after, Counting.how = Path(sys.argv[1]), 5, "kill"
selection(sys.argv[2]).fit(np.load(sys.argv[3]))
"""


@pytest.mark.slow  # a fresh interpreter
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_after_a_kill_only_the_rest_is_fitted(X, tmp_path, marks):
    path, table = tmp_path / "run.jsonl", tmp_path / "X.npy"
    np.save(table, X)
    root = Path(__file__).parents[2]
    killed = subprocess.run(
        [sys.executable, "-c", SCRIPT, marks, path, table],
        cwd=root,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)])},
        check=False,
    )
    assert killed.returncode == -9
    assert len(lines(path)) == 6
    resumed = selection(path).fit(X)
    assert len(list(marks.iterdir())) == 2 * N_SPLITS
    np.testing.assert_array_equal(resumed.edge_frequencies_, whole_run(X).edge_frequencies_)


def test_a_line_torn_anywhere_costs_one_fit_at_most(X, tmp_path, marks):
    path = tmp_path / "run.jsonl"
    expected = selection(path).fit(X).edge_frequencies_
    content = path.read_bytes()
    header = content.index(b"\n") + 1
    for cut in [0, 1, 40, header - 1, header, header + 1, len(content) // 2, len(content) - 1]:
        path.write_bytes(content[:cut])
        np.testing.assert_array_equal(selection(path).fit(X).edge_frequencies_, expected)
        # Lines may come in another order, but none is lost, doubled or spoilt.
        assert sorted(path.read_bytes().split(b"\n")) == sorted(content.split(b"\n"))


def test_a_finished_run_needs_no_fit_for_another_threshold(X, tmp_path, marks):
    path = tmp_path / "run.jsonl"
    selection(path).fit(X)
    strict = selection(path, threshold=1.0, n_jobs=2, assumption="none").fit(X)
    assert len(list(marks.iterdir())) == 2 * N_SPLITS
    np.testing.assert_array_equal(strict.adjacency_, strict.edge_frequencies_ == 1.0)


def test_a_folder_holds_the_file(X, tmp_path, marks):
    folder = tmp_path / "runs"
    folder.mkdir()
    selection(folder).fit(X)
    assert [path.name for path in folder.iterdir()] == ["resampling.jsonl"]
    record = json.loads(lines(folder / "resampling.jsonl")[1])
    assert set(record) == {"kind", "number", "edges", "warnings"}


def test_missing_folders_are_made(X, tmp_path, marks):
    selection(tmp_path / "new" / "run.jsonl").fit(X)
    assert (tmp_path / "new" / "run.jsonl").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_splits": 7}, "its n_splits was 6, and is 7 now"),
        ({"random_state": 1}, "its random_state was 0, and is 1 now"),
        ({"estimator__limit": 0.4}, r"its estimator was Counting \w+, and is Counting \w+ now"),
        ({"estimator": Grumbling(0.3, noise=0.2)}, r"its estimator was Counting .*, and is Grumb"),
    ],
)
def test_other_settings_are_named_and_the_file_is_kept(X, tmp_path, marks, change, message):
    path = tmp_path / "run.jsonl"
    selection(path).fit(X)
    before = path.read_bytes()
    with pytest.raises(InputError, match=message):
        selection(path).set_params(**change).fit(X)
    assert path.read_bytes() == before


def test_another_table_is_refused(X, tmp_path, marks):
    path = tmp_path / "run.jsonl"
    selection(path).fit(X)
    other = X.copy()
    other[3, 2] = np.nextafter(other[3, 2], np.inf)
    with pytest.raises(InputError, match="its table was 60 rows, 5 columns"):
        selection(path).fit(other)


@pytest.mark.parametrize("content", ["a,b\n1,2\n", "a,b", "{", '{"kind": "run"}\n'])
def test_a_file_of_another_kind_is_left_alone(X, tmp_path, marks, content):
    path = tmp_path / "table.csv"
    path.write_text(content)
    if content == "{":  # may be the very first byte of a checkpoint
        selection(path).fit(X)
        return
    with pytest.raises(InputError, match="is not a checkpoint"):
        selection(path).fit(X)
    assert path.read_text() == content


@pytest.mark.parametrize("line", ["nonsense", '{"kind": "half"}', '{"number": 1}'])
def test_a_spoilt_line_is_named(X, tmp_path, marks, line):
    path = tmp_path / "run.jsonl"
    selection(path).fit(X)
    kept = lines(path)
    kept[2] = line
    path.write_text("\n".join(kept) + "\n")
    with pytest.raises(InputError, match="line 3, is not a record"):
        selection(path).fit(X)


def test_warnings_of_earlier_runs_are_counted(X, tmp_path):
    path = tmp_path / "run.jsonl"
    model = StabilitySelection(Grumbling(), n_splits=2, checkpoint=path, refit=False)
    for _ in range(2):
        with pytest.warns(match="4 times in 4 fits"):
            model.fit(X)
