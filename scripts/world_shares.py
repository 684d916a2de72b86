"""Count what the world draws, for ``docs/world.md``: ``python -m scripts.world_shares``.

Prints the table of the section "What it draws" and the time of a draw.
"""

from __future__ import annotations

import time

import numpy as np
from training.world.sizes import work

from training.world import World

FIRST_SEED = 9_200_000
"""Seeds of the validation of training: nothing is learned from them."""
N_TABLES = 5000
QUANTILES = (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)
NAMES = ("columns", "rows", "pairs × rows", "edges per node", "share of pairs with an edge", "ms")


def main() -> None:
    """Draw the tables and print what they are like."""
    world = World()
    numbers: list[tuple[float, ...]] = []
    for seed in range(FIRST_SEED, FIRST_SEED + N_TABLES):
        start = time.process_time()
        data = world.draw(seed)
        spent = time.process_time() - start
        n, d = data.X.shape
        edges = float(data.n_edges)
        numbers.append((d, n, work(d, n), edges / d, edges / (d * (d - 1) / 2), 1000 * spent))
    for name, values in zip(NAMES, np.array(numbers).T, strict=True):
        found = [*np.quantile(values, QUANTILES), values.mean()]
        print("|", name, "|", " | ".join(f"{value:,.3f}" for value in found), "|")


if __name__ == "__main__":
    main()
