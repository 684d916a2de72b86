"""Tables from disc, learned graphs and fitted models to disc."""

from spinney._state import load_model, save_model
from spinney.io.constraints import read_constraints
from spinney.io.graphs import write_edges, write_graphml
from spinney.io.long import LongTable, scan_parquet
from spinney.io.opening import TableFile, open_table, read_table

__all__ = [
    "LongTable",
    "TableFile",
    "load_model",
    "open_table",
    "read_constraints",
    "read_table",
    "save_model",
    "scan_parquet",
    "write_edges",
    "write_graphml",
]
