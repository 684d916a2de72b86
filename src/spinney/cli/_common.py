"""What all commands have in common: options, JSON on standard output, names in one line."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Annotated, Any

import typer

from spinney._core.text import plain_line

__all__ = ["DebugOption", "ForceOption", "JsonOption", "QuietOption", "clean", "dump", "work_on"]

QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print the result as JSON, for other programs.")
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace earlier results.")]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")]

LONGEST = 60
"""Letters of a name that are shown."""


def dump(data: Mapping[str, Any]) -> None:
    """Print JSON on standard output; not-a-number, which JSON does not have, becomes null."""
    text = json.dumps(_finite(data), ensure_ascii=False, indent=2)
    # Lone halves of a pair cannot be encoded; JSON has an escape for them.
    sys.stdout.write(text.encode("utf-8", "backslashreplace").decode("utf-8") + "\n")


def work_on(address: str | None) -> AbstractContextManager[Any]:
    """Send tasks to a cluster if an address of its scheduler was given."""
    if address is None:
        return nullcontext()
    # Imported here: it takes a moment, and most runs are on one machine.
    from spinney.scale.cluster import cluster

    return cluster(address)


def clean(name: Any) -> str:
    r"""Write a name in one line of bounded length, without what would steer a terminal.

    Examples
    --------
    >>> clean("two\nlines \x1b[31mred")
    'two lines [31mred'
    >>> len(clean("x" * 10_000))
    60
    """
    return plain_line(name, LONGEST)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        return None
    return value
