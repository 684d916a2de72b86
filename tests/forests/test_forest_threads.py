"""Threads that help with an evaluation: the same bits, and no loose ends."""

import os
import subprocess
import sys
from threading import Thread

import numpy as np
import pytest

from spinney import forests
from spinney._core import threads as core_threads
from spinney.forests._lanes import run_chunks


@pytest.fixture(scope="module")
def table():
    """Enough work for two threads."""
    rng = np.random.default_rng(8)
    return np.exp(rng.normal(size=1225)), np.exp(rng.normal(size=(500, 1225)))


@pytest.fixture(scope="module")
def alone(table):
    return forests.evaluate(*table, threads=1)


def same(found, expected):
    return (
        found.log_partition.tobytes() == expected.log_partition.tobytes()
        and found.weighted_resistance.tobytes() == expected.weighted_resistance.tobytes()
    )


def test_a_task_is_of_one_type(table, alone):
    """Were it not, the kernel would be compiled again, for ten seconds."""
    assert len(run_chunks.overloads) == 1


@pytest.mark.parametrize("threads", [2, 3, 5])
def test_help_changes_no_bit(table, alone, threads):
    for _ in range(5):
        assert same(forests.evaluate(*table, threads=threads), alone)


def test_helpers_are_asked_for_large_work_only(table, monkeypatch):
    asked = []
    find = core_threads._pool
    monkeypatch.setattr(core_threads, "_pool", lambda *size: asked.append(size) or find(*size))
    beta, W = table
    forests.evaluate(beta, W, threads=2)
    forests.evaluate(beta, W[:20], threads=2)
    assert len(asked) == 1


def test_callers_at_the_same_time_do_not_meet(table, alone):
    found = [[] for _ in range(4)]

    def call(k):
        found[k] += [forests.evaluate(*table, threads=2) for _ in range(5)]

    callers = [Thread(target=call, args=(k,)) for k in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert all(same(one, alone) for part in found for one in part)
    assert [len(part) for part in found] == [5] * 4


PROGRAM = """
import os, signal, sys, threading, time, warnings
import numpy as np
from spinney import forests
warnings.simplefilter("ignore", DeprecationWarning)
rng = np.random.default_rng(0)
beta, W = np.ones(1225), rng.random((500, 1225))
expected = forests.evaluate(beta, W, threads=1).weighted_resistance
for _ in range(5):
    found = forests.evaluate(beta, W, threads=3).weighted_resistance
assert (found == expected).all()
"""

FORK = """
for _ in range(5):
    forests.evaluate(beta, W, threads=3)
    child = os.fork()
    if child == 0:
        found = forests.evaluate(beta, W, threads=3).weighted_resistance
        sys.exit(0 if (found == expected).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    found = forests.evaluate(beta, W, threads=3).weighted_resistance
    assert (found == expected).all()
"""

BUSY = """
threading.Thread(target=forests.evaluate, args=(beta, W), daemon=True).start()
"""

INTERRUPT = """
def strike():
    time.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=strike).start()
try:
    while True:
        forests.evaluate(beta, W, threads=2)
except KeyboardInterrupt:
    pass
found = forests.evaluate(beta, W, threads=2).weighted_resistance
assert (found == expected).all()
"""


@pytest.mark.usefixtures("heeded_interrupts")
@pytest.mark.parametrize(
    "rest",
    [
        pytest.param(BUSY, id="busy", marks=pytest.mark.slow),
        pytest.param(
            FORK,
            id="fork",
            marks=[
                pytest.mark.slow,
                pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork"),
            ],
        ),
        pytest.param(INTERRUPT, id="interrupt"),
    ],
)
def test_processes_end_well(table, alone, rest):
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROGRAM + rest],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stderr == ""
    assert done.returncode == 0
