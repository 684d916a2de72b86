"""``spinney learn`` as a process: signals, closed terminals, and a bar on a terminal.

``kill`` and a closed terminal end a run as Ctrl-C does: nothing is left, and it is said.
"""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from spinney.graph.report import OUTPUTS

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX systems")

RUN = """
import os, signal, sys
{before}
from spinney.cli import _inputs, main
def read(*_):
    from spinney._core.files import whole_folder
    with whole_folder("results") as folder:
        (folder / "half.txt").write_text("half")
        os.kill(os.getpid(), signal.{number})
        print("went on")
        sys.exit(0)
_inputs.read_inputs = read
sys.argv = ["spinney", "learn", "cells.csv", "--out", "elsewhere"]
main()
"""


def run_and_end(number, before=""):
    """Run `spinney learn`, which gets a signal while it writes."""
    return subprocess.run(
        [sys.executable, "-c", RUN.format(number=number, before=before)],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.usefixtures("heeded_interrupts")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_signal_ends_the_run_and_nothing_is_left(table, number):
    done = run_and_end(number)
    assert done.returncode == 130
    assert done.stderr == "Interrupted. No half-written files are left.\n"
    assert done.stdout == ""
    assert os.listdir() == ["cells.csv"]


def test_a_run_that_outlives_its_terminal_still_does(table):
    done = run_and_end("SIGHUP", "signal.signal(signal.SIGHUP, signal.SIG_IGN)")  # as nohup does
    assert (done.returncode, done.stdout) == (0, "went on\n")


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
            env={**os.environ, "PYTHONWARNINGS": "", "COLUMNS": "120", "TERM": "xterm"},
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
    assert {path.name for path in (tmp_path / "standard-input-graph").iterdir()} == {
        output.name for output in OUTPUTS
    }
