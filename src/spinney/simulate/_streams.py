"""One seed, several streams of random numbers that do not disturb each other."""

from __future__ import annotations

from numbers import Integral
from typing import Literal

import numpy as np

from spinney.exceptions import InputError

__all__ = ["RandomState", "check_count", "read_seed", "stream"]

RandomState = int | np.random.Generator | None
Purpose = Literal["graph", "weights", "data", "mixing", "margins", "levels", "gaps", "grafts"]
# The numbers are part of the result: changing one changes what every seed gives.
_KEYS: dict[Purpose, int] = {
    "graph": 0,
    "weights": 1,
    "data": 2,
    "mixing": 3,
    "margins": 4,
    "levels": 5,
    "gaps": 6,
    "grafts": 7,
}


def read_seed(random_state: RandomState) -> int:
    """Turn a seed, a generator (from which one is drawn) or None (a fresh one) into a seed.

    Examples
    --------
    >>> read_seed(7)
    7
    """
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise InputError(f"random_state must not be negative, got {random_state}.")
        return int(random_state)
    raise InputError(
        f"random_state must be a whole number, a numpy Generator or None, got {random_state!r}."
    )


def stream(seed: int, purpose: Purpose) -> np.random.Generator:
    """Random numbers of a seed that are kept for one purpose."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(_KEYS[purpose],)))


def check_count(value: object, what: str, smallest: int) -> int:
    """Read a whole number that must not be too small."""
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= smallest:
        return int(value)
    raise InputError(f"{what} must be a whole number of at least {smallest}, got {value!r}.")
