"""How commands meet the shell: errors and warnings are one line each, and statuses mean something.

0: done; 1: something failed that is not the user's to mend; 2: bad input or usage; 130: Ctrl-C.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import typer
from typer.core import TyperGroup

from spinney.exceptions import SpinneyError

__all__ = [
    "FAILED",
    "INTERRUPTED",
    "MISUSED",
    "FailedError",
    "OneLineGroup",
    "Shell",
    "in_options",
    "say",
]

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
    warned : list of str
        What was warned of so far.
    """

    words: tuple[str, ...] = ()
    quiet: bool = False
    warned: list[str] = field(default_factory=list)


class FailedError(SpinneyError):
    """Something went wrong that is no mistake in what was asked for: status 1."""


class _InterruptedError(Exception):
    """Ctrl-C, under a name that typer passes on."""


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
        options = {"windows_expand_args": windows_expand_args, "obj": shell, **extra}
        try:
            with _warnings_in_one_line(shell):
                words = list(_with_values(words))
                status = super().main(words, prog_name, complete_var, False, **options)
        except (_InterruptedError, typer.Abort) as interrupt:
            say(f"Interrupted. {str(interrupt) or INTERRUPTED_WORDS}")
            status = INTERRUPTED
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


_OPTIONS = {
    "in kinds={...}": "with --kind COLUMN=KIND",
    "in kinds.": "with --kind.",
    'missing="pairwise"': "--missing pairwise",
    'missing="drop"': "--missing drop",
    "transpose it with X.T": "transpose it",
    "(target_fdr)": "(--fdr)",
    "name it in compare=[...]": "call spinney.learn(compare=[...]) in Python",
}
"""How the advice of a message is followed from the shell."""


def in_options(message: str) -> str:
    """Put the command line's options in the place of parameters.

    Examples
    --------
    >>> in_options('Use missing="drop", or give its kind in kinds={...}.')
    'Use --missing drop, or give its kind with --kind COLUMN=KIND.'
    """
    for parameter, option in _OPTIONS.items():
        message = message.replace(parameter, option)
    return message


def _explain(error: Exception) -> int:
    if isinstance(error, FailedError):
        say(f"Error: {error}")
        return FAILED
    if isinstance(error, SpinneyError):
        say(f"Error: {in_options(str(error))}")
        return MISUSED
    if hasattr(error, "format_message"):  # typer's usage errors, which have moved between versions
        context = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "spinney"
        say(f"Error: {error.format_message().rstrip('.')}. Try: {path} --help")
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
        line = in_options(" ".join(str(message).split()))
        if line not in shell.warned:
            shell.warned.append(line)
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
