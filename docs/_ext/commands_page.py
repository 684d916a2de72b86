"""The directive ``command-line``: every command and option of ``spinney``, asked of the program."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import typer
from docutils import nodes
from docutils.parsers.rst import Directive
from typer.main import get_command

from spinney.cli._app import app as program

if TYPE_CHECKING:
    from sphinx.application import Sphinx

__all__ = ["CommandLine", "describe", "setup"]


class CommandLine(Directive):
    """A section per command: what it does, how it is called, its arguments and options."""

    def run(self) -> list[nodes.Node]:
        """Ask the program, write reStructuredText, and let Sphinx read it."""
        top = get_command(program)
        commands = getattr(top, "commands", {})
        sections = [_section(f"spinney {name}", command) for name, command in commands.items()]
        sections.insert(0, _section("spinney", top))
        return sections


def _section(name: str, command: Any) -> nodes.Node:
    section = nodes.section(ids=[nodes.make_id(name)], names=[name])
    section += nodes.title(text=name)
    for paragraph in describe(command.help or ""):
        section += nodes.paragraph("", "", *_inline(paragraph))
    context = typer.Context(command, info_name=name)
    usage = " ".join(command.collect_usage_pieces(context))
    section += nodes.literal_block(text=f"$ {name} {usage}", language="text")
    groups: dict[str, list[tuple[str, str]]] = {}  # as the help on a terminal has them
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record:
            heading = getattr(parameter, "rich_help_panel", None) or ""
            groups.setdefault(heading, []).append((record[0], " ".join(describe(record[1]))))
    for heading, rows in groups.items():
        if heading:
            section += nodes.paragraph("", "", nodes.strong(text=heading))
        section += _table(rows)
    return section


def describe(text: str) -> list[str]:
    r"""Split a help text into paragraphs, without the marks that colour it on a terminal.

    Examples
    --------
    >>> describe("Learn a graph.\n\nStart with [bold]spinney learn[/bold].")
    ['Learn a graph.', 'Start with spinney learn.']
    """
    plain = re.sub(r"\[/?(?:bold|dim|italic|red|green|yellow|cyan|blue|magenta)\]", "", text)
    plain = plain.partition("\f")[0]  # the command line stops there, too
    return [" ".join(part.split()) for part in re.split(r"\n\s*\n", plain.strip()) if part.strip()]


def _inline(text: str) -> list[nodes.Node]:
    """Set what stands between back-ticks as code."""
    parts = re.split(r"`([^`]+)`", text)
    return [nodes.literal(text=p) if i % 2 else nodes.Text(p) for i, p in enumerate(parts) if p]


def _table(rows: list[tuple[str, str]]) -> nodes.Node:
    table = nodes.table(classes=["options"])
    group = nodes.tgroup(cols=2)
    group += [nodes.colspec(colwidth=35), nodes.colspec(colwidth=65)]
    body = nodes.tbody()
    for spelling, meaning in rows:
        row = nodes.row()
        row += nodes.entry("", nodes.paragraph("", "", nodes.literal(text=spelling)))
        row += nodes.entry("", nodes.paragraph("", "", *_inline(meaning)))
        body += row
    group += body
    table += group
    return table


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive."""
    app.add_directive("command-line", CommandLine)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
