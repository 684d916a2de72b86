"""What is said where the densities of pairs are fitted."""

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


def _densities(notice: Notice, door: Door) -> str:
    n, n_pairs = notice.facts["n"], notice.facts["n_pairs"]
    how = "--rows 20000" if door.options else "rows=20000"
    return (
        f"The log-densities of {n:,} rows and {n_pairs:,} pairs would take "
        f"{8e-9 * n * n_pairs:.1f} GB, so they are summed and not kept. Learn from fewer rows "
        f"({how}) to have what needs them all."
    )


WORDS: dict[str, Words] = {"ties-many": _ties, "densities-not-held": _densities}
