"""``kill`` and a closed terminal end a run as Ctrl-C does: nothing is left, and it is said."""

import os
import subprocess
import sys

import pytest

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
