"""Seconds from a file of text to a table, compared with ``pandas.read_csv`` of the same file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks._run import interleave
from benchmarks.tables.rounds import Options
from spinney.tables import read_table

SHAPES = ((100_000, 100), (10_000, 1_000), (200, 5_000))
ROUNDS = 5


def numbers(n: int, d: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw a table of numbers of six digits."""
    values = rng.normal(size=(n, d))
    return pd.DataFrame(values, columns=[f"v{k}" for k in range(d)])


def mixed(n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw a table of row names, numbers, whole numbers, words and truth values, with gaps."""
    frame = numbers(n, 10, rng)
    for k in range(4):
        frame[f"count {k}"] = pd.array(rng.poisson(3, n), dtype="Int64")
        frame[f"word {k}"] = rng.choice(["low", "middle", "high, or above"], n)
    frame["smokes"] = rng.random(n) < 0.3
    frame = frame.mask(rng.random(frame.shape) < 0.02)
    frame.index = pd.Index([f"p{k}" for k in range(n)], name="patient")
    return frame


def write(folder: Path, seed: int, quick: bool) -> dict[str, tuple[Path, dict[str, Any]]]:
    """Write one file of each form, and say what pandas must be told of it."""
    rng = np.random.default_rng(seed)
    part = 50 if quick else 1
    files: dict[str, tuple[Path, dict[str, Any]]] = {}

    def add(name: str, frame: pd.DataFrame, told: dict[str, Any], **options: Any) -> None:
        path = folder / f"{len(files)}.csv"
        frame.to_csv(path, float_format="%.6g", **options)
        files[name] = path, told

    for n, d in SHAPES:
        add(f"numbers, {n} x {d}", numbers(max(n // part, 100), d, rng), {}, index=False)
    n = 100_000 // part
    commas: dict[str, Any] = {"sep": ";", "decimal": ","}
    add(f"decimal commas, {n} x 20", numbers(n, 20, rng), commas, index=False, **commas)
    add(f"row names in quotes, {n} x 20", numbers(n, 20, rng).rename("r{}".format), {}, quoting=2)
    add(f"mixed, {n} x 19", mixed(n, rng), {})
    return files


def run(seed: int, options: Options) -> dict[str, Any]:
    """Time both in turn."""
    result: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (path, told) in write(Path(folder), seed, options.quick).items():
            rivals: dict[str, Callable[[], Any]] = {
                "pandas": partial(pd.read_csv, path, **told),
                "spinney": partial(read_table, path),
            }
            seconds = interleave(rivals, 1 if options.quick else ROUNDS)
            ratios = np.array(seconds["spinney"]) / np.array(seconds["pandas"])
            found = {key: float(np.median(values)) for key, values in seconds.items()}
            result[name] = {**found, "ratio": float(np.median(ratios)), "seconds": seconds}
            print(f"  {name:32s} {found['spinney']:6.2f} s {result[name]['ratio']:6.2f} x pandas")
    return {"pandas": pd.__version__, "rounds": ROUNDS, "files": result}
