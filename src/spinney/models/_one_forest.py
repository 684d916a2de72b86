"""All rooted forests, weighted by what a whole table says about each edge."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from spinney import forests
from spinney._core.pairs import n_nodes
from spinney.exceptions import InputError
from spinney.forests.posterior import ForestPosterior, forest_log_partition, forest_posterior
from spinney.models.objectives import Ensemble, EnsembleValue

__all__ = ["OneForest"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

ROWS_AT_A_TIME = 64
"""Rows whose log-weights are in memory together; with 1000 columns they take 256 MB."""


class OneForest(Ensemble):
    r"""Rooted forests under the posterior of one forest, tilted by edge weights.

    .. math:: Z(\beta) = \sum_F \prod_{e \in F} \beta_e \, e^{\ell_e} \prod_{T \in F} |T|

    With weights of one it is the posterior itself, so that :math:`Z(\beta \circ W(x)) / Z(\beta)`
    is the mean of :math:`\prod_{e \in F} w_e(x)` over it. The log-weights
    :math:`\ell_e` may be of any size.

    Parameters
    ----------
    log_weights : array of shape (n_pairs,)
        :math:`\ell_e`, relative to the weight of a root; -inf for no edge.
    context : forests.Context, optional
        As in :class:`spinney.models.objectives.Ensemble`.
    network : forests.Network, optional
        Which pairs the log-weights are for; by default all.

    Examples
    --------
    One edge, e^1000 times as probable as none (and either end may be the root). A row whose
    density is that of independence over e^1000 leaves one in three for no edge:

    >>> ensemble = OneForest(np.array([1000.0]))
    >>> ensemble.posterior_edge_probabilities(np.ones(1), np.array([[-1000.0]])).round(3)
    array([[0.667]])
    """

    def __init__(
        self,
        log_weights: Floats,
        context: forests.Context | None = None,
        network: forests.Network | None = None,
    ) -> None:
        self.network = forests.Network(n_nodes(len(log_weights))) if network is None else network
        super().__init__(self.network.n_nodes, context)
        self.log_weights = log_weights

    @property
    def n_pairs(self) -> int:
        """Number of pairs that weights are listed for."""
        return len(self.log_weights)

    def evaluate(
        self, beta: Floats, W: Floats, *, log: bool = False, per_sample: bool = False
    ) -> EnsembleValue:
        """Evaluate; see :class:`Ensemble`. All of `beta` must be positive."""
        with np.errstate(divide="ignore"):
            log_density = W if log else np.log(W)
        found = self._posterior(self._tilted(beta) + log_density)
        each = found.probabilities / beta
        return EnsembleValue(
            np.atleast_1d(found.log_partition), each if per_sample else each.sum(axis=0)
        )

    def posterior_edge_probabilities(self, beta: Floats, log_density: Floats) -> Floats:
        """Probability of each edge given each sample; see :class:`Ensemble`."""
        result = np.empty(log_density.shape)
        for part, rows in self._parts(beta, log_density):
            result[part] = self._posterior(rows).probabilities
        return result

    def log_likelihood_ratio(self, beta: Floats, log_density: Floats) -> Floats:
        """Log-density of each sample relative to independence; see :class:`Ensemble`."""
        result = np.empty(len(log_density))
        for part, rows in self._parts(beta, log_density):
            result[part] = self._log_partition(rows, self.context)
        alone = self._log_partition(self._tilted(beta)[None], forests.Context())
        return result - alone[0]

    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Integers:
        """Draw forests; see :class:`Ensemble`."""
        return self.network.sample(self._tilted(beta), n_samples, rng)

    def _posterior(self, rows: Floats) -> ForestPosterior:
        return forest_posterior(rows, network=self.network, context=self.context)

    def _log_partition(self, rows: Floats, context: forests.Context) -> Floats:
        return np.atleast_1d(forest_log_partition(rows, network=self.network, context=context))

    def _parts(self, beta: Floats, log_density: Floats) -> Iterator[tuple[slice, Floats]]:
        tilted = self._tilted(beta)
        for begin in range(0, len(log_density), ROWS_AT_A_TIME):
            part = slice(begin, begin + ROWS_AT_A_TIME)
            yield part, tilted + log_density[part]

    def _tilted(self, beta: Floats) -> Floats:
        if not (beta > 0).all():
            raise InputError(
                "Weights that tilt a posterior must be positive; where there is no edge, "
                "log_weights is -inf."
            )
        return self.log_weights + np.log(beta)
