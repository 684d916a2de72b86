"""Tables as people have them: columns of several kinds, with gaps, read once and then trusted."""

from spinney.tables.features import compare_features, keep_features
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
from spinney.tables.notices import describe_gaps, warn_of_table
from spinney.tables.pseudo import PseudoTable
from spinney.tables.reading import MISSING, Kinds, Missing, read_mixed, read_rows, warn_of_left_out
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
    "Kinds",
    "LeftOut",
    "Missing",
    "MixedTable",
    "PseudoTable",
    "compare_features",
    "decode",
    "describe_gaps",
    "describe_kinds",
    "keep_features",
    "read_mixed",
    "read_rows",
    "summary",
    "warn_of_left_out",
    "warn_of_table",
]
