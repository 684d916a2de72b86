"""All forests, each tree with a marked root: the sum that is one determinant."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse import csgraph

from spinney import forests
from spinney._core.pairs import pair_ends, pair_nodes
from spinney.models.objectives.ensemble import Determinants, EnsembleValue
from spinney.models.objectives.likelihood import STEEPEST
from spinney.pairs.densities import PairDensities

__all__ = ["Rooted"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

COLUMNS_AT_ONCE = 8192
"""Pairs whose rows are looked at together, so that no second table is made."""
SOLVED_AT_ONCE = 256
"""Nodes whose column of an inverse is in memory together."""


class Rooted(Determinants):
    r"""Rooted forests: every tree counts once for each of its nodes.

    .. math:: Z(\beta) = \det(I + L(\beta))
              = \sum_F \prod_{e \in F} \beta_e \prod_{T \in F} |T|

    A root weighs one, which gives the weights of edges their unit. Nodes without a listed pair are
    not looked at. In a model of few edges nothing needs to be solved for pairs that lie in
    different components of the edges,

    .. math:: R_{uv} = G_u + G_v ,

    with :math:`G_u` the resistance between a node and the ground.

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
    def nodes(self) -> Integers:
        """The nodes that each listed pair joins, shape (n_listed, 2)."""
        d, pairs = self.n_nodes, self.pairs
        ends = pair_nodes(d) if pairs is None else pair_ends(pairs, d)
        return np.column_stack(ends).astype(np.int64)

    @cached_property
    def _touched(self) -> tuple[Integers, Integers]:
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

    def components(self, columns: Integers) -> list[Integers]:
        """Sort some of the listed pairs by the component of their graph, the smallest node first.

        Examples
        --------
        >>> Rooted(5, pairs=[0, 2, 9]).components(np.arange(3))  # 0-1, 0-3 and 3-4
        [array([0, 1, 2])]
        """
        if not len(columns):
            return []
        labels = self._labels(columns)[self.nodes[columns, 0]]
        order = np.argsort(labels, kind="stable")
        return [
            columns[part] for part in np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
        ]

    def _labels(self, columns: Integers) -> Integers:
        first, second = self.nodes[columns].T
        size = (self.n_nodes, self.n_nodes)
        graph = sparse.coo_array((np.ones(len(columns), dtype=np.int8), (first, second)), size)
        return csgraph.connected_components(graph, directed=False)[1].astype(np.int64)

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

    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Integers:
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

    # The slopes of all listed pairs

    def slopes(
        self, beta: Floats, evidence: PairDensities, tolerated: Floats
    ) -> tuple[float, Floats]:
        r"""Find minus the mean log-likelihood, and which pairs have a steep slope.

        .. math:: R_e(\beta) - \frac1n \sum_j w_e^j R_e(\beta \circ W^j)
                  \;\ge\; R_e(\beta) - \frac1n \sum_j w_e^j (G_u^j + G_v^j) ,

        as no two nodes are further apart than by way of the ground. The right-hand side takes no
        solving, and is the slope itself for pairs between components. Pairs within one are solved
        only if it falls short of what is tolerated.

        Parameters
        ----------
        beta : array of shape (n_listed,)
            Weights.
        evidence : PairDensities
            Of the listed pairs alone; see :meth:`PairDensities.alone`.
        tolerated : array of shape (n_listed,)
            How far each slope may be below zero.

        Returns
        -------
        value : float
        gradient : array of shape (n_listed,)
            The slope of all pairs with weight, of all between components, and of all others whose
            slope is below minus what is tolerated. For the rest it is a bound from below that is
            not.
        """
        edges = np.flatnonzero(beta)
        labels = self._labels(edges)
        first, second = self.nodes.T
        log_prior, prior, prior_ground = self._ground(beta, edges, self._no_evidence, log=False)
        log_each, each, ground = self._ground(beta, edges, evidence.W, log=evidence.log)
        value = float(log_prior[0] - log_each.mean())
        own = self._prior_resistances(beta, edges, prior_ground[0])
        gradient = own - self._mean_over_ground(evidence, ground)
        gradient[edges] = prior[0] - _steepest(each.mean(axis=0))
        unsure = (labels[first] == labels[second]) & (beta == 0) & (gradient < -tolerated)
        asked = np.flatnonzero(unsure)
        if len(asked):
            columns = np.sort(np.concatenate([edges, asked]))
            part, weights = self.restrict(columns), beta[columns]
            W = np.take(evidence.W, columns, axis=1)
            found = part.evaluate(weights, W, log=evidence.log).gradient / len(W)
            at = np.searchsorted(columns, asked)
            gradient[asked] = own[asked] - _steepest(found[at])
        return value, gradient

    def _ground(
        self, beta: Floats, edges: Integers, W: Floats, log: bool
    ) -> tuple[Floats, Floats, Floats]:
        """Solve for the edges, sample by sample.

        Returns log-partitions, shape (n,); ``w R`` of the edges, shape (n, n_edges); and the
        resistance between each node and the ground, shape (n, d).
        """
        to_ground = np.ones((len(W), self.n_nodes))
        part = self.restrict(edges)
        if not len(edges):
            return np.zeros(len(W)), np.zeros((len(W), 0)), to_ground
        touched, local = part._touched
        # The ground is one more node and a root a link to it, so that its resistance comes out too.
        size = len(touched)
        links = np.column_stack([np.arange(size), np.full(size, size)])
        weights = np.concatenate([beta[edges], np.ones(size)])
        table = np.full((len(W), len(weights)), 0.0 if log else 1.0)
        table[:, : len(edges)] = W[:, edges]
        found = forests.evaluate(
            weights,
            table,
            0.0,
            pairs=np.concatenate([local, links]),
            n_nodes=size + 1,
            log=log,
            per_sample=True,
            threads=self.threads,
        )
        to_ground[:, touched] = found.weighted_resistance[:, len(edges) :]
        on_edges = found.weighted_resistance[:, : len(edges)]
        return found.log_partition, on_edges, to_ground

    def _prior_resistances(self, beta: Floats, edges: Integers, to_ground: Floats) -> Floats:
        """Resistances of all listed pairs under the weights alone."""
        first, second = self.nodes.T
        result = to_ground[first] + to_ground[second]
        if not len(edges):
            return result
        part = self.restrict(edges)
        touched, local = part._touched
        place = np.full(self.n_nodes, -1)
        place[touched] = np.arange(len(touched))
        one, other = place[first], place[second]
        known = np.flatnonzero((one >= 0) & (other >= 0))
        known = known[np.argsort(one[known], kind="stable")]
        begins = np.searchsorted(one[known], np.arange(0, len(touched), SOLVED_AT_ONCE))
        solver = sparse.linalg.splu(_grounded(beta[edges], local, len(touched)))
        for k, begin in enumerate(begins):
            end = begins[k + 1] if k + 1 < len(begins) else len(known)
            pairs, start = known[begin:end], k * SOLVED_AT_ONCE
            if not len(pairs):
                continue
            width = min(SOLVED_AT_ONCE, len(touched) - start)
            unit = np.zeros((len(touched), width))
            unit[start + np.arange(width), np.arange(width)] = 1.0
            inverse = solver.solve(unit)
            result[pairs] -= 2.0 * inverse[other[pairs], one[pairs] - start]
        return np.maximum(result, 0.0)

    def _mean_over_ground(self, evidence: PairDensities, to_ground: Floats) -> Floats:
        first, second = self.nodes.T
        result = np.empty(self.n_pairs)
        for begin in range(0, self.n_pairs, COLUMNS_AT_ONCE):
            part = slice(begin, begin + COLUMNS_AT_ONCE)
            W = evidence.W[:, part]
            if evidence.log:
                with np.errstate(over="ignore"):  # an infinite slope is still a slope
                    W = np.exp(W)
            through = np.take(to_ground, first[part], axis=1)
            through += np.take(to_ground, second[part], axis=1)
            result[part] = _steepest(np.einsum("je,je->e", W, through) / len(W))
        return result


def _steepest(slope: Floats) -> Floats:
    return np.minimum(slope, STEEPEST)


def _grounded(beta: Floats, local: Integers, size: int) -> sparse.csc_array:
    """Return I + L(β)."""
    first, second = local.T
    degree = np.bincount(first, beta, size) + np.bincount(second, beta, size)
    rows = np.concatenate([first, second, np.arange(size)])
    columns = np.concatenate([second, first, np.arange(size)])
    values = np.concatenate([-beta, -beta, degree + 1.0])
    return sparse.csc_array((values, (rows, columns)), (size, size))
