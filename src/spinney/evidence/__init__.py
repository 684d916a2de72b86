"""What is known of every pair of columns, as one object: densities, parameters, rows."""

from spinney.evidence.pairs import Evidence

__all__ = ["Evidence"]
