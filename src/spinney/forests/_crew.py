"""Threads that help with one evaluation, and take it over in a microsecond.

The interpreter needs tens of microseconds to wake a thread and to hand its lock over, as much as a
small evaluation takes. So a helper that has just finished a task waits for the next one inside a
kernel, without the interpreter's lock, and looks at a word of memory again and again; when nothing
has come for :data:`PATIENCE_S`, it sleeps. An optimiser that evaluates again and again finds its
helpers awake, and nobody else pays for them.

Each helper has a line of words in memory, the *desk*. Its first word says who may do what:

* IDLE: the helper looks at the desk; the caller may POST a task, the helper may fall ASLEEP;
* POSTED: the caller has left a task; the helper may take it and is BUSY, the caller may take it
  back, and it is IDLE;
* BUSY: the helper works, and will be IDLE;
* ASLEEP: the helper waits for its lock; the caller may POST a task and releases the lock, once;
  a helper that comes back finds the desk ASLEEP if nobody posted anything, and makes it IDLE;
* GONE: the helper is to end.
"""

from __future__ import annotations

import atexit
import os
from threading import Lock, Thread
from time import perf_counter, sleep

import numpy as np
from numpy.typing import NDArray

from spinney._core.compile import address_of, kernel
from spinney.forests._groups import CELLS, TASK, Task, run_chunks
from spinney.forests._lanes import KEPT_BYTES, new_room
from spinney.forests._native import call_kept, exchange, keep, look, pause, tell
from spinney.forests.threads import default_threads

