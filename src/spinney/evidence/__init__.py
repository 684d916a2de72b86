"""Statistics of every pair of columns, with names and meanings."""

from spinney.evidence.evidence import (
    CHANNELS,
    N_EVEN,
    N_ODD,
    PLACES,
    Evidence,
    compress,
    judge_inputs,
    measure,
    measure_scores,
)
from spinney.evidence.measured import Channel

__all__ = [
    "CHANNELS",
    "N_EVEN",
    "N_ODD",
    "PLACES",
    "Channel",
    "Evidence",
    "compress",
    "judge_inputs",
    "measure",
    "measure_scores",
]
