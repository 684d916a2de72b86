"""Data whose true graph is known.

Every simulator takes a seed and gives the same result for the same seed. The graph, its weights
and the data are drawn from separate streams of that seed, so that the same seed gives the same
graph at any `n`, and the rows of a smaller table are the first rows of a larger one. What is the
same on every machine: graphs, precision matrices and Gaussian data to the last bit (they are
computed by additions, products, quotients and square roots in a fixed order; see
:mod:`spinney.simulate.gaussian`), as long as numpy keeps the streams of its ``Generator``. Data
that pass through quantile functions (cliques, copula forests) agree to rounding, for those differ
between builds of scipy and even between places in an array.
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
