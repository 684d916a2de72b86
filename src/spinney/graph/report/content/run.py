"""How the graph was made: the command, the settings, and how the file was read."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sized
from datetime import UTC, datetime
from typing import Any

from spinney.graph.report.content.facts import Facts

__all__ = ["command_of", "run"]

LONGEST = 2000
"""Characters of a setting that are shown; run.json has all."""

Path = tuple[str, ...]


def run(facts: Facts) -> dict[str, Any]:
    """Write down how it was made, as text."""
    record = dict(facts.view.run or {})
    if isinstance(record.get("versions"), Mapping) and "python" in record:
        record["versions"] = {"Python": record.pop("python"), **record["versions"]}
    command = command_of(record.pop("command", None))
    return {
        "reading": [facts.say(line) for line in facts.view.reading],
        "command": command,
        "run": {label: facts.say(text) for label, text in _told(record)},
    }


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


def _told(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """List what a record holds that is not empty: a line each, the known ones first.

    Examples
    --------
    >>> record = {"settings": {"drop": [], "fdr": 0.1}, "judge": None, "lab": {"room": {"no": 3}}}
    >>> list(_told(record))
    [('Largest share of false edges', '0.1'), ('lab, room, no', '3')]
    """
    told: set[Path] = set()
    for path, (label, text) in _LINES.items():
        told.add(path)
        value = _at(record, path)
        if not _is_nothing(value):
            yield label, _cut(text(value))
    for path, value in _leaves(record):
        starts = {path[: k + 1] for k in range(len(path))}
        if starts.isdisjoint(told | _ELSEWHERE):
            yield ", ".join(part.replace("_", " ") for part in path), _cut(_text(value))


def _at(record: Any, path: Path) -> Any:
    for part in path:
        record = record.get(part) if isinstance(record, Mapping) else None
    return record


def _is_nothing(value: Any) -> bool:
    empty = isinstance(value, Sized) and len(value) == 0
    return value is None or value is False or value == "auto" or empty


def _leaves(record: Mapping[str, Any], above: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Unfold the parts of a record; what is empty is left out."""
    for key, value in record.items():
        path = (*above, str(key))
        if isinstance(value, Mapping):
            yield from _leaves(value, path)
        elif not _is_nothing(value):
            yield path, value


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


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
        parts = ((key, part) for key, part in value.items() if not _is_nothing(part))
        return ", ".join(f"{key} {_text(part)}" for key, part in parts)
    if isinstance(value, list | tuple):
        return ", ".join(map(_text, value))
    return str(value)


def _data(data: Any) -> str:
    """Say which file it was, and how large.

    Examples
    --------
    >>> _data({"path": "my/cells.csv", "rows": 120, "columns": 6, "bytes": 4390})
    'my/cells.csv, 120 rows, 6 columns, 4,390 bytes'
    """
    if not isinstance(data, Mapping):
        return _text(data)
    sizes = [f"{data[key]:,} {key}" for key in ("rows", "columns", "bytes")
             if isinstance(data.get(key), int)]  # fmt: skip
    return ", ".join([str(data.get("path") or data.get("name") or "unknown"), *sizes])


def _moment(value: Any) -> str:
    """Write a moment as one reads it.

    Examples
    --------
    >>> _moment("2026-11-16T07:10:12+00:00"), _moment("yesterday")
    ('2026-11-16 07:10 UTC', 'yesterday')
    """
    try:
        return f"{datetime.fromisoformat(str(value)).astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return _text(value)


def _libraries(names: Any) -> str:
    """List libraries; of some the version is not known."""
    return _text([str(name).removesuffix(" None") for name in names])


def _seconds(value: Any) -> str:
    return f"{value:g} s" if isinstance(value, int | float) else _text(value)


def _times(times: Any) -> str:
    """Say how long the parts of the work took.

    Examples
    --------
    >>> _times({"reading": 4.054, "all": 8.948})
    'reading 4.1 s, 8.9 s in all'
    """
    if not isinstance(times, Mapping):
        return _text(times)
    words = {"all": "{:.1f} s in all"}
    return ", ".join(
        words.get(key, f"{key} {{:.1f}} s").format(value)
        for key, value in times.items()
        if isinstance(value, int | float)
    )


def _edges(pairs: Any) -> str:
    """Write pairs of columns as edges."""
    if not isinstance(pairs, list | tuple):
        return _text(pairs)
    return ", ".join(" – ".join(map(str, pair)) for pair in pairs)


def _left_out(columns: Any) -> str:
    if not isinstance(columns, Mapping):
        return _text(columns)
    return "; ".join(f"{name} ({reason})" for name, reason in columns.items())


def _threads(jobs: Any) -> str:
    return "all cores" if jobs == -1 else _text(jobs)


_LINES: dict[Path, tuple[str, Callable[[Any], str]]] = {
    ("made",): ("Made", _moment),
    ("data",): ("Data", _data),
    ("data", "sha256"): ("Checksum of the data (SHA-256)", _text),
    ("settings", "estimator"): ("Estimator", _text),
    ("judge",): ("Judge", lambda judge: _text(list(judge.values())) if isinstance(judge, Mapping)
                 else _text(judge)),
    ("settings", "columns"): ("Columns chosen", _text),
    ("settings", "drop"): ("Columns dropped", _text),
    ("settings", "kind"): ("Kinds that were given", _text),
    ("result", "left_out"): ("Columns left out", _left_out),
    ("settings", "missing"): ("Way with gaps", _text),
    ("settings", "ties"): ("Rule for ties", _text),
    ("settings", "sheet"): ("Sheet", _text),
    ("settings", "header"): ("Header", _text),
    ("settings", "decimal"): ("Decimal mark", _text),
    ("settings", "fdr"): ("Largest share of false edges", _text),
    ("known_edges", "required"): ("Required edges", _edges),
    ("known_edges", "forbidden"): ("Forbidden edges", _edges),
    ("settings", "required"): ("File of required edges", _text),
    ("settings", "forbidden"): ("File of forbidden edges", _text),
    ("settings", "families"): ("Copula families", _text),
    ("settings", "criterion"): ("Criterion of pair copulas", _text),
    ("settings", "compare"): ("Other methods asked", _text),
    ("settings", "group"): ("Groups by", _text),
    ("settings", "stability"): ("Splits for stability", _text),
    ("settings", "seed"): ("Seed", _text),
    ("how", "time_limit_s"): ("Time limit", _seconds),
    ("result", "cut_short", "comparisons"): ("Not asked for want of time", _text),
    ("result", "cut_short", "stability_fits"): ("Fits for stability until the time limit",
                                                lambda fits: _text(list(fits.values()))
                                                if isinstance(fits, Mapping) else _text(fits)),
    ("how", "out"): ("Folder of the results", _text),
    ("how", "force"): ("Earlier results replaced", _text),
    ("how", "model"): ("Model written", _text),
    ("times_s",): ("Time", _times),
    ("how", "jobs"): ("Threads asked for", _threads),
    ("machine", "threads"): ("Threads used", _text),
    ("machine", "processor"): ("Processor", _text),
    ("machine", "lanes"): ("Registers", _text),
    ("machine", "system"): ("System", _text),
    ("machine", "blas"): ("Linear algebra", _libraries),
    ("versions",): ("Versions", _text),
}  # fmt: skip
"""What is told of a record, in this order: where it stands, its name, and how it is written."""

_ELSEWHERE: frozenset[Path] = frozenset(
    {("format",), ("format_version",), ("spinney_version",), ("seed",), ("result",), ("files",)}
)
"""What the page says elsewhere, or a line above says already."""
