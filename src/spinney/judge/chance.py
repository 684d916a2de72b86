r"""Prior odds of edges in a wide table, of which the judge saw a part at a time.

In a neighbourhood of :math:`d_k` columns the judge weighs a pair against the pairs that it sees.
The whole table of d columns has more, and a neighbourhood, made of strong pairs, has its share of
those that are strong by chance. Of all pairs

.. math:: m(z) = d (d - 1) \bigl(1 - \Phi(z)\bigr)

are by chance as strong as z; against E edges in the table they are :math:`x = c\, m / E`, and in a
neighbourhood that were a table of its own :math:`x d_k / d`. So from the logit of a pair is taken

.. math:: \kappa \log \frac{1 + x}{1 + x\, d_k / d},

next to nothing where no pair is so strong by chance, and up to :math:`\kappa \log (d / d_k)` where
most are. E is the expected number of edges that are kept, found by repeating this from E = d on,
and at least 0.003 d: the fewer edges a table has, the more is asked of each.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, ndtr

__all__ = ["correct_for_chance"]

Floats = NDArray[np.float64]

WEIGHT, POWER, FEWEST = 5.0, 2.5, 0.003
"""c, kappa and the least number of edges for each column. Chosen on tuning tables of 400 and 1,000
columns (docs/wide.md), for the likelihood of the true edges and for expected numbers of false and
missed edges that agree with the true ones."""
ROUNDS = 6
"""How often the number of edges is found anew; it settles after three or four."""


def correct_for_chance(
    logits: ArrayLike, strength: ArrayLike, log_parts: ArrayLike, n_nodes: int
) -> Floats:
    r"""Correct logits that were found in parts of a table for the rest of it; see the module.

    Parameters
    ----------
    logits : array of shape (n_pairs,)
        Mean logit of each pair in the neighbourhoods that it was judged in.
    strength : array of shape (n_pairs,)
        How strong the pair is, as the size of a standard normal variable.
    log_parts : array of shape (n_pairs,)
        Mean of :math:`\log (d / d_k)` over these neighbourhoods.
    n_nodes : int
        Columns d of the table.

    Examples
    --------
    Of 1,000 columns, some pairs are as strong as 4 by chance, and none is as strong as 9:

    >>> logits = correct_for_chance([2.0, 2.0], [4.0, 9.0], np.log([1000 / 300] * 2), 1000)
    >>> bool(logits[0] < 1.5), round(float(logits[1]), 6)
    (True, 2.0)
    """
    given, away = np.asarray(logits, dtype=float), np.asarray(log_parts, dtype=float)
    by_chance = n_nodes * (n_nodes - 1.0) * ndtr(-np.asarray(strength, dtype=float))
    edges, corrected = float(n_nodes), given
    for _ in range(ROUNDS):
        share = WEIGHT * by_chance / (edges + FEWEST * n_nodes)
        corrected = given - POWER * (np.log1p(share) - np.log1p(share * np.exp(-away)))
        kept = corrected > 0.0
        edges = float(expit(corrected[kept]).sum())
    return corrected
