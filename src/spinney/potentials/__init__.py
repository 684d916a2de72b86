"""Pair potentials of tables with columns of several kinds, and what can be drawn from them."""

from spinney.potentials.mixed import PairPotentials
from spinney.potentials.rows import (
    MixedRows,
    PlainRows,
    Rows,
    fits_listed,
    mixed_marginals,
    read_ties,
    rows_of,
)

__all__ = [
    "MixedRows",
    "PairPotentials",
    "PlainRows",
    "Rows",
    "fits_listed",
    "mixed_marginals",
    "read_ties",
    "rows_of",
]
