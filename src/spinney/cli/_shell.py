"""Commands and the shell: one line per error or warning, and an exit status with a meaning.

0: done; 1: a failure that is not the user's fault; 2: bad input or usage; 130: Ctrl-C; 143: ended
by ``kill``; 129: the terminal was closed. The last two clean up as Ctrl-C does.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import typer
from typer.core import TyperGroup

from spinney.exceptions import SpinneyError
from spinney.notices import Notice
from spinney.wording import TERMINAL, message_of

__all__ = ["FAILED", "INTERRUPTED", "MISUSED", "OneLineGroup", "Shell", "say"]

FAILED, MISUSED, INTERRUPTED = 1, 2, 130
OPTIONAL_VALUES = {"--stability": "50"}
"""Options whose number may be left out, and its default, which typer cannot express."""
AT_ONCE = ("memory-lacking",)
"""Warnings that are of use only before the work."""
INTERRUPTED_WORDS = "No half-written files are left."


@dataclass
class Shell:
    """The command line that called a command: ``context.obj``.

    Attributes
    ----------
    words : tuple of str
        The words, without the program's name.
    quiet : bool
        Whether to print errors only.
    warned : dict of Notice
        Warnings so far, by their wording on the command line.
    holds : bool
        Whether warnings wait until the gravest are chosen; :meth:`tell` ends that.
    """

    words: tuple[str, ...] = ()
    quiet: bool = False
    warned: dict[str, Notice] = field(default_factory=dict)
    holds: bool = False

    def tell(self, lines: Iterable[str]) -> None:
        """Print warnings, and hold none back any more."""
        self.holds = False
        for line in () if self.quiet else lines:
            say(f"Warning: {line}")


class EndedError(KeyboardInterrupt):
    """The system asks the process to end. Work stops as it does on Ctrl-C."""


class _InterruptedError(Exception):
    """Ctrl-C, under a name that typer passes on."""


@contextmanager
def ends_tidily() -> Iterator[list[int]]:
    """Clean up before ``kill`` or a closed terminal ends the process.

    Yields a list of the signals received. Ignored signals, as under ``nohup``, stay ignored.
    """
    came: list[int] = []

    process = os.getpid()

    def end(number: int, frame: FrameType | None) -> None:
        if os.getpid() != process:  # a worker process, which its parent ends
            os._exit(128 + number)
        came.append(number)
        raise EndedError

    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGTERM", "SIGHUP"):  # Windows has no SIGHUP
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
        """Run the command."""
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
        """Parse, run, and turn errors into a line and a status."""
        words = list(sys.argv[1:] if args is None else args)
        # Read from the raw words, because parsing them may fail.
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
            # An interrupt that passed through `exec`, as it may while libraries are imported, makes
            # Python end the process by the signal instead of the status, even if it was caught.
            # Another `exec` resets that.
            exec("")
        except BrokenPipeError:  # the reader closed the pipe, as in `spinney info | head -1`
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
    """Insert the default number after options that lack one.

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
    if isinstance(error, SpinneyError):
        say(f"Error: {message_of(error, TERMINAL)}")
        return MISUSED
    if hasattr(error, "format_message"):  # usage errors of any typer
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
    """Show each warning for the user once, without the file that raised it."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        line = " ".join(message_of(message, TERMINAL).split())
        if line not in shell.warned:
            plain = Notice.of("as-warned", level="warning", text=line)
            shell.warned[line] = getattr(message, "notice", None) or plain
            if not (shell.quiet or (shell.holds and shell.warned[line].code not in AT_ONCE)):
                say(f"Warning: {line}")

    with warnings.catch_warnings():
        if not sys.warnoptions:
            warnings.simplefilter("ignore")  # those for developers of libraries
            # spinney's DataWarning and scikit-learn's ConvergenceWarning are both of this kind.
            warnings.simplefilter("always", UserWarning)
            warnings.simplefilter("ignore", DeprecationWarning)  # pyparsing's are of both kinds
            warnings.filterwarnings("ignore", "Glyph .* missing from font")
        warnings.showwarning = show
        try:
            yield
        finally:
            if shell.holds:  # an error came first
                shell.tell(line for line, each in shell.warned.items() if each.code not in AT_ONCE)
