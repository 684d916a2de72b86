"""Long tables whose graph is known, written to Parquet in row groups."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney.simulate import copula_forest, gaussian_mrf, t_cliques

ROW_GROUP = 100_000


def draw(n: int, seed: int) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    """Forty columns: a Gaussian network of 20, a forest of copulas of 12, t-cliques of 8."""
    parts = (
        gaussian_mrf(n, 20, 4, 1, random_state=seed),
        copula_forest(n, 12, random_state=seed + 1),
        t_cliques(n, 8, random_state=seed + 2),
    )
    X = np.hstack([part.X for part in parts]).astype(np.float32)
    truth = np.zeros((40, 40), dtype=bool)
    begin = 0
    for part in parts:
        end = begin + len(part.adjacency)
        truth[begin:end, begin:end] = part.adjacency
        begin = end
    return pd.DataFrame(X, columns=[f"m{k:02d}" for k in range(40)]), truth


def with_kinds(frame: pd.DataFrame, seed: int) -> pd.DataFrame:
    """Cut three columns into levels, and one value in ten of a fourth is missing."""
    rng = np.random.default_rng(seed)
    frame = frame.copy()
    cuts = {name: np.quantile(frame[name], [0.3, 0.7]) for name in ("m03", "m22")}
    frame["m03"] = np.digitize(frame["m03"], cuts["m03"]).astype(np.int8)
    labels = np.array(["low", "middle", "high"], dtype=object)
    frame["m22"] = pd.Categorical(labels[np.digitize(frame["m22"], cuts["m22"])])
    frame["m35"] = frame["m35"] > 0
    frame["m10"] = frame["m10"].mask(rng.random(len(frame)) < 0.1)
    return frame


def write(frame: pd.DataFrame, path: Path) -> None:
    """Write a table in row groups of 100,000 rows."""
    frame.to_parquet(path, index=False, row_group_size=ROW_GROUP)
