"""SelectMarkovBlanket: the columns that are joined to a target, for scikit-learn's pipelines."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from spinney._core.arrays import Bools
from spinney._core.choices import column_position
from spinney.exceptions import InputError
from spinney.judge.graph_learner import GraphLearner
from spinney.tables.columns import as_frame, default_names
from spinney.tables.table import left_out_words

MOST_CLASSES = 10
"""Distinct numbers beyond which `y` is continuous."""


class SelectMarkovBlanket(SelectorMixin, MetaEstimatorMixin, BaseEstimator):
    r"""Keep the columns that are joined to a target in the graph of the table.

    They are its Markov blanket B [1]_: given them, the target y is independent of all other
    columns,

    .. math:: y \perp\!\!\!\perp X_{-B} \mid X_B .

    A ranking of columns one by one also keeps columns that are related to the target only through
    others; this does not.

    Parameters
    ----------
    target : name or position of a column, optional
        A column of `X`, which is not kept itself. By default the `y` that is given to `fit`.
    estimator : estimator, optional
        What learns the graph; by default ``GraphLearner()``. ``GraphLearner(cut=0.2)`` keeps more.
    min_features : int
        Columns that are kept in any case, the most probable first, so that a pipeline does not end
        with none.

    Attributes
    ----------
    support_ : bool array of shape (n_columns,)
        Which columns are kept.
    blanket_ : list of str
        Names of the target's neighbours, the most probable first.
    estimator_ : estimator
        The fitted graph, of the columns and the target.
    n_features_in_ : int
        Columns of `X`; their names are ``feature_names_in_``.

    References
    ----------
    .. [1] J. Pearl (1988). Probabilistic Reasoning in Intelligent Systems. Morgan Kaufmann,
       section 3.2.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = pd.DataFrame(rng.normal(size=(300, 4)), columns=["a", "b", "c", "d"])
    >>> X["b"] += X["a"]
    >>> y = X["b"] + rng.normal(size=300)  # depends on a through b
    >>> SelectMarkovBlanket().fit(X, y).get_feature_names_out()
    array(['b'], dtype=object)
    >>> SelectMarkovBlanket("a").set_output(transform="pandas").fit_transform(X).shape
    (300, 1)
    """

    support_: Bools

    def __init__(
        self, target: str | int | None = None, *, estimator: Any = None, min_features: int = 1
    ) -> None:
        self.target = target
        self.estimator = estimator
        self.min_features = min_features

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.target_tags.required = self.target is None
        tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the graph of the columns and the target, and keep the target's neighbours.

        Parameters
        ----------
        X : data frame or array of shape (n, d)
            The table, of columns of any kind.
        y : array of shape (n,), optional
            The target, unless `target` names a column of `X`.

        Raises
        ------
        InputError
            If there is no target, or nothing can be learned of it.
        """
        how: Any = {"dtype": None, "ensure_all_finite": "allow-nan"}
        if self.target is not None:
            values = validate_data(self, X, **how)
        elif y is not None:
            values, y = validate_data(self, X, y, **how)
        else:
            raise InputError("requires y to be passed, but the target y is None. Or name a target.")
        given = as_frame(X)
        names = list(default_names(values.shape[1]) if given is None else map(str, given.columns))
        frame = (pd.DataFrame(values) if given is None else given).set_axis(names, axis=1)
        estimator = GraphLearner() if self.estimator is None else clone(self.estimator)
        if self.target is not None:
            target = names[column_position(self.target, names, "target")]
        else:
            target = "y"
            while target in names:
                target += "_"
            frame = frame.assign(**{target: y})
            is_number = np.asarray(y).dtype.kind in "iuf"
            if is_number and len(np.unique(y)) > MOST_CLASSES and hasattr(estimator, "kind"):
                estimator.set_params(kind={**(estimator.kind or {}), target: "continuous"})
        self.estimator_ = estimator.fit(frame)
        known = list(self.estimator_.node_names_)
        if target not in known:
            left = [each for each in self.estimator_.table_.left_out if each.name == target]
            reasons, advice = left_out_words(left)
            raise InputError(f"1 column is left out: {reasons}.{advice}")
        place = known.index(target)
        joined = np.asarray(self.estimator_.adjacency_)[place]
        ranking = np.asarray(self.estimator_.edge_ranking_, dtype=float)[place]
        best = [k for k in np.argsort(-ranking, kind="stable").tolist() if k != place]
        # First those that are joined: a required edge may rank anywhere.
        best.sort(key=lambda k: not joined[k])
        count = max(int(joined.sum()), self.min_features)
        self.blanket_ = [known[k] for k in best[:count]]
        self.support_ = np.isin(names, self.blanket_)
        return self

    def _get_support_mask(self) -> Bools:
        check_is_fitted(self)
        return self.support_
