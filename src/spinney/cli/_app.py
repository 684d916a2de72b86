"""The `spinney` program: all commands, and what they share with the shell.

Each error and warning is one line. The exit status is 0: done; 1: a failure that is not the user's
fault; 2: bad input or usage; 130: ended by Ctrl-C, by ``kill``, or because the terminal was closed.
"""

from __future__ import annotations

import shlex
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from spinney import __version__
from spinney._core.command_line import for_command_line
from spinney.cli import INTERRUPTED_WORDS
from spinney.exceptions import InputError, SpinneyError
from spinney.notices import Notice

COMMANDS = ("learn", "report", "compare", "example", "simulate", "info")
"""The commands in the order of the help, each a function in a module of its name."""

EXAMPLES = """
[bold]Examples[/bold]

spinney learn cells.csv                      [dim]a graph from a table[/dim]

spinney report cells.spinney                 [dim]the page of a stored graph[/dim]

spinney compare control-graph treated-graph  [dim]what has changed[/dim]

spinney example sachs                        [dim]a table to try it on[/dim]

spinney simulate gaussian --rows 300         [dim]one whose graph is known[/dim]

[dim]Every command has its own help: spinney learn --help.[/dim]

[dim]Exit status 0: done, 1: failed, 2: bad input or usage.[/dim]
"""

FAILED, MISUSED, INTERRUPTED = 1, 2, 130
OPTIONAL_VALUES = {"--stability": "0", "--permutations": "1000"}
"""Options whose number may be left out, and its default, which typer cannot express."""


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


class Commands(TyperGroup):
    """The commands; their errors are one line on standard error, without a traceback."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; a file in its place is a table to learn from."""
        if args and args[0] not in COMMANDS and Path(args[0]).suffix:
            given = shlex.join(args)
            raise InputError(
                f"There is no command '{args[0]}'. Did you mean: spinney learn {given}"
            )
        return super().resolve_command(ctx, args)

    def main(  # type: ignore[override]  # all that typer passes goes on to it
        self, args: Sequence[str] | None = None, standalone_mode: bool = True, **options: Any
    ) -> Any:
        """Parse, run, and turn errors into a line and a status."""
        words = list(sys.argv[1:] if args is None else args)
        # Read from the raw words, because parsing them may fail.
        debug = "--debug" in words
        shell = Shell(tuple(words), quiet=not {"--quiet", "-q"}.isdisjoint(words))
        options |= {"standalone_mode": False, "obj": shell}
        try:
            with _warnings_in_one_line(shell):
                status = super().main(list(_with_values(words)), **options)
        except Exception as error:
            if debug or not standalone_mode:
                raise
            status = _explain(error)
        if status == INTERRUPTED:
            say(INTERRUPTED_WORDS)
        if standalone_mode:
            sys.exit(status if isinstance(status, int) else 0)
        return status


def say(line: str) -> None:
    """Print one line on standard error: above a bar, which typer's own echo would tear."""
    print(" ".join(line.split()), file=sys.stderr)


def _with_values(words: Sequence[str]) -> Iterator[str]:
    """Insert the default number after options that lack one.

    Examples
    --------
    >>> list(_with_values(["learn", "--permutations", "a.csv"]))
    ['learn', '--permutations', '1000', 'a.csv']
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
    if isinstance(error, MemoryError):
        say("Error: There is not enough memory. Choose fewer columns (--columns) or rows (--rows).")
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
            if not (shell.quiet or shell.holds):
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
                shell.tell(shell.warned)


app = typer.Typer(
    cls=Commands,
    add_completion=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXAMPLES,
)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
) -> None:
    """Learn which columns of a table depend on each other directly.

    Rows are samples (cells, patients, days); columns are what was measured.
    The result is a graph, with a probability for each pair. Two columns are joined
    if they still depend on each other once all other columns are known.

    Start with [bold]spinney learn TABLE.csv[/bold].
    """
    if version:
        typer.echo(f"spinney {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


for name in COMMANDS:  # here, because they import what is above
    app.command()(getattr(import_module(f"spinney.cli.{name}"), name))
