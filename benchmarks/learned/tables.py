"""The tables that judges look at: cells, independent columns, and draws from the world.

A table has a name and a seed. Cells have the names of ``benchmarks.accuracy``;
``independent-d60-n100`` is a table of independent columns; ``world`` is a table that the world
draws, and ``world-trees`` one of its group ``trees``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.accuracy.cells import ALL_CELLS, REPORTING
from spinney.exceptions import InputError
from spinney.simulate import Simulated, independent
from training.world import GROUPS, World

NOISE_NODES = (25, 60, 150)
NOISE_ROWS = (50, 100, 500)
NOISE = {f"independent-d{d}-n{n}": (d, n) for d in NOISE_NODES for n in NOISE_ROWS}
ANY = "world"
WORLD = {ANY: None} | {f"world-{group}": group for group in GROUPS}
WORLD_SEEDS = range(50_000, 100_000)
"""Seeds from which tables of the world are drawn: in no training, and in no other report."""
MOST_NODES, MOST_ROWS = 60, 1000
"""Larger tables of the world are passed over: forests would take minutes on each."""


def simulate(name: str, seed: int) -> Simulated:
    """Draw one table with its truth."""
    if name in ALL_CELLS:
        return ALL_CELLS[name].simulate(seed)
    if name in NOISE:
        d, n = NOISE[name]
        return independent(n, d, seed)
    if name in WORLD:
        return World().draw(seed)
    raise InputError(f"There is no table called '{name}'.")


def as_given(name: str, data: Simulated) -> Any:
    """Return what a learner gets: a data frame where types of columns matter, else an array."""
    is_frame = name in WORLD or (name in ALL_CELLS and ALL_CELLS[name].is_frame)
    return data.table if is_frame else data.X


def seeds(name: str, repetitions: int) -> list[int]:
    """Return the seeds of the first repetitions: of the world, those that fall into the group."""
    if name not in WORLD:
        return list(REPORTING[:repetitions])
    found: list[int] = []
    for seed in _of_world(WORLD[name]):
        found.append(seed)
        if len(found) == repetitions:
            break
    return found


def _of_world(group: str | None) -> Iterator[int]:
    """Seeds of tables that are not too large, of one group or of any."""
    world = World()
    for seed in WORLD_SEEDS:
        data = world.draw(seed)
        n, d = data.X.shape
        fits = group is None or group in data.parameters["groups"]
        if fits and d <= MOST_NODES and n <= MOST_ROWS:
            yield seed
