"""Which pairs of a wide table are worth fitting: score tests of all pairs by matrix products."""

from spinney.screening.screened import Screened
from spinney.screening.search import screen

__all__ = ["Screened", "screen"]
