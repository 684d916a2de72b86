"""Tables from disc, learned graphs to disc."""

from spinney.io.graphs import write_edges, write_graphml
from spinney.io.tables import read_table

__all__ = ["read_table", "write_edges", "write_graphml"]
