"""Tables from files of every common format."""

from spinney.tables.readers.opening import open_table
from spinney.tables.table_file import TableFile

__all__ = ["TableFile", "open_table"]