__all__ = ["PATIENCE_S", "run_task"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

PATIENCE_S = 100e-6
"""How long a helper looks for the next task before it sleeps, and a caller for the helper's end."""

NAP_S = 20e-6

IDLE, POSTED, BUSY, ASLEEP, GONE = range(5)
# Words of a desk: its state, the task's place, the room and its cells, and whether the helper was
# asleep. No two share a cache line, nor the pair of lines that some processors fetch together.
STATE, TASK_PLACE, ROOM_PLACE, ROOM_CELLS, TO_WAKE, DESK_WORDS = 0, 1, 2, 3, 4, 16
FRAME_WORDS = 1024


@kernel
def _wait_idly(n_pauses: int) -> None:
    for _ in range(n_pauses):
        pause()


@kernel
def _attend(address: int, desk: Integers, patience: int) -> bool:
    """Look at a desk and do what is posted; return whether to come again after a sleep."""
    # Whoever was woken for nothing is awake all the same; ASLEEP, he could not fall asleep again.
    exchange(desk, STATE, ASLEEP, IDLE)
    n_looks = 0
    while n_looks < patience or not exchange(desk, STATE, IDLE, ASLEEP):
        state = look(desk, STATE)
        if state == GONE:
            return False
        if state == POSTED and exchange(desk, STATE, POSTED, BUSY):
            call_kept(address, TASK, desk[TASK_PLACE], desk[ROOM_PLACE], desk[ROOM_CELLS])
            tell(desk, STATE, IDLE)
            n_looks = 0
        n_looks += 1
        pause()
    return True


@kernel
def _post(task: Task, n_cells: int, frame: Integers, desks: Integers, n_helpers: int) -> int:
    """Leave a task where helpers find it and post it to them; return its place.

    It is not posted to a helper who has no room for so many cells.
    """
    place = int(keep(frame, task))
    for k in range(n_helpers):
        desk = desks[k * DESK_WORDS : (k + 1) * DESK_WORDS]
        desk[TO_WAKE] = 0
        # Busy, or with a smaller room: left over from a call that was interrupted twice.
        if look(desk, STATE) != BUSY and desk[ROOM_CELLS] >= n_cells:
            desk[TASK_PLACE] = place
            if not exchange(desk, STATE, IDLE, POSTED):
                desk[TO_WAKE] = exchange(desk, STATE, ASLEEP, POSTED)
    return place


@kernel
def _take_back(desks: Integers, n_helpers: int) -> None:
    """Let no helper begin any more."""
    for k in range(n_helpers):
        exchange(desks, k * DESK_WORDS + STATE, POSTED, IDLE)


@kernel
def _work(address: int, place: int, room: Floats, desks: Integers, n_helpers: int) -> None:
    """Work on a task that is posted, and take it back from helpers who have not begun."""
    call_kept(address, TASK, place, room.ctypes.data, len(room))
    _take_back(desks, n_helpers)


@kernel
def _n_busy(desks: Integers, n_helpers: int, patience: int) -> int:
    """Wait for helpers to end, but not for long; count those who still work."""
    for n_looks in range(patience + 1):
        busy = 0
        for k in range(n_helpers):
            busy += look(desks, k * DESK_WORDS + STATE) == BUSY
        if busy == 0 or n_looks == patience:
            return busy
        pause()
    return 0


class _Crew:
    """The helpers of one process."""

    def __init__(self, count: int) -> None:
        self.process = os.getpid()
        self.lock = Lock()
        self.address = address_of(run_chunks, (TASK, CELLS))
        _wait_idly(1)
        start = perf_counter()
        _wait_idly(1000)
        self.patience = max(100, int(1000 * PATIENCE_S / (perf_counter() - start)))
        words = np.zeros((count + 1) * DESK_WORDS, dtype=np.int64)
        shift = -words.ctypes.data // 8 % DESK_WORDS
        self.desks = words[shift : shift + count * DESK_WORDS]
        self.frame = np.empty(FRAME_WORDS, dtype=np.int64)
        self.rooms = [new_room(0)] * count
        self.beds = [Lock() for _ in range(count)]
        self.threads = []
        for k, bed in enumerate(self.beds):
            bed.acquire()
            desk = self.desks[k * DESK_WORDS : (k + 1) * DESK_WORDS]
            self.threads.append(
                Thread(target=self._serve, args=(desk, bed), name=f"spinney-crew-{k}", daemon=True)
            )
            self.threads[-1].start()

    def _serve(self, desk: Integers, bed: Lock) -> None:
        while _attend(self.address, desk, self.patience):
            bed.acquire()

    def run(self, task: Task, room: Floats, n_helpers: int) -> None:
        """Do a task together with helpers; the lock is held."""
        for k in range(n_helpers):
            self._make_room(k, len(room))
        left = True
        try:
            place = _post(task, len(room), self.frame, self.desks, n_helpers)
            # Only now: a helper that wakes where this thread runs must find something to do.
            for k in range(n_helpers):
                self._wake(k)
            _work(self.address, place, room, self.desks, n_helpers)
            while _n_busy(self.desks, n_helpers, self.patience):
                sleep(NAP_S)
            left = False
        finally:
            if left:
                self._wait_after_interrupt(task, n_helpers)
        for k in range(n_helpers):
            if self.rooms[k].nbytes > KEPT_BYTES:
                self.desks[k * DESK_WORDS + ROOM_CELLS] = 0
                self.rooms[k] = new_room(0)

    def _wake(self, k: int) -> None:
        # Unlocked, the lock is about to be taken by the helper, who will then come.
        if self.desks[k * DESK_WORDS + TO_WAKE] and self.beds[k].locked():
            self.beds[k].release()

    def _make_room(self, k: int, n_cells: int) -> None:
        desk = self.desks[k * DESK_WORDS : (k + 1) * DESK_WORDS]
        if len(self.rooms[k]) < n_cells and desk[STATE] != BUSY:
            self.rooms[k] = new_room(n_cells)
            desk[ROOM_PLACE] = self.rooms[k].ctypes.data
            desk[ROOM_CELLS] = n_cells

    def _wait_after_interrupt(self, task: Task, n_helpers: int) -> None:
        """Wait all the same: helpers write to arrays that must not go away."""
        _abandoned.append((task, self.frame, self.rooms))
        _take_back(self.desks, n_helpers)
        self.frame = np.empty(FRAME_WORDS, dtype=np.int64)
        for k in range(n_helpers):
            self._wake(k)  # perhaps for nothing: it will look at its desk, and sleep again
        while _n_busy(self.desks, n_helpers, self.patience):
            sleep(NAP_S)
        _abandoned.pop()  # not reached if interrupted once more

    def dismiss(self) -> None:
        """End the helpers, before the interpreter takes their memory away."""
        if self.lock.acquire(timeout=1.0):  # and keep it: there is nobody to help any more
            self.desks[STATE::DESK_WORDS] = GONE
            for bed in self.beds:
                if bed.locked():
                    bed.release()
            for thread in self.threads:
                thread.join(timeout=1.0)


_lock = Lock()
_crew: _Crew | None = None
_abandoned: list[object] = []


def _find_crew(n_helpers: int) -> _Crew:
    global _crew
    with _lock:
        if _crew is None or len(_crew.beds) < n_helpers:
            if _crew is not None:
                _crew.dismiss()
            _crew = _Crew(max(n_helpers, default_threads() - 1))
        return _crew


def _forget_crew() -> None:
    """Start afresh in a forked child, which has no thread but its own."""
    global _crew, _lock
    _crew, _lock = None, Lock()


def _dismiss_crew() -> None:
    if _crew is not None:
        _crew.dismiss()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_crew)
atexit.register(_dismiss_crew)


def run_task(task: Task, room: Floats, n_threads: int) -> None:
    """Run a task on so many threads, this one included.

    If the helpers are busy with the task of another thread, this one does its own alone.
    """
    if n_threads > 1:
        crew = _find_crew(n_threads - 1)
        if crew.lock.acquire(blocking=False):
            try:
                crew.run(task, room, n_threads - 1)
            finally:
                crew.lock.release()
            return
    run_chunks(task, room)
