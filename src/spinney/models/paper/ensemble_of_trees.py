"""The ensemble of trees: a mixture over all spanning trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from spinney._core.arrays import Floats
from spinney._core.choices import column_position
from spinney.exceptions import InputError
from spinney.models._base import ForestEstimator
from spinney.models.objectives import NegativeLogLikelihood
from spinney.models.paper import search
from spinney.models.solvers import onto_simplices, spectral_projected_gradient
from spinney.models.unrooted import Trees, blocks_of
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.densities import PairDensities
from spinney.pairs.pair_fit import PairFit


@dataclass(eq=False, repr=False)
class EnsembleOfTrees(ForestEstimator):
    r"""Mixture of all spanning trees (ET), whose edge weights are the learned graph.

    .. math:: p(x) = w_0(x) \, \frac{\det Q(\beta \circ W(x))}{\det Q(\beta)}

    The graph is connected, or connected within each component that is known beforehand: where
    components are to be found, use :class:`ForestsLambda`.

    Parameters
    ----------
    potentials : PairCopulas, PairFit or None
        Pair densities. A :class:`spinney.PairCopulas` is cloned and fitted (None: one with its
        defaults); fitted ones are given to `fit` in place of a table, as a PairFit or as
        :class:`spinney.pairs.densities.PairDensities`.
    components : array of labels, or list of lists of columns, optional
        Components known beforehand; columns by name or position. One of all columns by default.
    tol : float
        Distance from stationarity at which spectral projected gradients stop, as in the paper, on
        weights that sum to d - 1 (their scale is free). They stop also when ten steps lower the
        objective by less than 1e-5.
    max_iter : int
        Most iterations.
    edge_tolerance : float
        A weight is an edge if it is at least this share of the smaller of its two columns' largest
        weights. Other weights are set to zero, unless they hold a component together.
    marginals : Margins, optional
        How the columns are read, and the margins of the fitted density.
    kind : dict, optional
        What columns are, by name or position: ``"continuous"``, ``"ordinal"``, ``"binary"`` or
        ``"nominal"``. The type and values decide for others; see :mod:`spinney.tables`.
    missing : {"pairwise", "drop", "error"}
        What is done where values are missing: each pair is learned from the rows that have both,
        rows with a gap are dropped, or the table is refused.
    ties : {"auto", "average", "random", "levels"}
        What equal values of a continuous column are. By default a column with many is taken for
        rounded: a value then stands for an interval of ranks; a column with few has average ranks.
        ``"levels"`` takes every column with ties for rounded; the other two give ranks in any case.
    n_jobs : int, optional
        Threads for pairs and forests; -1 takes all cores. By default pairs are fitted on one and
        forests are summed on as many as pay. The numbers do not depend on it.
    progress : bool
        Whether to show progress bars.

    Attributes
    ----------
    adjacency_ : bool array of shape (d, d)
        The edges.
    edge_weights_ : array of shape (d, d)
        β; only ratios within a component mean something.
    edge_probabilities_ : array of shape (d, d)
        Prior probability :math:`\beta_e R_e(\beta)` of each edge in a random tree of the mixture.
    n_components_, labels_ : int, array of shape (d,)
        Connected components of the graph.
    edge_ranking_ : array of shape (d, d)
        Order of all pairs, the likelier edges larger: here the probabilities.
    edges_ : pandas.DataFrame
        One row per edge, the first in the ranking first: source, target, weight, sign,
        probability, and the pair's copula with its tau and tails.
    graph_ : networkx.Graph
        The graph, nodes named by the columns, with the numbers of `edges_`.
    log_likelihood_ : float
        Mean log-likelihood of a row relative to independence.
    potentials_ : PairCopulas
        The fitted pair copulas; None if `fit` was given PairDensities.
    marginals_ : Margins
        Smooth marginals, fitted when first asked for.
    table_ : spinney.tables.Table
        The table as it was read: kinds of the columns, and which were left out.
    start_, result_ : SolverResult
        What the convex initialiser and the solver did.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    References
    ----------
    .. [1] M. Meila and T. Jaakkola (2006). Tractable Bayesian learning of tree belief networks.
       Statistics and Computing 16, 77-92.
    .. [2] Y. Lin, S. Zhu, D. D. Lee and B. Taskar (2009). Learning sparse Markov network structure
       via ensemble-of-trees models. AISTATS.

    Examples
    --------
    >>> from spinney.simulate import copula_forest
    >>> data = copula_forest(300, 5, random_state=0)
    >>> model = EnsembleOfTrees().fit(data.X)
    >>> bool((model.adjacency_ == data.adjacency).all())
    True
    """

    potentials: PairCopulas | PairFit | None = None
    _: KW_ONLY
    components: ArrayLike | Sequence[Sequence[Any]] | None = None
    tol: float = 5e-3
    max_iter: int = 2000
    edge_tolerance: float = search.EDGE_TOLERANCE

    def _prepare(self) -> None:
        self.blocks_ = read_components(self.components, self.node_names_)

    def _learn(self, evidence: PairDensities) -> Floats:
        canonical = search.Canonical(evidence)
        ensemble = Trees(evidence.n_nodes, canonical.places(self.blocks_), self._threads)
        start = search.convex_start(ensemble, canonical.evidence)
        blocks = range(len(ensemble.blocks))
        groups = [np.flatnonzero(ensemble.block_of_pair == block) for block in blocks]
        sums = [len(block) - 1.0 for block in ensemble.blocks]
        result = spectral_projected_gradient(
            NegativeLogLikelihood(ensemble, canonical.evidence),
            start.beta,
            tol=self.tol,
            max_iter=self.max_iter,
            project=onto_simplices(groups, sums),
            value_tol=search.VALUE_TOLERANCE,
        )
        self.start_, self.result_ = canonical.solved(start), canonical.solved(result)
        self._warn_if_stopped_early(result)
        return canonical.to_table(search.keep_edges(result.beta, ensemble, self.edge_tolerance))

    def _ensemble(self) -> Trees:
        blocks = [np.asarray(block) for block in self.blocks_]
        return Trees(len(self.node_names_), blocks, self._threads)


def read_components(components: Any, names: tuple[str, ...]) -> list[list[int]]:
    """Read components given by labels, or by lists of columns, as lists of positions."""
    d = len(names)
    if components is None:
        return [list(range(d))]
    if isinstance(components, str) or not hasattr(components, "__iter__"):
        raise InputError(
            f"components must be one label per column or a list of lists of columns, not "
            f"{components!r}."
        )
    given = list(components)
    if not all(isinstance(part, list | tuple | set | frozenset | np.ndarray) for part in given):
        if len(given) != d:
            raise InputError(f"components has {len(given)} labels, but there are {d} columns.")
        return [block.tolist() for block in blocks_of(np.unique(given, return_inverse=True)[1])]
    blocks = [
        sorted(column_position(column, names, "components") for column in part)
        for part in given
        if len(part)
    ]
    times = Counter(position for block in blocks for position in block)
    for position, name in enumerate(names):
        if times[position] != 1:
            raise InputError(
                f"components must hold each column once; column '{name}' is in "
                f"{times[position]} of them."
            )
    return blocks
