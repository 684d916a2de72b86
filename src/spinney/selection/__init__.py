"""Choosing among graphs."""

from spinney.selection.criteria import extended_bic

__all__ = ["extended_bic"]
