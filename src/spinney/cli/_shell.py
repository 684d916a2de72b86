"""How commands meet the shell: errors and warnings are one line each, and statuses mean something.

0: done; 1: something failed that is not the user's to mend; 2: bad input or usage; 130: Ctrl-C.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

from spinney.exceptions import SpinneyError

__all__ = ["FAILED", "INTERRUPTED", "MISUSED", "OneLineGroup", "in_options", "say"]

FAILED, MISUSED, INTERRUPTED = 1, 2, 130


class _InterruptedError(Exception):
    """Ctrl-C, under a name that typer passes on."""


class OneLineGroup(TyperGroup):
    """Commands whose errors are one line on standard error, without a traceback."""

    def invoke(self, ctx: typer.Context) -> Any:  # type: ignore[override]  # typer hides the type
        """Run the command that was asked for."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as interrupt:
            raise _InterruptedError from interrupt

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
        status: Any = 0
        options = {"windows_expand_args": windows_expand_args, **extra}
        try:
            with _warnings_in_one_line():
                status = super().main(words, prog_name, complete_var, False, **options)
        except (_InterruptedError, typer.Abort):
            say("Interrupted. No half-written files are left.")
            status = INTERRUPTED
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


_OPTIONS = {
    "in kinds={...}": "with --kind COLUMN=KIND",
    "in kinds.": "with --kind.",
    'missing="pairwise"': "--missing pairwise",
    'missing="drop"': "--missing drop",
    "transpose it with X.T": "transpose it",
    "(target_fdr)": "(--fdr)",
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
def _warnings_in_one_line() -> Iterator[None]:
    """Show each warning that is meant for the user once, without the file that it came from."""
    seen: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        line = in_options(str(message))
        if line not in seen:
            seen.add(line)
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
