"""Data whose true graph is known.

Every simulator takes a seed and gives the same result for the same seed. The graph, its weights
and the data are drawn from separate streams of that seed: the same seed gives the same graph at
any `n`, and the rows of a smaller table are the first rows of a larger one.

Graphs, precision matrices and Gaussian data are the same to the last bit on every machine, as long
as numpy keeps the streams of its ``Generator``: they are computed in a fixed order (see
:mod:`spinney.simulate.gaussian`). Data that pass through quantile functions (cliques, copula
forests) agree to rounding, because these functions differ between builds of scipy.
"""

from spinney.simulate.cliques import t_cliques
from spinney.simulate.discrete import ising_forest, potts_forest
from spinney.simulate.forest import copula_forest, random_copula
from spinney.simulate.gaussian import gaussian, gaussian_mrf, independent, precision_matrix
from spinney.simulate.graft import Grafted, graft
from spinney.simulate.graphs import (
    clique_graph,
    forest_graph,
    grid_graph,
    hub_graph,
    random_graph,
    scale_free_graph,
)
from spinney.simulate.levels import threshold, with_gaps
from spinney.simulate.result import Simulated

__all__ = [
    "Grafted",
    "Simulated",
    "clique_graph",
    "copula_forest",
    "forest_graph",
    "gaussian",
    "gaussian_mrf",
    "graft",
    "grid_graph",
    "hub_graph",
    "independent",
    "ising_forest",
    "potts_forest",
    "precision_matrix",
    "random_copula",
    "random_graph",
    "scale_free_graph",
    "t_cliques",
    "threshold",
    "with_gaps",
]
