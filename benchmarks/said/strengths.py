"""Strengths and signs that were wrong, or said nothing: the examples of the issue."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.stats import norm

from benchmarks.said.rows import Asked, Row, held, mean
from spinney import learn
from spinney.datasets import load_anes96, load_sachs

__all__ = ["rows"]

ALL = [("x", "y"), ("x", "group"), ("y", "group")]


def rows(asked: Asked) -> Iterator[Row]:
    """Measure the examples."""
    for row in (_sexes, _simpson, _squares, _wavelengths):
        yield from row(asked)
    yield from _anes()
    yield from _words(asked)


def _in_classes(rng: np.random.Generator, n: int, rho: float, at: list[float]) -> pd.DataFrame:
    group = rng.integers(len(at), size=n)
    Z = rng.multivariate_normal([0, 0], [[1, rho], [rho, 1]], n) + np.array(at)[group][:, None]
    return pd.DataFrame({"x": Z[:, 0], "y": Z[:, 1], "group": np.array(list("pqr"))[group]})


def _sexes(asked: Asked) -> Iterator[Row]:
    for shift in (1.0, 2.5):
        values, inside = [], []
        for rng in asked.generators(40):
            found = held(_in_classes(rng, 500, 0.5, [0.0, shift]), ALL).loc[("x", "y")]
            values.append(found["strength"])
            inside.append(found["low"] <= 0.5 <= found["high"])
        name = f"two sexes, shift {shift:g}"
        yield mean(f"{name}: strength of x – y", "−.69" if shift > 1 else "", ".50", values)
        claimed = "0 of 40" if shift > 1 else "12 of 40"
        yield mean(f"{name}: intervals that hold the truth", claimed, ".95", inside)


def _simpson(asked: Asked) -> Iterator[Row]:
    frames = (_in_classes(rng, 500, -0.6, [0.0, 2.0, 4.0]) for rng in asked.generators(20))
    values = [held(frame, ALL).loc[("x", "y"), "strength"] for frame in frames]
    yield mean("three classes (Simpson): strength of x – y", "+.49", "−.60", values)


def _squares(asked: Asked) -> Iterator[Row]:
    signs = []
    for rng in asked.generators(20):
        x = rng.normal(size=300)
        frame = pd.DataFrame({"x": x, "y": x**2 + 0.3 * rng.normal(size=300)})
        signs.append(held(frame, [("x", "y")])["sign"].item() != 0)
    yield mean("y = x² + noise: a sign is given", "18 of 20", "0 (1 of 20 by chance)", signs)


def _wavelengths(asked: Asked) -> Iterator[Row]:
    """Smooth spectra: 215 rows, neighbours at most three columns apart."""
    off = []
    for rng in asked.generators(5):
        smooth = np.cumsum(np.cumsum(rng.normal(size=(215, 30)), axis=1), axis=1)
        X = smooth + 100.0 * rng.normal(size=(215, 1))
        names = [f"w{k}" for k in range(30)]
        edges = [(names[i], names[j]) for i in range(30) for j in range(i + 1, min(i + 4, 30))]
        found = held(pd.DataFrame(X, columns=names), edges)["strength"]
        scores = norm.ppf((pd.DataFrame(X).rank().to_numpy() - 0.5) / len(X))
        for i in range(29):
            near = [k for k in range(30) if k not in (i, i + 1) and i - 3 <= k <= i + 4]
            given, ends = scores[:, near], scores[:, [i, i + 1]]
            rest = ends - given @ np.linalg.lstsq(given, ends, rcond=None)[0]
            truth = np.corrcoef(rest.T)[0, 1]
            off.append(abs(found[names[i], names[i + 1]] - truth))
    yield mean("collinear columns: distance from the partial by hand", ".43 (meats)", "0", off)


def _anes() -> Iterator[Row]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        edges = learn(load_anes96()).edges.set_index(["source", "target"])
    for pair, claimed, true in (
        (("selfLR", "PID"), "−.07", "> 0 (+.23 and +.35 by vote)"),
        (("selfLR", "ClinLR"), "+.41", "sign open (+.28 and −.27 by vote)"),
    ):
        if pair in edges.index:
            name = f"ANES: {' – '.join(pair)}"
            yield Row(f"{name}: strength", claimed, true, float(edges.loc[pair, "strength"]))
            yield Row(f"{name}: sign", claimed[0], true, float(edges.loc[pair, "sign"]))


def _words(asked: Asked) -> Iterator[Row]:
    """Sentences: 1 where the words are there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sachs = " ".join(learn(load_sachs().X).why("Plcg", "PIP2").split())
        rng = next(asked.generators(1))
        x, y = rng.integers(2, size=(2, 500))
        frame = pd.DataFrame({"x": x, "y": y, "z": x ^ y, "w": rng.normal(size=500)})
        told = " ".join(learn(frame).why("x", "y").split())
    named = any(words in sachs for words in ("in the extremes", "in the spread"))
    yield Row("Sachs Plcg – PIP2: why names the evidence", "on other evidence", "1", float(named))
    false = "No single other column makes them dependent" in told
    yield Row("XOR: no single other column makes them dependent", "1", "0", float(false))
