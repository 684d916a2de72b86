"""All forests, each tree with a marked root: the sum that is one determinant."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spinney import forests
from spinney._core.pairs import pair_ends, pair_nodes
from spinney.exceptions import InputError
from spinney.models.objectives.ensemble import Determinants

__all__ = ["Rooted"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Rooted(Determinants):
    r"""Rooted forests: every tree counts once for each of its nodes.

    .. math:: Z(\beta) = \det(\alpha I + L(\beta))
              = \sum_F \prod_{e \in F} \beta_e \prod_{T \in F} \alpha |T|

    Parameters
    ----------
    n_nodes : int
        Number of nodes.
    root_weight : float
        α, positive: small values favour few trees.
    columns : array of int, optional
        Positions of the pairs that weights are listed for; by default all. The others are no
        edges.
    context : forests.Context, optional
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
    """

    def __init__(
        self,
        n_nodes: int,
        root_weight: float = 1.0,
        columns: ArrayLike | None = None,
        context: forests.Context | None = None,
    ) -> None:
        super().__init__(n_nodes, context)
        if not 0 < root_weight < np.inf:
            raise InputError(f"root_weight must be positive, not {root_weight!r}.")
        self.root_weight = float(root_weight)
        self._columns = None if columns is None else np.asarray(columns, dtype=np.int64)

    @property
    def n_pairs(self) -> int:
        """Number of pairs that weights are listed for."""
        return super().n_pairs if self._columns is None else len(self._columns)

    @cached_property
    def nodes(self) -> Integers:
        """The nodes that each listed pair joins, shape (n_listed, 2)."""
        d, columns = self.n_nodes, self._columns
        ends = pair_nodes(d) if columns is None else pair_ends(columns, d)
        return np.column_stack(ends).astype(np.int64)

    @property
    def _solved(self) -> tuple[Integers, int]:
        """The listed pairs, in the numbers of the nodes that are solved for, and how many."""
        return self.nodes, self.n_nodes

    @property
    def n_solved(self) -> int:
        """Number of nodes that take part in an elimination."""
        return self._solved[1]

    def restrict(self, columns: ArrayLike) -> Rooted:
        """Return the same forests on some pairs only."""
        return Rooted(self.n_nodes, self.root_weight, columns, self.context)

    def evaluator(self, beta: Floats) -> forests.Evaluator | None:
        """Prepare these weights; see :class:`Determinants`."""
        pairs, size = (None, self.n_nodes) if self._columns is None else self._solved
        return forests.Evaluator(
            beta, self.root_weight, pairs=pairs, n_nodes=size, context=self.context
        )

    def curvature(self, beta: Floats, W: Floats) -> Floats:
        r"""Hessian of minus the mean log-likelihood in the logarithms of the weights.

        .. math:: \operatorname{Cov}(e, f) - \frac1n \sum_j \operatorname{Cov}(e, f \mid x^j)
        """
        prior, each = (
            forests.edge_covariance(
                beta, rows, *self._solved, self.root_weight, context=self.context
            )
            for rows in (self._no_evidence, W)
        )
        return prior - each / len(W)

    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Integers:
        """Draw forests; see :class:`Ensemble`."""
        weights = np.zeros((self.n_nodes, self.n_nodes))
        first, second = self.nodes.T
        weights[first, second] = weights[second, first] = beta
        drawn = forests.sample(weights, self.root_weight, n_samples, random_state=rng)
        return drawn.parents
