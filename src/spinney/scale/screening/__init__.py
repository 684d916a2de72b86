"""Which pairs of a wide table are worth fitting: score tests of all pairs by matrix products."""

from spinney.scale.screening.nominal import class_scores
from spinney.scale.screening.screened import Screened
from spinney.scale.screening.search import screen

__all__ = ["Screened", "class_scores", "screen"]
