"""One task, wherever it runs."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, NamedTuple
from uuid import uuid4

from spinney._core.threads import one_thread
from spinney._core.warned import Warned, recorded_warnings

__all__ = ["Outcome", "do_task", "this_process"]

_MARK = uuid4().hex


class Outcome(NamedTuple):
    """What came of a task, and what was warned of in another process."""

    result: Any
    warned: list[Warned]


def this_process() -> str:
    """Name this process among those of all machines; numbers alone would repeat in containers."""
    return f"{_MARK}-{os.getpid()}"


def do_task(function: Callable[..., Any], task: Any, shared: tuple[Any, ...], home: str) -> Outcome:
    """Do a task on one thread; outside of the process `home`, warnings are sent along."""
    with one_thread():
        if this_process() == home:
            return Outcome(function(task, *shared), [])
        with recorded_warnings() as warned:
            result = function(task, *shared)
        return Outcome(result, warned)
