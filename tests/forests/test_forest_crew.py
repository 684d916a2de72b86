"""Threads that help with an evaluation: the same bits, no loose ends, nobody awake for nothing."""

import os
import subprocess
import sys
import time
from threading import Thread

import numpy as np
import pytest

from spinney import forests
from spinney.forests import _crew, _engine_lanes
from spinney.forests._groups import CELLS, TASK, run_chunks


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(8)
    return np.exp(rng.normal(size=300)), np.exp(rng.normal(size=(500, 300)))


@pytest.fixture(scope="module")
def alone(table):
    return forests.evaluate(*table, threads=1)


def same(found, expected):
    return (
        found.log_partition.tobytes() == expected.log_partition.tobytes()
        and found.weighted_resistance.tobytes() == expected.weighted_resistance.tobytes()
    )


def wait_until(condition):
    """Wait for what happens in a moment; ten seconds are for machines that are very busy."""
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
    assert condition()


def test_a_task_is_of_one_type(table, alone):
    """Were it not, helpers would read another thread's task wrongly."""
    assert list(run_chunks.overloads) == [(TASK, CELLS)]


@pytest.mark.parametrize("threads", [2, 3, 5])
def test_help_changes_no_bit(table, alone, threads):
    for pause in (0.0, 0.0, 0.002) * 10:  # helpers that are awake, and helpers that sleep
        assert same(forests.evaluate(*table, threads=threads), alone)
        time.sleep(pause)


def test_helpers_do_take_part(table, alone, monkeypatch):
    """A task that the caller may not work on is done all the same."""
    begun = []

    def look_on(address, place, room, desks, n_helpers):
        begun.append(n_helpers)
        wait_until(lambda: desks[0] not in (_crew.POSTED, _crew.BUSY))

    monkeypatch.setattr(_crew, "_work", look_on)
    for pause in (0.0, 0.0, 0.01):
        time.sleep(pause)
        assert same(forests.evaluate(*table, threads=2), alone)
    assert begun == [1, 1, 1]


def _states(crew, count):
    return crew.desks[:: _crew.DESK_WORDS][:count].tolist()


def test_helpers_sleep_when_there_is_nothing_to_do(table, alone):
    forests.evaluate(*table, threads=3)
    crew = _crew._crew
    wait_until(lambda: _states(crew, 2) == [_crew.ASLEEP] * 2)
    assert same(forests.evaluate(*table, threads=3), alone)


def test_callers_at_the_same_time_do_not_meet(table, alone):
    found = [[] for _ in range(4)]

    def call(k):
        found[k] += [forests.evaluate(*table, threads=2) for _ in range(20)]

    callers = [Thread(target=call, args=(k,)) for k in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert all(same(one, alone) for part in found for one in part)
    assert [len(part) for part in found] == [20] * 4


@pytest.mark.parametrize("times", [1, 2])
def test_an_interrupt_waits_for_helpers_and_leaves_them_usable(table, alone, monkeypatch, times):
    left = [1] * (times + 1)
    interrupts = [KeyboardInterrupt] * times
    n_busy = _crew._n_busy

    def still_busy(*arguments):
        return left.pop() if left else n_busy(*arguments)

    def interrupted(seconds):
        if interrupts:
            raise interrupts.pop()

    monkeypatch.setattr(_crew, "_n_busy", still_busy)
    monkeypatch.setattr(_crew, "sleep", interrupted)
    monkeypatch.setattr(_crew, "_abandoned", [])
    with pytest.raises(KeyboardInterrupt):
        forests.evaluate(*table, threads=2)
    assert len(_crew._abandoned) == times - 1  # whoever insists leaves the arrays behind, alive
    left.clear()
    for _ in range(5):
        assert same(forests.evaluate(*table, threads=2), alone)


def test_an_interrupt_before_the_work_takes_the_task_back(table, alone, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(_crew, "_work", lambda *arguments: 1 / 0)
        for pause in (0.01, 0.0, 0.01):
            time.sleep(pause)
            with pytest.raises(ZeroDivisionError):
                forests.evaluate(*table, threads=2)
            assert _crew._crew.desks[0] not in (_crew.POSTED, _crew.BUSY)
    assert not _crew._abandoned
    wait_until(lambda: _crew._crew.desks[0] == _crew.ASLEEP)
    test_helpers_do_take_part(table, alone, monkeypatch)


def test_a_helper_that_is_woken_for_nothing_sleeps_again(table, alone, monkeypatch):
    """As after an interrupt that comes when the helper has long ended: it must not look on."""

    def struck(address, place, room, desks, n_helpers):
        wait_until(lambda: desks[0] == _crew.ASLEEP)
        raise KeyboardInterrupt

    forests.evaluate(*table, threads=2)
    crew = _crew._crew
    wait_until(lambda: crew.desks[0] == _crew.ASLEEP)
    with monkeypatch.context() as patch:
        patch.setattr(_crew, "_work", struck)
        with pytest.raises(KeyboardInterrupt):
            forests.evaluate(*table, threads=2)
    wait_until(crew.beds[0].locked)  # the helper is up
    wait_until(_nobody_works)
    assert same(forests.evaluate(*table, threads=2), alone)
    wait_until(_nobody_works)


@pytest.mark.parametrize(("spare", "state"), [(0, _crew.POSTED), (-1, _crew.IDLE)])
def test_a_task_is_not_posted_to_a_helper_without_room_for_it(table, monkeypatch, spare, state):
    """As to one that was busy after two interrupts when rooms were made: it would write beyond."""
    given = []
    monkeypatch.setattr(_engine_lanes, "run_task", lambda *task: given.append(task))
    forests.evaluate(*table, threads=2)
    (task, room, _), desk = given[0], np.zeros(_crew.DESK_WORDS, dtype=np.int64)
    desk[_crew.ROOM_CELLS] = len(room) + spare
    frame = np.empty(_crew.FRAME_WORDS, dtype=np.int64)
    _crew._post(task, len(room), frame, desk, 1)
    assert desk[_crew.STATE] == state


def test_a_large_room_that_is_given_back_is_room_no_more(table, alone, monkeypatch):
    monkeypatch.setattr(_crew, "KEPT_BYTES", 0)
    for _ in range(2):
        assert same(forests.evaluate(*table, threads=2), alone)
        assert _crew._crew.desks[_crew.ROOM_CELLS] == 0


def _nobody_works():
    """Say whether the threads of this process leave the processor alone for a moment."""
    before = time.process_time()
    time.sleep(0.05)
    return time.process_time() - before < 0.005


PROGRAM = """
import os, signal, sys, threading, time, warnings
import numpy as np
from spinney import forests
warnings.simplefilter("ignore", DeprecationWarning)
rng = np.random.default_rng(0)
beta, W = np.ones(300), rng.random((500, 300))
expected = forests.evaluate(beta, W, threads=1).weighted_resistance
for _ in range(20):
    found = forests.evaluate(beta, W, threads=3).weighted_resistance
assert (found == expected).all()
"""

FORK = """
for _ in range(5):
    forests.evaluate(beta, W, threads=3)  # helpers are awake now
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


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param(BUSY, id="busy"),
        pytest.param(
            FORK,
            id="fork",
            marks=pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork"),
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
