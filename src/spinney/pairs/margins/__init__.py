"""From a table to pseudo-observations in (0, 1) by ranks, and back through smooth marginals."""

from spinney._core.choices import Ties, check_ties
from spinney.pairs.margins.levels import MOST_LEVELS, TIED
from spinney.pairs.margins.margins import Margins, pseudo_observations
from spinney.pairs.margins.ranks import SMALLEST_U, canonical_order, order_rows
from spinney.pairs.margins.smooth import SmoothMarginal

__all__ = [
    "MOST_LEVELS",
    "SMALLEST_U",
    "TIED",
    "Margins",
    "SmoothMarginal",
    "Ties",
    "canonical_order",
    "check_ties",
    "order_rows",
    "pseudo_observations",
]
