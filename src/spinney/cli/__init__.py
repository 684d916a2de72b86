"""The command line ``spinney``: a file per command, which parses, calls and prints."""

import signal
import sys
from collections.abc import Sequence

__all__ = ["INTERRUPTED_WORDS", "main", "run"]

INTERRUPTED_WORDS = "Interrupted. No half-written files are left."


def main() -> None:
    """Run the command line on the arguments of the process."""
    for stream in (sys.stdout, sys.stderr):  # pipes on Windows have no sign for "≥"
        if hasattr(stream, "reconfigure") and not stream.isatty():
            stream.reconfigure(encoding="utf-8", errors=stream.errors)
    for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP; `nohup` ignores it
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    try:
        from spinney.cli._app import app  # here, so that an early Ctrl-C is caught too

        app(prog_name="spinney")
    except KeyboardInterrupt:
        sys.stderr.write(f"{INTERRUPTED_WORDS}\n")
        sys.exit(130)


def run(words: Sequence[str]) -> None:
    """Run one command from Python; its errors are raised, not printed."""
    from spinney.cli._app import app

    app(list(words), prog_name="spinney", standalone_mode=False)
