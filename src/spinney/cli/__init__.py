"""The command line ``spinney``: a file per command, which parses, calls and prints."""

import _thread
import signal
import sys
import threading
from collections.abc import Sequence
from typing import Any

__all__ = ["main", "run"]


def main() -> None:
    """Run the command line on the arguments of the process."""
    sys.unraisablehook = _hear_interrupts
    for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP; `nohup` ignores it
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    try:
        from spinney.cli._app import app  # here, so that an early Ctrl-C is caught too

        app(prog_name="spinney")
    except KeyboardInterrupt:
        sys.stderr.write("Interrupted. No half-written files are left.\n")
        sys.exit(130)


def run(words: Sequence[str]) -> None:
    """Run one command from Python; its errors are raised, not printed."""
    from spinney.cli._app import app

    app(list(words), prog_name="spinney", standalone_mode=False)


def _hear_interrupts(lost: Any) -> None:
    """Repeat a Ctrl-C that Python swallowed, as it does during clean-up."""
    if lost.exc_type is KeyboardInterrupt:
        threading.Timer(0.05, _thread.interrupt_main).start()
    else:
        sys.__unraisablehook__(lost)
