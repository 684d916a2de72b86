"""The shipped judge in a few lines: where it lies, how it was trained, and its limits."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spinney._core.text import counted

__all__ = ["describe_judge"]


def describe_judge() -> dict[str, str]:
    """Tell of the judge what its file and its card know; no card is no error."""
    from spinney.exceptions import InputError
    from spinney.judge.judge import SHIPPED, Judge

    try:
        judge = Judge.load()
    except InputError as error:
        return {"judge": f"none. {error}"}
    n_numbers = sum(array.size for network in judge.networks for array in network.arrays.values())
    size = f"{SHIPPED.stat().st_size / 1e6:.1f} MB" if SHIPPED.exists() else ""
    lines = {
        "judge": f"{SHIPPED} ({size})",
        "networks": f"{len(judge.networks)}, {n_numbers:,} numbers in all",
        "trained": _training(judge.card),
        "calibration": _calibration(judge.card),
        "limits": str(judge.card.get("limits", "")),
    }
    return {name: line for name, line in lines.items() if line}


def _training(card: Mapping[str, Any]) -> str:
    """Say when and on how much.

    Examples
    --------
    >>> _training({"made": "2026-01-31", "runs": [{"tables": 1000, "steps": 50}] * 2})
    '2026-01-31, on 1,000 simulated tables in 50 steps each'
    >>> _training({"runs": [{"tables": 1000, "steps": 50}, {"tables": 1000, "steps": 60}]})
    'on 1,000 simulated tables in 50 and 60 steps'
    """
    from spinney.judge.judge import of_all_runs

    parts = [str(card["made"])] if "made" in card else []
    runs = card.get("runs") or []
    numbers = [of_all_runs(card, key) for key in ("tables", "steps")]
    if all(numbers):
        each = " each" if len(runs) > 1 and " and " not in numbers[1] else ""
        parts.append(f"on {numbers[0]} simulated tables in {numbers[1]} steps{each}")
    return ", ".join(parts)


def _calibration(card: Mapping[str, Any]) -> str:
    """Say how far probabilities are from the truth on tables that were kept apart.

    Examples
    --------
    >>> _calibration({"calibration": {"after": {"ece": 0.00213, "tables": 5000}}})
    'expected calibration error 0.0021 on 5,000 tables kept apart'
    """
    from spinney.judge.judge import kept_apart

    after = kept_apart(card)
    if "ece" not in after:
        return ""
    tables = counted(int(after["tables"]), "table") if "tables" in after else "tables"
    return f"expected calibration error {after['ece']:.4f} on {tables} kept apart"
