"""The ladder of shared forests, and its channels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney.evidence.channels import Measured, even, logit
from spinney.evidence.gains import Gains
from spinney.forests import Network, solve_batch
from spinney.forests.posterior import Ladder, default_sizes

__all__ = ["CHANNELS", "RUNGS", "channels", "measure_ladder"]

Floats = NDArray[np.float64]

RUNGS = (4, 8, 16, 32, 64, 128, 256)
"""Numbers of rows at which the ladder is asked, besides 0.8 n and n."""
TOLERANCE = 1e-10

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


def measure_ladder(gains: Gains, n: int, d: int, row_shares: Floats) -> Ladder:
    """Compute the posterior of one forest that is shared by some rows, for several numbers of them.

    What m of the n rows say is taken to be m / n of what all say: no rows are drawn, and the
    families of a pair are averaged (:meth:`Gains.log_weights`).

    Examples
    --------
    >>> from spinney.evidence.gains import read_gains
    >>> from spinney.pairs.pair_fit import PairFit
    >>> from spinney.tables import read_table
    >>> X = np.random.default_rng(0).normal(size=(1000, 3)).cumsum(axis=1)
    >>> rungs = measure_ladder(read_gains(PairFit().fit(read_table(X))), 1000, 3, np.ones(3))
    >>> rungs.sizes
    array([   4,    8,   16,   32,   64,  128,  256,  800, 1000])
    >>> rungs.probabilities[[0, 4, 8]].round(2)  # a chain: its ends are no edge
    array([[0.42, 0.26, 0.58],
           [1.  , 0.  , 1.  ],
           [1.  , 0.  , 1.  ]])
    """
    sizes = default_sizes(n)
    wanted = sorted({m for m in sizes if m <= RUNGS[-1]} | set(sizes[-2:]))
    weights = np.stack([gains.log_weights(m, n, row_shares) for m in wanted]) - np.log(d)
    possible = np.isfinite(weights).all(axis=0)
    network = Network(d, None, possible)
    probabilities = solve_batch(weights, network, 1.0, TOLERANCE)[0]
    return Ladder(np.array(wanted), np.ones(len(wanted), dtype=np.int64), probabilities, n)


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
