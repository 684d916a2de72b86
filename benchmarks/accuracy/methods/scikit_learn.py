"""Scikit-learn's own graphical lasso, which needs nothing but what is installed anyway."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.covariance import GraphicalLassoCV
from sklearn.preprocessing import StandardScaler

from benchmarks.accuracy.methods import register


@register("sklearn-glasso-cv")
def glasso_cv(X: NDArray[Any], seed: int) -> SimpleNamespace:
    """Graphical lasso on standardised columns, its penalty by five-fold likelihood."""
    precision = GraphicalLassoCV().fit(StandardScaler().fit_transform(X)).precision_
    scale = np.sqrt(precision.diagonal())
    weights = -precision / np.outer(scale, scale)
    weights = (weights + weights.T) / 2  # its coordinate descent leaves 1e-5 between triangles
    weights[(precision == 0) | (precision.T == 0)] = 0.0
    np.fill_diagonal(weights, 0.0)
    return SimpleNamespace(adjacency_=weights != 0, edge_weights_=weights)
