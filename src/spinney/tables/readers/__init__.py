"""Tables from files of every common format."""

from spinney.tables.readers.constraints import read_constraints
from spinney.tables.readers.long import LongTable, scan_parquet
from spinney.tables.readers.opening import TableFile, open_table

__all__ = [
    "LongTable",
    "TableFile",
    "open_table",
    "read_constraints",
    "scan_parquet",
]
