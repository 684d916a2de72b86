"""All forests, each tree with a marked root: the sum that is one determinant."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.sparse import csgraph

from spinney import forests
from spinney._core.arrays import Floats, Ints
from spinney._core.pairs import pair_ends, pair_nodes
from spinney.models.objectives.ensemble import Determinants, EnsembleValue


class Rooted(Determinants):
    r"""Rooted forests: every tree counts once for each of its nodes.

    .. math:: Z(\beta) = \det(I + L(\beta))
              = \sum_F \prod_{e \in F} \beta_e \prod_{T \in F} |T|

    A root weighs one, which gives the weights of edges their unit. Nodes without a listed pair are
    not looked at.

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    pairs : array of int, optional
        Numbers of the listed pairs in the order of ``np.triu_indices(d, 1)``; by default all.
        Weights are listed in this order. Other pairs are never edges.
    threads : int, optional
        As in :class:`Ensemble`.

    References
    ----------
    .. [1] P. Chebotarev and E. Shamis (1997). The matrix-forest theorem and measuring relations in
       small social groups. Automation and Remote Control 58, 1505-1514.

    Examples
    --------
    One pair of weight 3: no edge (two roots), or one tree with either root.

    >>> np.exp(Rooted(2).evaluate_prior(np.array([3.0])).log_partition).round(6)
    array([7.])

    A table of 3,000 columns, of which two pairs are listed; one of them is an edge:

    >>> ensemble = Rooted(3000, pairs=[0, 7000])
    >>> ensemble.edge_probabilities(np.array([3.0, 0.0])).round(3)
    array([0.857, 0.   ])
    """

    def __init__(
        self,
        n_nodes: int,
        pairs: ArrayLike | None = None,
        threads: int | None = None,
    ) -> None:
        super().__init__(n_nodes, threads)
        self.pairs = None if pairs is None else np.asarray(pairs, dtype=np.int64)

    @property
    def n_pairs(self) -> int:
        """Number of pairs that weights are listed for."""
        return super().n_pairs if self.pairs is None else len(self.pairs)

    @cached_property
    def nodes(self) -> Ints:
        """The nodes that each listed pair joins, shape (n_listed, 2)."""
        d, pairs = self.n_nodes, self.pairs
        ends = pair_nodes(d) if pairs is None else pair_ends(pairs, d)
        return np.column_stack(ends).astype(np.int64)

    @cached_property
    def _touched(self) -> tuple[Ints, Ints]:
        """Nodes that have a listed pair, and the pairs in their numbers."""
        touched, local = np.unique(self.nodes, return_inverse=True)
        return touched, local.reshape(-1, 2).astype(np.int64)

    @property
    def n_solved(self) -> int:
        """Number of nodes that take part in an elimination."""
        return len(self._touched[0])

    def restrict(self, columns: ArrayLike) -> Rooted:
        """Return the same forests on some of the listed pairs."""
        chosen = np.asarray(columns, dtype=np.int64)
        pairs = chosen if self.pairs is None else self.pairs[chosen]
        return Rooted(self.n_nodes, pairs, self.threads)

    def evaluator(self, beta: Floats) -> forests.Evaluator | None:
        """Prepare these weights, for the nodes that have a pair; see :class:`Determinants`."""
        if not self.n_pairs:
            return None
        pairs = None if self.pairs is None else self._touched[1]
        return forests.Evaluator(beta, pairs=pairs, n_nodes=self.n_solved, threads=self.threads)

    def _evaluate(
        self, evaluator: forests.Evaluator | None, W: forests.Samples, per_sample: bool = False
    ) -> EnsembleValue:
        if evaluator is None:  # there is one forest, without edges
            return EnsembleValue(np.zeros(len(W)), np.zeros((len(W), 0) if per_sample else 0))
        return super()._evaluate(evaluator, W, per_sample)

    def components(self, columns: Ints) -> list[Ints]:
        """Sort some of the listed pairs by the component of their graph, the smallest node first.

        Examples
        --------
        >>> Rooted(5, pairs=[0, 2, 9]).components(np.arange(3))  # 0-1, 0-3 and 3-4
        [array([0, 1, 2])]
        """
        if not len(columns):
            return []
        first, second = self.nodes[columns].T
        size = (self.n_nodes, self.n_nodes)
        graph = sparse.coo_array((np.ones(len(columns), dtype=np.int8), (first, second)), size)
        labels = csgraph.connected_components(graph, directed=False)[1][first]
        order = np.argsort(labels, kind="stable")
        return [
            columns[part] for part in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
        ]

    def curvature(self, beta: Floats, W: Floats) -> Floats:
        r"""Hessian of minus the mean log-likelihood in the logarithms of the weights.

        .. math:: \operatorname{Cov}(e, f) - \frac1n \sum_j \operatorname{Cov}(e, f \mid x^j)
        """
        nodes = self._touched[1]
        prior, each = (
            forests.edge_covariance(beta, rows, nodes, self.n_solved, threads=self.threads)
            for rows in (self._no_evidence, W)
        )
        return prior - each / len(W)

    def edge_probabilities(self, beta: Floats) -> Floats:
        """Prior probability of each edge; see :class:`Ensemble`. Zero weights are left out."""
        edges = np.flatnonzero(beta)
        result = np.zeros(self.n_pairs)
        result[edges] = Determinants.edge_probabilities(self.restrict(edges), beta[edges])
        return result

    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Ints:
        """Draw forests, each component of listed edges by itself; see :class:`Ensemble`."""
        parents = np.full((n_samples, self.n_nodes), -1, dtype=np.int64)
        edges = np.arange(self.n_pairs)
        for columns in [edges] if self.pairs is None else self.components(np.flatnonzero(beta)):
            nodes, local = np.unique(self.nodes[columns], return_inverse=True)
            first, second = local.reshape(-1, 2).T
            weights = np.zeros((len(nodes), len(nodes)))
            weights[first, second] = weights[second, first] = beta[columns]
            drawn = forests.sample(weights, 1.0, n_samples, random_state=rng).parents
            parents[:, nodes] = np.where(drawn < 0, -1, nodes[drawn])
        return parents
