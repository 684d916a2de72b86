"""From a table to pseudo-observations in (0, 1) by ranks, and back through smooth marginals."""

from spinney.pairs.margins.levels import (
    MOST_LEVELS,
    TIED,
    MixedTies,
    check_mixed_ties,
    needs_levels,
)
from spinney.pairs.margins.mixed import MixedMarginals
from spinney.pairs.margins.ranks import pseudo_observations
from spinney.pairs.margins.row_order import canonical_order, order_rows
from spinney.pairs.margins.smooth import SmoothMarginal
from spinney.pairs.margins.transformer import SMALLEST_U, Marginals

__all__ = [
    "MOST_LEVELS",
    "SMALLEST_U",
    "TIED",
    "Marginals",
    "MixedMarginals",
    "MixedTies",
    "SmoothMarginal",
    "canonical_order",
    "check_mixed_ties",
    "needs_levels",
    "order_rows",
    "pseudo_observations",
]
