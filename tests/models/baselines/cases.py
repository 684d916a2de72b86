"""Tables and matrices that several tests share."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from spinney import PairCopulas
from spinney._core.pairs import to_matrix
from spinney.models.baselines import (
    ChowLiu,
    GraphicalLasso,
    NeighbourhoodSelection,
    PartialCorrelation,
    Stars,
)

DATA = Path(__file__).parents[2] / "data"
WITHOUT_CHANCE = [
    GraphicalLasso(selection="ebic"),
    GraphicalLasso(selection=0.2, dependence="shrinkage"),
    GraphicalLasso(selection="ebic", dependence="spearman"),
    NeighbourhoodSelection(selection=0.2),
    NeighbourhoodSelection(selection=0.2, rule="and", dependence="kendall"),
    ChowLiu(),
    ChowLiu(dependence="shrinkage"),
    ChowLiu(criterion=None, dependence="kendall"),
    ChowLiu(potentials=PairCopulas(families=["gaussian", "clayton"], criterion="bic")),
    PartialCorrelation(),
    PartialCorrelation(threshold="none", dependence="shrinkage", shrink=True),
]
# Their subsamples, folds and rotations are drawn by position, so the order of rows matters.
DRAW_ROWS = [
    GraphicalLasso(selection=Stars(0.3)),
    GraphicalLasso(selection="cv", dependence="shrinkage"),
    GraphicalLasso(selection="ric", dependence="kendall"),
    NeighbourhoodSelection(selection=Stars(0.2), rule="and"),
    NeighbourhoodSelection(selection="ric", dependence="spearman"),
]
ESTIMATORS = WITHOUT_CHANCE + DRAW_ROWS


def each(estimators=ESTIMATORS):
    """Run a test for each of some estimators."""
    return pytest.mark.parametrize("estimator", estimators, ids=name_of)


def name_of(estimator):
    return " ".join(str(estimator).split())


@cache
def oracle():
    return json.loads((DATA / "huge.json").read_text())


def unpack(code, size):
    return np.unpackbits(np.frombuffer(bytes.fromhex(code), dtype=np.uint8))[:size].astype(bool)


def huge_supports(codes, d):
    """Supports along huge's path, as boolean matrices (m, d, d)."""
    return to_matrix([unpack(code, d * (d - 1) // 2) for code in codes]) > 0


def chain(rng, n=200, d=6, coefficient=0.8):
    """Gaussian chain: the graph is x0 – x1 – x2 …."""
    X = rng.normal(size=(n, d))
    for k in range(1, d):
        X[:, k] += coefficient * X[:, k - 1]
    return X


def correlation(rng, n, d):
    return np.corrcoef(chain(rng, n, d).T)


def glasso_objective(precision, S, penalty, penalise_diagonal=True):
    weights = np.full(S.shape, penalty)
    if not penalise_diagonal:
        np.fill_diagonal(weights, 0.0)
    sign, log_determinant = np.linalg.slogdet(precision)
    assert sign == 1
    return -log_determinant + np.sum(S * precision) + np.sum(weights * np.abs(precision))
