"""Where tables come from (the world, grafts, networks, one truth), and their evidence."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from benchmarks._time_limit import time_limit
from numpy.typing import NDArray

from spinney.simulate import Grafted, Simulated
from spinney.tables import CONTINUOUS, Column, Table, read_table
from training.grafts import draw_grafts, draw_rows
from training.networks import draw_expert, draw_network
from training.shards import Plan, Shard, TableRecord, shard_path, table_truth

__all__ = ["SOURCES", "Report", "as_read", "channel_names", "draw", "draw_shard", "make_shard"]

LIMITS = ("connected", "loopy", "mixed-trees")
"""Kinds of truth on which a network is trained alone, which is as good as the evidence allows."""
GRAFTS = {"grafts": "train", "grafts-tune": "tune"}
"""Real tables with grafts: of the packages to train on, and of those to choose and calibrate on."""
ROWS = {"rows": "train", "rows-tune": "tune"}
"""Few rows of real tables, and many others, of the same packages."""
EXPERTS = {"experts": "train", "experts-tune": "tune"}
"""Expert networks: those to train on, and those to choose and calibrate on."""
SOURCES = ("world", *GRAFTS, "networks", *EXPERTS, *ROWS, *LIMITS)
LIMIT_ROWS = (50, 100, 500)
TABLE_LIMIT_S = 300
"""No table takes that long; one that hangs must not hold up the others."""


@dataclass
class Report:
    """What became of a shard, and the seconds that it took."""

    shard: int
    n_tables: int = 0
    failed: list[tuple[int, str]] = field(default_factory=list)
    draw_s: float = 0.0
    measure_s: float = 0.0


def draw(source: str, seed: int, without: tuple[str, ...] = ()) -> Simulated | Grafted:
    """Draw the table of one seed; kinds of truth take 50, 100 and 500 rows in turn."""
    if source == "world":
        return _world(without)(seed)
    if source in GRAFTS:
        return draw_grafts(seed, GRAFTS[source])
    if source == "networks":
        return draw_network(seed)
    if source in EXPERTS:
        return draw_expert(seed, EXPERTS[source])
    if source in ROWS:
        return draw_rows(seed, ROWS[source])
    from benchmarks.accuracy.cells import KINDS

    return KINDS[source][1](LIMIT_ROWS[seed % len(LIMIT_ROWS)], seed)


@cache
def _world(without: tuple[str, ...]) -> Callable[[int], Simulated]:
    from training.world import World

    return World(without=without).draw


def channel_names() -> tuple[str, ...]:
    """Name the channels of evidence, even ones first."""
    from spinney.evidence import CHANNELS

    return tuple(channel.name for channel in CHANNELS)


def make_record(source: str, seed: int, without: tuple[str, ...], report: Report) -> TableRecord:
    """Draw a table and measure its evidence."""
    from spinney.evidence import judge_inputs, measure

    start = time.perf_counter()
    simulated = draw(source, seed, without)
    table = as_read(simulated)
    drawn = time.perf_counter()
    evidence = measure(table)
    report.draw_s += drawn - start
    report.measure_s += time.perf_counter() - drawn
    told = simulated.parameters
    return TableRecord(
        evidence=judge_inputs(evidence.values),
        truth=table_truth(simulated.adjacency, getattr(simulated, "known", None)),
        n=int(evidence.n_samples),
        seed=seed,
        groups=tuple(told.get("groups", ())),
        graph=str(told.get("graph", source)),
        density=str(told.get("density", "")),
        spoils=tuple(str(name) for name in told.get("spoils", ())),
    )


def as_read(simulated: Simulated | Grafted) -> Table:
    """Give the table as it would be read, without the way through a data frame.

    Kinds are known, and what is continuous has no levels; reading would only cost time. Real
    tables are read as they are.
    """
    if isinstance(simulated, Grafted):
        table = read_table(simulated.X) if simulated.read is None else simulated.read
        assert not table.left_out
        return table
    columns = [
        Column(f"x{k}", kind, () if kind == CONTINUOUS else _levels(x))
        for k, (x, kind) in enumerate(zip(simulated.X.T, simulated.kinds, strict=True))
    ]
    return Table(simulated.X, tuple(columns), units=simulated.units)


def _levels(x: NDArray[np.float64]) -> tuple[int, ...]:
    return tuple(range(int(np.nanmax(x)) + 1))


def make_shard(plan: Plan, folder: Path, k: int) -> Report:
    """Draw and measure the tables of shard `k`, and write it."""
    shard, report = draw_shard(k, plan)
    shard.save(shard_path(folder, k))
    return report


def draw_shard(k: int, plan: Plan) -> tuple[Shard, Report]:
    """Draw and measure the tables of shard `k`.

    A table that fails is left out and told of: it does not stop the others.
    """
    report = Report(k)
    records: list[TableRecord] = []
    channels = channel_names()
    for seed in plan.seeds(k):
        try:
            with warnings.catch_warnings(), time_limit(TABLE_LIMIT_S):
                # The world draws what deserves a warning; nobody is there to read it.
                warnings.simplefilter("ignore")
                record = make_record(plan.source, seed, plan.without, report)
            Shard.of([record], channels)  # whatever cannot be stored fails here, alone
            records.append(record)
        except Exception as error:
            report.failed.append((seed, _in_words(error)))
    report.n_tables = len(records)
    return Shard.of(records, channels, report.failed), report


def _in_words(error: Exception) -> str:
    """Name an error and the line that raised it."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(last.filename).name}, line {last.lineno})"
