"""The commands, gathered."""

from __future__ import annotations

from typing import Annotated

import typer

from spinney import __version__
from spinney.cli._shell import OneLineGroup
from spinney.cli.compare import compare
from spinney.cli.info import info
from spinney.cli.learn import learn
from spinney.cli.reproduce import reproduce
from spinney.cli.simulate import simulate

__all__ = ["app"]

app = typer.Typer(
    cls=OneLineGroup,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback(invoke_without_command=True)
def start(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
) -> None:
    """Learn which columns of a table depend on each other directly.

    Start with [bold]spinney learn TABLE.csv[/bold].
    """
    if version:
        typer.echo(f"spinney {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


app.command()(learn)
app.command()(compare)
app.command()(simulate)
app.command()(reproduce)
app.command()(info)
