"""The record of a run, ``run.json``: how a graph was made, and what is needed to repeat it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spinney import __version__
from spinney._core.files import whole_file
from spinney.exceptions import InputError

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph

__all__ = ["FORMAT", "FORMAT_VERSION", "make_record", "read_run", "write_run"]

FORMAT = "spinney run"
FORMAT_VERSION = 1
MOST_BYTES = 50_000_000
"""Longest record; a longer file is something else."""

_PARTS: dict[str, type | tuple[type, ...]] = {
    "spinney_version": str,
    "command": list,
    "settings": dict,
    "data": dict,
    "result": dict,
}
"""Parts that a record needs to be repeated."""


def make_record(settings: Mapping[str, Any], time_s: float, **parts: Any) -> dict[str, Any]:
    """Put a record together, of plain values.

    Parameters
    ----------
    settings : mapping
        All that determines the graph besides the data.
    time_s : float
        Seconds that it took to learn.
    **parts
        ``command`` (the words of the command line), ``how`` (options that change no number, such
        as threads), ``data`` (path, name, format, checksum, size, decisions), ``known_edges``
        (pairs that were ``"required"`` and ``"forbidden"``), ``judge`` (name and fingerprint, or
        None), ``result`` (counts, and what was left out).

    Examples
    --------
    >>> record = make_record({"seed": 3}, 1.0, result={"edges": 2})
    >>> record["format"], record["seed"], record["result"]
    ('spinney run', 3, {'edges': 2})
    """
    from spinney._core.processor import machine  # here, to keep reading a record fast

    about = machine()
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "spinney_version": __version__,
        "made": datetime.now(UTC).isoformat(timespec="seconds"),
        "settings": dict(settings),
        "seed": settings.get("seed"),
        **parts,
        "python": about.pop("python"),
        "versions": {**about.pop("versions"), "pandas": version("pandas")},
        "machine": about,
        "time_s": round(time_s, 3),
    }


def write_run(path: Path, graph: LearnedGraph) -> None:
    """Write the record of the run that made a graph, as far as it is known."""
    record = {"format": FORMAT, "format_version": FORMAT_VERSION, **(graph.run or {})}
    with whole_file(path) as temporary:
        text = json.dumps(record, indent=2, ensure_ascii=False, allow_nan=False)
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:  # a lone surrogate in a name, for which JSON has an escape
            text = json.dumps(record, indent=2, allow_nan=False)
        temporary.write_text(f"{text}\n", encoding="utf-8", newline="\n")


def read_run(path: str | Path) -> dict[str, Any]:
    """Read a record, or refuse the file.

    Raises
    ------
    InputError
        If there is no such file, or it is damaged, not a record, or of a newer spinney.
    """
    path = Path(path)
    if path.is_dir():
        if not (path / "run.json").is_file():
            raise InputError(f"'{path}' is a folder without run.json. Name the file.")
        path = path / "run.json"
    try:
        if path.stat().st_size > MOST_BYTES:
            raise InputError(f"'{path}' is not a run.json of spinney: it is too long.")
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise InputError(f"There is no file '{path}'. Check the path.") from None
    except UnicodeDecodeError:
        raise InputError(f"'{path}' is not a run.json of spinney: it is not text.") from None
    except OSError as error:
        raise InputError(f"'{path}' cannot be read ({error.strerror}).") from error
    try:
        record = json.loads(text)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(
            f"'{path}' is damaged or not a run.json of spinney: it is not JSON{where}."
        ) from error
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise InputError(f"'{path}' is JSON, but not a run.json of spinney.")
    found = record.get("format_version")
    if isinstance(found, bool) or found != FORMAT_VERSION:  # True equals 1
        raise InputError(
            f"'{path}' has format version {found!r}; spinney {__version__} reads version "
            f"{FORMAT_VERSION}."
        )
    for part, kind in _PARTS.items():
        if not isinstance(record.get(part), kind):
            raise InputError(f"'{path}' is damaged: its {part!r} is missing or of a wrong kind.")
    return record
