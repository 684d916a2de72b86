"""A Ctrl-C that Python would drop is heard."""

import subprocess
import sys

import pytest

# A callback of a weak reference raises KeyboardInterrupt, which Python prints and forgets.
LOST = """
import sys, time, weakref
import spinney.cli
{hook}
class Thing: pass
def callback(_):
    raise KeyboardInterrupt
thing = Thing()
kept = weakref.ref(thing, callback)
try:
    del thing
    for _ in range(500):
        time.sleep(0.01)
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.usefixtures("heeded_interrupts")
@pytest.mark.parametrize(
    ("hook", "status"),
    [("sys.unraisablehook = spinney.cli._hear_interrupts", 130), ("time.sleep = id", 0)],
    ids=["heard", "python alone"],
)
def test_interrupts_in_callbacks(hook, status):
    done = subprocess.run([sys.executable, "-c", LOST.format(hook=hook)], capture_output=True)
    assert done.returncode == status


def test_other_lost_errors_are_told_as_ever():
    words = "import sys, spinney.cli; sys.unraisablehook = spinney.cli._hear_interrupts\n"
    words += "class Thing:\n    def __del__(self): 1 / 0\nThing()\n"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True)
    assert "ZeroDivisionError" in done.stderr
