"""What commands print, and whether they may write: the same for all of them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from spinney._text import plain_line
from spinney.exceptions import InputError

__all__ = ["DebugOption", "ForceOption", "JsonOption", "QuietOption", "check_out", "clean", "dump"]

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


def check_out(folder: Path, files: Iterable[str], force: bool) -> None:
    """Find out before the work, not after it, whether files may be written to a folder."""
    if folder.exists() and not folder.is_dir():
        raise InputError(f"'{folder}' is a file. Name a folder with --out.")
    there = [name for name in files if (folder / name).exists()]
    if there and not force:
        raise InputError(
            f"'{folder}' already holds {', '.join(there)}. "
            "Give --force to replace, or another folder with --out."
        )
    place = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise InputError(f"'{place}' cannot be written to. Name another folder with --out.")


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    if isinstance(value, float) and (value != value or value in (float("inf"), -float("inf"))):
        return None
    return value
