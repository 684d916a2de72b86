"""Volumes of rectangles under a copula (being written)."""

from __future__ import annotations

__all__ = ["LOG_FLOOR"]

LOG_FLOOR = -230.25850929940458
"""Log-volumes are never below this, log(1e-100)."""
