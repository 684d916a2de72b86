"""The edges of a learned graph as a table, and the graph with the table's numbers on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd

from spinney._components import component_labels
from spinney._pairs import pair_index
from spinney.exceptions import InputError

__all__ = ["column_names", "edge_graph", "edge_table", "parameters_text"]


def column_names(model: Any, names: Sequence[str] | None = None) -> list[str]:
    """Names of the variables of a fitted model: those given, else those it was fitted with."""
    d = len(_adjacency(model))
    if names is None:
        graph = getattr(model, "graph_", None)
        names = [str(node) for node in graph] if graph is not None else [f"x{k}" for k in range(d)]
    if len(names) != d:
        raise InputError(f"The graph has {d} variables, but {len(names)} names were given.")
    return [str(name) for name in names]


def edge_table(model: Any, names: Sequence[str] | None = None) -> pd.DataFrame:
    """List the edges of a fitted model, the surest first.

    Parameters
    ----------
    model : estimator
        Fitted; with ``adjacency_`` and ``edge_weights_``, and if it has them
        ``edge_probabilities_`` and ``potentials_`` (a fitted :class:`spinney.PairCopulas`).
    names : list of str, optional
        The variables; by default as the model was fitted with.

    Returns
    -------
    pandas.DataFrame
        One row per edge: ``source``, ``target`` (in the order of the columns), ``weight``; then,
        where the model has them, ``probability``, and ``family``, ``rotation``, ``parameters``
        (a tuple) and ``tau`` of the pair's copula. Sorted by probability, then weight, falling.

    Examples
    --------
    >>> from spinney.baselines import ChowLiu
    >>> x = np.random.default_rng(0).normal(size=(100, 3))
    >>> x[:, 2] += x[:, 0]
    >>> edge_table(ChowLiu().fit(x), ["a", "b", "c"]).round(2)
      source target  weight
    0      a      c    0.42
    """
    adjacency = _adjacency(model)
    labels = np.array(column_names(model, names), dtype=object)
    first, second = np.nonzero(np.triu(adjacency, 1))
    columns: dict[str, Any] = {
        "source": labels[first],
        "target": labels[second],
        "weight": np.asarray(model.edge_weights_, dtype=float)[first, second],
    }
    keys = ["weight"]
    probabilities = getattr(model, "edge_probabilities_", None)
    if probabilities is not None:
        columns["probability"] = np.asarray(probabilities, dtype=float)[first, second]
        keys = ["probability", "weight"]
    potentials = getattr(model, "potentials_", None)
    if potentials is not None:
        # By position: some models fit their copulas on a bare array, without the names.
        rows = [
            pair_index(int(i), int(j), len(adjacency)) for i, j in zip(first, second, strict=True)
        ]
        fitted = potentials.table_.iloc[rows]
        for column in ("family", "rotation", "parameters", "tau"):
            columns[column] = fitted[column].to_numpy()
    table = pd.DataFrame(columns)
    # Stable, so that equal edges keep the order of the columns.
    return table.sort_values(keys, ascending=False, kind="stable", ignore_index=True)


def edge_graph(model: Any, names: Sequence[str] | None = None) -> nx.Graph:
    """Build a graph that carries the numbers of :func:`edge_table`.

    Nodes are named by the columns and have their ``component``, numbered from 0 in order of first
    columns; all values are plain numbers and text, so that any format can hold them.

    Examples
    --------
    >>> from spinney.baselines import ChowLiu
    >>> x = np.random.default_rng(0).normal(size=(100, 3))
    >>> x[:, 2] += x[:, 0]
    >>> edge_graph(ChowLiu().fit(x), ["a", "b", "c"]).nodes["b"]
    {'component': 1}
    """
    graph = nx.Graph()
    components = component_labels(_adjacency(model))
    for name, component in zip(column_names(model, names), components, strict=True):
        graph.add_node(name, component=int(component))
    for row in edge_table(model, names).to_dict("records"):
        source, target = row.pop("source"), row.pop("target")
        graph.add_edge(source, target, **{str(key): _plain(value) for key, value in row.items()})
    return graph


def parameters_text(parameters: Sequence[float]) -> str:
    """Write the parameters of a copula with spaces between them.

    Examples
    --------
    >>> parameters_text((0.5, 4.0))
    '0.5 4'
    """
    return " ".join(f"{value:.8g}" for value in parameters)


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return parameters_text(value)
    return value.item() if isinstance(value, np.generic) else value


def _adjacency(model: Any) -> np.ndarray[Any, Any]:
    try:
        return np.asarray(model.adjacency_, dtype=bool)
    except AttributeError:
        raise InputError(
            f"A {type(model).__name__} has no learned graph. Fit it to a table first."
        ) from None
