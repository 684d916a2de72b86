"""What costs nothing: every method should beat these."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr

from benchmarks.accuracy.methods import register


@register("empty")
def empty(X: NDArray[Any], seed: int) -> SimpleNamespace:
    """Keep no edge, and rank the pairs by their rank correlation."""
    d = X.shape[1]
    correlation = np.reshape(spearmanr(X).statistic, (d, d))
    weights = np.abs(correlation + correlation.T) / 2
    np.fill_diagonal(weights, 0.0)
    return SimpleNamespace(adjacency_=np.zeros((d, d), dtype=bool), edge_weights_=weights)
