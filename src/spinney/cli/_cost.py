"""What a run will cost."""

from __future__ import annotations

from dataclasses import dataclass

from spinney.cli._inputs import Inputs
from spinney.cli._settings import Job, Settings

__all__ = ["Cost", "say_cost"]


@dataclass(frozen=True)
class Cost:
    writing_s: float = 3.0


def say_cost(inputs: Inputs, settings: Settings, job: Job) -> Cost:
    return Cost()
