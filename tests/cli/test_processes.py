"""``spinney learn`` as a process: how quickly it starts, Ctrl-C, kill, standard input."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from spinney.graph.report import OUTPUTS

FILES = {output.name for output in OUTPUTS}
ENVIRONMENT = {**os.environ, "PYTHONWARNINGS": "", "COLUMNS": "120", "OMP_NUM_THREADS": "1"}
HEAVY = "numba pandas sklearn matplotlib scipy numpy networkx plotly jinja2 rich"


def spinney_process(*words, **options):
    command = [sys.executable, "-m", "spinney", *map(str, words)]
    return subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
        **options,
    )


@pytest.fixture
def wide(tmp_path, monkeypatch):
    """A table whose graph takes a while."""
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(400, 90))
    X[:, 1:] += X[:, :-1]
    pd.DataFrame(X).add_prefix("x").to_csv("wide.csv", index=False)
    return "wide.csv"


QUICKLY = {
    "learn nothing.csv": "There is no file 'nothing.csv'. Check the path.",
    "learn --tim-limit 3 x.csv": "No such option: --tim-limit (Possible options: ",
    "learn x.csv --estimator chowliu": "Did you mean 'chow-liu'?",
    "learn pyproject.toml -e chow-liu --fdr 0.1": "--fdr goes with graph-learner only",
    "learn --again nothing.json": "There is no file 'nothing.json'",
    "learn": "spinney learn DATA",
}


@pytest.mark.parametrize("words", QUICKLY)
def test_what_is_wrong_is_said_before_anything_heavy_is_loaded(words):
    code = (
        f"import sys, runpy; sys.argv = ['spinney', *{words.split()!r}]\n"
        "try: runpy.run_module('spinney', run_name='__main__')\n"
        "except SystemExit as leave: assert leave.code == 2\n"
        f"print([name for name in {HEAVY.split()!r} if name in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root
    )
    assert done.stdout == "[]\n"
    assert QUICKLY[words] in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_standard_input(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 3)), columns=["a", "b", "c"])
    with spinney_process("learn", "-", "-e", "partial-correlation", cwd=tmp_path) as process:
        out, err = process.communicate(frame.to_csv(index=False), timeout=300)
    assert process.returncode == 0, err
    assert out.startswith("standard input: 60 rows × 3 columns\n")
    assert {path.name for path in (tmp_path / "standard-input-graph").iterdir()} == FILES


def wait_for(words, stream):
    """Read lines until one says that the work is under way."""
    for line in stream:
        if re.search(words, line):
            return
    pytest.fail("the work was never under way")


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX systems")
@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)]
)
@pytest.mark.usefixtures("heeded_interrupts")
def test_interrupted_or_killed_at_work_it_leaves_nothing(wide, number):
    with spinney_process("learn", wide) as process:
        wait_for("^kinds: 90 continuous", process.stdout)  # the table is read; now it is learned
        process.send_signal(number)
        _, err = process.communicate(timeout=120)
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert err.splitlines()[-1] == "Interrupted. No half-written files are left."
    else:
        assert process.returncode == -signal.SIGKILL
    assert {path.name for path in Path().iterdir()} == {"wide.csv"}


def test_an_interrupt_within_text_that_is_run_has_the_same_status(wide):
    Path("interrupted.py").write_text(
        "import sys\nfrom spinney.cli import _inputs, main\n"
        "_inputs.read_inputs = lambda *_: exec('raise KeyboardInterrupt')\n"
        "sys.argv = ['spinney', 'learn', 'wide.csv']\nmain()"
    )
    command = [sys.executable, "-m", "interrupted"]  # another way out of Python than a script has
    assert subprocess.run(command, env=ENVIRONMENT, stderr=subprocess.PIPE).returncode == 130


@pytest.mark.skipif(os.name != "posix", reason="terminals are those of POSIX systems")
def test_on_a_terminal_there_is_a_bar_and_standard_output_stays_clean(tmp_path):
    """The table comes from standard input, so that one process shows that too."""
    import pty

    frame = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 3)), columns=["a", "b", "c"])
    frame.to_csv(tmp_path / "t.csv", index=False)
    ours, theirs = pty.openpty()
    words = ["learn", "-", "-e", "partial-correlation"]
    with (tmp_path / "t.csv").open("rb") as table:
        process = subprocess.Popen(
            [sys.executable, "-m", "spinney", *words],
            stdin=table,
            stdout=subprocess.PIPE,
            stderr=theirs,
            env={**ENVIRONMENT, "TERM": "xterm"},
            cwd=tmp_path,
        )
    os.close(theirs)
    shown = b""
    with process:
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        printed = process.stdout.read()
    os.close(ours)
    assert process.returncode == 0
    assert b"reading standard input" in shown
    assert b"writing results" in shown
    assert b"\x1b[" in shown
    assert printed.decode().startswith("standard input: 60 rows × 3 columns\n")
    assert b"\x1b" not in printed
    assert {path.name for path in (tmp_path / "standard-input-graph").iterdir()} == FILES
