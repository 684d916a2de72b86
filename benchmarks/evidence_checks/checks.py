"""The tables on which evidence was wrong once, each with a number and an aim."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.evidence_checks.tables import KINDS, real, series
from spinney import GraphLearner

REPETITIONS = 4


def run(seed: int, quick: bool) -> dict[str, Any]:
    """Measure every check once, and print a line of each."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, value, aim in _all(seed, 2 if quick else REPETITIONS):
            print(f"  {name:<66} {value:8.3f}   aim {aim}")
            found.append({"check": name, "value": round(float(value), 4), "aim": aim})
    return {"repetitions": REPETITIONS, "checks": found}


def _all(seed: int, repetitions: int) -> Iterator[tuple[str, float, str]]:
    yield from _chance()
    yield from _independent(seed, repetitions)
    yield from _edges(seed)
    yield from _strengths()
    yield from _rows(seed, repetitions)


def learned(frame: pd.DataFrame, **options: Any) -> GraphLearner:
    return GraphLearner(**options).fit(frame)


def _between(model: GraphLearner, u: str, v: str) -> float:
    names = list(model.node_names_)
    return float(model.edge_probabilities_[names.index(u), names.index(v)])


def _flips(one: GraphLearner, other: GraphLearner) -> int:
    """Pairs of columns that both have, and that are an edge in one only."""
    mine, yours = list(one.node_names_), list(other.node_names_)
    both = [name for name in mine if name in yours]
    a = one.adjacency_[np.ix_(*[[mine.index(name) for name in both]] * 2)]
    b = other.adjacency_[np.ix_(*[[yours.index(name) for name in both]] * 2)]
    return int(np.triu(a != b, 1).sum())


def _chance() -> Iterator[tuple[str, float, str]]:
    for name in ("MASS__Boston", "datasets__mtcars"):
        frame = real(name)
        if frame is None:
            continue
        first = learned(frame)
        noise = frame.assign(noise=np.random.default_rng(0).normal(size=len(frame)))
        seeds = [_flips(first, learned(frame, random_state=k)) for k in (1, 2, 3)]
        yield f"{name}: edges that change with the seed, most of 3", max(seeds), "0"
        yield f"{name}: with columns reversed", _flips(first, learned(frame.iloc[:, ::-1])), "0"
        yield f"{name}: with a column of noise", _flips(first, learned(noise)), "<= 1"
        yield f"{name}: without its first row", _flips(first, learned(frame.iloc[1:])), "<= 1"


def _independent(seed: int, repetitions: int) -> Iterator[tuple[str, float, str]]:
    for kind, (draw, n, d) in KINDS.items():
        rng = np.random.default_rng(seed)
        edges = [learned(draw(n, d, rng)).adjacency_.sum() / 2 for _ in range(repetitions)]
        yield f"false edges a table: {kind}", float(np.mean(edges)), "<= 0.2"
    rng = np.random.default_rng(seed)
    pairs = [learned(pd.DataFrame(rng.normal(size=(20, 2)))) for _ in range(8 * repetitions)]
    sure = np.mean([model.edge_probabilities_[0, 1] > 0.95 for model in pairs])
    yield "20 x 2 independent columns: share with P > 0.95", float(sure), "<= 0.005"


def _edges(seed: int) -> Iterator[tuple[str, float, str]]:
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 3, 300)
    z = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 1]], size=300)
    frame = pd.DataFrame({"a": z[:, 0] + 2 * kind, "b": z[:, 1] - 2 * kind})
    frame["c"] = np.array(list("xyz"))[kind]
    yield "P(a-b), correlated 0.6 within three classes", _between(learned(frame), "a", "b"), "> 0.9"
    angle = rng.uniform(0, 2 * np.pi, 300)
    ring = pd.DataFrame({"x": np.cos(angle), "y": np.sin(angle), "w": rng.normal(size=300)})
    yield "P(x-y), a ring", _between(learned(ring), "x", "y"), "> 0.9"
    for n in (200, 1000, 5000):
        x = rng.normal(size=n)
        frame = pd.DataFrame({"x": x, "y": x + rng.normal(size=n)})
        for name, copy in (("max(x, 0)", x.clip(0)), ("x cut into four", pd.qcut(x, 4).codes)):
            model = learned(frame.assign(z=copy))
            yield f"P(x-y), z = {name}, n = {n}", _between(model, "x", "y"), "> 0.9"
            yield f"P(y-z), z = {name}, n = {n}", _between(model, "y", "z"), "< 0.5"
    sat = real("psych__sat.act")
    if sat is not None:
        yield "sat.act: P(SATV-SATQ)", _between(learned(sat), "SATV", "SATQ"), "> 0.9"
    penguins = real("palmerpenguins__penguins")
    if penguins is not None:
        found = _between(learned(penguins), "flipper_length_mm", "body_mass_g")
        yield "penguins: P(flipper-mass)", found, "> 0.9"


def _strengths() -> Iterator[tuple[str, float, str]]:
    mammals = real("quantreg__Mammals")
    if mammals is not None:
        model = learned(mammals, required=[("weight", "speed")])
        names = list(model.node_names_)
        strength = model.edge_weights_[names.index("weight"), names.index("speed")]
        yield "Mammals: strength of weight-speed", float(strength), "0 to 0.5"


def _rows(seed: int, repetitions: int) -> Iterator[tuple[str, float, str]]:
    rng = np.random.default_rng(seed)
    kept = []
    for _ in range(repetitions):
        x = rng.normal(size=300)
        frame = pd.DataFrame({"x": x, "y": x + rng.normal(size=300)})
        frame["z"] = frame["y"] + rng.normal(size=300)
        kept.append(_flips(learned(frame), learned(frame.sort_values("x"))))
    yield "edges that change when a table is sorted", float(np.mean(kept)), "0"
    edges = [learned(series(0.9)(200, 10, rng)).adjacency_.sum() / 2 for _ in range(repetitions)]
    yield "false edges a table: ten slow series, memory 0.9", float(np.mean(edges)), "<= 0.5"
