"""What a table says of its pairs, in the form that models take, and what of it is direct."""

from spinney.densities.explained import (
    Explained,
    effective_rows,
    explained_pairs,
    shown_share,
)
from spinney.densities.pairs import PairDensities, PairEvidence
from spinney.densities.sums import subset_sums

__all__ = [
    "Explained",
    "PairDensities",
    "PairEvidence",
    "effective_rows",
    "explained_pairs",
    "shown_share",
    "subset_sums",
]
