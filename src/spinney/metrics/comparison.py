"""Which edges are right and which are wrong; and how graphs of any form are read and matched.

A graph may be a square array (boolean, or weights of which zero means no edge), a sparse matrix, a
data frame with the same names on both sides, or an undirected networkx graph. Two graphs with
names are matched by name. Nodes called 0 … d-1 or x0 … x{d-1} (what a table without column names
gives) are positions, not names; data frames also have positions, so that they can be compared with
plain arrays. A networkx graph has no reliable order, so its names need a partner.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy import sparse

from spinney._core.arrays import Bools, Floats
from spinney._core.components import component_labels
from spinney._core.pairs import pair_nodes, to_pairs
from spinney.exceptions import InputError

Names = tuple[Hashable, ...]


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
        Share of the true edges that are estimated; 1 if there is no true edge.
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
        return asdict(self)[name]


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
        A ratio of 0/0 is one: an empty estimate makes no false claim.

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
    first, second = (edges for _, edges in _aligned(estimated, truth, "estimated graph"))
    found, true = to_pairs(first) != 0, to_pairs(second) != 0
    component = component_labels(second) if labels is None else np.asarray(labels)
    d = len(second)
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
        n_components=len(np.unique(component_labels(first))),
        n_true_components=len(np.unique(component)),
    )


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


class _Read(NamedTuple):
    """A graph as symmetric weights and edges, with names where these are more than positions."""

    weights: Floats
    edges: Bools
    names: Names | None = None
    ordered: bool = True


def _read(graph: Any, what: str) -> _Read:
    """Read a graph of any kind; `what` names it in messages."""
    if isinstance(graph, nx.Graph):
        if graph.is_directed():
            raise InputError(f"The {what} is a directed graph. Use graph.to_undirected().")
        nodes = tuple(graph.nodes)
        known = _plain_names(len(nodes))
        order = next((names for names in known if set(names) == set(nodes)), nodes)
        weights = _square(nx.to_numpy_array(graph, order), what, order)
        edges = nx.to_numpy_array(graph, order, weight=None) > 0
        np.fill_diagonal(edges, False)  # loops, like the diagonal of a matrix, are ignored
        return _Read(weights, edges, None if order in known else nodes, order in known)
    names = None
    if isinstance(graph, pd.DataFrame):
        names = tuple(graph.columns)
        if tuple(graph.index) != names:
            raise InputError(
                f"The rows and columns of the {what} must carry the same names in the same order. "
                "Use frame.loc[frame.columns]."
            )
        graph = graph.to_numpy()
    elif sparse.issparse(graph):
        graph = graph.toarray()  # type: ignore[attr-defined]  # the stubs' base class lacks it
    weights = _square(graph, what, names)
    # Names that only repeat the position count as positions; in another order they are names.
    names = None if names in _plain_names(len(weights)) else names
    return _Read(weights, weights != 0, names)


def _plain_names(d: int) -> tuple[Names, Names]:
    """Names that only repeat the positions of nodes."""
    return tuple(range(d)), tuple(f"x{k}" for k in range(d))


def _square(values: Any, what: str, names: Names | None) -> Floats:
    try:
        matrix = np.array(values, dtype=float)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"The {what} is a {type(values).__name__} that cannot be read as a graph. Pass a "
            "square matrix, a data frame or a networkx graph."
        ) from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"The {what} must be a square matrix, but its shape is {matrix.shape}.")

    def called(pair: Any) -> str:
        return " and ".join(repr(names[k]) if names else str(k) for k in pair)

    np.fill_diagonal(matrix, 0.0)
    if np.isnan(matrix).any():
        pair = np.argwhere(np.isnan(matrix))[0]
        raise InputError(f"The {what} has no value (NaN) for nodes {called(pair)}.")
    # Solvers leave rounding between the two triangles; a graph that is directed differs by more.
    # Equality is asked first: infinite scores are equal, though their difference is not a number.
    finite = matrix[np.isfinite(matrix)]
    slack = 1e-8 * np.abs(finite).max(initial=0.0)
    same = (matrix == matrix.T) | np.isclose(matrix, matrix.T, rtol=1e-6, atol=slack)
    same &= (matrix != 0) == (matrix.T != 0)
    if not same.all():
        pair = np.argwhere(~same)[0]
        raise InputError(
            f"The {what} is not symmetric: nodes {called(pair)} differ by direction. "
            "Decide what an edge is first, for example with np.maximum(A, A.T)."
        )
    return matrix


def _aligned(estimated: Any, truth: Any, what: str) -> list[tuple[Floats, Bools]]:
    """Return weights and edges of two graphs over the same nodes, in the order of the second."""
    first, second = _read(estimated, what), _read(truth, "true graph")
    if len(first.weights) != len(second.weights):
        raise InputError(
            f"The {what} has {len(first.weights)} nodes, the true graph {len(second.weights)}."
        )
    order = np.arange(len(first.weights))
    if first.names is not None and second.names is not None:
        places = {name: k for k, name in enumerate(first.names)}
        for name in second.names:
            if name not in places:
                raise InputError(f"The {what} lacks the node {name!r} of the true graph.")
        order = np.array([places[name] for name in second.names], dtype=np.intp)
    else:
        for graph, role in ((first, what), (second, "true graph")):
            if not graph.ordered and graph.names:
                raise InputError(
                    f"The {role} names its nodes (first: {graph.names[0]!r}) but the other graph "
                    "has only positions. Give that one as a data frame with names on rows and "
                    "columns."
                )
    chosen = np.ix_(order, order)
    return [(first.weights[chosen], first.edges[chosen]), (second.weights, second.edges)]


def score_pairs(scores: Any, truth: Any) -> tuple[Floats, Bools]:
    """Scores and truths of all pairs, in the order of :mod:`spinney._core.pairs`."""
    (weights, _), (_, edges) = _aligned(scores, truth, "matrix of scores")
    return to_pairs(weights), to_pairs(edges) != 0
