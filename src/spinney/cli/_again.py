"""``--again run.json``: an earlier run, done once more."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from spinney import __version__
from spinney.cli._extras import CutShort
from spinney.cli._settings import Settings, option_of
from spinney.exceptions import DataWarning, InputError
from spinney.graph.report.run_record import read_run

__all__ = ["Earlier", "check_alone", "read_earlier"]

FREE = frozenset(
    {
        *("data", "again", "out", "force", "model", "jobs", "cluster", "time_limit"),
        *("quiet", "json", "debug"),
    }
)
"""Options that change no number, and may stand beside ``--again``."""


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_whole(value: Any) -> bool:
    return type(value) is int and value >= 0


def _or_none(check: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or check(value)


_CHECKS: dict[str, Callable[[Any], bool]] = {
    **dict.fromkeys(
        ("estimator", "missing", "ties", "header", "decimal", "screen", "device"), _is_text
    ),
    **dict.fromkeys(
        ("families", "criterion", "required", "forbidden", "sheet", "group"), _or_none(_is_text)
    ),
    **dict.fromkeys(("columns", "drop", "kind"), _are_texts),
    "fdr": _or_none(lambda value: type(value) in (int, float) and 0 <= value <= 1),
    "compare": lambda value: isinstance(value, bool),
    "stability": _or_none(_is_whole),
    "precision": _or_none(lambda value: type(value) is float and 0 < value < 1),
    "rows": _or_none(lambda value: value == "all" or (_is_text(value) and value.isdecimal())),
    "seed": _is_whole,
}


@dataclass(frozen=True)
class Earlier:
    """An earlier run.

    Attributes
    ----------
    path : Path
        Its record.
    record : dict
        All of it.
    settings : Settings
        What it was asked for.
    data : str
        The data to do it with.
    """

    path: Path
    record: dict[str, Any]
    settings: Settings
    data: str

    @property
    def known_edges(self) -> dict[str, Any]:
        """Edges that it was told beforehand."""
        return dict(self.record.get("known_edges") or {})

    @property
    def cut_short(self) -> CutShort:
        """What it left out for want of time."""
        told = self.record["result"].get("cut_short") or {}
        return CutShort(tuple(told.get("comparisons", ())), dict(told.get("stability_fits", {})))

    def warn_of_differences(self, checksum: str, judge: str | None) -> None:
        """Say what is not as it was, so that the graph may be another."""
        version = self.record["spinney_version"]
        then = {
            "The data are not those of the earlier run: their checksum differs.": (
                self.record["data"].get("sha256"),
                checksum,
            ),
            "The judge is not that of the earlier run.": (
                (self.record.get("judge") or {}).get("fingerprint"),
                judge,
            ),
            f"The earlier run was made by spinney {version}; this is {__version__}.": (
                version,
                __version__,
            ),
        }
        for sentence, (before, now) in then.items():
            if before != now:
                told = f"{sentence} So the graph may be another."
                warnings.warn(told, DataWarning, stacklevel=2)

    def tables_are_the_same(self, folder: Path) -> bool:
        """Whether all tables of results in a folder are what they were, byte by byte."""
        files = self.record.get("files") or {}
        tables = {name: told for name, told in files.items() if str(name).endswith(".csv")}
        return bool(tables) and all(
            (folder / name).is_file() and sha256((folder / name).read_bytes()).hexdigest() == told
            for name, told in tables.items()
        )


def check_alone(given: set[str]) -> None:
    """Refuse options beside ``--again`` that would change the graph."""
    beside = sorted(given - FREE)
    if beside:
        raise InputError(
            f"--again takes all settings from run.json. Leave {option_of(beside[0])} out, or "
            "leave --again out."
        )


def read_earlier(path: Path, data: str | None) -> Earlier:
    """Read the record of an earlier run, and find its data if none are given."""
    record = read_run(path)
    path = path / "run.json" if path.is_dir() else path
    known = {field.name: field for field in fields(Settings)}
    told = record["settings"]
    strange = sorted(set(told) - set(known))
    if strange:
        raise InputError(
            f"'{path}' has a setting that spinney {__version__} does not know: {strange[0]!r}."
        )
    values: dict[str, Any] = {}
    for name, field in known.items():
        if name not in told and field.default is not MISSING:
            continue  # of an older version, which did not have it yet
        value = told.get(name)
        if not _CHECKS[name](value):
            raise InputError(f"'{path}' is damaged: its setting {name!r} is {value!r}.")
        values[name] = tuple(value) if isinstance(value, list) else value
    return Earlier(path, record, Settings(**values), data or _find_data(path, record["data"]))


def _find_data(path: Path, told: dict[str, Any]) -> str:
    """Look for the data where they were, then beside the folder of the results."""
    named = told.get("path")
    if not isinstance(named, str) or not named:
        raise InputError(f"'{path}' is damaged: it does not name its data.")
    if named == "-":
        raise InputError(
            f"The run of '{path}' read standard input. Give the data: "
            f"spinney learn --again {path} DATA."
        )
    for place in (Path(named), path.absolute().parent.parent / Path(named).name):
        if place.is_file():
            return str(place)
    raise InputError(
        f"There is no file '{named}' any more, from which '{path}' was learned. Give the data: "
        f"spinney learn --again {path} DATA."
    )
