"""Random halves of a table and a record of the finished ones, for whoever fits to halves."""

from spinney.models._checkpoint import Checkpoint, settings_of
from spinney.models._halves import (
    Half,
    Note,
    Selected,
    complementary_halves,
    half_in_words,
    half_seed,
    recorded_notes,
)

__all__ = [
    "Checkpoint",
    "Half",
    "Note",
    "Selected",
    "complementary_halves",
    "half_in_words",
    "half_seed",
    "recorded_notes",
    "settings_of",
]
