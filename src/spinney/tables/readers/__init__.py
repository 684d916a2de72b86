"""Tables from files of every common format."""

from spinney.tables.readers.opening import TableFile, open_table, scan_parquet

__all__ = ["TableFile", "open_table", "scan_parquet"]
