"""Pair copulas: speed, memory and whether the right family is found."""
