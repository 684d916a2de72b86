"""Whether the z channels of independent pairs are standard normal: a grid, and its figure."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evidence_checks.tables import KINDS
from spinney.evidence import CHANNELS, measure

FIGURE = Path(__file__).parents[2] / "docs" / "figures" / "evidence-calibration.png"
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
    if not quick:
        _draw(grid)
    return {"repetitions": repetitions, "grid": grid}


def _described(channel: np.ndarray[Any, Any]) -> dict[str, float]:
    z = channel[channel != 0.0].astype(float)
    if not z.size:
        return dict.fromkeys(("pairs", "mean", "spread", "beyond_2", "beyond_3"), 0.0)
    found = {"pairs": z.size, "mean": z.mean(), "spread": z.std()}
    found |= {f"beyond_{k}": np.mean(np.abs(z) > k) for k in (2, 3)}
    return {name: round(float(value), 4) for name, value in found.items()}


def _draw(grid: dict[str, dict[str, dict[str, float]]]) -> None:
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(11, 5.2), sharey=True, layout="constrained")
    kinds = list(grid)
    for ax, what, title, expected in (
        (axes[0], "spread", "Spread of z (expected: 1)", 1.0),
        (axes[1], "beyond_3", "Share beyond 3 (expected: 0.0027)", 0.0027),
    ):
        ax.axvline(expected, color="0.6", lw=1)
        for k, name in enumerate(Z):
            rows = [(grid[kind][name][what], -i) for i, kind in enumerate(kinds)]
            rows = [(x, y) for x, y in rows if grid[kinds[-y]][name]["pairs"]]
            ax.plot(*zip(*rows, strict=True), "os^vDP*X"[k % 8], ms=5, alpha=0.8, label=name)
        ax.set_title(title, loc="left", fontsize=10)
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_yticks(-np.arange(len(kinds)), kinds, fontsize=8)
    axes[0].set_xlim(0, None)
    axes[1].legend(fontsize=8, frameon=False, loc="lower right")
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(FIGURE, dpi=80)
    plt.close(figure)
