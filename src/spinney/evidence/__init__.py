"""What a table says of its pairs, in the form that models take, and what of it is direct."""

from spinney.evidence.explained import (
    Explained,
    effective_rows,
    explained_pairs,
    shown_share,
)
from spinney.evidence.pairs import Evidence

__all__ = ["Evidence", "Explained", "effective_rows", "explained_pairs", "shown_share"]
