"""Whether a comma or a dot stands before decimals or between thousands, column by column.

Most columns tell it themselves: ``1,5`` has a decimal comma, ``1,234,567`` has none. A column in
which every comma has three digits behind it may be read either way; then the other columns decide,
then what separates the cells, and what was assumed is said.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from spinney.tables.readers.numerals import PLAIN, Convention
from spinney.tables.readers.wording import listed, quoted

__all__ = ["Chosen", "Surveyed", "choose_conventions", "describe"]

DECIMAL_COMMA = Convention(",")
COMMA_THOUSANDS = Convention(".", ",")
DOT_THOUSANDS = Convention(",", ".")
FOUR_DIGITS = re.compile(r"\D?\d{4,}.*", re.DOTALL)
"""A number of four digits without a mark, as nobody writes it who marks thousands."""


class Surveyed(Protocol):
    """What is known of a column: its cells, its letters, and the conventions that fit."""

    cells: list[str]
    content: Literal["plain", "numbers", "truths", "text"]
    letters: set[str]
    counts: Counter[str]
    fits: tuple[Convention, ...]
    percent: bool

    def bare(self, cell: str) -> str:
        """Return a cell without its percent sign."""


@dataclass(frozen=True)
class Chosen:
    """A column's convention, an example, and why it was chosen if the column does not tell."""

    convention: Convention
    percent: bool = False
    example: str = ""
    value: str = ""
    reason: str = ""


def choose_conventions(
    surveys: Sequence[Surveyed], *, separator: str, typed: bool
) -> list[Chosen | None]:
    """Choose the convention of every column of numbers; None for others."""
    commas, dots = set(), set()  # columns that are not clear by themselves
    found: dict[int, Convention] = {}
    for k, survey in enumerate(surveys):
        if survey.content == "plain":
            found[k] = PLAIN
            if "." in survey.letters and not typed and _maybe_thousands(survey, DOT_THOUSANDS):
                dots.add(k)
        elif survey.content == "numbers":
            found[k] = survey.fits[0]
            both = DECIMAL_COMMA in survey.fits and COMMA_THOUSANDS in survey.fits
            if both and PLAIN not in survey.fits and _maybe_thousands(survey, COMMA_THOUSANDS):
                commas.add(k)
            if PLAIN in survey.fits and "." in survey.letters and not typed:
                dots |= {k} if _maybe_thousands(survey, DOT_THOUSANDS) else set()
    clear = {k: c.decimal for k, c in found.items() if k not in commas | dots}
    sure = {decimal for k, decimal in clear.items() if decimal in surveys[k].letters}
    reasons = {}
    for k in commas:
        found[k], reasons[k] = _settle_comma(sure, separator)
    for k in dots:
        found[k], reasons[k] = _settle_dot(sure)
    return [
        _chosen(survey, found[k], reasons.get(k, "")) if k in found else None
        for k, survey in enumerate(surveys)
    ]


def describe(names: Sequence[str], chosen: Sequence[Chosen | None]) -> list[str]:
    """Say in what conventions numbers were read, where it is not the plain one."""
    groups: dict[str, list[tuple[str, Chosen]]] = {}
    for name, choice in zip(names, chosen, strict=True):
        if choice is not None and (_marks(choice) or choice.reason):
            key = (_marks(choice) or "decimal dots") + choice.reason
            groups.setdefault(key, []).append((name, choice))
    said = []
    for members in groups.values():
        first = members[0][1]
        plural = "s" if len(members) > 1 else ""
        where = f"column{plural} {listed([quoted(name) for name, _ in members])}"
        said.append(
            f"{_marks(first) or 'decimal dots'} in {where} "
            f"({quoted(first.example)} read as {first.value}){first.reason}"
        )
    return said


def _maybe_thousands(survey: Surveyed, convention: Convention) -> bool:
    """Whether every number may have `convention`, and none has four digits without a mark."""
    cells = survey.counts or survey.cells
    bare = (survey.bare(cell) for cell in cells if cell)
    if survey.content == "numbers":
        bare = (cell for cell in bare if survey.fits[0].reads(cell))
    return all(convention.reads(cell) and not FOUR_DIGITS.fullmatch(cell) for cell in bare)


def _settle_comma(sure: set[str], separator: str) -> tuple[Convention, str]:
    if sure == {","}:
        return DECIMAL_COMMA, ", as in other columns"
    if sure == {"."}:
        return COMMA_THOUSANDS, ", as other columns have decimal dots"
    if separator == ";":
        return (
            DECIMAL_COMMA,
            ", as semicolons separate the columns (otherwise: --decimal .)",
        )
    return (
        COMMA_THOUSANDS,
        ", though nothing tells them from decimal commas (otherwise: --decimal ,)",
    )


def _settle_dot(sure: set[str]) -> tuple[Convention, str]:
    if sure == {","}:
        return DOT_THOUSANDS, ", as other columns have decimal commas"
    if sure:
        return PLAIN, ""
    return (
        PLAIN,
        ", though nothing tells them from marks of thousands (otherwise: --decimal ,)",
    )


def _marks(chosen: Chosen) -> str:
    words = []
    if chosen.convention.decimal == "," and "," in chosen.example:
        words.append("decimal commas")
    if chosen.convention.thousands:
        words.append(f"thousands marked by {chosen.convention.mark}s")
    if chosen.percent:
        words.append("percent signs")
    return listed(words) if words else ""


def _chosen(survey: Surveyed, convention: Convention, reason: str) -> Chosen:
    if convention == PLAIN and not survey.percent and not reason:
        return Chosen(PLAIN)
    cells = [cell for cell in (survey.counts or survey.cells) if cell]
    readable = [cell for cell in cells if convention.reads(survey.bare(cell))]
    # The cell that shows most of what was decided.
    example = max(readable, key=lambda cell: len(set(cell) & set(",.'’ %")))
    plain = convention.plain(survey.bare(example))
    return Chosen(convention, survey.percent, example, plain, reason)
