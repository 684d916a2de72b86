"""Which edges are right and which are wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.components import component_labels
from spinney._core.pairs import pair_nodes, to_pairs
from spinney.exceptions import InputError
from spinney.metrics._graphs import aligned

__all__ = ["Comparison", "compare"]


@dataclass(frozen=True)
class Comparison:
    """How an estimated graph differs from the true one; see :func:`compare`.

    Numbers are attributes and items alike: ``result.hamming``, ``result["hamming"]``, and
    ``dict(result)`` makes a row of a table.

    Attributes
    ----------
    hamming : int
        Pairs that are wrong: `false_positives` + `false_negatives`.
    precision : float
        Share of the estimated edges that are true; 1 if none is estimated (no claim is wrong).
    recall : float
        Share of the true edges that are estimated; 1 if there are none (nothing is missed).
    f1 : float
        2 TP / (2 TP + FP + FN); 1 if both graphs are empty.
    true_positives, false_positives, false_negatives : int
        Edges in both graphs, in the estimated one only, in the true one only.
    inter_component_false_positives : int
        False edges between different components of the truth.
    n_edges, n_true_edges : int
        Edges of the estimated and of the true graph.
    n_components, n_true_components : int
        Connected components of the estimated and of the true graph (of `labels` if given).
    """

    hamming: int
    precision: float
    recall: float
    f1: float
    true_positives: int
    false_positives: int
    false_negatives: int
    inter_component_false_positives: int
    n_edges: int
    n_true_edges: int
    n_components: int
    n_true_components: int

    def keys(self) -> Iterator[str]:
        """Names of all numbers."""
        return iter(asdict(self))

    def __getitem__(self, name: str) -> float:
        numbers = asdict(self)
        if name not in numbers:
            raise KeyError(f"There is no {name!r}; there are {', '.join(numbers)}.")
        return numbers[name]


def compare(estimated: Any, truth: Any, labels: ArrayLike | None = None) -> Comparison:
    r"""Compare an estimated graph with the true one, pair by pair.

    .. math:: \text{precision} = \frac{TP}{TP + FP}, \quad \text{recall} = \frac{TP}{TP + FN},
              \quad F_1 = \frac{2\,TP}{2\,TP + FP + FN}, \quad \text{Hamming} = FP + FN

    Parameters
    ----------
    estimated, truth : array, sparse matrix, data frame or networkx graph
        Undirected graphs over the same nodes. In a matrix every non-zero entry is an edge,
        whatever its size; the diagonal is ignored. Two graphs with names are matched by name,
        otherwise by position; nodes called 0 … d-1 or x0 … x{d-1} are positions.
    labels : array-like of shape (d,), optional
        Component of each node, in the order of `truth`. By default the connected components of
        the truth.

    Returns
    -------
    Comparison
        Where a ratio is 0/0 it is one: whoever claims nothing claims nothing false.

    Raises
    ------
    InputError
        If a graph is directed, has missing weights, or the nodes do not match.

    Examples
    --------
    >>> truth = [[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]
    >>> found = [[0, 1, 1, 0], [1, 0, 0, 0], [1, 0, 0, 0], [0, 0, 0, 0]]
    >>> result = compare(found, truth)
    >>> result.hamming, result.precision, result.inter_component_false_positives
    (2, 0.5, 1)
    """
    first, second = aligned(estimated, truth)
    found = to_pairs(first.adjacency) != 0
    true = to_pairs(second.adjacency) != 0
    component = component_labels(second.adjacency) if labels is None else np.asarray(labels)
    d = len(second.weights)
    if component.shape != (d,):
        raise InputError(f"labels must have one entry per node ({d}), got shape {component.shape}.")
    u, v = pair_nodes(d)
    between = component[u] != component[v]

    hits = int((found & true).sum())
    false = int((found & ~true).sum())
    missed = int((~found & true).sum())
    return Comparison(
        hamming=false + missed,
        precision=_ratio(hits, hits + false),
        recall=_ratio(hits, hits + missed),
        f1=_ratio(2 * hits, 2 * hits + false + missed),
        true_positives=hits,
        false_positives=false,
        false_negatives=missed,
        inter_component_false_positives=int((found & ~true & between).sum()),
        n_edges=hits + false,
        n_true_edges=hits + missed,
        n_components=len(np.unique(component_labels(first.adjacency))),
        n_true_components=len(np.unique(component)),
    )


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0
