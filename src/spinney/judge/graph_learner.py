"""GraphLearner: the evidence of all pairs, judged together, as scikit-learn expects it."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from spinney._core.arrays import Bools, Floats
from spinney._core.graph import check_fitted
from spinney.judge.learner import Learner
from spinney.scores import Scores, read_scores
from spinney.tables import Table

SMALLEST = 1e-3
"""Smallest eigenvalue of a correlation matrix that is not one, as gaps may make it."""
TOLERANCE, MAX_ITER = 1e-7, 200


class GraphLearner(Learner, BaseEstimator):
    r"""Graph of a table by the judge: one calibrated probability per edge.

    Two columns are joined if they still depend on each other once all other columns are known. The
    learner measures the evidence of every pair (:func:`spinney.evidence.measure`: correlations and
    partial correlations of scores, among others). Small neural networks, trained once on simulated
    and on real tables, read the evidence of all pairs at once and give each pair the probability
    that it is an edge (:class:`spinney.judge.Judge`).

    Parameters
    ----------
    judge : Judge, path or None
        The network. By default the one that comes with the package.
    cut : float
        Pairs with a larger probability are edges. One half minimises the expected number of
        wrong pairs.
    fdr : float, optional
        Keep the most probable pairs while the expected share of false ones among them, the mean of
        :math:`1 - P`, is at most this; then `cut` is not used. See
        :func:`spinney.judge.keep_by_fdr`.
    sure : float
        Pairs with at least this probability are called present, those with at most 1 - `sure`
        absent, the others undecided. It does not change which pairs are edges.
    min_strength : float
        Drop edges whose strength, whatever its sign, has a 95 % interval that extends below this.
        With many rows weak edges become certain; 0.1 keeps what matters. Required edges stay; the
        strengths of others do not change.
    required, forbidden : lists of pairs of columns
        Edges that are in the graph in any case, and edges that are not; columns by name or
        position. Their probabilities are set to 1 and 0, and the expected numbers of false and of
        missed edges leave them out. The probabilities of other pairs do not change.
    prior : float or table of pairs, optional
        What is known beforehand: the share of all pairs that are expected to be edges, or pairs
        with their probabilities (rows of two columns and a number, or a frame with ``source``,
        ``target`` and ``probability``; other pairs stay). It shifts the log-odds of a pair from the
        share of edges in training, at this number of columns; see :mod:`spinney.judge.choice`.
    kind : dict, optional
        What columns are, by name or position; see :mod:`spinney.tables`.
    missing : {"pairwise", "drop", "error"}
        How missing values are handled.
    precision : float, optional
        Standard error that a correlation near 0 may have: as many rows are learned from as that
        needs (0.01: 10,001 rows), drawn at random if there are more.
    rows : int or "all", optional
        How many rows are learned from, in place of `precision`. By default all up to 20,000; of a
        longer table 20,000 are drawn at random, without replacement. See docs/large-tables.md.
    unit : name or position of a column, or one label for each row, optional
        The unit, such as a patient, that each row belongs to. The column is not learned from, and
        the effective sample size is reduced (:mod:`spinney.scores.dependent_rows`). Without units,
        neighbouring rows that are alike are treated as a series.
    weights : name or position of a column, or one number for each row, optional
        Survey weights. A row of weight w counts as w equal rows in all ranks and correlations, and
        all rows count as :math:`(\sum w)^2 / \sum w^2` (:mod:`spinney.tables.rows`).
    random_state : int, Generator or None
        Seed of the rows that are drawn from a long table. Nothing else is left to chance.
    n_jobs : int, optional
        Threads; -1 takes all cores. The numbers do not depend on it.
    progress : bool
        Whether to show a progress bar.
    device : str
        Where the judge is computed: "cpu", or "cuda" for a GPU (``pip install "spinney[cuda]"``).
        Without a GPU, a warning is shown and the processor is used.

    Attributes
    ----------
    edge_probabilities_ : array of shape (d, d)
        Probability that the pair is an edge, given the evidence of the whole table. Calibrated on
        tables kept apart: of pairs with 0.8, about 80 in 100 are edges. NaN where fewer than ten
        rows have both values. Zero for pairs of a wide table that are not
        listed.
    adjacency_ : bool array of shape (d, d)
        The edges.
    edge_weights_ : array of shape (d, d)
        Strength of each edge given the neighbours of both columns: the partial correlation of
        their scores, or with a nominal column Cramér's V, from 0 to 1
        (:mod:`spinney.judge.strength`). Zero off the graph, NaN where fewer than ten rows are left.
        It is weak where a dependence is not monotone, even if the edge is certain.
    edge_intervals_ : array of shape (n_edges, 2)
        95 % interval of each strength, edges in the order of ``np.nonzero(np.triu(adjacency_))``.
    edge_signs_ : int array of shape (d, d)
        Signs of the strengths: of the dependence that is left given the neighbours, which need not
        be that of Kendall's tau in `edges_`. Zero where the sign is open: the interval
        contains 0, a column is nominal, or strengths within the classes of a neighbour have
        different signs.
    edge_ranking_ : array of shape (d, d)
        The probabilities, required edges above all others; zero where nothing is known.
    judged_probabilities_ : array of shape (n_pairs,)
        The judge's probabilities, with `prior` if there is one, before required and forbidden
        pairs were set.
    evidence_ : Evidence
        What was measured; ``evidence_.why(u, v)`` lists it for one pair. For a wide table
        some pairs are listed, ``evidence_.numbers``; see the notes.
    expected_false_, expected_missed_ : float
        Expected number of kept edges that are false, :math:`\sum (1 - P)`, and of edges among the
        pairs that were not kept, :math:`\sum P`; required, forbidden and unknown pairs left out.
    left_out_ : Notice or None
        How many edges `min_strength` left out, if any; they do not count as missed.
    out_of_distribution_ : tuple of Notice
        How the table differs from those that the judge was trained on; usually empty.
    judge_ : JudgeReference
        Name and fingerprint of the judge.
    why_no_edges_ : Notice or None
        Why there are none, if so.
    potentials_ : PairCopulas or PairFit
        Pair densities, fitted when first asked for: the graph does not need them. Of a wide table,
        those of the pairs in ``potentials_.pairs_``.
    pair_fit_ : PairFit
        The same with the table, likewise.
    table_ : spinney.tables.Table
        The table as it was read: kinds of the columns, which were left out, and in ``drawn`` of
        how many rows it is a part.
    labels_, n_components_, edges_, graph_, unknown_pairs_
        As in :class:`spinney.SharedForest`; ``edges_`` has the strength as ``weight``, and its
        interval from ``strength_low`` to ``strength_high``.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The probabilities hold on tables like those of the training (docs/world.md). Rows that depend on
    each other, in their order or in `unit`, reduce the effective sample size (docs/limits.md).
    Edges have no direction, and an unmeasured common cause can create an edge between its effects.

    **Many columns.** Beyond 800 columns, those that belong together form neighbourhoods of at most
    200, each with its strongest partners outside. The judge looks at one neighbourhood at a time,
    and what it gives a pair is brought together (:mod:`spinney.scale.wide`). The most probable
    pairs, 50 for each column, are listed; all others have probability 0.

    When interrupted, `fit` raises KeyboardInterrupt; there is no part of a result to keep.

    References
    ----------
    .. [1] E. Belilovsky, K. Kastner, G. Varoquaux and M. Blaschko (2017). Learning to discover
       sparse graphical models. ICML.

    Examples
    --------
    >>> from spinney.simulate import copula_forest
    >>> data = copula_forest(300, 5, random_state=0)
    >>> model = GraphLearner().fit(data.X)
    >>> bool((model.adjacency_ == data.adjacency).all())
    True
    >>> model.edge_probabilities_.round(1)
    array([[0., 0., 0., 1., 1.],
           [0., 0., 1., 0., 0.],
           [0., 1., 0., 0., 1.],
           [1., 0., 0., 0., 0.],
           [1., 0., 1., 0., 0.]])
    >>> GraphLearner(forbidden=[(0, 4)]).fit(data.X).edge_probabilities_[0, 4]
    np.float64(0.0)
    """

    def score(self, X: Any, y: object = None) -> float:
        """Mean log-likelihood of the normal scores of rows under the fitted graph.

        By the normal distribution of the scores that has the graph's edges only
        (:func:`mean_log_likelihood`), so that :func:`sklearn.model_selection.cross_val_score`
        can compare settings. It has no units, and is not a density of the table.

        Parameters
        ----------
        X : data frame or array of shape (m, d)
            Rows with the columns of the table.
        y : ignored
        """
        check_fitted(self)
        rows = self._read_to_score(X, self.table_)
        return mean_log_likelihood(self.table_, self.adjacency_, rows)


# The Gaussian likelihood of rows under a learned graph, by which graphs can be compared


def mean_log_likelihood(table: Table, adjacency: Bools, rows: Table) -> float:
    """Mean log-density of the scores of rows, under the normal distribution with this graph.

    The distribution is fitted to the scores of `table` by maximum likelihood, given the zeros of
    its inverse covariance (:func:`constrained_covariance`). `rows` are scored as the same values of
    `table` are, or as those between which they lie. Missing values are integrated out.
    """
    scores = read_scores(table)
    chosen = scores.nominal[scores.owners]  # the normal score of a column, or all of its classes
    chosen[scores.starts] = True
    owners = scores.owners[chosen]
    Z = scores.values[:, chosen]
    M = scores.present[:, owners].astype(float)
    covariance = constrained_covariance(
        _correlations(Z, M), adjacency[np.ix_(owners, owners)] | (owners[:, None] == owners)
    )
    X, there = _score_rows(table, scores, rows)[:, chosen], rows.present[:, owners]
    total = 0.0
    patterns, which = np.unique(there, axis=0, return_inverse=True)
    for k, seen in enumerate(patterns):
        own = X[which.ravel() == k][:, seen]
        factor = np.linalg.cholesky(covariance[np.ix_(seen, seen)])
        size = np.linalg.solve(factor, own.T)
        constant = 2.0 * np.log(np.diag(factor)).sum() + seen.sum() * np.log(2.0 * np.pi)
        total -= 0.5 * (float((size**2).sum()) + len(own) * constant)
    return total / len(X)


def _correlations(Z: Floats, M: Floats) -> Floats:
    """Correlations of scores by the rows that have both, made positive definite."""
    R = Z.T @ Z / np.sqrt(np.maximum((Z**2).T @ M * (M.T @ Z**2), 1e-300))
    values, vectors = np.linalg.eigh(R)
    if values[0] >= SMALLEST:
        return np.asarray(R)
    R = (vectors * np.maximum(values, SMALLEST)) @ vectors.T
    size = np.sqrt(np.diag(R))
    return np.asarray(R / size / size[:, None])


def constrained_covariance(S: Floats, joined: Bools) -> Floats:
    """Fit a covariance by maximum likelihood whose inverse is 0 where two are not joined [1]_.

    References
    ----------
    .. [1] T. Hastie, R. Tibshirani and J. Friedman (2009). The elements of statistical learning,
       algorithm 17.1.

    Examples
    --------
    >>> S = np.array([[1, 0.5, 0.4], [0.5, 1, 0.6], [0.4, 0.6, 1]])
    >>> W = constrained_covariance(S, np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], bool))
    >>> W.round(3), np.linalg.inv(W).round(3)[0, 2] + 0.0
    (array([[1. , 0.5, 0.3],
           [0.5, 1. , 0.6],
           [0.3, 0.6, 1. ]]), np.float64(0.0))
    """
    W, d = S.copy(), len(S)
    for _ in range(MAX_ITER):
        before = W.copy()
        for k in range(d):
            near = np.flatnonzero(joined[k] & (np.arange(d) != k))
            others = np.arange(d) != k
            slopes = np.linalg.solve(W[np.ix_(near, near)], S[near, k])
            W[others, k] = W[k, others] = W[np.ix_(others, near)] @ slopes
        if np.abs(W - before).max() < TOLERANCE:
            break
    return W


def _score_rows(table: Table, scores: Scores, rows: Table) -> Floats:
    """Give rows the scores that their values have in a table, 0 where one is missing."""
    found = np.zeros((len(rows), len(scores.owners)))
    for k, (start, count) in enumerate(zip(scores.starts, scores.counts, strict=True)):
        there = rows.present[:, k]
        known, first = np.unique(table.values[:, k], return_index=True)
        if np.isnan(known[-1]):
            known, first = known[:-1], first[:-1]
        for own in range(start, start + count):
            found[there, own] = np.interp(rows.values[there, k], known, scores.values[first, own])
    return found
