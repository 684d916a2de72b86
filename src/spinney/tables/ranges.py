"""Levels that are ranges of numbers, such as "18-29" and "65 or older", and so have an order."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

MARK = re.compile(r"(?<=\d)[,' \u00a0\u202f](?=\d{3}(?!\d))|[€$£¥]")
"""Marks between thousands, and currencies."""
NUMBER = re.compile(r"(?<![a-z.\d])(\d+(?:\.\d+)?)\s*(k\b)?")
BETWEEN = re.compile(r"#\s*(?:[-\u2010-\u2015]|to|through|and|bis|à)\s*#")
BELOW = re.compile(r"[<≤]|\b(?:under|below|less|fewer|younger|up to|at most|no more|unter|bis)\b")
ABOVE = re.compile(r"[>≥+]|\b(?:over|above|more|older|at least|greater|plus|and up|über|ab)\b")
PLAIN = re.compile(r"#(?: [^\W\d]+){0,2}")


def order_of_ranges(levels: Sequence[object]) -> list[int] | None:
    """Return the order of levels that are ranges of numbers; None if they are something else.

    Each must be a range, a number that is open to one side, a plain number, or a word such as
    "never"; they must not overlap, and one at least must be more than a number.

    Examples
    --------
    >>> order_of_ranges(["5+ times", "never", "1-2 times", "3-4 times"])
    [1, 2, 3, 0]
    >>> order_of_ranges(["a1-b2", "north"]) is None
    True
    """
    found = [_range(str(level)) for level in levels]
    known = [ends for ends in found if ends is not None]
    if len(known) < len(found) or all(low == high for low, high in known):
        return None
    order = sorted(range(len(known)), key=known.__getitem__)
    apart = all(a != b and b[0] >= a[1] for a, b in pairwise(known[k] for k in order))
    return order if apart else None


def _range(text: str) -> tuple[float, float] | None:
    """Return the least and the largest number that a level stands for."""
    text = MARK.sub("", text.strip().lower())
    if text in ("never", "none", "nothing", "not at all", "zero", "nie"):
        return 0.0, 0.0
    numbers = [float(n) * (1000.0 if k else 1.0) for n, k in NUMBER.findall(text)]
    words = NUMBER.sub("#", text)
    if re.search(r"\d", words):
        return None
    if len(numbers) == 2 and BETWEEN.search(words) and numbers[0] <= numbers[1]:
        return numbers[0], numbers[1]
    if len(numbers) != 1:
        return None
    if BELOW.search(words):
        return -math.inf, numbers[0]
    if ABOVE.search(words):
        return numbers[0], math.inf
    return (numbers[0], numbers[0]) if PLAIN.fullmatch(words) else None
