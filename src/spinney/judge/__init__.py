"""The judge."""

from spinney.judge.settings import STANDARDISATION, Settings

__all__ = ["STANDARDISATION", "Settings"]
