"""Pair potentials of nominal columns: shrunk tables, and classes given a score."""

from spinney.pairs.cells.kernels import MIN_COMMON_ROWS
from spinney.pairs.cells.pair_tables import PairTables

__all__ = ["MIN_COMMON_ROWS", "PairTables"]
