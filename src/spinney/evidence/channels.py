"""What a channel of evidence is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Channel", "Parity", "Unit", "even", "odd"]

Parity = Literal["even", "odd"]
Unit = Literal["plain", "deviate"]


@dataclass(frozen=True)
class Channel:
    """One number that is known of every pair.

    Attributes
    ----------
    name : str
        Its name.
    parity : {"even", "odd"}
        Whether it stays as it is when one column of the pair is negated, or changes its sign.
    group : str
        What it is about, for those who leave out a whole group.
    meaning : str
        What it says, in one line.
    unit : {"plain", "deviate"}
        Whether it is a plain number of moderate size, or a standard normal deviate for independent
        pairs.
    """

    name: str
    parity: Parity
    group: str
    meaning: str
    unit: Unit = "plain"


def _named(parity: Parity, group: str, meanings: dict[str, str]) -> tuple[Channel, ...]:
    return tuple(
        Channel(name, parity, group, meaning, "deviate" if name.endswith("_z") else "plain")
        for name, meaning in meanings.items()
    )


def even(group: str, **meanings: str) -> tuple[Channel, ...]:
    """Name channels that stay as they are when a column is negated; names in "_z" are deviates."""
    return _named("even", group, meanings)


def odd(group: str, **meanings: str) -> tuple[Channel, ...]:
    """Name channels that change their sign when a column is negated; names in "_z" are deviates."""
    return _named("odd", group, meanings)
