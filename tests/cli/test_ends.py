"""``kill`` and a closed terminal end a run as Ctrl-C does: nothing is left, and it is said."""

import os
import signal
import subprocess
import sys

import pytest

from spinney.cli._shell import EndedError, ends_tidily

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
@pytest.mark.parametrize(("number", "status"), [("SIGTERM", 143), ("SIGHUP", 129), ("SIGINT", 130)])
def test_the_status_tells_the_signal_and_nothing_is_left(table, number, status):
    done = run_and_end(number)
    assert done.returncode == status
    word = "Interrupted" if number == "SIGINT" else "Ended"
    assert done.stderr == f"{word}. No half-written files are left.\n"
    assert done.stdout == ""
    assert os.listdir() == ["cells.csv"]


def test_a_run_that_outlives_its_terminal_still_does(table):
    done = run_and_end("SIGHUP", "signal.signal(signal.SIGHUP, signal.SIG_IGN)")  # as nohup does
    assert (done.returncode, done.stdout) == (0, "went on\n")


def test_signals_are_as_they_were_afterwards():
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(EndedError), ends_tidily() as came:
        os.kill(os.getpid(), signal.SIGTERM)
    assert came == [signal.SIGTERM]
    assert signal.getsignal(signal.SIGTERM) == before
