"""Pair potentials of nominal columns: shrunk tables, and classes given a score."""

from spinney.pairs.cells.pair_tables import PairTables
from spinney.pairs.pseudo import MIN_COMMON_ROWS

__all__ = ["MIN_COMMON_ROWS", "PairTables"]
