"""Whether the z channels of independent pairs are standard normal: a grid of kinds of tables."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from benchmarks.evidence_checks.tables import KINDS
from spinney.evidence import CHANNELS, measure

NAMES = [channel.name for channel in CHANNELS]
Z = [
    name
    for name in NAMES
    if name.endswith("_z") and name not in ("given_one_z", "least_z", "most_z")
]
"""All but the least and the most of many."""
REPETITIONS = 40


def run(seed: int, quick: bool) -> dict[str, Any]:
    """Measure independent tables of every kind; print mean, spread and tails of each channel."""
    repetitions = 6 if quick else REPETITIONS
    grid: dict[str, dict[str, dict[str, float]]] = {}
    for kind, (draw, n, d) in KINDS.items():
        rng = np.random.default_rng(seed)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = np.vstack([measure(draw(n, d, rng)).values for _ in range(repetitions)])
        grid[kind] = {name: _described(values[:, NAMES.index(name)]) for name in Z}
        spread = ", ".join(f"{name} {found['spread']:.2f}" for name, found in grid[kind].items())
        print(f"  {kind}: {spread}", flush=True)
    return {"repetitions": repetitions, "grid": grid}


def _described(channel: np.ndarray[Any, Any]) -> dict[str, float]:
    z = channel[channel != 0.0].astype(float)
    if not z.size:
        return dict.fromkeys(("pairs", "mean", "spread", "beyond_2", "beyond_3"), 0.0)
    found = {"pairs": z.size, "mean": z.mean(), "spread": z.std()}
    found |= {f"beyond_{k}": np.mean(np.abs(z) > k) for k in (2, 3)}
    return {name: round(float(value), 4) for name, value in found.items()}
