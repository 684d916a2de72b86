"""How the graph was made: the command, the settings, and how the file was read."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sized
from typing import Any

from spinney.report.content.facts import Facts

__all__ = ["command_of", "run"]

LONGEST = 2000
"""Characters of a setting that are shown; run.json has all."""


def run(facts: Facts) -> dict[str, Any]:
    """Write down how it was made, as text."""
    record = dict(facts.view.run or {})
    command = command_of(record.pop("command", None))
    return {
        "reading": [facts.say(line) for line in facts.view.reading],
        "command": command,
        "run": {key: facts.say(_text(value)) for key, value in _flat(record)},
    }


def _flat(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """List what a record holds, one level of its parts unfolded; what is empty is left out.

    Examples
    --------
    >>> list(_flat({"seed": 1, "settings": {"fdr": 0.1, "drop": []}, "sheet": None}))
    [('seed', 1), ('settings: fdr', 0.1)]
    """
    for key, value in record.items():
        parts = value if isinstance(value, Mapping) else {"": value}
        for name, part in parts.items():
            if part is not None and not (isinstance(part, Sized) and len(part) == 0):
                yield f"{key}: {name}" if name else str(key), part


def command_of(command: Any) -> str | None:
    """Return a command as one would type it, quoted for the shell.

    Examples
    --------
    >>> command_of(["spinney", "learn", "my data.csv"]), command_of(None)
    ("spinney learn 'my data.csv'", None)
    """
    if command is None or isinstance(command, str):
        return command
    return shlex.join(str(word) for word in command)


def _text(value: Any) -> str:
    """Write a setting as text.

    Examples
    --------
    >>> _text(0.5), _text(None), _text(True), _text(["a", 1]), _text({"a": {"b": 2}})
    ('0.5', 'none', 'yes', 'a, 1', 'a: b: 2')
    """
    if value is None or isinstance(value, bool):
        return {None: "none", True: "yes", False: "no"}[value]
    if isinstance(value, Mapping):
        text = "; ".join(f"{key}: {_text(part)}" for key, part in value.items())
    elif isinstance(value, list | tuple):
        text = ", ".join(_text(part) for part in value)
    else:
        text = value if isinstance(value, str) else str(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"
