"""What channels are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spinney.evidence.gains import Gains
    from spinney.evidence.scores import Scores
    from spinney.forests.posterior import Ladder

__all__ = ["Measured"]


@dataclass(frozen=True, eq=False)
class Measured:
    """What was measured of a table, for every group of channels to read.

    Attributes
    ----------
    ladder : Ladder
        Probabilities of edges, from four rows that share a forest to all.
    gains : Gains
        Log-likelihoods of all pairs, and what their densities are.
    scores : Scores
        Scores of all columns, and facts of each.
    """

    ladder: Ladder
    gains: Gains
    scores: Scores
