"""One seed, several streams of random numbers that do not disturb each other."""

from __future__ import annotations

from numbers import Integral

import numpy as np

from spinney.exceptions import InputError

RandomState = int | np.random.Generator | None
PURPOSES = ("graph", "weights", "data", "mixing", "margins", "levels", "gaps", "grafts")
"""What streams are for. Another order would change what every seed gives."""


def stream(seed: int, purpose: str) -> np.random.Generator:
    """Random numbers of a seed that are kept for one purpose."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(PURPOSES.index(purpose),)))


def check_count(value: object, what: str, smallest: int) -> int:
    """Read a whole number that must not be too small."""
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= smallest:
        return int(value)
    raise InputError(f"{what} must be a whole number of at least {smallest}, got {value!r}.")


def check_range(values: tuple[float, float], what: str, most: float = np.inf) -> None:
    """Refuse a range that is empty, or holds more than numbers between 0 and `most`."""
    low, high = values
    if not 0 < low <= high < most:
        limit = f" < {most:g}" * (most < np.inf)
        raise InputError(
            f"{what} must be two numbers with 0 < low <= high{limit}, got {(low, high)!r}."
        )
