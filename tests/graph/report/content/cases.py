"""Tables and views for the tests of what a report says."""

import warnings
from functools import cache

import numpy as np
import pandas as pd

from spinney import LearnedGraph
from spinney.graph import learn
from spinney.models import SharedForest
from spinney.models.baselines import ChowLiu, GraphicalLasso, PartialCorrelation


def chain(n=150, d=5, seed=5):
    X = np.random.default_rng(seed).normal(size=(n, d))
    for k in range(1, d - 1):
        X[:, k] += (-1.3) ** k * X[:, k - 1]
    return pd.DataFrame(X, columns=[f"c{k}" for k in range(d)])


def mixed(n=160, seed=2):
    """Numbers, levels and classes with gaps, and names that must come out harmless."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "x": x,
            "<script>alert(1)</script>": x + rng.normal(size=n),
            "yes\nno": np.where(x + rng.normal(size=n) > 0, "yes", "no"),
            "scale": np.clip(np.round(x + rng.normal(size=n)), -2, 2).astype(int),
            "=HYPERLINK('city')": rng.choice(["Bern", "Z" * 300 + "1", "Z" * 300 + "2"], n),
            "long " * 2000: np.where(rng.uniform(size=n) < 0.2, np.nan, rng.normal(size=n)),
            "constant": 1,
        }
    )
    return frame


def quietly(fit, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fit(*arguments, **options)


@cache
def learned(name):
    if name == "mixed":
        return quietly(learn, mixed(), kind={"scale": "ordinal"})
    if name == "fdr":
        return quietly(learn, chain(), fdr=0.1, required=[(0, 4)], forbidden=[(0, 1)])
    table = {
        "chain": chain(),
        "empty": np.random.default_rng(0).normal(size=(60, 4)),
        "two": chain(40, 3).iloc[:, :2],
        "few rows": chain(9, 3),
        "many rows": chain(2500, 3),
    }[name]
    return quietly(learn, table)


LEARNED = ("chain", "mixed", "fdr", "empty", "two", "few rows", "many rows")
OTHERS = {
    "chow-liu": ChowLiu(),
    "graphical-lasso": GraphicalLasso(),
    "partial-correlation": PartialCorrelation(),
    "shared-forest": SharedForest(),
}


@cache
def view(name):
    if name in LEARNED:
        return LearnedGraph.of(learned(name), title=name)
    return LearnedGraph.of(quietly(OTHERS[name].fit, chain(60, 4)), title=name)
