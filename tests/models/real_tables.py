"""A table such as people have, with columns of all kinds, and estimators to learn it with."""

import numpy as np
import pandas as pd
import pytest

from spinney import (
    EnsembleOfTrees,
    ExactForests,
    ForestsCuts,
    ForestsLambda,
    PairCopulas,
    RootedForests,
    SharedForest,
)
from spinney.models.baselines import ChowLiu

QUICK = PairCopulas(families=["gaussian", "clayton"], cv=3)
LEARNERS = {
    "trees": EnsembleOfTrees(QUICK),
    "exact": ExactForests(potentials=QUICK),
    "cuts": ForestsCuts(3, potentials=QUICK, max_renewals=1),
    "lambda": ForestsLambda([0.13, 0.05, 0.01], potentials=QUICK),
    "rooted": RootedForests(QUICK, n_penalties=8),
    "shared": SharedForest(QUICK, n_subsets=8),
    "chow-liu": ChowLiu(potentials=QUICK),
}
FORESTS = [name for name in LEARNERS if name != "chow-liu"]
WITHOUT_SPANNING = ["exact", "lambda", "rooted", "shared", "chow-liu"]
"""Those that leave columns alone: a spanning tree needs edges between independent ones, too."""

few_rows = pytest.mark.filterwarnings("ignore:.* are few for .* of columns")
left_out = pytest.mark.filterwarnings("ignore:.* left out")

KINDS = {
    "weight": "continuous",
    "grade": "ordinal",
    "smoker": "binary",
    "colour": "nominal",
    "tested": "binary",
    "height": "continuous",
}
TRUE_EDGES = {frozenset({"weight", "grade"}), frozenset({"smoker", "colour"})}


def mixed_frame(n=240, seed=5):
    """Columns of all kinds, two of them with gaps, and three that nothing can be learned from."""
    rng = np.random.default_rng(seed)
    z = rng.normal(size=(n, 4))
    z[:, 1] += 1.2 * z[:, 0]
    z[:, 3] += 1.2 * z[:, 2]
    grades = np.digitize(z[:, 1], [-1.0, 0.0, 1.0])
    colours = np.array(["blue", "green", "red"])[np.digitize(z[:, 3], [-0.7, 0.7])]
    frame = pd.DataFrame(
        {
            "id": np.arange(1, n + 1),
            "weight": np.exp(z[:, 0]),
            "grade": pd.Categorical.from_codes(grades, list("DCBA"), ordered=True),
            "smoker": np.where(z[:, 2] > 0.2, "yes", "no"),
            "colour": colours.astype(object),
            "tested": rng.uniform(size=n) < 0.4,
            "height": rng.normal(size=n),
            "site": "Berlin",
            "day": pd.date_range("2020-01-01", periods=n),
        }
    )
    frame.loc[rng.uniform(size=n) < 0.1, "weight"] = np.nan
    frame.loc[rng.uniform(size=n) < 0.1, "colour"] = None
    return frame


def edges_of(model):
    return {frozenset(edge) for edge in model.graph_.edges}


def all_cells(columns):
    """Every combination of the levels of a table's columns, as a data frame of categories."""
    grids = np.meshgrid(*[np.arange(len(column.levels)) for column in columns], indexing="ij")
    return pd.DataFrame(
        {
            column.name: np.array(column.levels, dtype=object)[grid.ravel()]
            for column, grid in zip(columns, grids, strict=True)
        }
    )
