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

__all__ = [
    "BINARY",
    "CONTINUOUS",
    "KINDS",
    "NOMINAL",
    "ORDINAL",
    "Column",
    "Kind",
    "LeftOut",
    "MixedTable",
    "PseudoTable",
]
