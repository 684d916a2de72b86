"""How the graph was made: the command, the settings, and how the file was read."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sized
from datetime import UTC, datetime
from typing import Any

from spinney._core.text import shorten_end
from spinney.graph.report.content.facts import Facts

__all__ = ["command_of", "run"]

LONGEST = 2000
"""Longest setting shown; run.json has all."""


def run(facts: Facts) -> dict[str, Any]:
    """Describe how the graph was made, as text."""
    record = dict(facts.graph.run or {})
    lines = {}
    for place, (label, text) in _LINES.items():
        value: Any = record
        for part in place.split("/"):
            value = (value or {}).get(part)
        empty = isinstance(value, Sized) and len(value) == 0
        if value is not None and value is not False and value != "auto" and not empty:
            lines[label] = facts.say(shorten_end(text(value), LONGEST))
    if "python" in record and "Versions" in lines:
        lines["Versions"] = f"Python {record['python']}, {lines['Versions']}"
    return {
        "reading": [facts.say(line) for line in facts.graph.reading],
        "command": command_of(record.get("command")),
        "run": lines,
    }


def command_of(command: Any) -> str | None:
    """Return a command as typed, quoted for the shell.

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
    >>> _text(0.5), _text(True), _text(["a", 1]), _text({"a": 2, "b": None})
    ('0.5', 'yes', 'a, 1', 'a 2')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_text(part)}" for key, part in value.items() if part is not None)
    return ", ".join(map(_text, value)) if isinstance(value, list | tuple) else str(value)


def _data(data: Mapping[str, Any]) -> str:
    """Name the file and its size.

    Examples
    --------
    >>> _data({"path": "my/cells.csv", "rows": 120, "columns": 6, "bytes": 4390})
    'my/cells.csv, 120 rows, 6 columns, 4,390 bytes'
    """
    sizes = [f"{data[key]:,} {key}" for key in ("rows", "columns", "bytes") if data.get(key)]
    return ", ".join([str(data.get("path") or data.get("name") or "unknown"), *sizes])


def _moment(value: str) -> str:
    """Write a time stamp in a readable form.

    Examples
    --------
    >>> _moment("2026-11-16T07:10:12+00:00")
    '2026-11-16 07:10 UTC'
    """
    return f"{datetime.fromisoformat(value).astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _edges(pairs: list[list[str]]) -> str:
    return ", ".join(" – ".join(pair) for pair in pairs)


def _values(parts: Mapping[str, Any]) -> str:
    return _text(list(parts.values()))


_LINES: dict[str, tuple[str, Callable[[Any], str]]] = {
    "made": ("Made", _moment),
    "data": ("Data", _data),
    "data/sha256": ("Checksum of the data (SHA-256)", _text),
    "settings/estimator": ("Estimator", _text),
    "judge": ("Judge", _values),
    "result/left_out": (
        "Columns left out",
        lambda names: "; ".join(f"{name} ({why})" for name, why in names.items()),
    ),
    "known_edges/required": ("Required edges", _edges),
    "known_edges/forbidden": ("Forbidden edges", _edges),
    "settings/seed": ("Seed", _text),
    "time_s": ("Time", "{:.1f} s".format),
    "machine/threads": ("Threads used", _text),
    "machine/processor": ("Processor", _text),
    "machine/system": ("System", _text),
    "versions": ("Versions", _text),
}
"""Lines of the page in order: path within the record, label, and how the value is written. The
command, which is shown too, has the settings."""
