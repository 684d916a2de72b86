"""Numbers as JSON can hold them: finite, short, or packed by the thousand."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["number", "numbers", "pack", "share"]

SMALLEST_SHARE = 1e-6


def number(value: Any, digits: int = 6) -> float | None:
    """Return a number in few digits, None where it is missing or infinite.

    Examples
    --------
    >>> number(0.123456789), number(float("nan")), number(None), number(np.float32(2))
    (0.123457, None, None, 2.0)
    """
    if value is None or value != value or np.isinf(value):
        return None
    short = float(f"{float(value):.{digits}g}")
    return short if np.isfinite(short) else float(value)  # the largest doubles cannot be rounded


def numbers(values: Iterable[Any], digits: int = 6) -> list[float | None]:
    """Return many numbers in few digits.

    Examples
    --------
    >>> numbers([1 / 3, np.inf], digits=3)
    [0.333, None]
    """
    return [number(value, digits) for value in values]


def share(value: Any) -> float | None:
    """Return a probability or share in six decimals, so that only 0 and 1 become 0 and 1.

    Examples
    --------
    >>> share(0.99999999), share(1.0), share(1e-12), share(0.25)
    (0.999999, 1.0, 1e-06, 0.25)
    """
    found = number(value, 12)
    if found is None or (found in (0.0, 1.0) and found == value):
        return found
    return round(min(max(found, SMALLEST_SHARE), 1.0 - SMALLEST_SHARE), 6)


def pack(values: ArrayLike, dtype: str) -> str:
    """Write whole numbers as base64 of a little-endian array.

    Examples
    --------
    >>> pack([0, 255], "u1"), pack([258], "<u2")
    ('AP8=', 'AgE=')
    """
    return b64encode(np.ascontiguousarray(values, dtype=dtype).tobytes()).decode("ascii")
