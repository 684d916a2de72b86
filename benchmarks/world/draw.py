"""Summaries of tables of the world, stored as they are done."""

from __future__ import annotations

from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spinney._core.files import whole_file
from spinney.evidence import measure
from spinney.evidence.summaries import SUMMARY_NAMES, table_summary
from training.world import World

FIRST_SEED = 9_500_000
"""Seeds of the validation of training, for nothing is learned here."""
CHUNK = 100
"""Tables after which the file is written."""


class Drawn(NamedTuple):
    """Summaries of the first tables of the world, in the order of their seeds."""

    values: NDArray[np.float64]
    graphs: NDArray[np.str_]
    densities: NDArray[np.str_]


def one_table(seed: int) -> tuple[NDArray[np.float64], str, str]:
    """Draw a table and summarise its evidence."""
    simulated = World().draw(seed)
    summary = table_summary(measure(simulated.table))
    return summary.values, simulated.parameters["graph"], simulated.parameters["density"]


def read(path: Path) -> Drawn:
    """Read what is stored; nothing if it was made with other summaries."""
    if path.exists():
        with np.load(path, allow_pickle=False) as archive:
            if tuple(archive["names"]) == SUMMARY_NAMES:
                values = archive["values"].astype(np.float64)
                return Drawn(values, archive["graphs"], archive["densities"])
    return Drawn(np.empty((0, len(SUMMARY_NAMES))), np.empty(0, dtype=str), np.empty(0, dtype=str))


def more_tables(path: Path, count: int, workers: int) -> None:
    """Draw tables until `count` of them are stored."""
    known = read(path)
    seeds = range(FIRST_SEED + len(known.values), FIRST_SEED + count)
    for done in _in_chunks(seeds, workers):
        values, graphs, densities = zip(*done, strict=True)
        known = Drawn(
            np.concatenate([known.values, values]),
            np.concatenate([known.graphs, graphs]),
            np.concatenate([known.densities, densities]),
        )
        _write(path, known)
        print(f"  {len(known.values):,} of {count:,} tables", flush=True)


def _in_chunks(seeds: range, workers: int) -> Iterator[list[tuple[NDArray[np.float64], str, str]]]:
    chunks = [seeds[k : k + CHUNK] for k in range(0, len(seeds), CHUNK)]
    if workers == 1 or not chunks:
        yield from ([one_table(seed) for seed in chunk] for chunk in chunks)
        return
    with get_context("spawn").Pool(workers) as pool:
        yield from (pool.map(one_table, chunk, chunksize=1) for chunk in chunks)


def _write(path: Path, known: Drawn) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as temporary, temporary.open("wb") as file:
        np.savez_compressed(
            file,
            names=np.array(SUMMARY_NAMES),
            values=known.values.astype(np.float32),
            graphs=known.graphs,
            densities=known.densities,
        )
