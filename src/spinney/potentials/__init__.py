"""Pair potentials of tables with columns of several kinds, and what can be drawn from them."""

from spinney.potentials.chunked import ChunkedDensities
from spinney.potentials.mixed import PairPotentials
from spinney.potentials.rows import (
    MixedRows,
    PlainRows,
    Rows,
    densities_of_fit,
    mixed_marginals,
    read_ties,
    rows_of,
)

__all__ = [
    "ChunkedDensities",
    "MixedRows",
    "PairPotentials",
    "PlainRows",
    "Rows",
    "densities_of_fit",
    "mixed_marginals",
    "read_ties",
    "rows_of",
]
