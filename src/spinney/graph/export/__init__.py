"""Learned graphs to files that other programs read."""

from spinney.graph.export.graphs import to_anndata, write_edges, write_graphml

__all__ = ["to_anndata", "write_edges", "write_graphml"]
