"""One seed, several streams of random numbers that do not disturb each other."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from spinney._core.choices import read_random_state
from spinney.exceptions import InputError

RandomState = int | np.random.Generator | None
PURPOSES = ("graph", "weights", "data", "mixing", "margins", "levels", "gaps", "grafts")
"""What streams are for. Another order would change what every seed gives."""


def read_seed(random_state: RandomState) -> int:
    """Turn a seed, a generator (from which one is drawn) or None (a fresh one) into a seed.

    Examples
    --------
    >>> read_seed(7)
    7
    """
    if isinstance(random_state, Integral) and random_state >= 0:
        return int(random_state)
    return int(read_random_state(random_state).integers(2**63))


def stream(seed: int, purpose: str) -> np.random.Generator:
    """Random numbers of a seed that are kept for one purpose."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(PURPOSES.index(purpose),)))


def check_count(value: object, what: str, smallest: int) -> int:
    """Read a whole number that must not be too small."""
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= smallest:
        return int(value)
    raise InputError(f"{what} must be a whole number of at least {smallest}, got {value!r}.")
