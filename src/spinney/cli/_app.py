"""The `spinney` program: all commands."""

from __future__ import annotations

import shlex
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from spinney import __version__
from spinney.cli._shell import OneLineGroup
from spinney.exceptions import InputError

__all__ = ["COMMANDS", "app"]

COMMANDS = ("learn", "report", "compare", "example", "simulate", "info")
"""The commands in the order of the help, each a function in a module of its name."""

EXAMPLES = """
[bold]Examples[/bold]

spinney learn cells.csv                      [dim]a graph from a table[/dim]

spinney report cells-graph -o cells.html     [dim]its page, to look at[/dim]

spinney compare control-graph treated-graph  [dim]what has changed[/dim]

spinney example sachs                        [dim]a table to try it on[/dim]

spinney simulate gaussian --rows 300         [dim]one whose graph is known[/dim]

[dim]Every command has its own help: spinney learn --help.[/dim]

[dim]To complete names with the Tab key, once: spinney --install-completion.[/dim]

[dim]Exit status 0: done, 1: failed, 2: bad input or usage.[/dim]
"""


class Commands(OneLineGroup):
    """The commands, without the options of shell completion in the help."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command; a file in its place is a table to learn from."""
        if args and args[0] not in COMMANDS and Path(args[0]).suffix:
            given = shlex.join(args)
            raise InputError(
                f"There is no command '{args[0]}'. Did you mean: spinney learn {given}"
            )
        if args and args[0] not in COMMANDS:  # for the nearest name
            for name in COMMANDS:
                self.get_command(ctx, name)
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: Any) -> list[str]:
        """List the commands in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Find a command; its module is imported when it is first asked for."""
        if cmd_name in COMMANDS and cmd_name not in self.commands:
            alone = typer.Typer(rich_markup_mode="rich", add_completion=False)
            alone.command()(getattr(import_module(f"spinney.cli.{cmd_name}"), cmd_name))
            self.commands[cmd_name] = typer.main.get_command(alone)
        return super().get_command(ctx, cmd_name)

    def get_params(self, ctx: Any) -> list[Any]:
        """List the options; the help explains in its own line how to install completion."""
        params = super().get_params(ctx)
        for param in params:
            if param.name in ("install_completion", "show_completion"):
                param.hidden = True  # type: ignore[attr-defined]  # options have it
        return params


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
