"""From a table to pseudo-observations in (0, 1) by ranks, and back through smooth marginals."""

from spinney.marginals.ranks import pseudo_observations
from spinney.marginals.row_order import canonical_order
from spinney.marginals.smooth import SmoothMarginal
from spinney.marginals.transformer import Marginals

__all__ = ["Marginals", "SmoothMarginal", "canonical_order", "pseudo_observations"]
