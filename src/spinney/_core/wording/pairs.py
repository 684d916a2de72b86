"""Words about fitting the densities of pairs."""

from __future__ import annotations

from spinney.notices import Notice
from spinney.wording import Door, Words

__all__ = ["WORDS"]


def _ties(notice: Notice, door: Door) -> str:
    first, *others = notice.columns
    more = f" (and {len(others)} more)" if others else ""
    how = "--ties random" if door.options else "ties='random'"
    return (
        f"Column '{first}'{more} has {notice.facts['distinct']} distinct values, and "
        f"{notice.facts['share']:.0%} of all pairs of its rows tie. Average ranks then make "
        f"independent columns look dependent. Use {how}, or leave it out."
    )


WORDS: dict[str, Words] = {
    "ties-many": _ties,
    "densities-too-large": (
        "The densities of {n:,} rows and {n_pairs:,} pairs take about {needed:.1f} GB, and the "
        "machine has {has:.1f} GB. Learn from fewer rows, such as {rows}."
    ),
}
