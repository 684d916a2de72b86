"""Pair potentials of nominal columns: shrunk tables, and classes given a score."""

from spinney.contingency._block import MIN_COMMON_ROWS
from spinney.contingency.pair_tables import PairTables

__all__ = ["MIN_COMMON_ROWS", "PairTables"]
