"""Stability selection: which edges an estimator finds again on halves of the rows."""

from __future__ import annotations

import os
import warnings
from dataclasses import KW_ONLY, dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import joblib
import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, get_tags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions

from spinney._core.choices import read_seed
from spinney._core.graph import EdgeShare, GraphMixin
from spinney._core.pairs import n_pairs, pair_nodes, to_matrix
from spinney._core.resampling import Draw, run_draws
from spinney._core.threads import n_threads
from spinney.exceptions import DataWarning, InputError, SpinneyError
from spinney.models import stability_bounds
from spinney.models._base import COUNT, POSITIVE, check_parameters
from spinney.notices import Warned, recorded_warnings
from spinney.scale.tasks import on_cluster
from spinney.tables import MIN_ROWS, Table, check_features, check_table, read_table


@dataclass(eq=False, repr=False)
class StabilitySelection(GraphMixin, MetaEstimatorMixin, BaseEstimator):
    r"""Keep the edges that an estimator selects again and again on random halves of the rows.

    The rows are split into two halves B times, the estimator is fitted to all 2B halves, and an
    edge is kept if at least a share :math:`\tau` of the fits select it (complementary-pairs
    stability selection). The expected number of false edges among the kept ones is then bounded
    by :func:`false_edge_bound <spinney.models.stability_bounds.false_edge_bound>`.

    Parameters
    ----------
    estimator : estimator
        Anything with ``fit(X)`` and then ``adjacency_``. Parameters named ``random_state``, nested
        ones too, get a separate seed for every half.
    n_splits : int
        Number B of splits; there are twice as many fits.
    threshold : float
        Frequency from which an edge is kept, in (0.5, 1]. Meinshausen and Bühlmann found little
        difference between 0.6 and 0.9; at the default, in the middle, the unimodal bound is
        :math:`q^2 / p` (but for a factor B/(B - 1)), which is easy to keep in mind.
    max_false_edges : float, optional
        If given, `threshold` is not used: the smallest threshold is taken whose bound is at most
        this.
    assumption : {"unimodal", "none"}
        What the bound assumes of the distribution of frequencies. ``"none"`` gives Meinshausen
        and Bühlmann's bound.
    refit : bool
        Whether the estimator is also fitted to all rows, as `estimator_`.
    random_state : int or Generator
        Seed of the splits and of the estimator on each half.
    n_jobs : int, optional
        Workers of joblib; another backend (threads, Ray) is chosen by ``joblib.parallel_config``,
        and many machines by :func:`spinney.scale.cluster.cluster`. The result is always the same.
        Where there is more than one, parameters of the estimator named ``n_jobs`` are 1 within the
        halves.
    checkpoint : path, optional
        File, or existing folder, to which each finished half is written at once. A later fit with
        the same table, estimator, `n_splits` and `random_state` (a whole number) goes on from
        there; what only concerns the finished fits, such as `threshold`, may differ.
    progress : bool
        Whether to show a bar on standard error.

    Attributes
    ----------
    adjacency_ : boolean array of shape (d, d)
        The kept edges.
    edge_frequencies_ : array of shape (d, d)
        Share of the 2B fits that select each edge. It shows how stable an edge is and is not a
        probability that it exists.
    simultaneous_frequencies_ : array of shape (d, d)
        Share of the B splits with the edge selected on both halves.
    edge_weights_ : array of shape (d, d)
        Frequencies of the kept edges, zero elsewhere.
    edge_ranking_ : array of shape (d, d)
        The frequencies, as an order of all pairs.
    threshold_ : float
        The threshold in use, a multiple of 1/(2B).
    mean_n_edges_ : float
        Mean number q of edges selected on a half.
    expected_false_edges_ : float
        Bound on the expected number of false edges, with q as estimated.
    n_components_, labels_ : int, array of shape (d,)
        Connected components, and the one of each variable.
    edges_, graph_ : pandas.DataFrame, networkx.Graph
        The edges with their ``weight`` and ``frequency`` (the same number), as a table and as a
        graph whose nodes are named after columns.
    estimator_ : estimator
        Fitted to all rows, with its own graph and density; with ``refit=True`` only.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Raises
    ------
    InputError
        If there are fewer than eight rows, the checkpoint belongs to another run, or the estimator
        refuses a half, such as one within which a column is constant.

    References
    ----------
    .. [1] R. D. Shah and R. J. Samworth (2013). Variable selection with error control: another
       look at stability selection. Journal of the Royal Statistical Society B 75, 55-80.
    .. [2] N. Meinshausen and P. Bühlmann (2010). Stability selection. Journal of the Royal
       Statistical Society B 72, 417-473.

    Examples
    --------
    >>> from spinney.models.baselines import ChowLiu
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 4))
    >>> X[:, 1] += X[:, 0]
    >>> model = StabilitySelection(ChowLiu(), n_splits=20).fit(X)
    >>> model.graph_.edges(data="frequency")
    EdgeDataView([('x0', 'x1', 1.0)])
    """

    estimator: Any
    _: KW_ONLY
    n_splits: int = 50
    threshold: float = 0.75
    max_false_edges: float | None = None
    assumption: Literal["unimodal", "none"] = "unimodal"
    refit: bool = True
    random_state: int | np.random.Generator | None = 0
    n_jobs: int | None = None
    checkpoint: str | os.PathLike[str] | None = None
    progress: bool = False

    _edge_share: ClassVar[EdgeShare | None] = EdgeShare(
        "edge_frequencies_", "frequency", "share of fits to half of the rows"
    )
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": [HasMethods(["fit", "get_params"])],
        "n_splits": [COUNT],
        "threshold": [Interval(Real, 0.5, 1, closed="right")],
        "max_false_edges": [POSITIVE, None],
        "assumption": [StrOptions(set(stability_bounds.ASSUMPTIONS))],
    }

    def fit(self, X: ArrayLike | pd.DataFrame, y: object = None) -> Self:
        """Fit the estimator to all halves, and keep the edges that are stable.

        Parameters
        ----------
        X : data frame or array of shape (n, d)
            The table.
        y : ignored
        """
        self._check_parameters()
        table = self._read(X)
        # Not fitted until the new graph exists: an old graph does not belong to new columns.
        self.__dict__.pop("edge_weights_", None)
        check_features(self, X, reset=True)
        seed = read_seed(self.random_state)
        self.__dict__.pop("estimator_", None)  # an earlier fit's
        if self.refit:
            # First, so that a bad estimator raises its own error.
            self.estimator_ = clone(self.estimator).fit(X)
        done = self._fit_halves(table, hasattr(X, "columns"), seed)
        p = n_pairs(len(table.names))
        self._keep_frequencies(done, p)
        self.node_names_ = table.names
        # Half a vote of slack: frequencies are multiples of one vote.
        least = self.threshold_ - 0.25 / self.n_splits
        self.adjacency_ = self.edge_frequencies_ > least
        self.edge_weights_ = np.where(self.adjacency_, self.edge_frequencies_, 0.0)
        self.edge_ranking_ = self.edge_frequencies_
        self._show_warnings(done, p)
        return self

    def _check_parameters(self) -> None:
        check_parameters(self)
        if self.checkpoint is not None and not isinstance(self.random_state, Integral):
            raise InputError(
                "A checkpoint can only be continued with the same seed. Set random_state to a "
                f"whole number; it is {self.random_state!r}."
            )

    def _read(self, X: Any) -> Table:
        """Read the table as the estimator would; halves do not decide the kinds of columns."""
        least: Any = {"min_rows": 2 * MIN_ROWS, "min_columns": 2}
        if not getattr(self.estimator, "_reads_kinds", False):
            return check_table(X, **least)
        return read_table(X, kind=self.estimator.kind, missing=self.estimator.missing, **least)

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        if getattr(self.estimator, "_reads_kinds", False):
            tags.input_tags = get_tags(self.estimator).input_tags
        return tags

    def _fit_halves(self, table: Table, named: bool, seed: int) -> list[dict[str, Any]]:
        """Fit all halves that are not in the checkpoint, and return all in order."""
        alone = n_threads(self.n_jobs) == 1 and not on_cluster()
        n_splits = int(self.n_splits)
        with recorded_warnings() as from_threads:
            done = run_draws(
                _fit_half,
                [Draw("half", number) for number in range(2 * n_splits)],
                _settings(table, self.estimator, seed, n_splits),
                shared=(self.estimator, table, named, n_splits, seed, alone),
                checkpoint=self.checkpoint,
                n_jobs=self.n_jobs,
                progress=bool(self.progress),
                label="fits on half of the rows",
                at_once=1,
            )
        done[0]["warnings"].extend(_notes(from_threads))
        return done

    def _keep_frequencies(self, done: list[dict[str, Any]], p: int) -> None:
        votes = np.zeros((len(done), p), dtype=bool)
        for vote, fit in zip(votes, done, strict=True):
            vote[fit["edges"]] = True
        self.edge_frequencies_ = to_matrix(votes.mean(axis=0))
        self.simultaneous_frequencies_ = to_matrix((votes[::2] & votes[1::2]).mean(axis=0))
        self.mean_n_edges_ = float(votes.sum()) / len(done)
        needed = stability_bounds.votes_needed(self.threshold, self.n_splits)
        self.threshold_ = needed / (2 * self.n_splits)
        if self.max_false_edges is not None:
            found = stability_bounds.smallest_threshold(
                self.max_false_edges, self.mean_n_edges_, p, self.n_splits, self.assumption
            )
            self.threshold_ = 1.0 if found is None else found
        self.expected_false_edges_ = stability_bounds.false_edge_bound(
            self.mean_n_edges_, p, self.threshold_, self.n_splits, self.assumption
        )

    def _show_warnings(self, done: list[dict[str, Any]], p: int) -> None:
        """Give the warnings; last, so that warnings as errors leave a complete fit."""
        limit = self.max_false_edges
        if limit is not None and self.expected_false_edges_ > limit:
            warnings.warn(
                f"No threshold keeps the expected number of false edges within {limit:g}: the "
                f"estimator selects {self.mean_n_edges_:.4g} of {p} pairs on average, and even at "
                f"a threshold of 1, which is used, the bound is {self.expected_false_edges_:.3g}. "
                "Make the estimator sparser, or allow more.",
                DataWarning,
                stacklevel=3,
            )
        _show_notes([note for fit in done for note in fit["warnings"]], len(done))


