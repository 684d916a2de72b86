"""What the card of a judge says of its training and its calibration, as words.

A card is what training wrote beside the weights; any part of it may be missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["Card", "kept_apart", "of_all_runs"]

Card = Mapping[str, Any]


def kept_apart(card: Card) -> Mapping[str, Any]:
    """Return how well the judge does on tables that were kept apart.

    Examples
    --------
    >>> kept_apart({"calibration": {"after": {"ece": 0.002}}}), kept_apart({})
    ({'ece': 0.002}, {})
    """
    return (card.get("calibration") or {}).get("after") or {}


def of_all_runs(card: Card, key: str) -> str:
    """Write a number of all training runs: once if they agree, nothing if it is not known.

    Examples
    --------
    >>> card = {"runs": [{"tables": 1000, "steps": 50}, {"tables": 1000, "steps": 60}]}
    >>> of_all_runs(card, "tables"), of_all_runs(card, "steps"), of_all_runs(card, "rows")
    ('1,000', '50 and 60', '')
    """
    runs = card.get("runs") or []
    return " and ".join(dict.fromkeys(f"{run[key]:,}" for run in runs if key in run))
