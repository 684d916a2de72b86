"""Differences of strengths between groups: random splits, and signs that flip."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from training.grafts import find_folder, read_real, split

from benchmarks.said.cells import all_cells
from benchmarks.said.rows import Asked, Row, mean
from spinney import learn_groups
from spinney.datasets import load_penguins
from spinney.exceptions import SpinneyError

__all__ = ["rows"]

SPLITS, REAL = 40, 60
FEWEST, MOST_ROWS, MOST_COLUMNS = 100, 2000, 20


def rows(asked: Asked) -> Iterator[Row]:
    """Measure the spread of z where nothing differs, and the sizes of what does."""
    for cell in all_cells():
        name = f"random halves, {cell.name}, 500 rows"
        if asked.wants(name):
            drawn = (cell.draw(500, rng) for rng in asked.generators(SPLITS))
            found = [_halves(own.frame, own.units, k) for k, own in enumerate(drawn)]
            yield _spread(name, found)
    name = "random halves of real tables"
    folder = find_folder()
    if folder is not None and asked.wants(name):
        yield _spread(name, [_halves(f, None, k) for k, f in enumerate(_real(folder, asked))])
    yield from _flips(asked)


def _spread(name: str, found: list[np.ndarray[Any, Any]]) -> Row:
    """Root of the mean of z², by tables for its error."""
    z = np.concatenate(found)
    squares = np.array([np.square(own).sum() for own in found])
    counts = np.array([len(own) for own in found])
    value = float(np.sqrt(np.square(z).mean()))
    error = float(np.std(squares - value**2 * counts) * len(found) ** 0.5 / len(z) / (2 * value))
    return Row(f"{name}: spread of strength_z", "1", ".9 to 1.1", value, error, len(found))


def _halves(frame: pd.DataFrame, units: str | None, seed: int) -> np.ndarray[Any, Any]:
    """Split rows, or units, at random, and give z of the edges of both halves."""
    rng = np.random.default_rng(seed)
    own = np.arange(len(frame)) if units is None else pd.factorize(frame[units])[0]
    half = rng.permutation(np.arange(own.max() + 1) % 2)[own]
    labels = np.where(half, "one", "other").tolist()
    options = {} if units is None else {"unit": units}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = learn_groups(frame, labels, **options).differences
        except SpinneyError:
            return np.empty(0)
    return np.asarray(found["strength_z"].dropna(), dtype=float)


def _real(folder: Any, asked: Asked) -> Iterator[pd.DataFrame]:
    """Real tables of 100 rows or more, some of their columns, one table of each package first."""
    paths = sorted(split(folder)["report"], key=lambda path: path.name)
    rng = np.random.default_rng(asked.seed)
    count = 0
    for k in rng.permutation(len(paths)):
        frame = read_real(paths[k])
        if count >= min(REAL, asked.most) or frame is None or len(frame) < FEWEST:
            continue
        chosen = rng.permutation(frame.shape[1])[:MOST_COLUMNS]
        count += 1
        yield frame.iloc[rng.permutation(len(frame))[:MOST_ROWS], np.sort(chosen)]


def _flips(asked: Asked) -> Iterator[Row]:
    found = []
    for rng in asked.generators(20):
        parts = []
        for name, r in (("A", 0.6), ("B", -0.6)):
            S = np.eye(4)
            S[0, 1] = S[1, 0] = r
            S[2, 3] = S[3, 2] = 0.4
            Z = rng.multivariate_normal(np.zeros(4), S, 300)
            items = pd.DataFrame(np.digitize(Z, [-1.2, -0.4, 0.4, 1.2]) + 1)
            parts.append(items.set_axis(["mood", "sleep", "work", "food"], axis=1).assign(g=name))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            grouped = learn_groups(pd.concat(parts, ignore_index=True), "g")
        found.append(float("mood – sleep" in grouped.summary()))
    yield mean("Likert items, +.6 and −.6: the summary names the pair", "0", "1", found)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        penguins = load_penguins()
        frame = getattr(penguins, "X", penguins)
        told = " ".join(learn_groups(frame, "species").summary().split())
    said = "of different strength: bill_depth_mm – year" in told
    yield Row("penguins: strengths that differ are named", "in both", "1", float(said))
