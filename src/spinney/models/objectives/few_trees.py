"""All unrooted forests of at most k trees (the paper's §4), for a dozen nodes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from spinney import forests
from spinney._core.components import pair_component_labels
from spinney._core.pairs import to_matrix
from spinney.exceptions import InputError
from spinney.forests.unrooted import MAX_NODES
from spinney.models.objectives.ensemble import Ensemble, EnsembleValue, no_forest

__all__ = ["FewTrees"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class FewTrees(Ensemble):
    r"""Unrooted forests of at most `max_trees` trees.

    .. math:: Z(\beta) = \sum_{\mathbf V} \prod_{V \in \mathbf V} \det Q(\beta_V)

    over all partitions of the nodes into at most `max_trees` sets.

    Parameters
    ----------
    n_nodes : int
        Number of nodes, at most 12.
    max_trees : int, optional
        Most trees; all forests by default.
    context : forests.Context, optional
        As in :class:`Ensemble`.

    Examples
    --------
    Three trees and three forests of two trees on three nodes.

    >>> np.exp(FewTrees(3, 2).evaluate_prior(np.ones(3)).log_partition).round(6)
    array([6.])
    """

    def __init__(
        self, n_nodes: int, max_trees: int | None = None, context: forests.Context | None = None
    ) -> None:
        if n_nodes > MAX_NODES:
            raise InputError(
                f"ExactForests visits every partition and is meant for {MAX_NODES} variables; the "
                f"table has {n_nodes}. Use ForestsLambda."
            )
        super().__init__(n_nodes, context)
        self.max_trees = max_trees

    def evaluate(
        self, beta: Floats, W: Floats, *, log: bool = False, per_sample: bool = False
    ) -> EnsembleValue:
        """Evaluate; see :class:`Ensemble`."""
        most = self.n_nodes if self.max_trees is None else self.max_trees
        if pair_component_labels(beta > 0, self.n_nodes).max(initial=0) + 1 > most:
            return no_forest(len(W), self.n_pairs, per_sample)
        found = forests.evaluate_unrooted(
            beta, W, self.max_trees, log=log, per_sample=per_sample, context=self.context
        )
        return EnsembleValue(found.log_partition, found.gradient)

    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Integers:
        """Draw forests; see :class:`Ensemble`."""
        drawn = forests.sample_unrooted(
            to_matrix(beta), self.max_trees, n_samples, random_state=rng
        )
        return drawn.parents
