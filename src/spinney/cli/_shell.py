"""Commands and the shell: one line per error or warning, and an exit status with a meaning.

0: done; 1: a failure that is not the user's fault; 2: bad input or usage; 130: ended by Ctrl-C, by
``kill``, or because the terminal was closed.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import typer
from typer.core import TyperGroup

from spinney._core.command_line import for_command_line
from spinney.exceptions import SpinneyError
from spinney.notices import Notice

__all__ = ["FAILED", "INTERRUPTED", "MISUSED", "OneLineGroup", "Shell", "say"]

FAILED, MISUSED, INTERRUPTED = 1, 2, 130
OPTIONAL_VALUES = {"--stability": "0", "--halves": "50", "--permutations": "1000"}
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


class _InterruptedError(Exception):
    """Ctrl-C, under a name that typer passes on."""


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
        options = {"windows_expand_args": windows_expand_args, "obj": shell, **extra}
        try:
            with _warnings_in_one_line(shell):
                words = list(_with_values(words))
                status = super().main(words, prog_name, complete_var, False, **options)
        except (_InterruptedError, typer.Abort) as interrupt:
            say(f"Interrupted. {str(interrupt) or INTERRUPTED_WORDS}")
            status = INTERRUPTED
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
    >>> list(_with_values(["learn", "--halves", "a.csv"]))
    ['learn', '--halves', '50', 'a.csv']
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
        say(f"Error: {for_command_line(error)}")
        return MISUSED
    if hasattr(error, "format_message"):  # usage errors of any typer
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "spinney"
        said = error.format_message().replace("Value error, ", "").rstrip(".")
        say(f"Error: {said}{'' if said.endswith('?') else '.'} Try: {path} --help")
        return MISUSED
    if isinstance(error, OSError) and error.strerror:
        where = f"'{error.filename}': " if error.filename else ""
        say(f"Error: {where}{error.strerror}.")
        return FAILED
    say(f"Unexpected {type(error).__name__}: {error}. Please report it, with what --debug shows.")
    return FAILED


@contextmanager
def _warnings_in_one_line(shell: Shell) -> Iterator[None]:
    """Show each warning for the user once, without the file that raised it."""

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        line = " ".join(for_command_line(message).split())
        if line not in shell.warned:
            plain = Notice("as-warned", line)
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
