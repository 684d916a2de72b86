"""Learned graphs to files that other programs read."""

from spinney.graph.export.graphs import write_edges, write_graphml

__all__ = ["write_edges", "write_graphml"]
