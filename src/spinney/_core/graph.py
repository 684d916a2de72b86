"""What every learned graph offers: components, edges as a table, and the graph for networkx.

One class for forest estimators, baselines and stability selection, so that a name means the same
everywhere:

``adjacency_``
    Boolean, d × d: which pairs are edges.
``edge_weights_``
    d × d: the estimator's own weight of each edge, zero where there is none.
``edge_ranking_``
    d × d: the larger, the more likely an edge. Only the order means something, and it orders all
    pairs, those without an edge included.
``edge_probabilities_``
    d × d, where there is one: the probability of an event that the estimator's docstring names.
``edge_frequencies_``
    d × d, where there is one: the share of fits to parts of the table that select the pair.
``edge_signs_``
    d × d, where it is known: 1 where two columns rise together, -1 where one falls as the other
    rises, 0 where it is not known. (With pair copulas, the signs of their Kendall's tau.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from spinney._core.arrays import Bools, Floats, Ints
from spinney._core.components import component_labels
from spinney._core.pairs import PairIndex, pair_ends, pair_numbers
from spinney.exceptions import InputError

COPULA_COLUMNS = ("family", "rotation", "parameters", "tau", "lower_tail", "upper_tail")
"""Columns of the table of edges that describe the pair's copula."""


class EdgeShare(NamedTuple):
    """A number between 0 and 1 that an estimator gives each pair, and what to call it.

    Attributes
    ----------
    attribute : str
        Where the estimator keeps it.
    column : str
        Its column in the table of edges: ``"probability"`` or ``"frequency"``.
    label : str
        What it is a share of, in words for tables and legends.
    """

    attribute: str
    column: str
    label: str


class GraphMixin:
    """A learned graph, from ``adjacency_``, ``edge_weights_``, ``edge_ranking_``, ``node_names_``.

    Attributes
    ----------
    labels_ : int array of shape (d,)
        Connected component of each column, numbered from 0 in order of first columns.
    n_components_ : int
        Number of connected components; a column without edges is one of its own.
    edges_ : pandas.DataFrame
        One row per edge, the first in the ranking first; see :func:`edge_table`.
    unknown_pairs_ : pandas.DataFrame
        Pairs that too few rows have in common to say anything: neither edge nor no edge.
    explained_pairs_ : pandas.DataFrame
        Pairs that depend on each other over a column with levels or missing values, which shows
        too little of itself for the forests to see it.
    graph_ : networkx.Graph
        Nodes named after the columns; edges with the numbers of `edges_`.

    Examples
    --------
    >>> class Correlated(GraphMixin):
    ...     def fit(self, X):
    ...         self.node_names_ = tuple(X.columns)
    ...         self.edge_ranking_ = np.abs(X.corr().to_numpy()) - np.eye(X.shape[1])
    ...         self.adjacency_ = self.edge_ranking_ > 0.5
    ...         self.edge_weights_ = self.edge_ranking_ * self.adjacency_
    ...         return self
    >>> X = pd.DataFrame({"a": [1, 2, 3, 4], "b": [1, -1, -1, 1], "c": [2, 3, 5, 6]})
    >>> model = Correlated().fit(X)
    >>> model.n_components_, list(model.graph_.edges)
    (2, [('a', 'c')])
    """

    adjacency_: Bools
    edge_weights_: Floats
    edge_ranking_: Floats
    node_names_: tuple[str, ...]

    _edge_share: ClassVar[EdgeShare | None] = None

    def __sklearn_is_fitted__(self) -> bool:
        """Say whether there is a graph; `fit` takes ``edge_weights_`` away first and sets it last.

        So that a fit that fails leaves no graph of another table behind.
        """
        return hasattr(self, "edge_weights_")

    @property
    def labels_(self) -> Ints:
        """Connected component of each column, numbered from 0 in order of first columns."""
        check_fitted(self)
        return component_labels(self.adjacency_)

    @property
    def n_components_(self) -> int:
        """Number of connected components."""
        return int(self.labels_.max(initial=-1)) + 1

    @property
    def edges_(self) -> pd.DataFrame:
        """The edges as a table, the first in the ranking first; see the class."""
        check_fitted(self)
        return edge_table(self)

    @property
    def unknown_pairs_(self) -> pd.DataFrame:
        """Pairs with too few rows in common to be judged: source, target, rows.

        Their absence from the graph says nothing. Empty where every pair is known.
        """
        check_fitted(self)
        names, potentials = np.array(self.node_names_, dtype=object), shown_potentials(self)
        known = np.asarray(getattr(potentials, "known_", np.empty(0, bool)))
        unknown = np.flatnonzero(~known)
        rows = np.asarray(getattr(potentials, "n_rows_", np.zeros(len(known), int)))[unknown]
        first, second = _ends_of(self, unknown, len(known))
        return pd.DataFrame({"source": names[first], "target": names[second], "rows": rows})

    @property
    def explained_pairs_(self) -> pd.DataFrame:
        """Pairs whose dependence a path over a column with levels or missing values explains.

        They say nothing of edges of their own; see :mod:`spinney.pairs.explained`. The columns are
        source, target, and through, the column that explains the pair best.
        """
        check_fitted(self)
        names = np.array(self.node_names_, dtype=object)
        found = getattr(shown_potentials(self), "explained_", None)
        chosen = np.empty(0, np.intp) if found is None else np.flatnonzero(found.pairs)
        through = np.empty(0, np.intp) if found is None else found.through[chosen]
        first, second = _ends_of(self, chosen, 0 if found is None else len(found.pairs))
        return pd.DataFrame(
            {"source": names[first], "target": names[second], "through": names[through]}
        )

    @property
    def graph_(self) -> nx.Graph:
        """The graph, with the names of the columns and the numbers of `edges_`."""
        check_fitted(self)
        return edge_graph(self)

    def save(self, path: str | Path) -> Path:
        """Write the model to a file; see :func:`spinney.load_model`."""
        check_fitted(self)
        from spinney._core.files import save_model

        return save_model(self, path)


