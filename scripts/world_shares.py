"""Count what the world draws, for ``docs/world.md``: ``python -m scripts.world_shares``.

Prints the two tables of the section "What it draws" and the time of a draw.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable

import numpy as np
from training.world.sizes import FAMILIAR_SIZES, work

from training.world import World

FIRST_SEED = 9_200_000
"""Seeds of the validation of training: nothing is learned from them."""
N_TABLES = 5000
QUANTILES = (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1)


def main() -> None:
    """Draw the tables and print what they are like."""
    world = World()
    numbers: list[tuple[float, ...]] = []
    counts: dict[str, Counter[str]] = {
        name: Counter() for name in ("table", "columns", "graph", "values", "spoils", "groups")
    }
    usual = 0
    (_, fewest, most), (_, shortest, longest) = (ranges[0] for ranges in FAMILIAR_SIZES)
    for seed in range(FIRST_SEED, FIRST_SEED + N_TABLES):
        start = time.process_time()
        data = world.draw(seed)
        spent = time.process_time() - start
        n, d = data.X.shape
        told = data.parameters
        levels = set(data.kinds) != {"continuous"}
        form = " and ".join(["levels"] * levels + ["gaps"] * ("gaps" in told["spoils"]))
        counts["table"][form or "plain"] += 1
        counts["columns"].update(set(data.kinds))
        counts["graph"][told["graph"]] += 1
        counts["values"][_law(told["density"])] += 1
        counts["spoils"].update(told["spoils"])
        counts["groups"].update(told["groups"])
        usual += fewest <= d <= most and shortest <= n <= longest
        edges = float(data.n_edges)
        numbers.append((d, n, work(d, n), edges / d, edges / (d * (d - 1) / 2), 1000 * spent))
    print("| | share |\n|---|---|")
    for name, counter in counts.items():
        print(f"| {name} | {_shares(counter.most_common())} |")
    print(f"| {fewest}–{most} columns and {shortest}–{longest} rows | {_percent(usual)} |\n")
    names = ("columns", "rows", "pairs × rows", "edges per node", "share of pairs joined", "ms")
    for name, values in zip(names, np.array(numbers).T, strict=True):
        found = [*np.quantile(values, QUANTILES), values.mean()]
        print("|", name, "|", " | ".join(f"{value:,.3f}" for value in found), "|")


def _law(density: str) -> str:
    """Two laws in one table are one kind; hidden causes are told apart."""
    if " and " in density:
        return "two laws in one table"
    return "hidden causes" if "hidden" in density else density.split(" (")[0]


def _shares(counted: Iterable[tuple[str, int]]) -> str:
    return ", ".join(f"{name} {_percent(count)}" for name, count in counted)


def _percent(count: int) -> str:
    return f"{100 * count / N_TABLES:.1f}"


if __name__ == "__main__":
    main()
