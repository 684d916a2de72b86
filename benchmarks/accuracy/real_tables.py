"""Truths behind tables as people have them: columns with levels, and gaps.

All have 25 nodes, so that they compare with the other cells; those that start from the founding
paper's connected truth share its seeds, so that a seed has the same graph and the same values
behind its levels and gaps in all of them. ``complete`` is that table as it is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from training.world.tables import gaps_by_columns

from reproduce.experiments import TRUTHS, Simulator
from spinney.simulate import Simulated, ising_forest, potts_forest, threshold, with_gaps

CONNECTED = TRUTHS["connected"][1]


def _missing_by_others(data: Simulated, share: float) -> Simulated:
    missing = gaps_by_columns(data.X, data.adjacency, share, data.seed)
    return replace(data, X=np.where(missing, np.nan, data.X))


TABLE_KINDS: dict[str, tuple[str, Simulator]] = {
    "ising": (
        "tree of binary columns, 25 nodes, 24 edges",
        lambda n, seed: ising_forest(n, 25, 1, seed),
    ),
    "nominal": (
        "two trees of columns of 3 to 5 levels without order, 25 nodes, 23 edges",
        lambda n, seed: potts_forest(n, 25, 2, (3, 5), seed),
    ),
    "ordinal": (
        "GMRF, 25 nodes, 25 edges, all columns cut into 5 levels",
        lambda n, seed: threshold(CONNECTED(n, seed), "ordinal"),
    ),
    "mixed-kinds": (
        "GMRF, 25 nodes, 25 edges, a third continuous, a third of 5 levels, a third binary",
        lambda n, seed: threshold(CONNECTED(n, seed), "mixed"),
    ),
    "complete": ("GMRF, 25 nodes, 25 edges, no gaps", CONNECTED),
    "gaps-10": (
        "GMRF, 25 nodes, 25 edges, 10 % of the values missing at random",
        lambda n, seed: with_gaps(CONNECTED(n, seed), 0.1),
    ),
    "gaps-30": (
        "GMRF, 25 nodes, 25 edges, 30 % of the values missing at random",
        lambda n, seed: with_gaps(CONNECTED(n, seed), 0.3),
    ),
    "gaps-depends": (
        "GMRF, 25 nodes, 25 edges, 40 % of 12 columns missing, depending on the other 13",
        lambda n, seed: _missing_by_others(CONNECTED(n, seed), 0.4),
    ),
}
"""What the truth looks like, and how a table is drawn from it."""

TABLE_ROWS = (100, 500, 2000)