def check_fitted(model: Any) -> None:
    """Refuse a model without a graph, by the error of scikit-learn.

    Examples
    --------
    >>> from spinney import GraphLearner
    >>> check_fitted(GraphLearner())
    Traceback (most recent call last):
    sklearn.exceptions.NotFittedError: This GraphLearner is not fitted yet. Call fit first.
    """
    if not model.__sklearn_is_fitted__():
        from sklearn.exceptions import NotFittedError  # takes a second, which fitted models spare

        raise NotFittedError(f"This {type(model).__name__} is not fitted yet. Call fit first.")


def edge_table(model: Any) -> pd.DataFrame:
    """List the edges of a fitted model, the first in its ranking first.

    Parameters
    ----------
    model : estimator
        Fitted; with ``adjacency_`` and ``edge_weights_``, and if it has them ``edge_ranking_``,
        ``edge_signs_``, ``edge_probabilities_`` or ``edge_frequencies_``, and ``potentials_`` (a
        fitted :class:`spinney.PairCopulas`).

    Returns
    -------
    pandas.DataFrame
        One row per edge. Always there: ``source``, ``target`` (in the order of the columns) and
        ``weight``. Where the model knows them: ``strength_low`` and ``strength_high`` (95 %
        interval of a weight that is a strength), ``sign`` (1, -1, or 0 where it is not known),
        ``sign_means`` (in words, where a column has two values in words),
        ``probability`` or ``frequency``, ``tau`` (Kendall's tau-b of the rows that have both
        values), ``rows`` (how many these are), and of a model of pair copulas ``family``,
        ``rotation``, ``parameters`` (a tuple), ``lower_tail`` and ``upper_tail`` (coefficients of
        tail dependence). Sorted by the ranking, then by weight, falling.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> weights = np.array([[0.0, 0.0, 0.42], [0.0, 0.0, 0.0], [0.42, 0.0, 0.0]])
    >>> edge_table(SimpleNamespace(adjacency_=weights > 0, edge_weights_=weights))
      source target  weight
    0     x0     x2    0.42
    """
    adjacency = _adjacency(model)
    labels = np.array(_names(model), dtype=object)
    first, second = np.nonzero(np.triu(adjacency, 1))
    weights = np.asarray(model.edge_weights_, dtype=float)
    ranking = np.asarray(getattr(model, "edge_ranking_", weights), dtype=float)
    # Stable, so that equal edges keep the order of the columns.
    order = np.lexsort((-weights[first, second], -ranking[first, second]))
    first, second = first[order], second[order]
    columns: dict[str, Any] = {
        "source": labels[first],
        "target": labels[second],
        "weight": weights[first, second],
    }
    intervals = getattr(model, "edge_intervals_", None)
    if intervals is not None:
        columns["strength_low"], columns["strength_high"] = np.asarray(intervals)[order].T
    copulas, table = _copulas(model, first, second), _table(model)
    ends = list(zip(first.tolist(), second.tolist(), strict=True))
    judged = getattr(model, "evidence_", None) is not None
    tau = None if copulas is None else copulas["tau"].to_numpy(dtype=float)
    if table is not None and (judged or copulas is not None):
        from spinney._core.kendall import sample_tau

        tau = sample_tau(table, ends)
    signs = getattr(model, "edge_signs_", None)
    if signs is not None:
        columns["sign"] = np.asarray(signs)[first, second].astype(np.int64)
    elif tau is not None:
        columns["sign"] = np.sign(np.nan_to_num(tau)).astype(np.int64)  # classes have no tau
    if "sign" in columns and table is not None and any(map(in_words, table.columns)):
        known = [replace(own, name=name) for own, name in zip(table.columns, labels, strict=True)]
        columns["sign_means"] = [
            sign_meaning(known[u], known[v], sign)
            for u, v, sign in zip(first, second, columns["sign"], strict=True)
        ]
    share = edge_share(model)
    if share is not None:
        columns[share.column] = np.asarray(getattr(model, share.attribute))[first, second]
    if copulas is not None:
        columns |= {column: copulas[column].to_numpy() for column in COPULA_COLUMNS}
    if tau is not None:
        columns["tau"] = tau
    rows = getattr(shown_potentials(model), "n_rows_", None)
    if table is not None and (judged or rows is not None):
        columns["rows"] = [int(table.present[:, pair].all(axis=1).sum()) for pair in ends]
    elif rows is not None:
        at = PairIndex.of_model(model, len(adjacency))
        columns["rows"] = at.look_up(rows, pair_numbers(first, second, len(adjacency)), missing=0)
    return pd.DataFrame(columns)


