"""A word where a table with strong pairs gives a graph without edges."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from spinney._pairs import pair_nodes
from spinney.evidence import Evidence
from spinney.exceptions import DataWarning

__all__ = ["explain_empty"]

STRONG = 0.4
"""Correlation of a Gaussian pair with the same gain from which a user would wonder."""


def explain_empty(adjacency: NDArray[np.bool_], evidence: Evidence, names: Sequence[str]) -> None:
    r"""Say why there is no edge although a pair looks strong.

    A pair that gains G nats from n rows is as strong as a Gaussian one with correlation
    :math:`\sqrt{1 - e^{-2G/n}}`. To stand out among N pairs it must gain about
    :math:`\tfrac{k}{2} \log n + \log N`, for its k parameters and for the search.

    Examples
    --------
    >>> evidence = Evidence(np.full((10, 3), [0.2, 0.0, 0.01]), n_parameters=[1, 0, 1])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     explain_empty(np.zeros((3, 3), dtype=bool), evidence, ["a", "b", "c"])
    >>> str(caught[0].message)
    "No edge was kept. The strongest pair, 'a' and 'b', is as strong as a correlation of 0.57, ..."
    """
    if adjacency.any():
        return
    gains = evidence.log_density.sum(axis=0)
    best = int(np.argmax(gains))
    rows = max(float(evidence.n_rows[best]), 1.0)
    strength = float(np.sqrt(-np.expm1(-2.0 * max(float(gains[best]), 0.0) / rows)))
    needed = 0.5 * evidence.n_parameters[best] * np.log(rows) + np.log(evidence.n_pairs)
    if strength < STRONG or evidence.n_parameters[best] == 0:
        return
    u, v = (names[int(nodes[best])] for nodes in pair_nodes(evidence.n_nodes))
    few = "" if gains[best] < needed else " It may be left out for other reasons."
    warnings.warn(
        f"No edge was kept. The strongest pair, '{u}' and '{v}', is as strong as a correlation of "
        f"{strength:.2f}, a gain of {gains[best]:.1f} nats from {rows:.0f} rows; to stand out among "
        f"{evidence.n_pairs} pairs it would have to gain about {needed:.1f}.{few} More rows or "
        "fewer columns can settle it.",
        DataWarning,
        stacklevel=3,
    )
