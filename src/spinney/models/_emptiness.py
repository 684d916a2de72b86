"""A word where a table with strong pairs gives a graph without edges."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spinney._core.pairs import pair_ends
from spinney.pairs.densities import PairDensities

__all__ = ["explain_empty"]


def explain_empty(
    adjacency: NDArray[np.bool_], evidence: PairDensities, names: Sequence[str]
) -> str:
    r"""Say why there is no edge, by the pair that comes closest to one.

    A pair that gains G nats from n rows is as strong as a Gaussian one with correlation
    :math:`\sqrt{1 - e^{-2G/n}}`. To stand out among N pairs it must gain about
    :math:`\tfrac{k}{2} \log n + \log N`, for its k parameters and for the search.

    Returns
    -------
    str
        Empty if there are edges.

    Examples
    --------
    >>> evidence = PairDensities(np.full((10, 3), [0.2, 0.0, 0.01]), n_parameters=[1, 0, 1])
    >>> explain_empty(np.zeros((3, 3), dtype=bool), evidence, ["a", "b", "c"])
    "No edge was kept. The strongest pair, 'a' and 'b', is as strong as a correlation of 0.57: a
    gain of 2.0 nats from 10 rows. To stand out among 3 pairs it would have to gain about 2.2; more
    rows or fewer columns would settle it."
    """
    if adjacency.any():
        return ""
    parameters = evidence.listed_parameters
    gains = evidence.listed.sum(axis=0) - 1e9 * (parameters == 0)
    best = int(np.argmax(gains)) if gains.size else -1
    if best < 0 or parameters[best] == 0 or gains[best] <= 0.0:
        return "No edge was kept: no pair says more about new rows than independence does."
    rows = max(float(evidence.listed_rows[best]), 1.0)
    strength = np.sqrt(-np.expm1(-2.0 * gains[best] / rows))
    needed = 0.5 * parameters[best] * np.log(rows) + np.log(evidence.n_pairs)
    number = best if evidence.pairs is None else evidence.pairs[best]
    u, v = (names[int(end)] for end in pair_ends(number, evidence.n_nodes))
    short = gains[best] < needed
    settle = (
        f"it would have to gain about {needed:.1f}; more rows or fewer columns would settle it."
        if short
        else f"a gain of about {needed:.1f} is enough: loosen the model's own penalty or tolerance."
    )
    return (
        f"No edge was kept. The strongest pair, '{u}' and '{v}', is as strong as a correlation of "
        f"{strength:.2f}: a gain of {gains[best]:.1f} nats from {rows:.0f} rows. To stand out "
        f"among {evidence.n_pairs} pairs {settle}"
    )
