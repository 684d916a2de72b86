"""The heat map: every pair's score in one byte, and an order in which blocks are seen."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import leaves_list, linkage, optimal_leaf_ordering
from scipy.spatial.distance import squareform

from spinney._pairs import to_pairs
from spinney.report.content.encoding import number, pack
from spinney.report.content.facts import Facts

__all__ = ["heat", "seriate"]

Floats = NDArray[np.float64]

STEPS = 250
UNKNOWN = 255
MOST_ORDERED = 400
"""Columns of a component up to which the leaves of the tree are put in their best order."""


def heat(facts: Facts) -> dict[str, Any]:
    """Pack the scores of all pairs; order the columns, components together."""
    view = facts.view
    size = np.abs(to_pairs(view.scores))
    largest = float(np.nanmax(size, initial=0.0))
    # Weights have no largest value of their own.
    scale = largest if view.score == "weight" and largest > 0.0 else 1.0
    steps = np.round(np.clip(np.nan_to_num(size / scale), 0.0, 1.0) * STEPS)
    places = {name: k for k, name in enumerate(view.names)}
    near = np.nan_to_num(np.abs(view.scores) / scale)
    order: list[int] = []
    for part in view.components:
        members = np.array([places[name] for name in part])
        order.extend(members[seriate(near[np.ix_(members, members)])].tolist())
    return {
        "heat": {
            "order": order,
            "values": pack(np.where(np.isnan(size), UNKNOWN, steps), "u1"),
            "scale": number(scale),
        }
    }


def seriate(near: Floats) -> NDArray[np.intp]:
    """Order things so that near ones stand side by side, the better joined end first.

    A tree by average linkage, its leaves in the order that makes neighbours nearest [1]_.

    Parameters
    ----------
    near : array of shape (k, k)
        Symmetric, between 0 and 1: how near any two are.

    References
    ----------
    .. [1] Z. Bar-Joseph, D. K. Gifford and T. S. Jaakkola (2001). Fast optimal leaf ordering for
       hierarchical clustering. Bioinformatics 17, S22-S29.

    Examples
    --------
    >>> near = np.eye(4)
    >>> for u, v in [(0, 2), (2, 1), (1, 3)]:
    ...     near[u, v] = near[v, u] = 0.9
    >>> seriate(near).tolist() in ([0, 2, 1, 3], [3, 1, 2, 0])
    True
    """
    k = len(near)
    if k < 3:
        return np.arange(k)
    far = 1.0 - np.clip((near + near.T) / 2, 0.0, 1.0)
    np.fill_diagonal(far, 0.0)
    distances = squareform(far, checks=False)
    tree = linkage(distances, "average")
    if k <= MOST_ORDERED:
        tree = optimal_leaf_ordering(tree, distances)
    order = np.asarray(leaves_list(tree), dtype=np.intp)
    joined = near.sum(axis=1)[order]
    return order if joined[: k // 2].sum() >= joined[-(k // 2) :].sum() else order[::-1]
