"""What a table says of its pairs, in the form that models take, and what of it is direct."""

from spinney.densities.explained import (
    Explained,
    effective_rows,
    explained_pairs,
    shown_share,
)
from spinney.densities.pairs import PairDensities

__all__ = ["Explained", "PairDensities", "effective_rows", "explained_pairs", "shown_share"]