# Halves: 2k and 2k + 1 are the two of split k


def half_rows(n: int, number: int, seed: int) -> NDArray[np.intp]:
    """Draw the rows of a half: ⌊n/2⌋ of n.

    The two halves of a split have no row in common; if n is odd, one row is in neither. Each split
    has its own stream, so the first ones do not depend on how many follow.

    Examples
    --------
    >>> [half_rows(5, number, seed=0).tolist() for number in range(4)]
    [[0, 3], [1, 2], [3, 4], [0, 2]]
    """
    split, half = divmod(number, 2)
    stream = np.random.SeedSequence(seed, spawn_key=(split,))
    order = np.random.default_rng(stream).permutation(n)
    return np.sort(order[half * (n // 2) : (half + 1) * (n // 2)])


def half_seed(seed: int, number: int) -> int:
    """Return the seed of the estimator on one half; it depends on its number alone."""
    split, half = divmod(number, 2)
    stream = np.random.SeedSequence(seed, spawn_key=(split, 1 + half))
    return int(stream.generate_state(1)[0])


def _fit_half(
    draws: list[Draw],
    estimator: Any,
    table: Table,
    named: bool,
    n_splits: int,
    seed: int,
    alone: bool,
) -> list[dict[str, Any]]:
    """Fit a clone to one half: the numbers of the pairs that it selects, and its warnings.

    Every parameter named ``random_state``, nested ones too, gets the half's own seed; beside other
    fits every ``n_jobs`` is 1.
    """
    (draw,) = draws
    part: Any = table.take(half_rows(len(table.values), draw.number, seed))
    m, d = part.values.shape
    if not getattr(estimator, "_reads_kinds", False):  # perhaps from another library
        part = pd.DataFrame(part.values, columns=list(table.names)) if named else part.values
    model = clone(estimator)
    set_for_all = {"random_state": half_seed(seed, draw.number), "progress": False}
    if not alone:
        set_for_all["n_jobs"] = 1
    for name in model.get_params(deep=True):
        last = name.rpartition("__")[2]
        if last in set_for_all:
            model.set_params(**{name: set_for_all[last]})
    with recorded_warnings() as caught:
        try:
            edges = _selected_pairs(model.fit(part), d)
        except Exception as error:
            kind = InputError if isinstance(error, ValueError) else SpinneyError
            split, half = divmod(draw.number, 2)
            raise kind(
                f"{type(estimator).__name__} failed on the {('first', 'second')[half]} half of "
                f"split {split + 1} of {n_splits} ({m} rows): {type(error).__name__}: {error}"
            ) from error
    return [{**draw._asdict(), "edges": edges, "warnings": _notes(caught)}]


def _selected_pairs(model: Any, d: int) -> list[int]:
    adjacency = np.asarray(getattr(model, "adjacency_", None))
    if adjacency.shape != (d, d) or (adjacency != adjacency.T).any():
        raise SpinneyError(
            f"after fit it must have a symmetric adjacency_ of shape ({d}, {d}), and has not"
        )
    return np.flatnonzero(adjacency[pair_nodes(d)]).tolist()


def _notes(caught: list[Warned]) -> list[tuple[str, str]]:
    """Return the kind and the text of warnings."""
    return [(warning.category.__name__, warning.message) for warning in caught]


def _show_notes(notes: list[tuple[str, str]], n_fits: int) -> None:
    """Show each kind of warning once, with its count."""
    for kind in dict.fromkeys(name for name, _ in notes):
        texts = [text for name, text in notes if name == kind]
        times = "once" if len(texts) == 1 else f"{len(texts)} times"
        warnings.warn(
            f"{kind} {times} in {n_fits} fits on half of the rows; first: {texts[0]}",
            CATEGORIES.get(kind, UserWarning),
            stacklevel=4,
        )


CATEGORIES = {kind.__name__: kind for kind in (ConvergenceWarning, DataWarning, RuntimeWarning)}
"""What warnings are shown again as; all others as UserWarning."""
WITHOUT_EFFECT = {"random_state", "n_jobs", "progress", "verbose"}
"""Parameters of the estimator that are set for each half, or change no result."""


def _settings(table: Table, estimator: Any, seed: int, n_splits: int) -> dict[str, Any]:
    """Describe everything that the selected edges depend on, as plain text and numbers."""
    n, d = table.values.shape
    # Classes by name: one that is defined in a function cannot be hashed.
    parameters = {
        name: type(value).__qualname__ if hasattr(value, "get_params") else value
        for name, value in estimator.get_params(deep=True).items()
        if name.rpartition("__")[2] not in WITHOUT_EFFECT
    }
    return {
        "table": f"{n} rows, {d} columns, {joblib.hash(np.ascontiguousarray(table.values))}",
        "columns": joblib.hash(table.names),
        "kinds": [f"{column.kind} {len(column.levels)}" for column in table.columns],
        "estimator": f"{type(estimator).__name__} {joblib.hash(parameters)}",
        "random_state": seed,
        "n_splits": n_splits,
    }
