"""Reliability of the probability that two groups differ, on tables whose graphs are known."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.groups.worlds import WORLDS, draw
from spinney._core.pairs import to_pairs
from spinney.datasets import load_pbmc, load_sachs
from spinney.graph.differences import couple
from spinney.judge import GraphLearner
from spinney.metrics import reliability_of_pairs
from spinney.scale.tasks import parallel_map
from spinney.simulate import gaussian_mrf

__all__ = ["calibration", "null"]

Floats = NDArray[np.float64]
SIZES = (10, 25)
ROWS = ((50, 50), (200, 200), (500, 500), (400, 100))
CHANGED = (0.0, 0.2)
LIMITS = 10
SMALLEST = 1e-6
"""Probabilities are kept so far from 0 and 1 when the log loss is computed."""


class Case(NamedTuple):
    """One pair of tables: where it comes from, what was learned, and the truth."""

    world: str
    d: int
    rows: tuple[int, int]
    changed: float
    probabilities: Floats
    truth: NDArray[np.bool_]


def product(first: Floats, second: Floats) -> Floats:
    """Probability that two graphs differ if they knew nothing of each other."""
    return first * (1.0 - second) + second * (1.0 - first)


def coupled(first: Floats, second: Floats) -> Floats:
    """Probability that two groups differ, as spinney has it."""
    return couple(first, second).differs


WAYS: dict[str, Callable[[Floats, Floats], Floats]] = {"coupled": coupled, "product": product}


def calibration(seed: int, repetitions: int, jobs: int, quick: bool) -> dict[str, Any]:
    """Learn two groups that share most of their graph, again and again, and keep the score."""
    sizes = SIZES[:1] if quick else SIZES
    rows = ROWS[:2] if quick else ROWS
    cells = [
        (world, d, n, changed, seed + k)
        for world, d, n, changed in itertools.product(WORLDS, sizes, rows, CHANGED)
        for k in range(repetitions)
    ]
    cases = parallel_map(_learned, cells, n_jobs=jobs, prefer="processes")
    found: dict[str, Any] = {"repetitions": repetitions, "all": _scores(cases)}
    for name, key in (
        ("world", lambda case: case.world),
        ("d", lambda case: str(case.d)),
        ("rows", lambda case: "{} and {}".format(*case.rows)),
        ("changed", lambda case: f"{case.changed:g}"),
    ):
        kinds = dict.fromkeys(key(case) for case in cases)
        found[name] = {
            kind: _scores([case for case in cases if key(case) == kind]) for kind in kinds
        }
    found["reliability"] = {way: _reliability(cases, way) for way in WAYS}
    _show(found)
    return found


def null(seed: int, repetitions: int, jobs: int, quick: bool) -> dict[str, Any]:
    """Split one table at random into two groups: there is nothing to find."""
    sachs = load_sachs().X.to_numpy(dtype=float)
    simulated = [gaussian_mrf(400, 25, random_state=seed + k).X for k in range(repetitions)]
    cells = load_pbmc("igm+", "Reference").X.to_numpy(dtype=float)
    tables = {
        "Sachs": [sachs] * repetitions,
        "blood cells": [cells] * repetitions,
        "simulated, 25 columns": simulated,
    }
    found = {}
    for name, own in tables.items():
        seeded = [(table, seed + k) for k, table in enumerate(own)]
        pairs = parallel_map(_split, seeded, n_jobs=jobs, prefer="processes")
        found[name] = {
            way: {
                "expected": float(np.mean([ask(*P).sum() for P in pairs])),
                "above one half": float(np.mean([(ask(*P) > 0.5).sum() for P in pairs])),
            }
            for way, ask in WAYS.items()
        }
        print(f"  {name}, split at random: {found[name]}")
    return found


def _learned(cell: tuple[str, int, tuple[int, int], float, int]) -> Case:
    world, d, rows, changed, seed = cell
    groups = draw(world, d, rows, changed, seed)
    P = np.array([_judged(table) for table in groups.tables])
    truth = np.array([to_pairs(graph) > 0 for graph in groups.graphs])
    return Case(world, d, rows, changed, P, truth)


def _split(seeded: tuple[Floats, int]) -> Floats:
    table, seed = seeded
    order = np.random.default_rng(seed).permutation(len(table))
    half = len(table) // 2
    return np.array([_judged(table[order[:half]]), _judged(table[order[half : 2 * half]])])


def _judged(table: Floats) -> Floats:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows: that is what is looked at
        return GraphLearner(n_jobs=1).fit(table).judged_probabilities_


def _said(cases: Iterable[Case], way: str) -> tuple[Floats, NDArray[np.bool_]]:
    """Probabilities of all pairs of all tables, and whether they differ."""
    cases = list(cases)
    told = np.concatenate([WAYS[way](*case.probabilities) for case in cases])
    return told, np.concatenate([case.truth[0] != case.truth[1] for case in cases])


def _scores(cases: list[Case]) -> dict[str, Any]:
    scores: dict[str, Any] = {}
    for way in WAYS:
        told, truth = _said(cases, way)
        kept = np.clip(told, SMALLEST, 1.0 - SMALLEST)
        table = reliability_of_pairs(told, truth, LIMITS)
        gaps = (table["mean_probability"] - table["edge_share"]).abs() * table["count"]
        likely = told > 0.5
        scores[way] = {
            "expected": float(told.sum() / len(cases)),
            "above one half": float(likely.sum() / len(cases)),
            "of these right": float(truth[likely].mean()) if likely.any() else None,
            "log loss": float(-np.log(np.where(truth, kept, 1.0 - kept)).sum() / len(cases)),
            "calibration error": float(gaps.sum() / len(told)),
        }
    scores["true"] = float(truth.sum() / len(cases))
    scores["tables"] = len(cases)
    return scores


def _reliability(cases: list[Case], way: str) -> list[list[float]]:
    table = reliability_of_pairs(*_said(cases, way), LIMITS)
    columns = ["mean_probability", "edge_share", "count"]
    return [[float(value) for value in row] for row in table[columns].to_numpy()]


def _show(found: dict[str, Any]) -> None:
    for name in ("world", "d", "rows", "changed"):
        for kind, scores in found[name].items():
            parts = [
                f"{way}: expected {scores[way]['expected']:.2f}, "
                f"log loss {scores[way]['log loss']:.2f}, "
                f"calibration error {100 * scores[way]['calibration error']:.2f} %"
                for way in WAYS
            ]
            print(f"  {name} {kind}: true {scores['true']:.2f}; {'; '.join(parts)}")
    for way, rows in found["reliability"].items():
        print(f"  reliability, {way}:")
        for told, realised, count in rows:
            print(f"    {told:.3f} {realised:.3f} {count:.0f}")
