"""Stability in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from spinney._core.text import counted, probability_text
from spinney.graph.words import fill

if TYPE_CHECKING:
    from spinney.graph.stability import Stability

__all__ = ["HOW_TO_READ", "tell_stability"]

FIRM, SHAKY = 0.9, 0.5
"""Frequencies from which an edge is called stable, and below which it is called unstable."""
MOST_LISTED = 5

HOW_TO_READ = (
    "A probability says how sure an edge is given all rows; a frequency says how often half of "
    "the rows suffice to find it, and is no probability. Half of the rows show less: an edge that "
    "is true but weak can have a probability of 0.9 and come in 40 % of the halves. So a high "
    "frequency speaks for an edge, and a low one says that it is near the limit of what so many "
    "rows can show, or hangs on a few of them: look at its data before building on it."
)


def tell_stability(stability: Stability) -> str:
    """Tell which edges come again and which do not, and how to read that."""
    parts = [fill(_counts(stability)), *_lists(stability.pairs), fill(HOW_TO_READ)]
    if stability.warnings:
        notes = [fill(note, indent="  - ", rest="    ") for note in stability.warnings]
        parts.append("\n".join(["Be careful:", *notes]))
    return "\n\n".join(part for part in parts if part)


def _counts(stability: Stability) -> str:
    if not stability.n_fits:
        return (
            "Time was up before the first fit to half of the rows: nothing is known of stability."
        )
    text = (
        f"The graph was learned again from random halves of the rows ({stability.n_rows:,} each), "
        f"{counted(stability.n_fits, 'time')}."
    )
    if not stability.is_complete:
        text += (
            f" ({2 * stability.n_splits} were asked for, but time was up: frequencies are less "
            "exact.)"
        )
    edges = stability.pairs.query("edge")
    firm, shaky = (edges["frequency"] >= FIRM).sum(), (edges["frequency"] < SHAKY).sum()
    return (
        f"{text} Of {counted(len(edges), 'edge')} {firm} came in at least "
        f"{100 * FIRM:.0f} % of the fits, and {shaky} in fewer than half."
    )


def _lists(pairs: pd.DataFrame) -> list[str]:
    edges = pairs[pairs["edge"] & (pairs["frequency"] < SHAKY)]
    others = pairs[~pairs["edge"] & (pairs["frequency"] > SHAKY)]
    return [
        _listed("Edges that halves mostly do not show", edges.iloc[::-1]),
        _listed("Pairs that are no edges here, but came in more than half of the fits", others),
    ]


def _listed(title: str, pairs: pd.DataFrame) -> str:
    if pairs.empty:
        return ""
    told = [_pair(row) for row in pairs.head(MOST_LISTED).to_dict("records")]
    more = len(pairs) - len(told)
    return fill(f"{title}: {'; '.join(told)}{f'; and {more} more' if more else ''}.")


def _pair(row: dict[Any, Any]) -> str:
    return (
        f"{row['source']} – {row['target']} (in {100 * row['frequency']:.0f} % of the fits, "
        f"probability {probability_text(row['probability'])})"
    )