def shown_potentials(model: Any) -> Any:
    """Return the pair densities that a model was learned from, or None.

    A model that was learned from evidence would have to fit them first; nothing shown needs that.
    """
    learned = getattr(model, "evidence_", None) is None
    return getattr(model, "potentials_", None) if learned else None


def _table(model: Any) -> Any:
    """Find the table that a model was fitted to, if it keeps it."""
    found = (getattr(own, "table_", None) for own in (model, getattr(model, "estimator_", None)))
    return next((table for table in found if hasattr(table, "columns")), None)


def in_words(column: Any) -> bool:
    """Whether a column of a table has two values that are words, of which either could be up."""
    return column.kind == "binary" and isinstance(column.levels[1], str)


def high_level(column: Any) -> str | None:
    """Return the level that counts as high, of an ordered column whose levels are words."""
    if column.kind not in ("binary", "ordinal") or not isinstance(column.levels[-1], str):
        return None
    return str(column.levels[-1])


def sign_meaning(first: Any, second: Any, sign: int) -> str:
    """Say what a sign means where a column has two values in words; empty where none has.

    Parameters
    ----------
    first, second : spinney.tables.Column
        The two columns.
    sign : int
        Whether the second value of the one goes with high values of the other, or the first.

    Examples
    --------
    >>> from spinney.tables import Column
    >>> x, risk = Column("x", "continuous"), Column("risk", "binary", ("high", "low"))
    >>> sign_meaning(x, risk, 1), sign_meaning(risk, x, -1), sign_meaning(x, x, 1)
    ('x is higher where risk is low', 'x is higher where risk is high', '')
    >>> sign_meaning(Column("ill", "binary", (False, True)), risk, -1)
    'ill is more often True where risk is high'
    """
    if not in_words(second):
        first, second = second, first
    if not sign or not in_words(second):
        return ""
    how = f"more often {first.levels[1]}" if first.kind == "binary" else "higher"
    return f"{first.name} is {how} where {second.name} is {second.levels[int(sign > 0)]}"


