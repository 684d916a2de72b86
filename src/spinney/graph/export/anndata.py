"""Learned graphs back into AnnData objects, for scanpy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from spinney.exceptions import InputError

if TYPE_CHECKING:
    from spinney.graph.graph import LearnedGraph


def to_anndata(graph: LearnedGraph, adata: Any) -> None:
    """Write a graph into the AnnData object that it was learned from.

    ``varp["spinney_probabilities"]`` and ``varp["spinney_strengths"]`` are sparse matrices of all
    pairs of variables; variables that were left out have empty rows. ``uns["spinney"]`` has the
    table of edges, the number of rows and the version.

    Parameters
    ----------
    graph : LearnedGraph
        What :func:`spinney.learn` returns.
    adata : AnnData
        The object, which is changed.

    Raises
    ------
    InputError
        If a column of the graph is not a variable of the object.
    """
    from scipy.sparse import csr_matrix

    from spinney import __version__

    place = {str(name): k for k, name in enumerate(adata.var.index)}
    lacking = next((name for name in graph.names if name not in place), None)
    if lacking is not None:
        raise InputError(
            f"The AnnData object has no variable '{lacking}', which the graph has. Give the object "
            "that the graph was learned from."
        )
    where = np.array([place[name] for name in graph.names])
    size = (len(place), len(place))
    found = {"probabilities": graph.probabilities, "strengths": graph.known_strengths}
    for name, matrix in found.items():
        values = np.nan_to_num(np.asarray(matrix))
        rows, columns = np.nonzero(values)
        entries = values[rows, columns], (where[rows], where[columns])
        adata.varp[f"spinney_{name}"] = csr_matrix(entries, size)
    n_rows = 0 if graph.table is None else len(graph.table)
    adata.uns["spinney"] = {"edges": graph.edges, "rows": n_rows, "version": __version__}
