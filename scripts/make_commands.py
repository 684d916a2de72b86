"""Write every command and option into ``docs/commands.md``: ``python -m scripts.make_commands``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import typer
from typer.main import get_command

from spinney.cli._app import app

__all__ = ["PAGE", "commands", "describe", "written"]

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"
BLOCK = re.compile(r"(<!-- commands -->\n).*?(<!-- end of commands -->)", re.S)


def written(text: str) -> str:
    """Put the commands into the page."""
    return BLOCK.sub(lambda found: found[1] + commands() + found[2], text)


def commands() -> str:
    """Describe every command: what it does, how it is called, its arguments and options."""
    top: Any = get_command(app)
    context = typer.Context(top, info_name="spinney")
    found = {"spinney": top}
    for name in top.list_commands(context):
        found[f"spinney {name}"] = top.get_command(context, name)
    return "\n".join(_section(name, command) for name, command in found.items())


def _section(name: str, command: Any) -> str:
    context = typer.Context(command, info_name=name)
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [f"## {name}", *describe(command.help or ""), f"```text\n$ {name} {usage}\n```"]
    groups: dict[str, list[str]] = {}  # as the help on a terminal has them
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record:
            heading = getattr(parameter, "rich_help_panel", None) or ""
            cells = [f"`{record[0]}`", " ".join(describe(record[1]))]
            row = " | ".join(cell.replace("|", "\\|") for cell in cells)
            groups.setdefault(heading, []).append(f"| {row} |")
    for heading, rows in groups.items():
        parts += [f"**{heading}**"] if heading else []
        parts.append("\n".join(["| option | |", "|---|---|", *rows]))
    return "\n\n".join(parts) + "\n"


def describe(text: str) -> list[str]:
    r"""Split a help text into paragraphs, without the marks that colour it on a terminal.

    Examples
    --------
    >>> describe("Learn a graph.\n\nStart with [bold]spinney learn[/bold].")
    ['Learn a graph.', 'Start with spinney learn.']
    """
    plain = re.sub(r"\[/?(?:bold|dim|italic|red|green|yellow|cyan|blue|magenta)\]", "", text)
    plain = plain.partition("\f")[0].replace("\\[", "[")  # the command line stops there, too
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", plain.strip()) if part.strip()]


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
