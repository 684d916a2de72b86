"""Pair potentials of tables with columns of several kinds, and what can be drawn from them."""

from spinney.pairs.potentials.chunked import ChunkedDensities
from spinney.pairs.potentials.mixed import PairFit
from spinney.pairs.potentials.rows import (
    MixedRows,
    PlainRows,
    Rows,
    densities_of_fit,
    fits_listed,
    mixed_marginals,
    read_ties,
    rows_of,
)

__all__ = [
    "ChunkedDensities",
    "MixedRows",
    "PairFit",
    "PlainRows",
    "Rows",
    "densities_of_fit",
    "fits_listed",
    "mixed_marginals",
    "read_ties",
    "rows_of",
]
