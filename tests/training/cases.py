"""Folders of small made-up tables, whose truth can be seen in their evidence."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from training.shards import UNKNOWN, Plan, Shard, TableRecord, shard_path

from spinney.evidence import CHANNELS

NAMES = [channel.name for channel in CHANNELS]
GROUPS = ("trees", "loops")
Make = Callable[[int], TableRecord]


def made_up_record(seed: int, most_columns: int = 9) -> TableRecord:
    rng = np.random.default_rng(seed)
    d = int(rng.integers(2, most_columns + 1))
    truth = rng.random(d * (d - 1) // 2) < 0.3
    evidence = rng.normal(size=(len(truth), len(NAMES))).astype(np.float32)
    evidence[:, 0] += 2 * truth
    return TableRecord(
        evidence=evidence,
        truth=truth.astype(np.uint8),
        n=int(rng.integers(10, 100)),
        seed=seed,
        groups=GROUPS[seed % 2 : seed % 2 + 1] if seed % 3 else GROUPS,
        graph=("tree", "ring")[seed % 2],
        density="gaussian",
        spoils=("noise", "levels")[: seed % 3],
    )


def few_or_many(seed: int) -> TableRecord:
    """Make two tables of the same columns: many rows show the truth, few something like it."""
    one = made_up_record(2 * (seed // 2))
    evidence = np.random.default_rng(seed).normal(size=one.evidence.shape).astype(np.float32)
    evidence[:, 1 - seed % 2] = 4.0 * one.truth - 1.0
    return replace(one, seed=seed, evidence=evidence, truth=np.full_like(one.truth, UNKNOWN))


def made_up_folder(
    folder: Path, n_tables: int, size: int = 10, start: int = 0, make: Make = made_up_record
) -> Path:
    plan = Plan("world", start, start + n_tables, size)
    plan.save(folder)
    for k in range(plan.n_shards):
        Shard.of([make(seed) for seed in plan.seeds(k)], NAMES).save(shard_path(folder, k))
    return folder
