"""The ladder of shared forests, and its channels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney.evidence.channels import Measured, even, logit
from spinney.forests.posterior import Ladder, default_sizes, ladder
from spinney.pairs.densities import PairDensities

__all__ = ["CHANNELS", "N_SUBSETS", "RUNGS", "channels", "measure_ladder"]

Floats = NDArray[np.float64]

RUNGS = (4, 8, 16, 32, 64, 128, 256)
"""Numbers of rows at which the ladder is asked, besides 0.8 n and n."""
N_SUBSETS = 24
"""Subsets of rows of each size."""

CHANNELS = even(
    "ladder",
    **{
        f"ladder_{m}": f"logit of the ladder's probability of the edge where {m} rows share a "
        "forest (or as many as come nearest below n)"
        for m in RUNGS
    },
    ladder_most="the same where 0.8 n rows share a forest",
    ladder_all="the same where all n rows share a forest",
)


def measure_ladder(
    densities: PairDensities, random_state: int, threads: int | None, device: str = "cpu"
) -> Ladder:
    """Average the posterior of one shared forest over subsets of the sizes that channels need.

    Examples
    --------
    >>> from spinney.pairs.densities import PairDensities
    >>> densities = PairDensities(np.ones((1000, 3)))
    >>> measure_ladder(densities, 0, 1).sizes
    array([   4,    8,   16,   32,   64,  128,  256,  800, 1000])
    """
    n = densities.n_samples
    sizes = default_sizes(n)
    wanted = {m for m in sizes if m <= RUNGS[-1]} | set(sizes[-2:])
    return ladder(
        densities,
        None,
        sorted(wanted),
        N_SUBSETS,
        random_state=random_state,
        threads=threads,
        device=device,
    )


def channels(measured: Measured) -> dict[str, Floats]:
    """Compute the channels of the group "ladder".

    Where n is too small for a size, the largest size below n takes its place.
    """
    rungs = measured.ladder
    odds = logit(rungs.probabilities)
    below = int((rungs.sizes < rungs.n_samples).sum())
    most = odds[max(below - 1, 0)]
    place = {int(m): k for k, m in enumerate(rungs.sizes[:below])}
    rows = {f"ladder_{m}": odds[place[m]] if m in place else most for m in RUNGS}
    return {**rows, "ladder_most": most, "ladder_all": odds[-1]}