def edge_share(model: Any) -> EdgeShare | None:
    """Return what the model's numbers between 0 and 1 are, or None if it has none.

    Examples
    --------
    >>> from spinney import RootedForests
    >>> edge_share(RootedForests()) is None  # not fitted
    True
    """
    known = getattr(model, "_edge_share", None)
    candidates = [known] if known is not None else _OF_STRANGERS
    return next((share for share in candidates if hasattr(model, share.attribute)), None)


_OF_STRANGERS = [
    EdgeShare("edge_probabilities_", "probability", "probability"),
    EdgeShare("edge_frequencies_", "frequency", "frequency"),
]
"""Used for models without `_edge_share`."""


def edge_graph(model: Any) -> nx.Graph:
    """Build a graph that carries the numbers of :func:`edge_table`.

    Nodes are named by the columns, in their order, and have their ``component``, numbered from 0
    in order of first columns; all values are plain numbers and text, so that any format can hold
    them.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> weights = np.array([[0.0, 0.0, 0.42], [0.0, 0.0, 0.0], [0.42, 0.0, 0.0]])
    >>> model = SimpleNamespace(adjacency_=weights > 0, edge_weights_=weights)
    >>> edge_graph(model).nodes["x1"]
    {'component': 1}
    """
    graph = nx.Graph()
    components = component_labels(_adjacency(model))
    for name, component in zip(_names(model), components, strict=True):
        graph.add_node(name, component=int(component))
    for row in edge_table(model).to_dict("records"):
        source, target = row.pop("source"), row.pop("target")
        graph.add_edge(source, target, **{str(key): _plain(value) for key, value in row.items()})
    return graph


def parameters_text(parameters: Sequence[float]) -> str:
    """Write the parameters of a copula with spaces between them.

    Examples
    --------
    >>> parameters_text((0.5, 4.0))
    '0.5 4'
    """
    return " ".join(f"{value:.8g}" for value in parameters)


def _copulas(model: Any, first: NDArray[Any], second: NDArray[Any]) -> pd.DataFrame | None:
    """Describe the copulas of some pairs, if the model has pair copulas that can."""
    describe = getattr(shown_potentials(model), "describe", None)
    if describe is None:
        return None
    # By position: some models fit their copulas on a bare array, without the names.
    table: pd.DataFrame = describe(pair_numbers(first, second, len(model.adjacency_)))
    return table


def _ends_of(model: Any, places: NDArray[Any], count: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Find the columns of pairs by their places among the `count` that numbers are kept of."""
    d = len(model.adjacency_)
    index = PairIndex.of_model(model, d)
    return pair_ends(index.listed[places] if len(index) == count else places, d)


def _names(model: Any) -> list[str]:
    """Names of the variables that the model was fitted with."""
    known = getattr(model, "node_names_", None)
    return list(map(str, known or [f"x{k}" for k in range(len(_adjacency(model)))]))


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return parameters_text(value)
    return value.item() if isinstance(value, np.generic) else value


def _adjacency(model: Any) -> Bools:
    try:
        return np.asarray(model.adjacency_, dtype=bool)
    except AttributeError:
        raise InputError(
            f"A {type(model).__name__} has no learned graph. Fit it to a table first."
        ) from None
