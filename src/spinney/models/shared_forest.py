"""One forest that rows share: from a few of them to the whole table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from joblib import effective_n_jobs

from spinney import forests
from spinney._core.arrays import Floats, Ints
from spinney.forests.posterior import CUT, ladder, log_evidence
from spinney.models._base import COUNT, FRACTION, POSITIVE, ForestEstimator, Screen
from spinney.models.objectives import Ensemble, EnsembleValue
from spinney.pairs.copulas import PairCopulas
from spinney.pairs.densities import PairDensities
from spinney.pairs.pair_fit import PairFit


class OneForest(Ensemble):
    r"""Rooted forests under the posterior of one forest, tilted by positive edge weights.

    .. math:: Z(\beta) = \sum_F \prod_{e \in F} \beta_e \, e^{\ell_e} \prod_{T \in F} |T|

    With weights of one it is the posterior itself, so that :math:`Z(\beta \circ W(x)) / Z(\beta)`
    is the mean of :math:`\prod_{e \in F} w_e(x)` over it. The log-weights
    :math:`\ell_e` may be of any size.

    Parameters
    ----------
    network : forests.PairNetwork
        Which pairs the log-weights are for.
    log_weights : array of shape (n_pairs,)
        :math:`\ell_e`, relative to the weight of a root; -inf for no edge.
    threads : int, optional
        As in :class:`spinney.models.objectives.Ensemble`.

    Examples
    --------
    One edge, e^1000 times as probable as none (and either end may be the root). A row whose
    density is that of independence over e^1000 leaves one in three for no edge:

    >>> ensemble = OneForest(forests.PairNetwork(2), np.array([1000.0]))
    >>> ensemble.posterior_edge_probabilities(np.ones(1), np.array([[-1000.0]])).round(3)
    array([[0.667]])
    """

    rows_at_a_time = 64  # with 1000 columns their log-weights take 256 MB

    def __init__(
        self, network: forests.PairNetwork, log_weights: Floats, threads: int | None = None
    ) -> None:
        super().__init__(network.n_nodes, threads)
        self.network = network
        self.log_weights = log_weights

    @property
    def n_pairs(self) -> int:
        """Number of pairs that weights are listed for."""
        return len(self.log_weights)

    def evaluate_tables(
        self, beta: Floats, tables: Sequence[forests.Samples], per_sample: bool = False
    ) -> list[EnsembleValue]:
        """Evaluate; see :class:`Ensemble`."""
        values = []
        for W in tables:
            with np.errstate(divide="ignore"):
                rows = self._tilted(beta) + (W.table if W.log else np.log(W.table))
            found = self.network.solve(rows, threads=self.threads)
            each = found.probabilities / beta
            gradient = each if per_sample else each.sum(axis=0)
            values.append(EnsembleValue(np.atleast_1d(found.log_partition), gradient))
        return values

    def _log_partition(self, beta: Floats, log_density: Floats) -> Floats:
        rows = self._tilted(beta) + log_density
        found = self.network.solve(rows, want="partition", threads=self.threads)
        return np.atleast_1d(found.log_partition)

    def sample(self, beta: Floats, n_samples: int, rng: np.random.Generator) -> Ints:
        """Draw forests; see :class:`Ensemble`."""
        return self.network.sample(self._tilted(beta), n_samples, rng)

    def _tilted(self, beta: Floats) -> Floats:
        return self.log_weights + np.log(beta)


SHARE = 2.0
"""A prior weight of k / d² expects about k edges; it is set to expect half of those found."""
FEWEST_EXPECTED = 0.25
"""Added to the number of edges found, so that no table rules edges out altogether."""
WORTH_A_RUN = float(np.e)
"""The ladder is climbed again if the prior weight falls by more than this factor."""


@dataclass(eq=False, repr=False)
class SharedForest(ForestEstimator):
    r"""Posterior of one forest that m rows share, for m from a few to all.

    .. math:: P(F \mid S) \propto \prod_{e \in F} \Bigl[ \beta \, |S|^{-k_e/2}
              \prod_{j \in S} w_e(x^j) \Bigr] \prod_{T \in F} |T|

    There is nothing to optimise: each set S of rows takes one sum over all forests. The model gives
    a graph and a density. The *graph* comes from the ladder, which averages the posterior over
    random sets of m = 4, 8, 16, … rows and keeps the pairs that are probable for some m; it may
    hold cycles. The *density* is the Bayesian prediction with one forest for all n rows,

    .. math:: p(x) = w_0(x) \sum_F P(F \mid x^1, \dots, x^n) \prod_{e \in F} w_e(x) ,

    in which every pair with a copula takes part, whether it is an edge of the graph or not.

    Parameters
    ----------
    potentials : PairCopulas, PairFit or None
        Pair densities. A :class:`spinney.PairCopulas` is cloned and fitted (None: one with its
        defaults); fitted ones are given to `fit` in place of a table, as a PairFit or as
        :class:`spinney.pairs.densities.PairDensities`.
    sizes : sequence of int, optional
        Numbers m of rows that share a forest; by default those of
        :func:`spinney.forests.posterior.default_sizes`: 4, 8, 16, …, 0.8 n and n.
    n_subsets : int
        Random sets of each size below n.
    cut : float
        A pair is an edge if for some m < n its probability passes this. The default was chosen
        on tuning tables for the fewest wrong edges.
    edge_weight : float, optional
        Prior weight β of an edge; a root weighs one. By default it is learned: it begins at
        ``1 / d``, which expects half as many edges as columns, and as long as that is far more
        than are found, it is lowered to ``(k + 1/4) / (2 d²)`` for the k edges found. So a table
        without edges is not searched for half as many as it has columns.
    screen : {"auto", True, False}
        Whether copulas are fitted only to the 50 strongest pairs of each column
        (:func:`spinney.scale.partners.find_partners`); by default if there are more than 300
        columns. All other pairs are independent, and not edges.
    random_state : int, Generator or None
        Seed of the random sets.
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
        Threads for pairs and forests; -1 takes all cores. The numbers do not depend on it.
    progress : bool
        Whether to show progress bars.

    Attributes
    ----------
    adjacency_ : bool array of shape (d, d)
        The edges: pairs whose maximum over the ladder passes `cut`.
    edge_weights_ : array of shape (d, d)
        That maximum, between `cut` and one; zero for pairs that are not edges.
    edge_probabilities_ : array of shape (d, d)
        Probability of each edge in the one forest of all n rows: the posterior in the strict
        sense, and the forests that the density averages over.
    edge_ranking_ : array of shape (d, d)
        Mean of the ladder over m < n: the best order of pairs. It averages probabilities given
        different numbers of rows, so it is not the probability of a single event.
    edge_weight_ : float
        The prior weight of an edge, as given or as learned.
    profile_ : spinney.forests.posterior.Ladder
        The whole profile over m: ``sizes``, ``n_subsets`` and ``probabilities`` of shape (n_sizes,
        n_pairs), pairs in the order of ``np.triu_indices(d, 1)``; of a wide table only the
        pairs that were fitted, whose numbers are in ``pairs``.
    log_weights_ : array of shape (d, d)
        Logarithm of each edge's weight in that posterior, relative to a root: the log-likelihood of
        the pair, less the cost of its parameters, plus log β. It is -inf for pairs without a
        copula, and on the diagonal.
    n_components_, labels_ : int, array of shape (d,)
        Connected components of the graph.
    edges_, graph_ : pandas.DataFrame, networkx.Graph
        The edges as a table and as a graph; see :class:`EnsembleOfTrees`.
    log_likelihood_ : float
        Mean log-density of the table's own rows under the prediction, relative to independence.
    potentials_ : PairCopulas
        The fitted pair copulas; None if `fit` was given PairDensities.
    marginals_ : Margins
        Smooth marginals, fitted when first asked for.
    table_ : spinney.tables.Table
        The table as it was read: kinds of the columns, and which were left out.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The posterior averages over forests, but not over the parameters of the copulas, which are as
    fitted.

    `score_samples` and `sample` treat new rows one at a time, each with its own forest from the
    posterior. Several new rows together would share an unknown forest.

    When interrupted, `fit` raises KeyboardInterrupt after the forests under way, and keeps nothing.

    References
    ----------
    .. [1] M. Meila and T. Jaakkola (2006). Tractable Bayesian learning of tree belief networks.
       Statistics and Computing 16, 77-92.
    .. [2] P. Chebotarev and E. Shamis (1997). The matrix-forest theorem and measuring relations
       in small social groups. Automation and Remote Control 58.

    Examples
    --------
    >>> from spinney.simulate import copula_forest
    >>> data = copula_forest(300, 8, components=2, random_state=0)
    >>> model = SharedForest().fit(data.X)
    >>> model.n_components_, int((model.adjacency_ != data.adjacency).sum()) // 2
    (2, 0)
    >>> model.profile_.sizes
    array([  4,   8,  16,  32,  64, 128, 240, 300])
    """

    potentials: PairCopulas | PairFit | None = None
    _: KW_ONLY
    sizes: Sequence[int] | None = None
    n_subsets: int = 40
    cut: float = CUT
    edge_weight: float | None = None
    screen: Screen = "auto"
    random_state: int | np.random.Generator | None = 0

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **ForestEstimator._parameter_constraints,
        "n_subsets": [COUNT],
        "cut": [FRACTION],
        "edge_weight": [POSITIVE, None],
    }

    def _learn(self, evidence: PairDensities) -> Floats:
        d = evidence.n_nodes
        self.edge_weight_ = 1.0 / d if self.edge_weight is None else float(self.edge_weight)
        while True:
            self.profile_ = ladder(
                evidence,
                sizes=self.sizes,
                n_subsets=self.n_subsets,
                edge_weight=self.edge_weight_,
                random_state=self.random_state,
                threads=self._threads,
                progress=self.progress,
            )
            chosen = self.profile_.select(self.cut)
            expecting = (np.count_nonzero(chosen) + FEWEST_EXPECTED) / (SHARE * d**2)
            if self.edge_weight is not None or expecting * WORTH_A_RUN >= self.edge_weight_:
                break
            self.edge_weight_ = float(expecting)
        weights = log_evidence(evidence, edge_weight=self.edge_weight_)
        self.log_weights_ = evidence.index.matrix(weights, -np.inf, -np.inf)
        self.edge_ranking_ = evidence.index.matrix(self.profile_.mean)
        return np.where(chosen, self.profile_.maximum, 0.0)

    @property
    def _listed(self) -> Ints | None:
        """Numbers of the pairs that may be edges: the density is made of all of them."""
        return self.profile_.pairs

    @property
    def _threads(self) -> int:
        # Small ladders are slower on two threads than on one, so more are only taken if asked for.
        return int(effective_n_jobs(self.n_jobs))

    def _ensemble(self) -> OneForest:
        log_weights = self.log_weights_[self._index.ends]
        d, listed = len(self.node_names_), self._listed
        network = forests.PairNetwork(d, listed, log_weights > -np.inf)
        return OneForest(network, log_weights, self._threads)

    @property
    def _beta(self) -> Floats:
        return np.ones(len(self._index))  # the ensemble holds all evidence
