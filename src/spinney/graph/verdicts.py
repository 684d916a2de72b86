"""Whether each pair is present, absent or undecided, and how many are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney._core.pairs import to_pairs
from spinney._core.text import counted

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph

__all__ = ["ABSENT", "LIKELY", "PRESENT", "UNDECIDED", "verdicts", "verdicts_in_words"]

PRESENT, ABSENT, UNDECIDED = "present", "absent", "undecided"
LIKELY = "likely"
"""What an edge is called whose pair is not present for sure."""
ROUNDING = 1e-12


def verdicts(probabilities: ArrayLike, sure: float = 0.9) -> NDArray[Any]:
    """Call each pair present (P ≥ sure), absent (P ≤ 1 - sure) or undecided.

    A pair whose probability is not known (NaN) is undecided.

    Examples
    --------
    >>> verdicts([0.95, 0.9, 0.6, 0.1, np.nan])
    array(['present', 'present', 'undecided', 'absent', 'undecided'], dtype=object)
    """
    P = np.asarray(probabilities, dtype=float)
    found = np.full(P.shape, UNDECIDED, dtype=object)
    found[1.0 - sure + ROUNDING >= P] = ABSENT
    found[sure - ROUNDING <= P] = PRESENT
    return found


def verdicts_in_words(graph: LearnedGraph, brief: bool = False) -> str:
    """Count the verdicts of edges and of the other pairs.

    For instance "10 edges: 8 present (P ≥ 0.9), 2 likely; of the other 45 pairs 41 absent
    (P ≤ 0.1), 4 undecided."; `brief` leaves out the number of edges and the full stop.
    """
    P, edge = to_pairs(graph.scores), to_pairs(graph.joined.astype(float)) > 0.0
    found, sure = verdicts(P, graph.learner.sure), graph.learner.sure
    bounds = {PRESENT: f" (P ≥ {sure:g})", ABSENT: f" (P ≤ {1.0 - sure:g})"}

    def told(some: NDArray[np.bool_], open_word: str) -> str:
        names = {PRESENT: PRESENT, ABSENT: ABSENT, UNDECIDED: open_word}
        counts = {name: int((found[some] == verdict).sum()) for verdict, name in names.items()}
        words = [f"{n:,} {name}{bounds.get(name, '')}" for name, n in counts.items() if n]
        few = int(np.isnan(P[some]).sum())
        return ", ".join(words) + (f" ({few:,} with too few rows)" if few else "")

    head = "" if brief else f"{counted(int(edge.sum()), 'edge')}: "
    parts = [f"{head}{told(edge, LIKELY)}"] if edge.any() else []
    if not edge.all():
        others = counted(int((~edge).sum()), "pair")
        parts.append(f"of the {'other ' if parts else ''}{others} {told(~edge, UNDECIDED)}")
    text = "; ".join(parts)
    if brief:
        return text
    return f"{text[0].upper()}{text[1:]}."
