"""One sentence for each code of :mod:`spinney.notices`, for each door that speaks to the user.

The sentences stand in :mod:`spinney._core.wording`, in a module per area.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from string import Formatter
from typing import Any

from spinney._core import wording
from spinney._core.text import counted, quoted
from spinney.notices import Notice

__all__ = ["PYTHON", "TERMINAL", "Door", "all_words", "message_of", "sentence"]


@dataclass(frozen=True)
class Door:
    """How users of an interface name things.

    Attributes
    ----------
    options : bool
        Whether parameters are options of the command line.
    """

    options: bool = False

    def row_of(self, notice: Notice) -> str:
        """Name the first row of a notice: by its line, if the reader of a file has noted it.

        Examples
        --------
        >>> Door().row_of(Notice("column-gaps", rows=(2,)))
        'row 2'
        >>> Door().row_of(Notice("column-gaps", rows=(2,), facts={"line": 5, "file": "t.csv"}))
        'line 5 of t.csv'
        """
        if "line" in notice.facts:
            return f"line {notice.facts['line']} of {notice.facts['file']}"
        return f"row {notice.rows[0]}"


PYTHON = Door()
TERMINAL = Door(options=True)

Words = str | Callable[[Notice, Door], str]

AREAS = ("files", "tables", "graph", "judge", "pairs", "models", "cli")
"""Modules of :mod:`spinney._core.wording`, each imported when a code is not in those before it."""

OPTIONS: dict[str, tuple[str, str]] = {
    "in_kinds": ("in kinds={...}", "with --kind COLUMN=KIND"),
    "kinds": ("kinds", "--kind"),
    "units": ("units=", "--unit"),
    "with_T": (" with X.T", ""),
    "missing_pairwise": ('missing="pairwise"', "--missing pairwise"),
    "rows": ("rows=20000", "--rows 20000"),
    "missing_drop": ('missing="drop"', "--missing drop"),
    "dashes": ("", "--"),
    "with_sheet": ("sheet=", "--sheet"),
}
"""What a template may call a parameter, and its name in Python and on the command line."""


class _Templates(Formatter):
    """Templates with quoted text, capitals and counted nouns."""

    def convert_field(self, value: Any, conversion: Any) -> Any:
        if conversion == "q":
            return quoted(value)
        return value.capitalize() if conversion == "c" else super().convert_field(value, conversion)

    def format_field(self, value: Any, spec: str) -> Any:
        is_noun = spec.startswith("#")
        return counted(value, spec[1:]) if is_noun else super().format_field(value, spec)


_TEMPLATES = _Templates()


@cache
def all_words() -> dict[str, Words]:
    """Collect the words of all areas: a sentence for each code.

    A template of its facts, or a function where that is not enough.
    """
    words: dict[str, Words] = {}
    for area in AREAS:
        for code, says in import_module(f"{wording.__name__}.{area}").WORDS.items():
            if words.setdefault(code, says) is not says:
                raise ValueError(f"{area} words {code!r}, which another area has")
    return words


@cache
def _words_of(code: str) -> Words:
    """Find the words of a code in the first area that has it."""
    for area in AREAS:
        words: dict[str, Words] = import_module(f"{wording.__name__}.{area}").WORDS
        if code in words:
            return words[code]
    raise KeyError(code)


def sentence(notice: Notice, door: Door = PYTHON) -> str:
    """Put a notice into words.

    A template may use the facts by name, ``column`` and ``columns``, ``row``, which the door names,
    and the keys of :data:`OPTIONS`; ``{name!q}`` is quoted, ``{name!c}`` begins with a capital,
    and ``{number:#row}`` counts rows.

    Examples
    --------
    >>> sentence(Notice("column-constant", columns=("GDP",), facts={"n": 120}))
    "Column 'GDP' is constant over 120 rows, so it has no ranks. Drop it."
    """
    words = _words_of(notice.code)
    if callable(words):
        return words(notice, door)
    known: dict[str, Any] = {name: both[door.options] for name, both in OPTIONS.items()}
    known |= notice.facts
    if notice.columns:
        known |= {"column": notice.columns[0], "columns": ", ".join(map(repr, notice.columns))}
    if notice.rows:
        known["row"] = door.row_of(notice)
    return _TEMPLATES.vformat(words, (), known)


def message_of(said: object, door: Door = PYTHON) -> str:
    """Put an error or a warning into words: by its notice if it has one; or a notice itself.

    Examples
    --------
    >>> message_of(ValueError("oh"), TERMINAL)
    'oh'
    """
    notice = getattr(said, "notice", said)
    return sentence(notice, door) if isinstance(notice, Notice) else str(said)
