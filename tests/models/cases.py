"""The estimators with quick settings, and tables for them."""

import numpy as np
import pandas as pd
from sklearn.base import clone

from spinney import EnsembleOfTrees, ExactForests, ForestsCuts, ForestsLambda, PairCopulas
from spinney.simulate import copula_forest

PAIRS = PairCopulas(families=["gaussian"], criterion="bic")
CROSS_FITTED = PairCopulas(families=["gaussian"], cv=3)
ESTIMATORS = {
    "trees": EnsembleOfTrees(PAIRS),
    "exact": ExactForests(potentials=PAIRS),
    "exact-2": ExactForests(2, potentials=PAIRS),
    "cuts": ForestsCuts(3, potentials=PAIRS, max_renewals=1, max_iter=200),
    "lambda": ForestsLambda([0.13, 0.05, 0.01], potentials=PAIRS, max_iter=30),
}
FOUR = ["trees", "exact", "cuts", "lambda"]


def make(name, **parameters):
    return clone(ESTIMATORS[name]).set_params(**parameters)


def frame(n=150, d=5, components=2, seed=1):
    X = copula_forest(n, d, components=components, random_state=seed).X
    return pd.DataFrame(np.asarray(X), columns=[f"gene {k}" for k in range(d)])
