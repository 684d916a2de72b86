"""What a table says of its pairs, in the form that models take, and what of it is direct."""

from spinney.pairs.densities.explained import (
    Explained,
    effective_rows,
    explained_pairs,
    shown_share,
)
from spinney.pairs.densities.pairs import PairDensities, PairEvidence, SumsAhead
from spinney.pairs.densities.sums import subset_sums

__all__ = [
    "Explained",
    "PairDensities",
    "PairEvidence",
    "SumsAhead",
    "effective_rows",
    "explained_pairs",
    "shown_share",
    "subset_sums",
]
