"""Tables as people have them: columns of several kinds, with gaps, read once and then trusted."""

from spinney.tables.mixed import (
    BINARY,
    CONTINUOUS,
    KINDS,
    NOMINAL,
    ORDINAL,
    Column,
    Kind,
    LeftOut,
    MixedTable,
)
from spinney.tables.pseudo import PseudoTable
from spinney.tables.reading import MISSING, Missing, read_mixed, read_rows, warn_of_left_out
from spinney.tables.showing import decode, describe_kinds, summary

__all__ = [
    "BINARY",
    "CONTINUOUS",
    "KINDS",
    "MISSING",
    "NOMINAL",
    "ORDINAL",
    "Column",
    "Kind",
    "LeftOut",
    "Missing",
    "MixedTable",
    "PseudoTable",
    "decode",
    "describe_kinds",
    "read_mixed",
    "read_rows",
    "summary",
    "warn_of_left_out",
]
