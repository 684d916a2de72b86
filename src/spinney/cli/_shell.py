"""How commands meet the shell: errors and warnings are one line each, and statuses mean something.

0: done; 1: something failed that is not the user's to mend; 2: bad input or usage; 130: Ctrl-C;
143: ended by ``kill``, 129: by closing the terminal, which both tidy up as Ctrl-C does.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import typer
from typer.core import TyperGroup

from spinney.exceptions import SpinneyError
from spinney.wording import TERMINAL, message_of

__all__ = ["FAILED", "INTERRUPTED", "MISUSED", "FailedError", "OneLineGroup", "Shell", "say"]

FAILED, MISUSED, INTERRUPTED = 1, 2, 130
OPTIONAL_VALUES = {"--stability": "50"}
"""Options whose number may be left out, and what it then is. Typer knows no such thing."""
INTERRUPTED_WORDS = "No half-written files are left."


@dataclass(frozen=True)
class Shell:
    """What a command may ask about the line that called it: ``context.obj``.

    Attributes
    ----------
    words : tuple of str
        The line, without the program's name.
    quiet : bool
        Whether only errors are to be said.
    warned : dict of str
        What was warned of so far: in the words of the command line, and in those of Python.
    """

    words: tuple[str, ...] = ()
    quiet: bool = False
    warned: dict[str, str] = field(default_factory=dict)


class FailedError(SpinneyError):
    """Something went wrong that is no mistake in what was asked for: status 1."""


class EndedError(KeyboardInterrupt):
    """The system asks the process to end. Work ends as if by Ctrl-C, which all of it is used to."""


class _InterruptedError(Exception):
    """Ctrl-C, under a name that typer passes on."""


@contextmanager
def ends_tidily() -> Iterator[list[int]]:
    """Tidy up before the process ends, by ``kill`` or because its terminal is closed.

    Yielded is a list of the signals that came. One that is ignored, as under ``nohup``, stays so.
    """
    came: list[int] = []

    process = os.getpid()

    def end(number: int, frame: FrameType | None) -> None:
        if os.getpid() != process:  # a worker, which whoever started it ends
            os._exit(128 + number)
        came.append(number)
        raise EndedError

    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):  # Windows has no terminals that hang up
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) == signal.SIG_DFL:
                before[number] = signal.signal(number, end)
    try:
        yield came
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class OneLineGroup(TyperGroup):
    """Commands whose errors are one line on standard error, without a traceback."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]  # typer hides the type
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            raise _InterruptedError(str(interrupt) or INTERRUPTED_WORDS) from interrupt

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Parse, run, and turn what goes wrong into a line and a status."""
        words = list(sys.argv[1:] if args is None else args)
        # Read off the words themselves: parsing them is one of the things that can fail.
        debug = "--debug" in words
        shell = Shell(tuple(words), quiet=not {"--quiet", "-q"}.isdisjoint(words))
        status: Any = 0
        ended: list[int] = []
        options = {"windows_expand_args": windows_expand_args, "obj": shell, **extra}
        try:
            with _warnings_in_one_line(shell), ends_tidily() as ended:
                words = list(_with_values(words))
                status = super().main(words, prog_name, complete_var, False, **options)
                if ended and status == INTERRUPTED:
                    status = 128 + ended[0]
        except (_InterruptedError, typer.Abort) as interrupt:
            say(f"{'Ended' if ended else 'Interrupted'}. {str(interrupt) or INTERRUPTED_WORDS}")
            status = 128 + ended[0] if ended else INTERRUPTED
            # An interrupt that has passed through text which Python runs, as some libraries let it
            # when they are imported, would end the process by the signal in place of the status,
            # caught or not. Any other text takes that back.
            exec("")
        except BrokenPipeError:  # the reader has left, as `spinney info | head -1` does
            sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 # for the flush
            status = FAILED
        except Exception as error:
            if debug or not standalone_mode:
                raise
            status = _explain(error)
        if standalone_mode:
            sys.exit(status if isinstance(status, int) else 0)
        return status


def say(line: str) -> None:
    """Print one line on standard error."""
    typer.echo(" ".join(line.split()), err=True)


def _with_values(words: Sequence[str]) -> Iterator[str]:
    """Give options the number that was left out.

    Examples
    --------
    >>> list(_with_values(["learn", "--stability", "a.csv"]))
    ['learn', '--stability', '50', 'a.csv']
    >>> list(_with_values(["--stability", "20", "--stability=30", "--", "--stability"]))
    ['--stability', '20', '--stability=30', '--', '--stability']
    """
    followers = [*words[1:], ""][: len(words)]
    end = words.index("--") if "--" in words else len(words)
    for place, (word, follower) in enumerate(zip(words, followers, strict=True)):
        yield word
        is_number = follower.lstrip("-").isdecimal()
        if word in OPTIONAL_VALUES and place < end and not is_number:
            yield OPTIONAL_VALUES[word]


def _explain(error: Exception) -> int:
    if isinstance(error, FailedError):
        say(f"Error: {error}")
        return FAILED
    if isinstance(error, SpinneyError):
        say(f"Error: {message_of(error, TERMINAL)}")
        return MISUSED
    if hasattr(error, "format_message"):  # typer's usage errors, which have moved between versions
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "spinney"
        said = error.format_message().rstrip(".")
        say(f"Error: {said}{'' if said.endswith('?') else '.'} Try: {path} --help")
        return MISUSED
    if isinstance(error, OSError) and error.strerror:
        where = f"'{error.filename}': " if error.filename else ""
        say(f"Error: {where}{error.strerror}.")
        return FAILED
    say(f"Unexpected {type(error).__name__}: {error}. Run again with --debug to see where.")
    return FAILED


@contextmanager
def _warnings_in_one_line(shell: Shell) -> Iterator[None]:
    """Show each warning that is meant for the user once, without the file that it came from."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        line = " ".join(message_of(message, TERMINAL).split())
        if line not in shell.warned:
            shell.warned[line] = str(message)
            if not shell.quiet:
                say(f"Warning: {line}")

    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("ignore")  # what is meant for developers of libraries
            # spinney's DataWarning and scikit-learn's ConvergenceWarning are both of this kind.
            warnings.simplefilter("always", UserWarning)
            warnings.simplefilter("ignore", DeprecationWarning)  # pyparsing's are of both kinds
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
        warnings.showwarning = show
        yield
